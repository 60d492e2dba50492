#pragma once

#include "bankfull/core/exec/launch.cuh"
#include "bankfull/numerics/poisson/poisson.hpp"
#include "bankfull/workloads/convection/boundary.hpp"
#include "bankfull/workloads/convection/cuda/advance.cuh"

#include <cstdint>

namespace bankfull::convection {

namespace detail {

/// The n-th ghost cell of a box: two planes, then two rows of each plane, then two ends of each
/// row. Counted in 32 bits: divisions take most of the time.
struct GhostCells {
  unsigned ni;
  unsigned nj;
  unsigned nk;

  BANKFULL_HOST_DEVICE unsigned of_planes() const { return 2 * (nj + 2) * (nk + 2); }
  BANKFULL_HOST_DEVICE unsigned of_rows() const { return 2 * ni * (nk + 2); }
  BANKFULL_HOST_DEVICE unsigned count() const { return of_planes() + of_rows() + 2 * ni * nj; }

  __device__ void find(unsigned n, std::int64_t (&index)[3]) const {
    if (n < of_planes()) {
      const unsigned row = n / (nk + 2);
      const bool lower = row < nj + 2;
      index[0] = lower ? -1 : std::int64_t{ni};
      index[1] = std::int64_t{lower ? row : row - (nj + 2)} - 1;
      index[2] = std::int64_t{n - row * (nk + 2)} - 1;
      return;
    }
    n -= of_planes();
    if (n < of_rows()) {
      const unsigned row = n / (nk + 2);
      index[0] = row / 2;
      index[1] = row % 2 == 0 ? -1 : std::int64_t{nj};
      index[2] = std::int64_t{n - row * (nk + 2)} - 1;
      return;
    }
    n -= of_rows();
    const unsigned row = n / 2;
    index[0] = row / nj;
    index[1] = row % nj;
    index[2] = n % 2 == 0 ? -1 : std::int64_t{nk};
  }
};

template <class Real>
struct FillGhosts {
  GhostCells ghosts;
  FlowStrides strides;
  CentreLines centres;
  const Continuations* rules;  ///< of all fields
  Real* fields;

  BANKFULL_HOST_DEVICE unsigned count() const { return ghosts.count(); }

  __device__ void operator()(unsigned n, unsigned field) const {
    std::int64_t index[3];
    ghosts.find(n, index);
    const std::int64_t cells[3] = {ghosts.ni, ghosts.nj, ghosts.nk};
    if (is_cell_of_another_rank(rules[field], index, cells)) {
      return;
    }
    Real* const values = fields + field * strides.field;
    const auto read = [&](std::int64_t i, std::int64_t j, std::int64_t k) {
      return static_cast<double>(values[i * strides.plane + j * strides.row + k]);
    };
    const double ghost = continued(rules[field], centres, cells, index, read);
    values[index[0] * strides.plane + index[1] * strides.row + index[2]] = static_cast<Real>(ghost);
  }

  /// A ghost cell that is in place already.
  __device__ static bool is_cell_of_another_rank(const Continuations& rule,
                                                 const std::int64_t (&index)[3],
                                                 const std::int64_t (&cells)[3]) {
    for (int axis = 0; axis < 3; ++axis) {
      const bool upper = index[axis] >= cells[axis];
      if ((upper || index[axis] < 0) && !rule.at[axis][upper ? 1 : 0].goes_on) {
        return false;
      }
    }
    return true;
  }
};

/// Ghosts beyond the walls along the planes of a flow whose projection is left to the next stage,
/// as they are once it is projected: rows and planes close on themselves, and need none.
template <class Real>
struct FillOuterPlanes {
  FlowOnGpu<Real> flow;
  CentreLines centres;
  const Continuations* rules;  ///< of all fields
  poisson::CellSlots<Real> potential;
  Real* fields;

  BANKFULL_HOST_DEVICE unsigned of_plane() const {
    return static_cast<unsigned>(flow.cells[1]) * static_cast<unsigned>(flow.cells[2]);
  }
  BANKFULL_HOST_DEVICE unsigned count() const { return 2 * of_plane(); }

