#pragma once

#include "bankfull/core/exec/tickets.cuh"
#include "bankfull/workloads/convection/cuda/advance.cuh"
#include "bankfull/workloads/convection/cuda/implicit_slot.cuh"

#include <algorithm>
#include <cstdint>

namespace bankfull::convection {

/// Planes that a block traverses upwards where columns are swept. Columns that go up all planes
/// at once drift apart, and no longer find in L2 what their neighbours read: on an H200 the
/// elimination of 512^3 cells takes 23 % more time then.
inline constexpr int planes_per_slab = 32;

/// `advance` of a stage with implicit diffusion: leaves its right side in `next`, eliminated along
/// the planes where slabs come one after the other.
template <class Real>
struct EliminationArguments {
  AdvanceArguments<Real> advance;  ///< but for its `stage`
  const ImplicitSlot<Real>* slot;
  const LineFactors<Real>* lines;  ///< of all fields in each plane; null: nothing is eliminated
  const Continuations* rules;      ///< of all fields
  const Real* pressure;            ///< at cell (0, 0, 0)
  int before_first_row;            ///< rows from it to the one before it
  TileTickets tickets;             ///< slabs of advance.planes_per_block planes, from below
  bool walls_vary;
};

namespace detail {

inline constexpr int elimination_columns = 32;
inline constexpr int elimination_rows = 8;

/// Blocks that share a multiprocessor and its registers.
template <class Real>
inline constexpr int elimination_blocks = sizeof(Real) == 8 ? 2 : 3;

/// The pressure at a cell and at the three before it, around periodic ends. Only rows are cut.
template <class Real>
struct PressureBehind {
  Real here;
  Real below[3];

