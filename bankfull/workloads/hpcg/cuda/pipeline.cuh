#pragma once

#include "bankfull/core/exec/multiprocessor.cuh"
#include "bankfull/workloads/hpcg/cuda/pipeline_tile.cuh"
#include "bankfull/workloads/hpcg/cuda/sync_free_sweep.cuh"

#include <cstdint>

namespace bankfull::hpcg::cuda {

// A sweep as a warp-specialised pipeline, for large levels. One block stays on each multiprocessor
// and takes chunk after chunk. Its warps have four roles:
//
// - the producer takes the next chunk and lets the copy engine fetch the data of its tiles, matrix
//   and vectors, into a ring in shared memory; none of these loads depends on x;
// - the wait warp waits for the chunks that hold the chunk's columns;
// - consumers, in groups of as many threads as a tile has rows, gather x and form the new one;
// - the signal warp announces chunks that are finished.
//
// This keeps memory busy while consumers wait. The limit is then the traffic between the halves of
// the L2 cache: half of all data read from memory would cross from one half to the other, and
// half of the gathered x does. Chunks are large for this reason, and the values of each lie in
// memory of one half (halve_values.cuh), whose blocks take them first.
//
// Of two lists of chunks, one for each half and each in the order of the sweep, some chunk is
// always being swept if each list has a block that runs, as the first two of a grid that is
// launched together are: consider the first chunk of both that is not finished. Those that it waits
// for are finished. If a block has taken it, this block has no other left that comes before it. If
// none has, it is the next of its list, and a block of that list takes it. Therefore a block takes
// no chunk of the other list before its own ones are finished.

namespace pipeline {

/// Arguments that all blocks of a sweep share.
struct Sweep {
  ChunkOrder order;
  const std::int32_t* dependences;  ///< max_dependences of each chunk, -1 where there are fewer
  unsigned* done;                   ///< of this sweep
  unsigned* other;     ///< of the sweep in the other direction, which the next one will fill
  unsigned chunks[2];  ///< of wide_chunk_rows each, in the order's lists; one list may be empty
  unsigned* tickets;   ///< of each list, 0 before and after; see Producer::take_ticket
  const std::uint8_t* half_of_multiprocessor;
};

/// Tiles of a chunk. Its slices are as many as a warp has lanes: each lane of the producer knows
/// one.
inline constexpr int chunk_tiles = static_cast<int>(wide_chunk_rows / tile_rows);
static_assert(chunk_tiles * slices_per_tile == 32);

/// A chunk's slots as stored in memory; one slice per lane.
struct ChunkSlots {
  std::int64_t begin;  ///< of the part that is multiplied
  std::int64_t end;
  std::int64_t coarse_begin;  ///< in the copy of the coarse slots, where that is brought
  std::int64_t coarse_end;
  ValuePlace values;  ///< of the part that is multiplied
  ValuePlace coarse_values;
  SlotRange coarse;  ///< in `upper`
  bool others;       ///< whether the slice has columns of other ranks
};

template <class SweepStep, class Columns>
class Producer {
 public:
  __device__ __forceinline__ Producer(const Sweep& sweep, const LevelArguments<Columns>& a,
                                      Shared& shared, std::uint32_t ring)
      : sweep_(sweep),
        a_(a),
        part_(SweepStep::main == Main::lower ? a.lower : a.upper),
        shared_(shared),
        ring_(ring),
        lane_(static_cast<int>(threadIdx.x % 32)),
        list_(first_list(sweep)) {}

  /// The chunks of the list of its half, then those of the other one.
  __device__ __forceinline__ void run() {
    put_list();
    for (int n = oldest_; n < count_; ++n) {
      const Use use(n);
      barrier(shared_.swept[use.stage]).wait(use.parity);
    }
    list_ ^= 1U;
    put_list();
    for (int n = 0; n < groups; ++n) {
      put_end();
    }
  }

 private:
  static_assert(chunk_tiles == 4);

  /// That of the multiprocessor's half; the first two blocks have one each, wherever they run.
  static __device__ __forceinline__ unsigned first_list(const Sweep& sweep) {
    if (sweep.chunks[1] == 0) {
      return 0U;
    }
    return blockIdx.x < 2 ? blockIdx.x : sweep.half_of_multiprocessor[multiprocessor_number()];
  }

  /// The data of the next chunk are requested step by step while the tiles of this one are put into
  /// stages, which hides their latency.
  __device__ __forceinline__ void put_list() {
    std::int32_t chunk = taken(take_ticket());
    ChunkSlots slots = slots_of(chunk);
#pragma unroll 1
    while (chunk != no_tile) {
      const unsigned ticket = take_ticket();
      put(chunk, 0, slots);
      const std::int32_t following = taken(ticket);
      put(chunk, 1, slots);
      const ChunkSlots slots_to_come = slots_of(following);
      put(chunk, 2, slots);
      put(chunk, 3, slots);
      chunk = following;
      slots = slots_to_come;
    }
  }