  __device__ void operator()(unsigned n, unsigned field) const {
    const bool upper = n >= of_plane();
    const unsigned in_plane = upper ? n - of_plane() : n;
    const unsigned row = in_plane / static_cast<unsigned>(flow.cells[2]);
    const std::int64_t cells[3] = {flow.cells[0], flow.cells[1], flow.cells[2]};
    const std::int64_t index[3] = {upper ? cells[0] : -1, row,
                                   in_plane - row * static_cast<unsigned>(flow.cells[2])};
    const auto read = [&](std::int64_t i, std::int64_t j, std::int64_t k) {
      return static_cast<double>(
          projected(field, static_cast<int>(i), static_cast<int>(j), static_cast<int>(k)));
    };
    const FlowStrides& strides = flow.strides;
    fields[field * strides.field + index[0] * strides.plane + index[1] * strides.row + index[2]] =
        static_cast<Real>(continued(rules[field], centres, cells, index, read));
  }

  /// As Project has it.
  __device__ Real projected(unsigned field, int i, int j, int k) const {
    const Real value = fields[field * flow.strides.field + flow.offset(i, j, k)];
    if (field == 0 && i == 0) {
      return Real(0);
    }
    const auto less = [&](Real per_face, Real below) {
      return projected_velocity(value, per_face, potential(i, j, k), below);
    };
    switch (field) {
      case 0:
        return less(flow.planes[i].per_face, potential(i - 1, j, k));
      case 1:
        return less(flow.row.per_face, potential(i, j > 0 ? j - 1 : flow.cells[1] - 1, k));
      case 2:
        return less(flow.column.per_face, potential(i, j, k > 0 ? k - 1 : flow.cells[2] - 1));
      default:
        return value;
    }
  }
};

inline constexpr unsigned ghosts_per_block = 256;

/// beside() may spill for it: ghosts wait for memory, and need many threads.
inline constexpr unsigned ghost_blocks = 6;

/// The first block of all calls beside(), by one thread; blockIdx.y is the field of the others.
template <class Fill, class Beside>
__global__ void __launch_bounds__(ghosts_per_block, ghost_blocks)
    ghosts_kernel(const __grid_constant__ Fill fill, const __grid_constant__ Beside beside) {
  if (blockIdx.x == 0) {
    if (blockIdx.y == 0 && threadIdx.x == 0) {
      beside();
    }
    return;
  }
  const unsigned n = (blockIdx.x - 1) * ghosts_per_block + threadIdx.x;
  if (n < fill.count()) {
    fill(n, blockIdx.y);
  }
}

/// `fields`: how many.
template <class Fill, class Beside>
void queue_filling(const Stream& stream, const Fill& fill, int fields, const Beside& beside) {
  const unsigned blocks = (fill.count() + ghosts_per_block - 1) / ghosts_per_block;
  launch(stream, {dim3(1 + blocks, static_cast<unsigned>(fields)), dim3(ghosts_per_block)},
         ghosts_kernel<Fill, Beside>, fill, beside);
}

}  // namespace detail

/// For queue_ghosts where there is nothing to do beside.
struct NothingBeside {
  __device__ void operator()() const {}
};

/// Queues all ghosts of `count` fields but for those in place, fewer than 2^32 elements per field.
/// One thread calls beside(), which must not need them: so short a piece of work takes no time of
/// its own there.
template <class Real, class Beside = NothingBeside>
void queue_ghosts(const Stream& stream, const FlowOnGpu<Real>& flow, const CentreLines& centres,
                  const Continuations* rules, int count, Real* fields, const Beside& beside = {}) {
  const auto cells = [&](int axis) { return static_cast<unsigned>(flow.cells[axis]); };
  const detail::GhostCells ghosts{cells(0), cells(1), cells(2)};
  detail::queue_filling(stream,
                        detail::FillGhosts<Real>{ghosts, flow.strides, centres, rules, fields},
                        count, beside);
}

/// Queues the ghosts that queue_advance_unprojected reads.
template <class Real, class Beside = NothingBeside>
void queue_outer_ghosts(const Stream& stream, const FlowOnGpu<Real>& flow,
                        const CentreLines& centres, const Continuations* rules, int count,
                        const poisson::CellSlots<Real>& potential, Real* fields,
                        const Beside& beside = {}) {
  detail::queue_filling(stream,
                        detail::FillOuterPlanes<Real>{flow, centres, rules, potential, fields},
                        count, beside);
}

}  // namespace bankfull::convection