  __device__ __forceinline__ static PressureBehind at(const EliminationArguments<Real>& arguments,
                                                      int i, int j, int k) {
    const auto before = [](int n, int first) { return n == 0 ? first : -1; };
    const FlowOnGpu<Real>& flow = arguments.advance.flow;
    const FlowStrides& strides = flow.strides;
    const Real* const here = arguments.pressure + i * strides.plane + j * strides.row + k;
    return {__ldg(here),
            {__ldg(here + before(i, flow.cells[0] - 1) * strides.plane),
             __ldg(here + before(j, arguments.before_first_row) * strides.row),
             __ldg(here + before(k, flow.cells[2] - 1))}};
  }
};

/// With implicit diffusion and, of a velocity, the gradient of the known pressure.
template <int Own, Diffusion How, class Real>
__device__ __forceinline__ Real right_side_of(const PointStencil<Real>& stencil,
                                              const Medium<Real>& medium,
                                              const ImplicitFactors<Real>& stage, int field,
                                              Real tendency, Real before,
                                              const PressureBehind<Real>& pressure) {
  const Real right_side =
      implicit_right_side<Own, How>(stencil, medium, stage, field, tendency, before);
  if constexpr (Own < 3) {
    return less_gradient(stage.length * stencil.axis[Own].per_face, pressure.below[Own],
                         pressure.here, right_side);
  } else {
    return right_side;
  }
}

/// What the wall below the first plane or above the last one gives to the new values beside it.
template <class Real>
__device__ __forceinline__ Real with_wall(const EliminationArguments<Real>& arguments,
                                          const PointStencil<Real>& stencil, int field, int side,
                                          Real right_side) {
  const Real factor = static_cast<Real>(arguments.rules[field].at[0][side].factor);
  const Real ghost = stencil.template at<0>(field, side == 0 ? -1 : 1);
  const Real given = ghost - factor * stencil.template at<0>(field, 0);
  return plus_product(arguments.slot->wall_weights[side][field], given, right_side);
}

/// With what walls add that vary. Beside those across the planes alone there are no others.
template <Diffusion How, class Real>
__device__ __forceinline__ Real with_wall_changes(const EliminationArguments<Real>& arguments,
                                                  int i, int j, int k, int field, Real right_side) {
  const int(&cells)[3] = arguments.advance.flow.cells;
  const WallChanges<Real>& changes = arguments.slot->wall_changes;
  if constexpr (How == Diffusion::within_planes) {
    right_side = right_side + (i == 0 ? changes.part[0][0][field] : Real(0));
    return right_side + (i + 1 == cells[0] ? changes.part[0][1][field] : Real(0));
  } else {
    const int index[3] = {i, j, k};
    return right_side + changes.at(field, index, cells);
  }
}

/// With what walls across the planes give, and eliminated.
template <Diffusion How, class Real>
__device__ __forceinline__ Real finished_side(const EliminationArguments<Real>& arguments,
                                              const PointStencil<Real>& stencil, int i, int j,
                                              int k, int field, Real right_side, Real carried) {
  if (arguments.walls_vary) {
    right_side = with_wall_changes<How>(arguments, i, j, k, field, right_side);
  }
  if constexpr (How == Diffusion::within_planes) {
    if (i == 0 && field != 0) {
      right_side = with_wall(arguments, stencil, field, 0, right_side);
    }
    if (i + 1 == arguments.advance.flow.cells[0] && field != 0) {
      right_side = with_wall(arguments, stencil, field, 1, right_side);
    }
  }
  if (arguments.lines == nullptr) {
    return right_side;
  }
  return eliminated(arguments.lines[i * (3 + arguments.advance.medium.scalar_count) + field],
                    right_side, carried);
}

/// The scalars behind the first: seldom any. What was eliminated below comes from memory.
template <Diffusion How, class Real>
__device__ __forceinline__ void eliminate_more_scalars(const EliminationArguments<Real>& arguments,
                                                       const PointStencil<Real>& stencil,
                                                       std::int64_t at, int i, int j, int k) {
  const AdvanceArguments<Real>& advance = arguments.advance;
  const ImplicitFactors<Real>& stage = arguments.slot->factors;
  for (int s = 1; s < advance.medium.scalar_count; ++s) {
    const int field = 3 + s;
    const std::int64_t there = at + field * advance.flow.strides.field;
    const Real tendency = with_source(advance, field, there,
                                      explicit_scalar_tendency<How>(stencil, s, advance.medium));
    const Real right_side = right_side_of<3, How>(stencil, advance.medium, stage, field, tendency,
                                                  advance.tendency[there], {});
    const Real below = i == 0 ? Real(0) : advance.next[there - advance.flow.strides.plane];
    advance.next[there] = finished_side<How>(arguments, stencil, i, j, k, field, right_side, below);
    if (stage.tendencies.store_tendency) {
      __stcs(advance.tendency + there, tendency);
    }
  }
}

/// What was eliminated in the plane below a slab. Past L1: this kernel wrote it.
template <class Real>
__device__ __forceinline__ Real below_slab(const EliminationArguments<Real>& arguments, int field,
                                           int first, int j, int k) {
  const FlowStrides& strides = arguments.advance.flow.strides;
  return arguments.lines == nullptr || first == 0
             ? Real(0)
             : __ldcg(arguments.advance.next + field * strides.field + (first - 1) * strides.plane +
                      j * strides.row + k);
}

/// A column (j, k) through the planes of a block, as advance_column does it.
template <Terms Which, Diffusion How, InPlane Widths, class Real>
__device__ __forceinline__ Real eliminate_column(const EliminationArguments<Real>& arguments,
                                                 int slab, int j, int k) {
  const AdvanceArguments<Real>& advance = arguments.advance;
  const FlowOnGpu<Real>& flow = advance.flow;
  const Medium<Real>& medium = advance.medium;
  const ImplicitFactors<Real> stage = arguments.slot->factors;
  const int first = slab * advance.planes_per_block;
  const int last = min(flow.cells[0], first + advance.planes_per_block);
  constexpr bool usual = Which == Terms::usual;
  const int first_fields = usual ? 4 : min(4, 3 + medium.scalar_count);
  Real largest = Real(0);
  Real carried[4];
#pragma unroll
  for (int n = 0; n < 4; ++n) {
    carried[n] = n < first_fields ? below_slab(arguments, n, first, j, k) : Real(0);
  }
  for (int i = first; i < last; ++i) {
    const PointStencil<Real> stencil = flow.template stencil<Widths>(advance.fields, i, j, k);
    const std::int64_t at = stencil.here - advance.fields;
    const std::int64_t field = flow.strides.field;
    prefetch_next_plane(advance, stencil, i, first_fields);
    // All loads before the first store: compilers must take that for a change of the flow.
    Real before[4];
    Real tendency[4] = {};
#pragma unroll
    for (int n = 0; n < 4; ++n) {
      before[n] = n < first_fields ? __ldcs(advance.tendency + at + n * field) : Real(0);
    }
    tendency[0] = momentum_tendency<0, Which, How>(stencil, medium);
    tendency[1] = momentum_tendency<1, Which, How>(stencil, medium);
    tendency[2] = momentum_tendency<2, Which, How>(stencil, medium);
    if (usual || medium.scalar_count > 0) {
      tendency[3] = explicit_scalar_tendency<How>(stencil, 0, medium);
    }
#pragma unroll
    for (int n = 0; n < 4; ++n) {
      if (!usual && n < first_fields) {
        tendency[n] = with_source(advance, n, at + n * field, tendency[n]);
      }
    }
    const auto pressure = PressureBehind<Real>::at(arguments, i, j, k);
    Real side[4] = {};
    side[0] = right_side_of<0, How>(stencil, medium, stage, 0, tendency[0], before[0], pressure);
    side[1] = right_side_of<1, How>(stencil, medium, stage, 1, tendency[1], before[1], pressure);
    side[2] = right_side_of<2, How>(stencil, medium, stage, 2, tendency[2], before[2], pressure);
    if (usual || medium.scalar_count > 0) {
      side[3] = right_side_of<3, How>(stencil, medium, stage, 3, tendency[3], before[3], pressure);
    }
    const CellOnWalls walls = flow.walls.around({i, j, k}, flow.cells);
    largest = larger(buoyancy_rate<Which>(stencil, medium, walls), largest);
    const bool on_wall[4] = {walls.lower[0], walls.lower[1], walls.lower[2], false};
#pragma unroll
    for (int n = 0; n < 4; ++n) {
      if (n < first_fields) {
        const Real value = finished_side<How>(arguments, stencil, i, j, k, n, side[n], carried[n]);
        carried[n] = on_wall[n] ? Real(0) : value;
      }
    }
#pragma unroll
    for (int n = 0; n < 4; ++n) {
      if (n < first_fields) {
        advance.next[at + n * field] = carried[n];
        if (stage.tendencies.store_tendency) {
          __stcs(advance.tendency + at + n * field, tendency[n]);
        }
      }
    }
    if constexpr (!usual) {
      eliminate_more_scalars<How>(arguments, stencil, at, i, j, k);
    }
  }
  return largest;
}

template <Terms Which, Diffusion How, InPlane Widths, class Real>
__global__ void __launch_bounds__(elimination_columns* elimination_rows, elimination_blocks<Real>)
    eliminate_kernel(const __grid_constant__ EliminationArguments<Real> arguments) {
  const AdvanceArguments<Real>& advance = arguments.advance;
  const TileTicket ticket = take_ticket(arguments.tickets);
  const int k = ticket.column * elimination_columns + static_cast<int>(threadIdx.x);
  const int j = ticket.row * elimination_rows + static_cast<int>(threadIdx.y);
  wait_for_previous_slab(arguments.tickets, ticket);
  const bool inside = k < advance.flow.cells[2] && j < advance.flow.cells[1];
  const Real buoyancy =
      inside ? eliminate_column<Which, How, Widths>(arguments, ticket.slab, j, k) : Real(0);
  complete_slab(arguments.tickets, ticket);
  raise_to_largest(advance.largest_buoyancy, static_cast<double>(buoyancy));
}

template <Diffusion How, InPlane Widths, class Real>
auto eliminate_kernel_of(Terms terms) {
  return terms == Terms::usual ? eliminate_kernel<Terms::usual, How, Widths, Real>
                               : eliminate_kernel<Terms::all, How, Widths, Real>;
}

template <InPlane Widths, class Real>
auto eliminate_kernel_within(Terms terms, bool for_values) {
  return for_values ? eliminate_kernel_of<Diffusion::within_planes, Widths, Real>(terms)
                    : eliminate_kernel_of<Diffusion::explicit_axes, Widths, Real>(terms);
}

}  // namespace detail

/// Planes that one block of an elimination follows: many where the GPU is full, few where it is
/// not.
inline int planes_per_block(const int (&cells)[3], int multiprocessors) {
  constexpr int most = 32;
  constexpr int blocks_per_multiprocessor = 4;
  const int columns = (cells[2] + detail::elimination_columns - 1) / detail::elimination_columns;
  const int rows = (cells[1] + detail::elimination_rows - 1) / detail::elimination_rows;
  const int wanted = std::max(1, multiprocessors * blocks_per_multiprocessor / (columns * rows));
  return std::clamp(cells[0] / wanted, 1, most);
}

/// The tiles of columns that blocks of an elimination follow.
inline TileTickets::Tiles elimination_tiles(std::int64_t rows, std::int64_t columns) {
  const auto tiles = [](std::int64_t count, int of) {
    return static_cast<int>((count + of - 1) / of);
  };
  return {tiles(columns, detail::elimination_columns), tiles(rows, detail::elimination_rows)};
}
inline TileTickets::Tiles elimination_tiles(const int (&cells)[3]) {
  return elimination_tiles(cells[1], cells[2]);
}

/// Whether there are so many columns that those of one slab fill the GPU: else columns are cut, and
/// eliminated by a kernel of their own.
template <class Real>
bool columns_fill(const Extents& cells, int multiprocessors) {
  return 4 * elimination_tiles(cells.nj, cells.nk).count() >=
         3 * multiprocessors * detail::elimination_blocks<Real>;
}

/// Queues the right side of a stage. `for_values`: see ImplicitLines.
template <class Real>
void queue_elimination(const Stream& stream, const EliminationArguments<Real>& arguments,
                       bool for_values) {
  const AdvanceArguments<Real>& advance = arguments.advance;
  const Terms terms = terms_of(advance.medium, advance.source != nullptr);
  const auto kernel =
      advance.flow.widths == InPlane::uniform
          ? detail::eliminate_kernel_within<InPlane::uniform, Real>(terms, for_values)
          : detail::eliminate_kernel_within<InPlane::stretched, Real>(terms, for_values);
  launch(stream,
         {dim3(static_cast<unsigned>(arguments.tickets.tiles.count() * arguments.tickets.slabs)),
          dim3(detail::elimination_columns, detail::elimination_rows)},
         kernel, arguments);
}

}  // namespace bankfull::convection