  /// In lane 0 the next position in the list. Every block takes one ticket beyond the last chunk;
  /// the last block to do so resets the counter.
  __device__ __forceinline__ unsigned take_ticket() const {
    unsigned ticket = 0;
    if (lane_ == 0) {
      ticket = atomicAdd(sweep_.tickets + list_, 1U);
      if (ticket == sweep_.chunks[list_] + gridDim.x - 1U) {
        sweep_.tickets[list_] = 0U;
      }
    }
    return ticket;
  }

  /// The chunk of a place.
  [[nodiscard]] __device__ __forceinline__ std::int32_t taken(unsigned ticket) const {
    const unsigned place = __shfl_sync(~0U, ticket, 0);
    const unsigned count = sweep_.chunks[list_];
    if (place >= count) {
      return no_tile;
    }
    const std::int32_t* const list = sweep_.order.chunks + (list_ == 0 ? 0U : sweep_.chunks[0]);
    return __ldg(list + (sweep_.order.reversed ? count - 1U - place : place));
  }

  [[nodiscard]] __device__ __forceinline__ ChunkSlots slots_of(std::int32_t chunk) const {
    if (chunk == no_tile) {
      return {};
    }
    const std::int64_t slice = std::int64_t{chunk} * 32 + lane_;
    const bool others = SweepStep::others == Outer::some &&
                        __ldg(a_.outer.slot + slice) < __ldg(a_.outer.slot + slice + 1);
    const std::int64_t* const coarse = a_.coarse.slot + slice;
    return {__ldg(part_.slot + slice),
            __ldg(part_.slot + slice + 1),
            SweepStep::apart ? __ldg(coarse) : 0,
            SweepStep::apart ? __ldg(coarse + 1) : 0,
            place_at(part_, slice),
            SweepStep::apart ? place_at(a_.coarse, slice) : ValuePlace{},
            SweepStep::apart ? SlotRange{} : a_.coarse_slots[slice],
            others};
  }

  static __device__ __forceinline__ ValuePlace place_at(const SlicedView<Columns>& part,
                                                        std::int64_t slice) {
    const uint2 place = __ldg(reinterpret_cast<const uint2*>(part.columns.place + slice));
    return {place.x, place.y};
  }

  /// The stage of the tile to come, once it is free.
  __device__ __forceinline__ Tile& next_stage() {
    const Use use(count_);
    if (count_ >= stages) {
      barrier(shared_.free[use.stage]).wait(1U - use.parity);
    }
    return shared_.tile[use.stage];
  }

  /// Offset of `size` contiguous free bytes in the ring; waits for them and for the stage.
  __device__ __forceinline__ unsigned allocate(unsigned size) {
    const bool wraps = head_ + size > ring_bytes;
    unsigned wasted = wraps ? ring_bytes - head_ : 0U;
    while (used_ + wasted + size > ring_bytes || count_ - oldest_ >= stages) {
      if (oldest_ == count_) {
        wasted = 0U;  // the ring is empty
        break;
      }
      const Use use(oldest_);
      barrier(shared_.swept[use.stage]).wait(use.parity);
      used_ -= shared_.size[use.stage];
      ++oldest_;
    }
    const unsigned begin = wraps ? 0U : head_;
    head_ = begin + size;
    used_ += size + wasted;
    __syncwarp();
    if (lane_ == 0) {
      shared_.size[Use(count_).stage] = size + wasted;
    }
    return begin;
  }

