#pragma once

#include "bankfull/core/base/pack.hpp"
#include "bankfull/workloads/convection/cpu/rows.hpp"
#include "bankfull/workloads/convection/point.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace bankfull::convection {

/// One row of all fields to advance, and to eliminate along the planes. Pointers to fields are to
/// velocity 0 at k = 0, as in a RowToAdvance; only cells from `begin` on are done.
template <class Real, class Metric = Real>
struct RowToEliminate {
  RowToAdvance<Real, Metric> advance;
  std::int64_t begin = 0;   ///< a multiple of a cache line
  Real* carried = nullptr;  ///< the row before along the planes, eliminated; becomes this one
  std::int64_t carried_stride = 0;           ///< to the next field
  const LineFactors<Real>* lines = nullptr;  ///< of all fields in this plane
  const Real* pressure = nullptr;            ///< with the cell before the row
  const Real* pressure_below[2] = {};        ///< one plane, and one row before
};

/// Less tau dp/dA at velocity A.
template <int A, class Real, class Metric>
BANKFULL_ALWAYS_INLINE Pack<Real> less_pressure_gradient(const RowToEliminate<Real, Metric>& row,
                                                         Real length, const Metric& per_face,
                                                         std::int64_t k, Pack<Real> right_side) {
  using P = Pack<Real>;
  const Real* below = row.pressure - 1;
  if constexpr (A < 2) {
    below = row.pressure_below[A];
  }
  return less_gradient(length * per_face, P::load(below + k), P::load(row.pressure + k),
                       right_side);
}

/// Stores field `field`, which is velocity `Own`, or 3: a scalar, eliminated.
template <Terms Which, Diffusion How, int Own, class Real, class Metric>
BANKFULL_ALWAYS_INLINE void put_eliminated(const RowToEliminate<Real, Metric>& row,
                                           const PointStencil<Real, Pack<Real>, Metric>& stencil,
                                           const Medium<Real>& medium,
                                           const ImplicitFactors<Real>& stage, std::int64_t k,
                                           int field, Pack<Real> tendency) {
  using P = Pack<Real>;
  const std::int64_t at = field * stencil.strides.field;
  if (Which == Terms::all && row.advance.source != nullptr) {
    tendency = plus_product(row.advance.source_factor[field], P::load(row.advance.source + at + k),
                            tendency);
  }
  Real* const kept = row.advance.tendency + at + k;
  P right_side =
      implicit_right_side<Own, How>(stencil, medium, stage, field, tendency, P::load(kept));
  if constexpr (Own < 3) {
    right_side =
        less_pressure_gradient<Own>(row, stage.length, stencil.axis[Own].per_face, k, right_side);
  }
  Real* const carried = row.carried + field * row.carried_stride + k;
  const P result = eliminated(row.lines[field], right_side, P::load(carried));
  result.store(carried);
  result.stream(row.advance.next + at + k);
  if (stage.tendencies.store_tendency) {
    tendency.store(kept);
  }
}

/// The right side of a stage with implicit diffusion, eliminated along the planes; see Stage.
template <Terms Which, Diffusion How, class Real, class Cells>
void eliminate_row(RowToEliminate<Real, typename Cells::Metric> row, Cells along,
                   Medium<Real> medium, ImplicitFactors<Real> stage) {
  using P = Pack<Real>;
  const bool carries = Which == Terms::usual || medium.scalar_count > 0;
  for (std::int64_t k = row.begin; k < row.advance.cells; k += P::width) {
    PointStencil<Real, P, typename Cells::Metric> stencil = row.advance.stencil;
    stencil.here += k;
    along.move_to(k, stencil);
    const P along_i = momentum_tendency<0, Which, How>(stencil, medium);
    const P along_j = momentum_tendency<1, Which, How>(stencil, medium);
    const P along_k = momentum_tendency<2, Which, How>(stencil, medium);
    P scalar = P::broadcast(0);
    if (carries) {
      scalar = explicit_scalar_tendency<How>(stencil, 0, medium);
    }
    put_eliminated<Which, How, 0>(row, stencil, medium, stage, k, 0, along_i);
    put_eliminated<Which, How, 1>(row, stencil, medium, stage, k, 1, along_j);
    put_eliminated<Which, How, 2>(row, stencil, medium, stage, k, 2, along_k);
    if (carries) {
      put_eliminated<Which, How, 3>(row, stencil, medium, stage, k, 3, scalar);
    }
    for (int s = 1; Which == Terms::all && s < medium.scalar_count; ++s) {
      put_eliminated<Which, How, 3>(row, stencil, medium, stage, k, 3 + s,
                                    explicit_scalar_tendency<How>(stencil, s, medium));
    }
  }
}

/// Adds what a wall beside the plane prescribes to a row that is eliminated: the wall's part of the
/// ghosts, which are factor * (value beside them) + that part, times `weight`.
template <class Real>
void add_wall_to_row(const Real* __restrict here, const Real* __restrict ghost, Real factor,
                     Real weight, std::int64_t cells, Real* __restrict row) {
#pragma omp simd
  for (std::int64_t k = 0; k < cells; ++k) {
    row[k] += weight * (ghost[k] - factor * here[k]);
  }
}

