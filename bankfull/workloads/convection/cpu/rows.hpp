#pragma once

#include "bankfull/core/base/pack.hpp"
#include "bankfull/workloads/convection/implicit_stage.hpp"
#include "bankfull/workloads/convection/point.hpp"

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

namespace bankfull::convection {

/// The cells along a row where all have one width, which is that of the first: the metrics of a
/// row's first point serve all of its points.
template <class Real>
struct UniformCells {
  using Metric = Real;  ///< of a pack

  AxisMetric<Real> all;

  [[nodiscard]] BANKFULL_ALWAYS_INLINE const AxisMetric<Real>& around(std::int64_t /*k*/) const {
    return all;
  }

  template <class Stencil>
  BANKFULL_ALWAYS_INLINE void move_to(std::int64_t /*k*/, Stencil& /*stencil*/) const {}

  [[nodiscard]] BANKFULL_ALWAYS_INLINE Real per_cell(std::int64_t /*k*/) const {
    return all.per_cell;
  }
  [[nodiscard]] BANKFULL_ALWAYS_INLINE Real per_cells(std::int64_t /*k*/) const {
    return all.per_cell;
  }
  [[nodiscard]] BANKFULL_ALWAYS_INLINE Real per_face(std::int64_t /*k*/) const {
    return all.per_face;
  }
};

/// The cells along a row that is stretched: lines of metrics, each with a pack to spare.
template <class Real>
struct StretchedCells {
  using Metric = Pack<Real>;

  AxisMetric<const Real*> lines;

  [[nodiscard]] BANKFULL_ALWAYS_INLINE AxisMetric<Real> around(std::int64_t k) const {
    return {lines.per_cell[k], lines.per_cell_before[k], lines.per_face[k], lines.per_face_next[k],
            lines.weight[k]};
  }

  BANKFULL_ALWAYS_INLINE void move_to(std::int64_t k, PointStencil<Real>& stencil) const {
    stencil.axis[2] = around(k);
  }
  BANKFULL_ALWAYS_INLINE void move_to(std::int64_t k,
                                      PointStencil<Real, Metric, Metric>& stencil) const {
    stencil.axis[2] = {Metric::load(lines.per_cell + k), Metric::load(lines.per_cell_before + k),
                       Metric::load(lines.per_face + k), Metric::load(lines.per_face_next + k),
                       Metric::load(lines.weight + k)};
  }

  [[nodiscard]] BANKFULL_ALWAYS_INLINE Real per_cell(std::int64_t k) const {
    return lines.per_cell[k];
  }
  [[nodiscard]] BANKFULL_ALWAYS_INLINE Metric per_cells(std::int64_t k) const {
    return Metric::load(lines.per_cell + k);
  }
  [[nodiscard]] BANKFULL_ALWAYS_INLINE Real per_face(std::int64_t k) const {
    return lines.per_face[k];
  }
};

/// Metrics that are the same for a whole pack, as UniformCells or StretchedCells have them.
template <class Metric, class Real>
AxisMetric<Metric> metric_of_pack(const AxisMetric<Real>& all) {
  return {broadcast_of<Metric>(all.per_cell), broadcast_of<Metric>(all.per_cell_before),
          broadcast_of<Metric>(all.per_face), broadcast_of<Metric>(all.per_face_next),
          broadcast_of<Metric>(all.weight)};
}

/// Owns what StretchedCells point to; empty for a uniform axis.
template <class Real>
class MetricLines {
 public:
  MetricLines() = default;
  explicit MetricLines(const std::vector<AxisMetric<Real>>& metrics)
      : lines_{of(metrics, &AxisMetric<Real>::per_cell),
               of(metrics, &AxisMetric<Real>::per_cell_before),
               of(metrics, &AxisMetric<Real>::per_face),
               of(metrics, &AxisMetric<Real>::per_face_next),
               of(metrics, &AxisMetric<Real>::weight)} {}

  [[nodiscard]] bool exist() const { return !lines_.weight.empty(); }
  [[nodiscard]] StretchedCells<Real> cells() const {
    return {{lines_.per_cell.data(), lines_.per_cell_before.data(), lines_.per_face.data(),
             lines_.per_face_next.data(), lines_.weight.data()}};
  }