  /// Puts the n-th tile of a chunk into a stage.
  __device__ __forceinline__ void put(std::int32_t chunk, int n, const ChunkSlots& slots) {
    Tile& tile = next_stage();
    const int first_lane = n * slices_per_tile;
    const int last_lane = first_lane + slices_per_tile - 1;
    const auto of_tile = [&](std::int64_t begin, std::int64_t end, const ValuePlace& values) {
      const std::int64_t first = __shfl_sync(~0U, begin, first_lane);
      return Slots{first,
                   static_cast<unsigned>(__shfl_sync(~0U, end, last_lane) - first),
                   {__shfl_sync(~0U, values.first, first_lane),
                    __shfl_sync(~0U, values.second, first_lane)}};
    };
    const Slots main = of_tile(slots.begin, slots.end, slots.values);
    const Slots coarse = SweepStep::apart
                             ? of_tile(slots.coarse_begin, slots.coarse_end, slots.coarse_values)
                             : Slots{};
    const unsigned size = layout_of<Columns>(0U, main, coarse, SweepStep::vectors).end;
    const Layout layout = layout_of<Columns>(allocate(size), main, coarse, SweepStep::vectors);
    const bool mine = lane_ >= first_lane && lane_ <= last_lane;
    if (mine) {
      tile.main[lane_ - first_lane] = from(main.first, slots.begin, slots.end);
      tile.coarse[lane_ - first_lane] =
          SweepStep::apart ? from(coarse.first, slots.coarse_begin, slots.coarse_end)
                           : from(main.first, slots.coarse.begin, slots.coarse.end);
      tile.others[lane_ - first_lane] = slots.others;
    }
    if (lane_ == 0) {
      tile.number = chunk * chunk_tiles + n;
      tile.chunk = chunk;
      tile.first = n == 0;
      tile.last = n + 1 == chunk_tiles;
      tile.layout = layout;
      tile.first_slot = main.first;
      tile.coarse_first = coarse.first;
    }
    __syncwarp();
    const Use use(count_);
    const CopyBarrier ready = barrier(shared_.ready[use.stage]);
    if (lane_ == 0) {
      barrier(shared_.known[use.stage]).arrive();
      ready.expect(size);
    }
    __syncwarp();
    bring(part_, main, layout.main, ready);
    if constexpr (SweepStep::apart) {
      bring(a_.coarse, coarse, layout.coarse, ready);
    }
    if (lane_ == 0) {
      bring_vectors(tile.number, layout.vectors, ready);
    }
    __syncwarp();
    ++count_;
  }

  __device__ __forceinline__ void bring(const SlicedView<Columns>& part, const Slots& slots,
                                        const SlotsPlace& to, const CopyBarrier& ready) const {
    bring_values(part.value, slots, ring_ + to.value, ready);
    if (lane_ == 0) {
      ColumnCopies<Columns>::bring(part.columns, slots, ring_, to, ready);
    }
  }

  __device__ __forceinline__ void bring_vectors(std::int32_t number, unsigned to,
                                                const CopyBarrier& ready) const {
    for (int n = 0; n < SweepStep::vectors; ++n) {
      copy_once(ring_ + to + static_cast<unsigned>(n) * vector_bytes,
                SweepStep::vector(a_, n) + number * tile_rows, vector_bytes, ready);
    }
  }

  static __device__ __forceinline__ SlotRange from(std::int64_t first, std::int64_t begin,
                                                   std::int64_t end) {
    return {static_cast<std::int32_t>(begin - first), static_cast<std::int32_t>(end - first)};
  }

  __device__ __forceinline__ void put_end() {
    Tile& tile = next_stage();
    const Use use(count_);
    if (lane_ == 0) {
      tile.number = no_tile;
      barrier(shared_.known[use.stage]).arrive();
      barrier(shared_.ready[use.stage]).arrive();
      barrier(shared_.ready[use.stage]).arrive();
    }
    __syncwarp();
    ++count_;
  }

  const Sweep& sweep_;
  const LevelArguments<Columns>& a_;
  const SlicedView<Columns>& part_;
  Shared& shared_;
  std::uint32_t ring_;
  int lane_;
  unsigned list_;   ///< that chunks are taken from
  int count_ = 0;   ///< tiles put into stages
  int oldest_ = 0;  ///< the first of them that still holds bytes of the ring
  unsigned head_ = 0;
  unsigned used_ = 0;
};

__device__ __forceinline__ unsigned load_done(const unsigned* at) {
  unsigned value;
  asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(at) : "memory");
  return value;
}

__device__ __forceinline__ void store_done(unsigned* at, unsigned value) {
  asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(at), "r"(value) : "memory");
}

/// visit(use, tile) for all tiles, in their order, once the producer has filled them in.
template <class Visit>
__device__ __forceinline__ void for_known_tiles(const Shared& shared, const Visit& visit) {
  for (int n = 0;; ++n) {
    const Use use(n);
    barrier(shared.known[use.stage]).wait(use.parity);
    const Tile& tile = shared.tile[use.stage];
    if (tile.number == no_tile) {
      return;
    }
    visit(use, tile);
  }
}

/// Waits until the x that each chunk needs is complete.
static __device__ __forceinline__ void wait_warp(const Sweep& sweep, const Shared& shared) {
  const int lane = static_cast<int>(threadIdx.x % 32);
  for_known_tiles(shared, [&](const Use& use, const Tile& tile) {
    if (tile.first) {
      const std::int32_t* const awaited =
          sweep.dependences + std::int64_t{tile.chunk} * max_dependences;
      for (int k = lane; k < static_cast<int>(max_dependences); k += 32) {
        const std::int32_t chunk = awaited[k];
        while (chunk >= 0 && load_done(sweep.done + chunk) == 0U) {
        }
      }
    }
    __syncwarp();
    if (lane == 0) {
      barrier(shared.ready[use.stage]).arrive();
    }
  });
}