template <class Real>
void add_row(const Real* __restrict other, std::int64_t cells, Real* __restrict row) {
#pragma omp simd
  for (std::int64_t k = 0; k < cells; ++k) {
    row[k] += other[k];
  }
}

/// The solution of a row from the row above it.
template <class Real>
void substitute_row(Real back, const Real* __restrict above, std::int64_t cells,
                    Real* __restrict row) {
  for (std::int64_t k = 0; k < cells; k += Pack<Real>::width) {
    using P = Pack<Real>;
    const LineFactors<Real> factors{.back = back};
    substituted(factors, P::load(row + k), P::load(above + k)).store(row + k);
  }
}

/// A row eliminated with the one below it; the first one, where nothing is carried, with itself.
template <class Real>
void eliminate_across(const LineFactors<Real>& factors, const Real* below, std::int64_t cells,
                      Real* row) {
#pragma omp simd
  for (std::int64_t k = 0; k < cells; ++k) {
    row[k] = eliminated(factors, row[k], below[k]);
  }
}

/// Solves up to `Rows` rows along themselves at once: each element waits for the one before, so one
/// row alone would leave the processor waiting. `factors` are `step` apart.
template <std::size_t Rows, class Real>
void solve_along_rows(const LineFactors<Real>* factors, std::size_t step, std::int64_t cells,
                      Real* first, std::int64_t pitch) {
  std::array<Real, Rows> last{};
  for (std::int64_t k = 0; k < cells; ++k) {
    const LineFactors<Real>& here = factors[static_cast<std::size_t>(k) * step];
    for (std::size_t row = 0; row < Rows; ++row) {
      Real& value = first[static_cast<std::int64_t>(row) * pitch + k];
      last[row] = eliminated(here, value, last[row]);
      value = last[row];
    }
  }
  for (std::int64_t k = cells - 2; k >= 0; --k) {
    const LineFactors<Real>& here = factors[static_cast<std::size_t>(k) * step];
    for (std::size_t row = 0; row < Rows; ++row) {
      Real& value = first[static_cast<std::int64_t>(row) * pitch + k];
      last[row] = substituted(here, value, last[row]);
      value = last[row];
    }
  }
}

/// One row of the potential that a projection found, and of its neighbours. Beyond walls, and along
/// axes whose diffusion is explicit, these are the row itself.
template <class Real>
struct RowOfPotential {
  const Real* here = nullptr;
  const Real* below[2] = {};  ///< one plane, and one row before
  const Real* above[2] = {};
  NeighbourWeights<Real> weights[2] = {};
  bool implicit_along_row = false;
  std::int64_t cells = 0;
};

/// See with_potential.
template <class Real>
BANKFULL_ALWAYS_INLINE Real kept_pressure(const RowOfPotential<Real>& row,
                                          const AxisMetric<Real>& along,
                                          const ImplicitFactors<Real>& stage, Real kept,
                                          std::int64_t k, std::int64_t before, std::int64_t after) {
  const auto weights = NeighbourWeights<Real>::of(along, false);
  const Real here = row.here[k];
  Real sum = row.weights[0].below * (row.below[0][k] - here);
  sum = plus_product(row.weights[0].above, row.above[0][k] - here, sum);
  sum = plus_product(row.weights[1].below, row.below[1][k] - here, sum);
  sum = plus_product(row.weights[1].above, row.above[1][k] - here, sum);
  sum = plus_product(weights.below, row.here[before] - here, sum);
  sum = plus_product(weights.above, row.here[after] - here, sum);
  return with_potential(stage, here, sum, kept);
}

/// With the difference across the planes alone.
template <class Real>
void keep_pressure_across_planes(RowOfPotential<Real> row, ImplicitFactors<Real> stage,
                                 Real* __restrict kept) {
  const Real* __restrict const here = row.here;
#pragma omp simd
  for (std::int64_t k = 0; k < row.cells; ++k) {
    const Real below = row.weights[0].below * (row.below[0][k] - here[k]);
    const Real sum = plus_product(row.weights[0].above, row.above[0][k] - here[k], below);
    kept[k] = with_potential(stage, here[k], sum, kept[k]);
  }
}

template <class Real, class Cells>
void keep_pressure_row(RowOfPotential<Real> row, Cells along, ImplicitFactors<Real> stage,
                       Real* __restrict kept) {
  const std::int64_t last = row.cells - 1;
  const std::int64_t step = row.implicit_along_row && last > 0 ? 1 : 0;
  const auto keep = [&](std::int64_t k, std::int64_t before, std::int64_t after) {
    return kept_pressure(row, along.around(k), stage, kept[k], k, before, after);
  };
  kept[0] = keep(0, 0, step);
#pragma omp simd
  for (std::int64_t k = 1; k < last; ++k) {
    kept[k] = kept_pressure(row, along.around(k), stage, kept[k], k, k - step, k + step);
  }
  if (last > 0) {
    kept[last] = keep(last, last - step, last);
  }
}

}  // namespace bankfull::convection