 private:
  /// The last pack reaches beyond the cells: their metrics are those of the last one.
  static std::vector<Real> of(const std::vector<AxisMetric<Real>>& metrics,
                              Real AxisMetric<Real>::*member) {
    std::vector<Real> line;
    line.reserve(metrics.size() + Pack<Real>::width);
    for (const AxisMetric<Real>& metric : metrics) {
      line.push_back(metric.*member);
    }
    line.insert(line.end(), Pack<Real>::width, metrics.back().*member);
    return line;
  }

  AxisMetric<std::vector<Real>> lines_;
};

/// One row of all fields to advance, from k = 0. Pointers are to velocity 0; the others follow at
/// the strides' field distance.
template <class Real, class Metric = Real>
struct RowToAdvance {
  PointStencil<Real, Pack<Real>, Metric> stencil;  ///< of the row's first point
  const Real* source = nullptr;
  const Real* source_factor = nullptr;  ///< of each field, where there are sources
  Real* tendency = nullptr;
  Real* next = nullptr;  ///< aligned to a cache line
  std::int64_t cells = 0;
};

template <Terms Which, class Real, class Metric>
BANKFULL_ALWAYS_INLINE void put_advanced(const RowToAdvance<Real, Metric>& row,
                                         const PointStencil<Real, Pack<Real>, Metric>& stencil,
                                         const StageFactors<Real>& stage, std::int64_t k, int field,
                                         Pack<Real> tendency) {
  using P = Pack<Real>;
  const std::int64_t at = field * stencil.strides.field;
  if (Which == Terms::all && row.source != nullptr) {
    tendency = plus_product(row.source_factor[field], P::load(row.source + at + k), tendency);
  }
  Real* const kept = row.tendency + at + k;
  const P result = advanced(stencil.load(at), stage.gamma, tendency, stage.zeta, P::load(kept));
  // Nothing reads it before the next pass over memory.
  result.stream(row.next + at + k);
  if (stage.store_tendency) {
    tendency.store(kept);
  }
}

/// next = fields + gamma G + zeta G_before, a pack at a time; the last one reaches into the
/// row's padding. Arguments come by value: compilers see that no store changes them. `Cells`:
/// UniformCells or StretchedCells.
template <Terms Which, class Real, class Cells>
void advance_row(RowToAdvance<Real, typename Cells::Metric> row, Cells along, Medium<Real> medium,
                 StageFactors<Real> stage) {
  using P = Pack<Real>;
  const bool carries = Which == Terms::usual || medium.scalar_count > 0;
  for (std::int64_t k = 0; k < row.cells; k += P::width) {
    PointStencil<Real, P, typename Cells::Metric> stencil = row.stencil;
    stencil.here += k;
    along.move_to(k, stencil);
    // All before the first store: what compilers must take for a change of the flow.
    const P along_i = momentum_tendency<0, Which>(stencil, medium);
    const P along_j = momentum_tendency<1, Which>(stencil, medium);
    const P along_k = momentum_tendency<2, Which>(stencil, medium);
    P scalar = P::broadcast(0);
    if (carries) {
      scalar = scalar_tendency(stencil, 0, medium.scalars[0].diffusivity);
    }
    put_advanced<Which>(row, stencil, stage, k, 0, along_i);
    put_advanced<Which>(row, stencil, stage, k, 1, along_j);
    put_advanced<Which>(row, stencil, stage, k, 2, along_k);
    if (carries) {
      put_advanced<Which>(row, stencil, stage, k, 3, scalar);
    }
    for (int s = 1; Which == Terms::all && s < medium.scalar_count; ++s) {
      put_advanced<Which>(row, stencil, stage, k, 3 + s,
                          scalar_tendency(stencil, s, medium.scalars[s].diffusivity));
    }
  }
}

/// The largest buoyancy_rate of a row of cells, which lie on the walls `beside` the row, and end at
/// walls where it is `walled`. In packs but for the cells on those walls: compilers do not
/// vectorise a loop that copies whole stencils.
template <Terms Which, class Real, class Cells>
Real largest_buoyancy_rate(PointStencil<Real> row, Cells along, Medium<Real> medium,
                           CellOnWalls beside, bool walled, std::int64_t cells) {
  using Metric = typename Cells::Metric;
  Real largest = 0;
  std::int64_t k = 0;
  const auto take_cell = [&](std::int64_t at) {
    PointStencil<Real> stencil = row;
    stencil.here += at;
    along.move_to(at, stencil);
    CellOnWalls walls = beside;
    walls.lower[2] = walled && at == 0;
    walls.upper[2] = walled && at == cells - 1;
    const Real rate = buoyancy_rate<Which>(stencil, medium, walls);
    largest = largest < rate ? rate : largest;
  };
  if (walled) {
    take_cell(k++);
  }
  if constexpr (std::is_floating_point_v<Real>) {  // not of numbers that count operations
    using P = Pack<Real>;
    PointStencil<Real, P, Metric> stencil{
        .here = row.here,
        .strides = row.strides,
        .axis = {metric_of_pack<Metric>(row.axis[0]), metric_of_pack<Metric>(row.axis[1]),
                 metric_of_pack<Metric>(row.axis[2])}};
    beside.lower[2] = beside.upper[2] = false;
    P rates = P::broadcast(0);
    for (const std::int64_t end = walled ? cells - 1 : cells; k + P::width <= end; k += P::width) {
      stencil.here = row.here + k;
      along.move_to(k, stencil);
      rates = raised(rates, buoyancy_rate<Which>(stencil, medium, beside));
    }
    largest = rates.largest(largest);
  }
  for (; k < cells; ++k) {
    take_cell(k);
  }
  return largest;
}

/// The largest advective_rate of a row of cells.
template <class Real, class Cells>
Real largest_advective_rate(PointStencil<Real> row, Cells along, std::int64_t cells) {
  const Real* const along_i = row.here;
  const Real* const along_j = along_i + row.strides.field;
  const Real* const along_k = along_j + row.strides.field;
  Real largest = 0;
#pragma omp simd reduction(max : largest)
  for (std::int64_t k = 0; k < cells; ++k) {
    const Real rate = advective_rate(row.axis[0], row.axis[1], along.around(k), along_i[k],
                                     along_j[k], along_k[k]);
    largest = largest < rate ? rate : largest;
  }
  return largest;
}

/// Velocities on both sides of a row of cells. The face beyond the last cell is `last_face`.
template <class Real>
struct RowToDiverge {
  const Real* below[3];  ///< on the lower faces
  const Real* above[2];  ///< on the upper faces along i and j
  Real last_face = 0;
  Real per_cell[2] = {};  ///< along i and j
  std::int64_t cells = 0;
};

/// div u, past the caches where the row starts on a line: the next pass over memory reads it.
template <class Real, class Cells>
void divergence_row(const RowToDiverge<Real>& row, Cells along, Real* __restrict result) {
  using P = Pack<Real>;
  const Real* const(&below)[3] = row.below;
  const Real* const(&above)[2] = row.above;
  const bool whole_lines = is_line_aligned(result);
  const std::int64_t last = row.cells - 1;
  std::int64_t k = 0;
  for (; k + P::width <= last; k += P::width) {
    const P lower[3] = {P::load(below[0] + k), P::load(below[1] + k), P::load(below[2] + k)};
    const P upper[3] = {P::load(above[0] + k), P::load(above[1] + k), P::load(below[2] + k + 1)};
    const P value = divergence_between(row.per_cell, along.per_cells(k), lower, upper);
    whole_lines ? value.stream(result + k) : value.store(result + k);
  }
  for (; k <= last; ++k) {
    const Real next_face = k < last ? below[2][k + 1] : row.last_face;
    const Real lower[3] = {below[0][k], below[1][k], below[2][k]};
    const Real upper[3] = {above[0][k], above[1][k], next_face};
    result[k] = divergence_between(row.per_cell, along.per_cell(k), lower, upper);
  }
}

/// u -= (p - p_below) / distance, on the lower faces of a row of cells.
template <class Real>
void project_row(const Real* __restrict pressure, const Real* __restrict below, Real per_face,
                 std::int64_t cells, Real* __restrict velocity) {
#pragma omp simd
  for (std::int64_t k = 0; k < cells; ++k) {
    velocity[k] -= per_face * (pressure[k] - below[k]);
  }
}

/// The same along the row itself: the first face is a wall, or lies above the row's last cell.
template <class Real, class Cells>
void project_along_row(const Real* __restrict pressure, bool periodic, Cells along,
                       std::int64_t cells, Real* __restrict velocity) {
  if (periodic) {
    velocity[0] -= along.per_face(0) * (pressure[0] - pressure[cells - 1]);
  }
#pragma omp simd
  for (std::int64_t k = 1; k < cells; ++k) {
    velocity[k] -= along.per_face(k) * (pressure[k] - pressure[k - 1]);
  }
}

}  // namespace bankfull::convection
