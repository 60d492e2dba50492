#pragma once

#include "bankfull/core/exec/reduce.cuh"
#include "bankfull/workloads/himeno/cuda/single_sweep.cuh"

namespace bankfull::himeno {

/// Block of `sweep_direct`: 512 points of one plane, one thread per point.
inline constexpr int direct_columns = 128;
inline constexpr int direct_rows = 4;

/// Blocks that a multiprocessor should hold: as many as leave registers for the coefficients.
template <class T>
inline constexpr int direct_blocks = sizeof(T) == 4 ? 4 : 2;

/// One thread per point, everything read through the caches.
///
/// Traffic per point and iteration: 13 fields read and 1 written, 56 B in fp32 and 112 B in fp64,
/// if the three planes of pressure that are in use stay in L2.
template <class T>
__global__ void __launch_bounds__(direct_columns* direct_rows, direct_blocks<T>)
    sweep_direct(const __grid_constant__ SweepArguments<T> f) {
  const Tile tile = block_tile(f.tiles);
  const int k = tile.k + static_cast<int>(threadIdx.x);
  const int j = tile.j + static_cast<int>(threadIdx.y);
  double gosa = 0.0;
  if (k < f.nk && j < f.nj) {
    const int i = tile.first;
    // Coefficients first: they come from memory, most pressures from a cache.
    CoefficientsInHand<T> q;
    q.load(f.coefficients, i, j, k);
    const PressuresAt<T> p{&f.pressure(i, j, k), f.pressure.plane_pitch, f.pressure.row_pitch};
    const T ss = residual(q, p);
    f.next(i, j, k) = relaxed(p(0, 0, 0), ss, f.omega);
    gosa = static_cast<double>(ss) * static_cast<double>(ss);
  }
  gosa = block_sum(gosa);
  if (threadIdx.x == 0 && threadIdx.y == 0) {
    f.partial_gosa[block_number()] = gosa;
  }
}

}  // namespace bankfull::himeno
