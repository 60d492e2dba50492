#pragma once

#include "bankfull/core/base/pack.hpp"
#include "bankfull/core/exec/team.hpp"
#include "bankfull/workloads/convection/boundary.hpp"
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
  [[nodiscard]] BANKFULL_ALWAYS_INLINE const AxisMetric<Real>& around_pack(
      std::int64_t /*k*/) const {
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
  [[nodiscard]] BANKFULL_ALWAYS_INLINE AxisMetric<Metric> around_pack(std::int64_t k) const {
    return {Metric::load(lines.per_cell + k), Metric::load(lines.per_cell_before + k),
            Metric::load(lines.per_face + k), Metric::load(lines.per_face_next + k),
            Metric::load(lines.weight + k)};
  }

  BANKFULL_ALWAYS_INLINE void move_to(std::int64_t k, PointStencil<Real>& stencil) const {
    stencil.axis[2] = around(k);
  }
  BANKFULL_ALWAYS_INLINE void move_to(std::int64_t k,
                                      PointStencil<Real, Metric, Metric>& stencil) const {
    stencil.axis[2] = around_pack(k);
  }

  [[nodiscard]] BANKFULL_ALWAYS_INLINE Real per_cell(std::int64_t k) const {
    return lines.per_cell[k];
  }
  [[nodiscard]] BANKFULL_ALWAYS_INLINE Metric per_cells(std::int64_t k) const {
    return Metric::load(lines.per_cell + k);
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

/// Elements in a Value: 1, or those of a pack.
template <class Value>
inline constexpr int lanes_of = 1;
template <class Real>
inline constexpr int lanes_of<Pack<Real>> = Pack<Real>::width;

/// An element, or a pack of them.
template <class Value, class Real>
BANKFULL_ALWAYS_INLINE Value load_as(const Real* from) {
  if constexpr (std::is_same_v<Real, Value>) {
    return *from;
  } else {
    return Value::load(from);
  }
}

template <class Value, class Real>
BANKFULL_ALWAYS_INLINE void store_as(const Value& value, Real* to) {
  if constexpr (std::is_same_v<Real, Value>) {
    *to = value;
  } else {
    value.store(to);
  }
}

/// One row of all fields to advance, from k = 0. Pointers are to velocity 0; the others follow at
/// the strides' field distance.
template <class Real, class Metric = Real>
struct RowToAdvance {
  PointStencil<Real, Pack<Real>, Metric> stencil;  ///< of the row's first point
  const Real* source = nullptr;
  const Real* source_factor = nullptr;  ///< of each field, where there are sources
  Real* tendency = nullptr;
  Real* next = nullptr;    ///< aligned to a cache line
  std::int64_t ahead = 0;  ///< elements to what is asked for meanwhile; 0: nothing is
  std::int64_t cells = 0;
};

/// Asks for the lines, so far ahead, of all that a pack of a row is the first to need: fields of
/// the plane above, and tendencies.
template <class Real, class Metric>
BANKFULL_ALWAYS_INLINE void ask_ahead(const RowToAdvance<Real, Metric>& row, std::int64_t k,
                                      int fields) {
  const FlowStrides& strides = row.stencil.strides;
  for (int field = 0; field < fields; ++field) {
    const std::int64_t at = field * strides.field + k + row.ahead;
    __builtin_prefetch(row.stencil.here + at + strides.plane, 0, 2);
    __builtin_prefetch(row.tendency + at, 0, 2);
  }
}

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

/// The walls around a row of cells, which ends at walls too where it is `walled`.
struct RowWalls {
  CellOnWalls beside;
  bool walled = false;

  /// The cells that lie on none but those beside the row.
  [[nodiscard]] Range inner(std::int64_t cells) const {
    return walled ? Range{1, cells - 1} : Range{0, cells};
  }

  [[nodiscard]] CellOnWalls around(std::int64_t k, std::int64_t cells) const {
    CellOnWalls found = beside;
    found.lower[2] = walled && k == 0;
    found.upper[2] = walled && k == cells - 1;
    return found;
  }
};

/// next = fields + gamma G + zeta G_before, a pack at a time; the last one reaches into the
/// row's padding. Arguments come by value: compilers see that no store changes them. `Cells`:
/// UniformCells or StretchedCells. Returns the largest buoyancy_rate of the packs that hold inner
/// cells alone, whose loads it shares; that of others see largest_buoyancy_rate_of_ends.
template <Terms Which, class Real, class Cells>
Real advance_row(RowToAdvance<Real, typename Cells::Metric> row, Cells along, Medium<Real> medium,
                 StageFactors<Real> stage, RowWalls walls) {
  using P = Pack<Real>;
  const bool carries = Which == Terms::usual || medium.scalar_count > 0;
  const Range inner = walls.inner(row.cells);
  P rates = P::broadcast(0);
  for (std::int64_t k = 0; k < row.cells; k += P::width) {
    PointStencil<Real, P, typename Cells::Metric> stencil = row.stencil;
    stencil.here += k;
    along.move_to(k, stencil);
    if (row.ahead != 0) {
      ask_ahead(row, k, Which == Terms::usual ? 4 : 3 + medium.scalar_count);
    }
    // All before the first store: what compilers must take for a change of the flow.
    const P along_i = momentum_tendency<0, Which>(stencil, medium);
    const P along_j = momentum_tendency<1, Which>(stencil, medium);
    const P along_k = momentum_tendency<2, Which>(stencil, medium);
    P scalar = P::broadcast(0);
    if (carries) {
      scalar = scalar_tendency(stencil, 0, medium.scalars[0].diffusivity);
    }
    if (k >= inner.begin && k + P::width <= inner.end) {
      rates = raised(rates, buoyancy_rate<Which>(stencil, medium, walls.beside));
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
  return rates.largest(Real(0));
}

/// The buoyancy_rate of cells of a row.
template <Terms Which, class Real, class Cells>
struct RatesOfRow {
  using P = Pack<Real>;

  PointStencil<Real> row;
  const Cells& along;
  const Medium<Real>& medium;
  RowWalls walls;
  std::int64_t cells = 0;

  [[nodiscard]] Real of_cell(std::int64_t k) const {
    PointStencil<Real> stencil = row;
    stencil.here += k;
    along.move_to(k, stencil);
    return buoyancy_rate<Which>(stencil, medium, walls.around(k, cells));
  }

  /// Of inner cells.
  [[nodiscard]] BANKFULL_ALWAYS_INLINE P of_pack(std::int64_t k) const {
    using Metric = typename Cells::Metric;
    PointStencil<Real, P, Metric> stencil{
        .here = row.here + k,
        .strides = row.strides,
        .axis = {metric_of_pack<Metric>(row.axis[0]), metric_of_pack<Metric>(row.axis[1]),
                 metric_of_pack<Metric>(row.axis[2])}};
    along.move_to(k, stencil);
    return buoyancy_rate<Which>(stencil, medium, walls.beside);
  }
};

/// The largest buoyancy_rate of the cells that advance_row leaves out: on walls, and in packs that
/// reach back to where it begins or ends.
template <Terms Which, class Real, class Cells>
Real largest_buoyancy_rate_of_ends(const RatesOfRow<Which, Real, Cells>& rates) {
  using P = Pack<Real>;
  const Range inner = rates.walls.inner(rates.cells);
  Real largest = 0;
  const auto take_cell = [&](std::int64_t k) {
    const Real rate = rates.of_cell(k);
    largest = largest < rate ? rate : largest;
  };
  if (inner.size() < P::width) {
    for (std::int64_t k = 0; k < rates.cells; ++k) {
      take_cell(k);
    }
    return largest;
  }
  if (rates.walls.walled) {
    take_cell(0);
    take_cell(rates.cells - 1);
  }
  if (inner.begin % P::width != 0) {
    largest = rates.of_pack(inner.begin).largest(largest);
  }
  if (inner.end % P::width != 0) {
    largest = rates.of_pack(inner.end - P::width).largest(largest);
  }
  return largest;
}

/// The largest buoyancy_rate of all cells of a row.
template <Terms Which, class Real, class Cells>
Real largest_buoyancy_rate(const RatesOfRow<Which, Real, Cells>& rates) {
  using P = Pack<Real>;
  const Range inner = rates.walls.inner(rates.cells);
  P inside = P::broadcast(0);
  for (std::int64_t k = inner.begin == 0 ? 0 : P::width; k + P::width <= inner.end; k += P::width) {
    inside = raised(inside, rates.of_pack(k));
  }
  return inside.largest(largest_buoyancy_rate_of_ends(rates));
}

/// 1 / width of the narrower cells beside the faces of a pack.
template <class Real>
BANKFULL_ALWAYS_INLINE Pack<Real> per_narrower_cell(const AxisMetric<Pack<Real>>& axis) {
  return raised(axis.per_cell_before, axis.per_cell);
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

/// A row of cells to project, with the faces on their lower sides.
template <class Real>
struct RowToProject {
  const Real* pressure = nullptr;
  const Real* below[2] = {};    ///< that of the cells before along i and j; null: faces are walls
  Real before = 0;              ///< that of the cell before the row; its first one's own at a wall
  std::int64_t first_face = 0;  ///< along the row that is not a wall
  Real* velocity[3] = {};
  AxisMetric<Real> axis[2];
  std::int64_t next_pressure = 0;  ///< elements to the next row, for which memory is asked
  std::int64_t next_velocity = 0;  ///< the same; 0: it is not asked
  std::int64_t cells = 0;
};

/// Asks for the elements of the next row: processors foresee what comes to the end of a page, which
/// long rows soon reach.
template <class Real>
BANKFULL_ALWAYS_INLINE void ask_for_next_row(const RowToProject<Real>& row, std::int64_t k) {
  __builtin_prefetch(row.pressure + row.next_pressure + k, 0, 2);
  for (const Real* const velocity : row.velocity) {
    __builtin_prefetch(velocity + row.next_velocity + k, 0, 2);
  }
}

/// u - (p - p_below) / distance.
template <class Metric, class Value>
BANKFULL_ALWAYS_INLINE Value projected(const Metric& per_face, const Value& velocity,
                                       const Value& pressure, const Value& below) {
  return velocity - per_face * (pressure - below);
}

/// Projects the cells of a Value from k on, and returns their advective_rate. Velocities on walls
/// stay: a pack that has one at its beginning finds no difference of pressure there.
template <class Value, class Real, class Metric>
BANKFULL_ALWAYS_INLINE Value project_cells(const RowToProject<Real>& row,
                                           const AxisMetric<Metric>& along, std::int64_t k,
                                           const Value& pressure, const Value& before) {
  Value velocity[3] = {load_as<Value>(row.velocity[0] + k), load_as<Value>(row.velocity[1] + k),
                       load_as<Value>(row.velocity[2] + k)};
  for (int axis = 0; axis < 2; ++axis) {
    if (row.below[axis] != nullptr) {
      velocity[axis] = projected(row.axis[axis].per_face, velocity[axis], pressure,
                                 load_as<Value>(row.below[axis] + k));
      store_as(velocity[axis], row.velocity[axis] + k);
    }
  }
  if (k + lanes_of < Value >> row.first_face) {
    velocity[2] = projected(along.per_face, velocity[2], pressure, before);
    store_as(velocity[2], row.velocity[2] + k);
  }
  return advective_rate(row.axis[0], row.axis[1], along, velocity[0], velocity[1], velocity[2]);
}

/// Projects a row a pack at a time, but for what is left at its end: beyond lie ghosts that others
/// may write. Returns the largest advective_rate. Inlined, or short rows wait for their description
/// to be copied.
template <class Real, class Cells>
BANKFULL_ALWAYS_INLINE Real project_row(RowToProject<Real> row, Cells along) {
  using P = Pack<Real>;
  P rates = P::broadcast(0);
  P before = P::broadcast(row.before);
  std::int64_t k = 0;
  for (; k + P::width <= row.cells; k += P::width) {
    if (row.next_velocity != 0) {
      ask_for_next_row(row, k);
    }
    const P pressure = P::load(row.pressure + k);
    rates = raised(rates, project_cells(row, along.around_pack(k), k, pressure,
                                        one_lane_earlier(before, pressure)));
    before = pressure;
  }
  Real largest = rates.largest(Real(0));
  for (; k < row.cells; ++k) {
    const Real below = k > 0 ? row.pressure[k - 1] : row.before;
    const Real rate = project_cells(row, along.around(k), k, row.pressure[k], below);
    largest = largest < rate ? rate : largest;
  }
  return largest;
}

}  // namespace bankfull::convection
