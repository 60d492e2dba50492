#pragma once

#include "bankfull/core/exec/launch.cuh"
#include "bankfull/core/memory/buffer.hpp"
#include "bankfull/workloads/convection/cuda/advance.cuh"
#include "bankfull/workloads/convection/drive.hpp"
#include "bankfull/workloads/convection/tally.hpp"

namespace bankfull::convection {

namespace detail {

inline constexpr int tally_threads = 128;
inline constexpr int tally_blocks = 1024;

/// Merges what the threads of a block hold, in a fixed order; thread 0 gets it.
template <class AnyTally>
__device__ void merge_block(AnyTally& mine) {
  __shared__ alignas(AnyTally) unsigned char storage[tally_threads * sizeof(AnyTally)];
  auto* const all = reinterpret_cast<AnyTally*>(storage);
  const int thread = static_cast<int>(threadIdx.x);
  all[thread] = mine;
  for (int half = tally_threads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (thread < half) {
      merge(all[thread], all[thread + half]);
    }
  }
  mine = all[0];
}

/// Counts the cells of consecutive rows: of those that a stencil reads the block has read most for
/// the row before, and finds them in L1.
template <InPlane Widths, class AnyTally, class Real, class Count>
__global__ void __launch_bounds__(tally_threads)
    tally_kernel(const __grid_constant__ FlowOnGpu<Real> flow, const Real* fields,
                 const __grid_constant__ Count count, AnyTally* partial) {
  AnyTally mine = empty_tally<AnyTally>();
  const std::int64_t rows = std::int64_t{flow.cells[0]} * flow.cells[1];
  const int begin = static_cast<int>(rows * blockIdx.x / gridDim.x);
  const int end = static_cast<int>(rows * (blockIdx.x + 1) / gridDim.x);
  for (int k = static_cast<int>(threadIdx.x); k < flow.cells[2]; k += tally_threads) {
    for (int row = begin; row < end; ++row) {
      const int i = row / flow.cells[1];
      const int j = row % flow.cells[1];
      count(flow.template stencil<Widths>(fields, i, j, k), i, j, k, mine);
    }
  }
  merge_block(mine);
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = mine;
  }
}

template <class AnyTally>
__global__ void __launch_bounds__(tally_threads)
    merge_kernel(const AnyTally* partial, int count, AnyTally* result) {
  AnyTally mine = empty_tally<AnyTally>();
  for (int n = static_cast<int>(threadIdx.x); n < count; n += tally_threads) {
    merge(mine, partial[n]);
  }
  merge_block(mine);
  if (threadIdx.x == 0) {
    *result = mine;
  }
}

}  // namespace detail

/// A cell's place among walls and its part of the box. Indices are a block's.
struct CellInBox {
  WallFaces walls;
  double length[3];
  const double* widths[3];  ///< of the cells along the storage axes
  double per_volume;        ///< 1 / the volume of the box
  int cells[3];

  __device__ double part(int i, int j, int k) const {
    return widths[1][j] * widths[2][k] * widths[0][i] * per_volume;
  }

  __device__ WallSides sides(int i, int j, int k) const {
    const int index[3] = {i, j, k};
    WallSides sides;
    for (int axis = 0; axis < 3; ++axis) {
      sides.lower[axis] = walls.at_end(axis, 0) && index[axis] == 0;
      sides.upper[axis] = walls.at_end(axis, 1) && index[axis] == cells[axis] - 1;
      sides.length[axis] = length[axis];
    }
    return sides;
  }
};

/// Sources beside the fields that they act on.
template <class Real>
struct SourcesOnGpu {
  const Real* fields;
  const Real* sources;  ///< null: none
  SourceFactors factors;

  __device__ const Real* at(const PointStencil<Real>& stencil) const {
    return sources == nullptr ? nullptr : sources + (stencil.here - fields);
  }
};

template <class Real>
struct CountFlow {
  CellInBox box;
  SourcesOnGpu<Real> sources;
  double viscosity;

  __device__ void operator()(const PointStencil<Real>& stencil, int i, int j, int k,
                             FlowTally& tally) const {
    count(stencil, CellForcing<Real>{viscosity, sources.at(stencil), sources.factors.of},
          box.part(i, j, k), box.sides(i, j, k), tally);
  }
};

template <class Real>
struct CountScalar {
  CellInBox box;
  SourcesOnGpu<Real> sources;
  int scalar;
  double diffusivity;

  __device__ void operator()(const PointStencil<Real>& stencil, int i, int j, int k,
                             ScalarTally& tally) const {
    const CellForcing<Real> forcing{.source = sources.at(stencil), .factors = sources.factors.of};
    count(stencil, scalar, diffusivity, forcing.of(stencil, 3 + scalar), box.part(i, j, k),
          box.sides(i, j, k), tally);
  }
};

/// Room for the tallies of a GPU's blocks.
inline constexpr std::size_t tally_bytes = (detail::tally_blocks + 1) * sizeof(ScalarTally);

/// Tallies all cells; waits for the result.
template <class AnyTally, class Real, class Count>
AnyTally tallied_on_gpu(const Stream& stream, const FlowOnGpu<Real>& flow, const Real* fields,
                        const Count& count, const Buffer<unsigned char>& room) {
  static_assert(sizeof(AnyTally) <= sizeof(ScalarTally));
  auto* const partial = reinterpret_cast<AnyTally*>(room.data());
  AnyTally* const result = partial + detail::tally_blocks;
  launch(stream, {dim3(detail::tally_blocks), dim3(detail::tally_threads)},
         flow.widths == InPlane::uniform
             ? detail::tally_kernel<InPlane::uniform, AnyTally, Real, Count>
             : detail::tally_kernel<InPlane::stretched, AnyTally, Real, Count>,
         flow, fields, count, partial);
  launch(stream, {dim3(1), dim3(detail::tally_threads)}, detail::merge_kernel<AnyTally>,
         static_cast<const AnyTally*>(partial), detail::tally_blocks, result);
  AnyTally tally = empty_tally<AnyTally>();
  copy_bytes(&tally, result, sizeof(AnyTally), stream);
  stream.synchronize();
  return tally;
}

}  // namespace bankfull::convection
