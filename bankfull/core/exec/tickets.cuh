#pragma once

#include <cstdint>
#include <cuda/atomic>

namespace bankfull {

/// Work items of a one-dimensional grid whose blocks cross a domain slab by slab. Each block takes
/// a ticket, the next value of an atomic counter, and processes one slab of one part of a tile: a
/// slab of all tiles before the next slab of any. It may wait until the previous slab of its tile
/// is complete. Because tickets are handed out in the order in which blocks start, the block waited
/// for is already running, so there is no deadlock. Compared with one launch per slab, no
/// multiprocessor idles at the end of a slab.
///
/// Shape of the grid: tiles.count() * slabs blocks.
struct TileTickets {
  using Count = unsigned long long;  ///< a type that atomicAdd takes

  /// How many tiles cover a slab.
  struct Tiles {
    int columns;    ///< tiles side by side
    int rows;       ///< of such tiles
    int parts = 1;  ///< of each tile; parts are independent of each other

    /// Parts of all tiles: blocks that cross one slab.
    [[nodiscard]] __host__ __device__ int count() const { return columns * rows * parts; }
    /// Number of a part in [0, count()).
    [[nodiscard]] __device__ int number(int column, int row, int part) const {
      return (part * rows + row) * columns + column;
    }
  };

  Tiles tiles;  ///< of every slab
  int slabs;    ///< that the domain is divided into
  /// The ticket counter, then for each part of a tile the number of slabs completed, over all
  /// launches since these were set to 0. Null: the block index is the ticket, and no block waits.
  Count* counts;

  /// Number of elements of `counts`.
  [[nodiscard]] static std::int64_t size(const Tiles& tiles) {
    return 1 + std::int64_t{tiles.count()};
  }
};

/// The work item of a block.
struct TileTicket {
  int column;                           ///< of the tile
  int row;                              ///< of the tile
  int part;                             ///< of the tile
  int slab;                             ///< the first is 0
  TileTickets::Count completed_before;  ///< slabs that must be complete before this one may begin
};

/// Takes the block's ticket. To be called once by all threads of the block, before anything else.
__device__ __forceinline__ TileTicket take_ticket(const TileTickets& tickets) {
  __shared__ TileTickets::Count taken;
  if (threadIdx.x == 0 && threadIdx.y == 0) {
    taken =
        tickets.counts == nullptr ? blockIdx.x : atomicAdd(tickets.counts, TileTickets::Count{1});
  }
  __syncthreads();
  const auto number = static_cast<int>(taken % gridDim.x);
  const int slab = number / tickets.tiles.count();
  const int tile = number % tickets.tiles.count();
  const int of_part = tile % (tickets.tiles.columns * tickets.tiles.rows);
  return {of_part % tickets.tiles.columns, of_part / tickets.tiles.columns,
          tile / (tickets.tiles.columns * tickets.tiles.rows), slab,
          taken / gridDim.x * static_cast<TileTickets::Count>(tickets.slabs) +
              static_cast<TileTickets::Count>(slab)};
}

namespace detail {

__device__ __forceinline__ cuda::atomic_ref<TileTickets::Count, cuda::thread_scope_device>
slabs_completed(const TileTickets& tickets, const TileTicket& ticket) {
  return cuda::atomic_ref<TileTickets::Count, cuda::thread_scope_device>(
      tickets.counts[1 + tickets.tiles.number(ticket.column, ticket.row, ticket.part)]);
}

}  // namespace detail

/// Waits until the previous slab of the tile is complete. To be called by all threads of a block,
/// which may then read what was written in that slab, bypassing L1.
__device__ __forceinline__ void wait_for_previous_slab(const TileTickets& tickets,
                                                       const TileTicket& ticket) {
  if (tickets.counts == nullptr) {
    return;
  }
  if (threadIdx.x == 0 && threadIdx.y == 0) {
    const auto completed = detail::slabs_completed(tickets, ticket);
    while (completed.load(cuda::memory_order_acquire) < ticket.completed_before) {
      constexpr unsigned nanoseconds = 40;
      __nanosleep(nanoseconds);
    }
  }
  __syncthreads();
}

/// Signals that the block has written everything the next slab needs. To be called by all threads
/// of the block.
__device__ __forceinline__ void complete_slab(const TileTickets& tickets,
                                              const TileTicket& ticket) {
  __syncthreads();
  if (tickets.counts != nullptr && threadIdx.x == 0 && threadIdx.y == 0) {
    detail::slabs_completed(tickets, ticket)
        .store(ticket.completed_before + 1, cuda::memory_order_release);
  }
}

}  // namespace bankfull
