#pragma once

#include <cstdint>
#include <cuda/atomic>

namespace bankfull {

/// Blocks of a grid in one dimension that cross a domain slab by slab: each takes one slab of one
/// part of a tile, those of all tiles before any of the next slab, and may wait for what its own
/// left of the slab before. Turns are drawn, so that whoever is waited for has begun: no block
/// waits forever. Unlike with one launch a slab, no multiprocessor idles at a slab's end.
///
/// Shape of the grid: tiles.count() * slabs blocks.
struct TileTurns {
  using Count = unsigned long long;

  struct Tiles {
    int columns;
    int rows;
    int parts = 1;  ///< of each tile, which proceed independently

    [[nodiscard]] __host__ __device__ int count() const { return columns * rows * parts; }
    [[nodiscard]] __device__ int number(int column, int row, int part) const {
      return (part * rows + row) * columns + column;
    }
  };

  Tiles tiles;
  int slabs;
  /// Turns drawn, then slabs passed by each part of a tile, in all launches since these were set to
  /// 0. Null: turns follow the numbers of blocks, and nothing is waited for.
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
  int part;
  int slab;
  TileTurns::Count before;  ///< slabs that have been passed once this one may begin
};

/// All threads of a block call it, once, before anything else.
__device__ __forceinline__ TileTurn take_turn(const TileTurns& turns) {
  __shared__ TileTurns::Count drawn;
  if (threadIdx.x == 0 && threadIdx.y == 0) {
    drawn = turns.counts == nullptr ? blockIdx.x : atomicAdd(turns.counts, TileTurns::Count{1});
  }
  __syncthreads();
  const auto number = static_cast<int>(drawn % gridDim.x);
  const int slab = number / turns.tiles.count();
  const int tile = number % turns.tiles.count();
  const int of_part = tile % (turns.tiles.columns * turns.tiles.rows);
  return {of_part % turns.tiles.columns, of_part / turns.tiles.columns,
          tile / (turns.tiles.columns * turns.tiles.rows), slab,
          drawn / gridDim.x * static_cast<TileTurns::Count>(turns.slabs) +
              static_cast<TileTurns::Count>(slab)};
}

namespace detail {

__device__ __forceinline__ cuda::atomic_ref<TileTurns::Count, cuda::thread_scope_device>
slabs_passed(const TileTurns& turns, const TileTurn& turn) {
  return cuda::atomic_ref<TileTurns::Count, cuda::thread_scope_device>(
      turns.counts[1 + turns.tiles.number(turn.column, turn.row, turn.part)]);
}

}  // namespace detail

/// All threads of a block call it; then they may read what was written in the slab before, past L1.
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
