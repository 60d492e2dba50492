#pragma once

#include "bankfull/core/exec/reduce.cuh"
#include "bankfull/workloads/himeno/cuda/single_sweep.cuh"

namespace bankfull::himeno {

/// Tile of a block of `sweep_marching` and planes that it marches through.
inline constexpr int marching_columns = 32;
inline constexpr int marching_rows = 8;
inline constexpr int marching_planes = 64;

/// A tile of one plane of pressure with the points around it, in shared memory.
template <class T, int Columns, int Rows>
struct PlaneTile {
  static constexpr int width = Columns + 2;
  static constexpr int height = Rows + 2;
  T value[static_cast<std::size_t>(height)][static_cast<std::size_t>(width)];
};

/// Loads a tile with its halo in one loop that does not distinguish its parts. The ladder in bench/
/// has alternatives.
struct LoadInOneLoop {
  template <class T, int Columns, int Rows>
  static __device__ __forceinline__ void load(PlaneTile<T, Columns, Rows>& to,
                                              const SweepArguments<T>& f, const Tile& tile, int i) {
    constexpr int width = PlaneTile<T, Columns, Rows>::width;
    constexpr int cells = width * PlaneTile<T, Columns, Rows>::height;
    const int thread = static_cast<int>(threadIdx.y * Columns + threadIdx.x);
    for (int n = thread; n < cells; n += Columns * Rows) {
      const int row = n / width;
      const int column = n % width;
      const int j = min(tile.j + row - 1, f.nj);
      const int k = min(tile.k + column - 1, f.nk);
      to.value[row][column] = __ldg(&f.pressure(i, j, k));
    }
  }
};

/// The pressures around a thread's point in the three planes of a tile.
template <class T, int Columns, int Rows>
struct PressuresInTiles {
  const PlaneTile<T, Columns, Rows>& below;
  const PlaneTile<T, Columns, Rows>& here;
  const PlaneTile<T, Columns, Rows>& above;

  __device__ __forceinline__ T operator()(int di, int dj, int dk) const {
    const auto& plane = di > 0 ? above : di < 0 ? below : here;
    return plane
        .value[static_cast<int>(threadIdx.y) + 1 + dj][static_cast<int>(threadIdx.x) + 1 + dk];
  }
  __device__ __forceinline__ T d_j(int di) const { return (*this)(di, +1, 0) - (*this)(di, -1, 0); }
  __device__ __forceinline__ T d_k(int di, int dj) const {
    return (*this)(di, dj, +1) - (*this)(di, dj, -1);
  }
};

/// The 2010 paper's schedule: a block marches along i and keeps three planes of pressure in shared
/// memory as a cyclic buffer; one thread per point of the plane. Blocks are Columns x Rows threads.
///
/// Traffic per point and iteration: 13 fields read and 1 written, 56 B in fp32 and 112 B in fp64.
/// The halo of a tile of 32 x 8 adds 1/3 to the reads of pressure, mostly from L2.
template <class T, int Columns, int Rows, class Loader = LoadInOneLoop>
__global__ void __launch_bounds__(Columns* Rows)
    sweep_marching(const __grid_constant__ SweepArguments<T> f) {
  __shared__ PlaneTile<T, Columns, Rows> planes[3];
  const Tile tile = block_tile(f.tiles);
  const int k = tile.k + static_cast<int>(threadIdx.x);
  const int j = tile.j + static_cast<int>(threadIdx.y);
  const bool inside = k < f.nk && j < f.nj;
  double gosa = 0.0;
  int below = 0;
  int here = 1;
  int above = 2;
  Loader::load(planes[below], f, tile, tile.first - 1);
  Loader::load(planes[here], f, tile, tile.first);
  for (int i = tile.first; i < tile.last; ++i) {
    // Loaded before the barrier, so that they are in flight while the plane arrives: twice as fast.
    CoefficientsInHand<T> q{};
    if (inside) {
      q.load(f.coefficients, i, j, k);
    }
    Loader::load(planes[above], f, tile, i + 1);
    __syncthreads();
    if (inside) {
      const PressuresInTiles<T, Columns, Rows> p{planes[below], planes[here], planes[above]};
      const T ss = residual(q, p);
      f.next(i, j, k) = relaxed(p(0, 0, 0), ss, f.omega);
      gosa += static_cast<double>(ss) * static_cast<double>(ss);
    }
    // The next load overwrites the plane below, which slower warps may still be reading.
    __syncthreads();
    const int oldest = below;
    below = here;
    here = above;
    above = oldest;
  }
  gosa = block_sum(gosa);
  if (threadIdx.x == 0 && threadIdx.y == 0) {
    f.partial_gosa[block_number()] = gosa;
  }
}

}  // namespace bankfull::himeno
