#pragma once

#include "bankfull/workloads/himeno/cuda/tiles.hpp"

namespace bankfull::himeno {

/// Grid of blocks, one a tile. Three dimensions where CUDA allows it, because working a tile out of
/// one number takes divisions; else one.
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
