#pragma once

#include "bankfull/core/exec/reduce.cuh"
#include "bankfull/workloads/himeno/cuda/group.cuh"
#include "bankfull/workloads/himeno/cuda/single_sweep.cuh"

namespace bankfull::himeno {

/// Block of `sweep_tuned`: one warp per row. Measured on an H200: fp32 is fastest with two blocks
/// of eight warps (128 registers per thread), fp64 needs 143. More planes per block are slower,
/// because fewer blocks are in flight.
template <class T>
struct TunedShape {
  static constexpr int lanes = 32;
  static constexpr int columns = lanes * Vector16<T>::width;
  static constexpr int rows = sizeof(T) == 4 ? 8 : 4;
  static constexpr int planes = sizeof(T) == 4 ? 2 : 4;
  static constexpr int threads = lanes * rows;
  static constexpr int blocks = 2;  ///< minimum per multiprocessor
};

/// Reads rows of a field in memory through L1.
template <class T>
struct CachedRows {
  std::int64_t row_pitch;
  int lane;

  __device__ __forceinline__ std::int64_t pitch() const { return row_pitch; }
  __device__ __forceinline__ Vector16<T> group(const T* at) const { return load_cached(at); }
  __device__ __forceinline__ RowGroup<T> row(const T* at) const {
    RowGroup<T> row = with_lanes_beside(group(at));
    if (lane == 0) {
      row.left = __ldg(at - 1);
    }
    if (lane == 31) {
      row.right = __ldg(at + Vector16<T>::width);
    }
    return row;
  }
};

/// A warp takes 32 groups of a row and marches a few planes along i. The plane below is kept in
/// registers; rows of the plane itself and of the plane above are read through L1, where the warps
/// of a block share them. Coefficient loads bypass L1.
///
/// Traffic per point and iteration: 13 fields read and 1 written, 56 B in fp32 and 112 B in fp64.
template <class T>
__global__ void __launch_bounds__(TunedShape<T>::threads, TunedShape<T>::blocks)
    sweep_tuned(const __grid_constant__ SweepArguments<T> f) {
  constexpr int width = Vector16<T>::width;
  const Tile tile = block_tile(f.tiles);
  const int lane = static_cast<int>(threadIdx.x);
  const int k = tile.k + lane * width;
  const int j = tile.j + static_cast<int>(threadIdx.y);
  double gosa = 0.0;
  if (j < f.nj) {
    GroupMask<T> inside;
#pragma unroll
    for (int n = 0; n < width; ++n) {
      inside.set(n, k + n < f.nk);
    }
    // Lanes past the end read the group that holds the right ghost: the last active lane takes its
    // neighbour from there.
    const int first = min(k, f.nk / width * width);
    const CachedRows<T> rows{f.pressure.row_pitch, lane};
    MarchingGroup<T> group;
    group.start(rows, &f.pressure(tile.first - 1, j, first), &f.pressure(tile.first, j, first));
    for (int i = tile.first; i < tile.last; ++i) {
      GroupCoefficients<T> q;
#pragma unroll
      for (int n = 0; n < coefficient_count; ++n) {
        q.field[n] = load_once(&f.coefficients[n](i, j, first));
      }
      const GroupUpdate<T> update =
          group.advance(rows, q, &f.pressure(i, j, first), &f.pressure(i + 1, j, first), f.omega);
      gosa += sum_of_squares(update.residual, inside);
      store_points(&f.next(i, j, first), update.next, inside);
    }
  }
  gosa = block_sum(gosa);
  if (threadIdx.x == 0 && threadIdx.y == 0) {
    f.partial_gosa[block_number()] = gosa;
  }
}

}  // namespace bankfull::himeno
