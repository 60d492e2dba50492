#pragma once

#include <cstdint>
#include <cuda/atomic>

namespace bankfull {

/// Blocks of a grid in one dimension that cross a domain slab by slab: each takes one slab of one
/// tile, all tiles of a slab before any of the next, and may wait for what its tile left of the
/// slab before. Turns are drawn, so that whoever is waited for has begun: no block waits forever.
/// Unlike with one launch a slab, no multiprocessor idles at a slab's end.
///
/// Shape of the grid: tiles.count() * slabs blocks.
struct TileTurns {
  using Count = unsigned long long;

  struct Tiles {
    int columns;
    int rows;

    [[nodiscard]] __host__ __device__ int count() const { return columns * rows; }
  };

  Tiles tiles;
  int slabs;
  /// Turns drawn, then slabs passed by each tile, in all launches since these were set to 0. Null:
  /// turns follow the numbers of blocks, and nothing is waited for.
  Count* counts;

  /// Elements of `counts`.
  [[nodiscard]] static std::int64_t size(const Tiles& tiles) {
    return 1 + std::int64_t{tiles.count()};
  }
};

/// What a block is to do.
struct TileTurn {
  int column;
  int row;
  int slab;
  TileTurns::Count before;  ///< slabs that the tile has passed once it is ready for this one
};

/// All threads of a block call it, once, before anything else.
__device__ __forceinline__ TileTurn take_turn(const TileTurns& turns) {
  __shared__ TileTurns::Count drawn;
  if (threadIdx.x == 0 && threadIdx.y == 0) {
    drawn = turns.counts == nullptr ? blockIdx.x : atomicAdd(turns.counts, TileTurns::Count{1});
  }
  __syncthreads();
  const auto number = static_cast<int>(drawn % gridDim.x);
  const int tile = number % turns.tiles.count();
  const int slab = number / turns.tiles.count();
  return {tile % turns.tiles.columns, tile / turns.tiles.columns, slab,
          drawn / gridDim.x * static_cast<TileTurns::Count>(turns.slabs) +
              static_cast<TileTurns::Count>(slab)};
}

namespace detail {

__device__ __forceinline__ cuda::atomic_ref<TileTurns::Count, cuda::thread_scope_device>
slabs_passed(const TileTurns& turns, const TileTurn& turn) {
  return cuda::atomic_ref<TileTurns::Count, cuda::thread_scope_device>(
      turns.counts[1 + turn.row * turns.tiles.columns + turn.column]);
}

}  // namespace detail

/// All threads of a block call it; then they may read what the tile's block wrote in the slab
/// before, past L1.
__device__ __forceinline__ void await_slab_before(const TileTurns& turns, const TileTurn& turn) {
  if (turns.counts == nullptr) {
    return;
  }
  if (threadIdx.x == 0 && threadIdx.y == 0) {
    const auto passed = detail::slabs_passed(turns, turn);
    while (passed.load(cuda::memory_order_acquire) < turn.before) {
      constexpr unsigned nanoseconds = 40;
      __nanosleep(nanoseconds);
    }
  }
  __syncthreads();
}

/// Tells that the block has written all that the next slab needs. All its threads call it.
__device__ __forceinline__ void pass_slab(const TileTurns& turns, const TileTurn& turn) {
  __syncthreads();
  if (turns.counts != nullptr && threadIdx.x == 0 && threadIdx.y == 0) {
    detail::slabs_passed(turns, turn).store(turn.before + 1, cuda::memory_order_release);
  }
}

}  // namespace bankfull
