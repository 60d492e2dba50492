#pragma once

#include "bankfull/numerics/poisson/multigrid/cuda/transfer.cuh"

namespace bankfull::poisson::multigrid::cuda {

/// The next level's right side: r as it is, restricted.
struct RestrictArguments {
  LevelView level;
  const float* r;
  float* coarse_r;
  int planes;  ///< of a slab, even
};

inline constexpr int restrict_warps = 8;

template <bool Seams>
__global__ void __launch_bounds__(32 * restrict_warps)
    restrict_kernel(const __grid_constant__ RestrictArguments f) {
  const int j = 2 * (static_cast<int>(blockIdx.y) * restrict_warps + static_cast<int>(threadIdx.y));
  const int k = 2 * (static_cast<int>(blockIdx.x) * 32 + static_cast<int>(threadIdx.x));
  const Cells<Seams> cells(f.level, j, k);
  Restriction restriction(f.level, f.coarse_r, j, k, j < f.level.j.cells && k < f.level.k.cells);
  const int first = f.level.first_plane + static_cast<int>(blockIdx.z) * f.planes;
  const int end = min(first + f.planes, f.level.end_plane);
  for (int plane = first; plane < end; ++plane) {
    restriction.add(cells.load(f.r + plane * f.level.at.plane, f.level.at.row), plane);
  }
}

}  // namespace bankfull::poisson::multigrid::cuda
