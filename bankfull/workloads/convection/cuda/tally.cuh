#pragma once

#include "bankfull/core/exec/launch.cuh"
#include "bankfull/core/memory/buffer.hpp"
#include "bankfull/workloads/convection/cuda/advance.cuh"
#include "bankfull/workloads/convection/drive.hpp"
#include "bankfull/workloads/convection/tally.hpp"

#include <cstddef>

namespace bankfull::convection {

namespace detail {

inline constexpr int tally_threads = 128;
inline constexpr int tally_blocks = 1024;

/// How tallies are merged in parallel: number by number. A tally's numbers are its sums and, after
/// them, its largest values.
template <class AnyTally>
struct TallyNumbers;

template <std::size_t Sums, std::size_t Extremes>
struct TallyNumbers<Tally<Sums, Extremes>> {
  static constexpr int sums = static_cast<int>(Sums);
  static constexpr int count = static_cast<int>(Sums + Extremes);
  using Whole = Tally<Sums, Extremes>;
  static_assert(sizeof(Whole) == count * sizeof(double) &&
                offsetof(Whole, max) == Sums * sizeof(double));

  __device__ static double merged(int n, double a, double b) {
    return n < sums ? a + b : larger(b, a);
  }
  __device__ static double nothing(int n) { return n < sums ? 0.0 : lowest_number; }

  /// The merged number n of `tallies` of them, by a warp, in a fixed order: lane 0 gets it. Number
  /// n of tally t is at(t).
  template <class At>
  __device__ static double merged_by_warp(int n, int tallies, const At& at) {
    constexpr int lanes = 32;
    double mine = nothing(n);
    for (int t = static_cast<int>(threadIdx.x) % lanes; t < tallies; t += lanes) {
      mine = merged(n, mine, at(t));
    }
#pragma unroll
    for (int apart = lanes / 2; apart > 0; apart /= 2) {
      mine = merged(n, mine, __shfl_down_sync(0xffffffffU, mine, static_cast<unsigned>(apart)));
    }
    return mine;
  }
};

/// Merges what the threads of a block hold.
template <class AnyTally>
__device__ void merge_block(const AnyTally& mine, AnyTally& merged) {
  using Numbers = TallyNumbers<AnyTally>;
  __shared__ double all[Numbers::count][tally_threads];
#pragma unroll
  for (int n = 0; n < Numbers::count; ++n) {
    all[n][threadIdx.x] = n < Numbers::sums ? mine.sums[n] : mine.max[n - Numbers::sums];
  }
  __syncthreads();
  auto* const result = reinterpret_cast<double*>(&merged);
  for (int n = static_cast<int>(threadIdx.x) / 32; n < Numbers::count; n += tally_threads / 32) {
    const double number =
        Numbers::merged_by_warp(n, tally_threads, [&](int thread) { return all[n][thread]; });
    if (threadIdx.x % 32 == 0) {
      result[n] = number;
    }
  }
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
    int i = begin / flow.cells[1];
    int j = begin % flow.cells[1];
    for (int row = begin; row < end; ++row) {
      const PointStencil<Real> stencil = flow.template stencil<Widths>(fields, i, j, k);
      if (count.box.is_beside_walls(i, j, k)) {
        count(stencil, i, j, k, count.box.sides(i, j, k), mine);
      } else {
        count(stencil, i, j, k, BesideNoWall{}, mine);
      }
      if (++j == flow.cells[1]) {
        j = 0;
        ++i;
      }
    }
  }
  merge_block(mine, partial[blockIdx.x]);
}

/// A warp for each number of the tally.
template <class AnyTally>
__global__ void __launch_bounds__(32 * TallyNumbers<AnyTally>::count)
    merge_kernel(const AnyTally* partial, int count, AnyTally* result) {
  using Numbers = TallyNumbers<AnyTally>;
  const int n = static_cast<int>(threadIdx.x) / 32;
  const auto* const numbers = reinterpret_cast<const double*>(partial);
  const double number = Numbers::merged_by_warp(
      n, count, [&](int tally) { return __ldg(numbers + tally * Numbers::count + n); });
  if (threadIdx.x % 32 == 0) {
    reinterpret_cast<double*>(result)[n] = number;
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

  __device__ bool is_beside_walls(int i, int j, int k) const {
    const int index[3] = {i, j, k};
    bool found = false;
    for (int axis = 0; axis < 3; ++axis) {
      found |= (walls.at_end(axis, 0) && index[axis] == 0) ||
               (walls.at_end(axis, 1) && index[axis] == cells[axis] - 1);
    }
    return found;
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

  template <class Sides>
  __device__ __forceinline__ void operator()(const PointStencil<Real>& stencil, int i, int j, int k,
                                             const Sides& sides, FlowTally& tally) const {
    count(stencil, CellForcing<Real>{viscosity, sources.at(stencil), sources.factors.of},
          box.part(i, j, k), sides, tally);
  }
};

template <class Real>
struct CountScalar {
  CellInBox box;
  SourcesOnGpu<Real> sources;
  int scalar;
  double diffusivity;

  template <class Sides>
  __device__ __forceinline__ void operator()(const PointStencil<Real>& stencil, int i, int j, int k,
                                             const Sides& sides, ScalarTally& tally) const {
    const CellForcing<Real> forcing{.source = sources.at(stencil), .factors = sources.factors.of};
    count(stencil, scalar, diffusivity, forcing.of(stencil, 3 + scalar), box.part(i, j, k), sides,
          tally);
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
  launch(stream, {dim3(1), dim3(32 * detail::TallyNumbers<AnyTally>::count)},
         detail::merge_kernel<AnyTally>, static_cast<const AnyTally*>(partial),
         detail::tally_blocks, result);
  AnyTally tally = empty_tally<AnyTally>();
  copy_bytes(&tally, result, sizeof(AnyTally), stream);
  stream.synchronize();
  return tally;
}

}  // namespace bankfull::convection
