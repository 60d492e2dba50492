#pragma once

#include "bankfull/core/field/view.hpp"
#include "bankfull/workloads/himeno/cuda/tiles.hpp"
#include "bankfull/workloads/himeno/point.hpp"

// What kernels of one iteration have in common.
namespace bankfull::himeno {

/// What it reads and writes. Cell (0, 0, 0) of the views is the first that is updated.
template <class T>
struct SweepArguments {
  TileGrid tiles;
  int nj, nk;  ///< rows and columns of cells that are updated
  FieldSetView<const T> coefficients;
  FieldView<const T> pressure;
  FieldView<T> next;     ///< its boundary equals that of `pressure`
  double* partial_gosa;  ///< one per block
  T omega;
};

/// A point's coefficients in registers: loaded early, used late.
template <class T>
struct CoefficientsInHand {
  T value[coefficient_count];

  __device__ __forceinline__ T operator()(Coefficient n) const { return value[n]; }

  __device__ __forceinline__ void load(const FieldSetView<const T>& fields, int i, int j, int k) {
#pragma unroll
    for (int n = 0; n < coefficient_count; ++n) {
      value[n] = fields[n](i, j, k);
    }
  }
};

/// Grid with one block per tile. Three-dimensional where CUDA allows it, because computing a tile's
/// position from one index takes divisions; else one-dimensional.
inline dim3 blocks_for(const TileGrid& tiles) {
  constexpr int most = 65535;  // in the second and third dimension
  const auto extent = [](int n) { return static_cast<unsigned>(n); };
  if (tiles.tiles_j <= most && tiles.chunks <= most) {
    return {extent(tiles.tiles_k), extent(tiles.tiles_j), extent(tiles.chunks)};
  }
  return {extent(tiles.count()), 1, 1};
}

/// The tile of this block.
__device__ __forceinline__ Tile block_tile(const TileGrid& tiles) {
  const int x = static_cast<int>(blockIdx.x);
  return static_cast<int>(gridDim.x) == tiles.tiles_k
             ? tiles.at(x, static_cast<int>(blockIdx.y), static_cast<int>(blockIdx.z))
             : tiles.tile(x);
}

/// The number of this block's tile.
__device__ __forceinline__ unsigned block_number() {
  return blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
}

}  // namespace bankfull::himeno
