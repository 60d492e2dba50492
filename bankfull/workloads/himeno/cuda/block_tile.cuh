#pragma once

#include "bankfull/workloads/himeno/cuda/tiles.hpp"

#include <algorithm>

namespace bankfull::himeno {

/// CUDA's limit of a grid's second and third dimension.
inline constexpr int most_blocks_yz = 65535;

/// Grid of blocks, one a tile, for kernels that begin with `block_tile`. Three dimensions where
/// CUDA allows it, because working a tile out of one number takes divisions; else one.
inline dim3 blocks_for(const TileGrid& tiles) {
  const auto extent = [](int n) { return static_cast<unsigned>(n); };
  if (tiles.tiles_j <= most_blocks_yz && tiles.chunks <= most_blocks_yz) {
    return {extent(tiles.tiles_k), extent(tiles.tiles_j), extent(tiles.chunks)};
  }
  return {extent(tiles.count()), 1, 1};
}

/// Grid of blocks for kernels that stride over j and i: one a tile where CUDA allows it.
inline dim3 striding_blocks_for(const TileGrid& tiles) {
  const auto extent = [](int n) { return static_cast<unsigned>(std::min(n, most_blocks_yz)); };
  return {static_cast<unsigned>(tiles.tiles_k), extent(tiles.tiles_j), extent(tiles.chunks)};
}

inline int count_of(const dim3& blocks) { return static_cast<int>(blocks.x * blocks.y * blocks.z); }

/// The tile of this block.
__device__ __forceinline__ Tile block_tile(const TileGrid& tiles) {
  const int x = static_cast<int>(blockIdx.x);
  return static_cast<int>(gridDim.x) == tiles.tiles_k
             ? tiles.at(x, static_cast<int>(blockIdx.y), static_cast<int>(blockIdx.z))
             : tiles.tile(x);
}

/// The number of this block, x fastest.
__device__ __forceinline__ unsigned block_number() {
  return blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
}

}  // namespace bankfull::himeno