/// Releases the chunks that depend on finished ones, and stores the sums of tiles.
template <bool Summing>
__device__ __forceinline__ void signal_warp(const Sweep& sweep, const Shared& shared,
                                            double* partials) {
  for_known_tiles(shared, [&](const Use& use, const Tile& tile) {
    barrier(shared.swept[use.stage]).wait(use.parity);
    if (threadIdx.x % 32 == 0) {
      if (tile.last) {
        sweep.other[tile.chunk] = 0U;
        store_done(sweep.done + tile.chunk, 1U);
      }
      if constexpr (Summing) {
        double sum = 0.0;
        for (const double part : tile.sum) {
          sum += part;
        }
        partials[tile.number] = sum;
      }
      barrier(shared.free[use.stage]).arrive();
    }
    __syncwarp();
  });
}

/// A consumer's data of its row.
template <class SweepStep, class Columns>
__device__ __forceinline__ Row<Columns> row_of(const LevelArguments<Columns>& a, const Tile& tile,
                                               int slice, int lane, const unsigned char* ring) {
  const auto doubles = [&](unsigned at) { return reinterpret_cast<const double*>(ring + at); };
  const SlicedView<Columns>& part = SweepStep::main == Main::lower ? a.lower : a.upper;
  const std::int64_t number = tile.number * tile_rows + slice * slice_height + lane;
  const Layout& at = tile.layout;
  return {a,
          number,
          lane,
          {doubles(at.main.value), {part.columns, ring, at.main, tile.first_slot}},
          tile.main[slice],
          {doubles(at.coarse.value), {a.coarse.columns, ring, at.coarse, tile.coarse_first}},
          tile.coarse[slice],
          tile.others[slice],
          doubles(at.vectors) + slice * slice_height + lane};
}

/// Sweeps one slice of each tile of its group; tiles are assigned to groups round-robin.
template <class SweepStep, bool Summing, class Columns>
__device__ __forceinline__ void consume(const LevelArguments<Columns>& a, Shared& shared,
                                        const unsigned char* ring) {
  const int warp = static_cast<int>(threadIdx.x) / 32 - roles;
  const int lane = static_cast<int>(threadIdx.x % 32);
  const int slice = warp % slices_per_tile;
  for (int n = warp / slices_per_tile;; n += groups) {
    const Use use(n);
    barrier(shared.ready[use.stage]).wait(use.parity);
    Tile& tile = shared.tile[use.stage];
    if (tile.number == no_tile) {
      return;
    }
    double term = SweepStep::run(row_of<SweepStep>(a, tile, slice, lane, ring));
    if constexpr (Summing) {
      for (unsigned offset = 16; offset > 0; offset /= 2) {
        term += __shfl_down_sync(~0U, term, offset);
      }
      if (lane == 0) {
        tile.sum[slice] = term;
      }
    }
    __syncwarp();
    if (lane == 0) {
      barrier(shared.swept[use.stage]).arrive();
    }
  }
}

}  // namespace pipeline

/// A step of a sweep for all rows of the chunks, each after the chunks that it depends on; where it
/// adds up, the sum of the terms of each tile.
template <class SweepStep, bool Summing, class Columns>
__global__ void __launch_bounds__(pipeline::threads, 1)
    pipeline_kernel(const __grid_constant__ pipeline::Sweep sweep,
                    const __grid_constant__ LevelArguments<Columns> a, double* partials) {
  if constexpr (compiled_capability >= bulk_copy_capability) {
    extern __shared__ __align__(128) unsigned char ring_memory[];
    __shared__ pipeline::Shared shared;
    if (threadIdx.x == 0) {
      for (int n = 0; n < pipeline::stages; ++n) {
        pipeline::barrier(shared.known[n]).initialise();
        pipeline::barrier(shared.ready[n]).initialise(2);  // the producer, the wait warp
        pipeline::barrier(shared.swept[n]).initialise(slices_per_tile);
        pipeline::barrier(shared.free[n]).initialise();
      }
      publish_copy_barriers();
    }
    __syncthreads();
    const unsigned warp = threadIdx.x / 32;
    if (warp == 0) {
      pipeline::Producer<SweepStep, Columns>(sweep, a, shared, shared_address(ring_memory)).run();
    } else if (warp == 1) {
      pipeline::wait_warp(sweep, shared);
    } else if (warp == 2) {
      pipeline::signal_warp<Summing>(sweep, shared, partials);
    } else {
      pipeline::consume<SweepStep, Summing>(a, shared, ring_memory);
    }
  }
}

}  // namespace bankfull::hpcg::cuda
