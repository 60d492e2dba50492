#pragma once

#include "bankfull/workloads/hpcg/cuda/belt.cuh"
#include "bankfull/workloads/hpcg/cuda/wave.cuh"

#include <cstdint>

namespace bankfull::hpcg::cuda {

// A sweep as a conveyor, for large levels. One block stays on each multiprocessor and takes chunk
// after chunk. Its warps have four roles:
//
// - the loader takes the next chunk and has the copy engine bring what a piece of it needs, matrix
//   and vectors, into a ring in shared memory: that does not wait for any x;
// - the scout waits for the chunks that hold the chunk's columns;
// - workers, in groups of as many threads as a piece has rows, gather x and form the new one;
// - the herald announces chunks that are finished.
//
// So memory is kept busy while others wait. What bounds it then is the traffic between the halves
// of the L2 cache: half of all that is read from memory crosses from one to the other, and so does
// half of the x that is gathered. That is why the chunks are large.

namespace belt {

/// What all blocks of a conveyor work on.
struct Work {
  Wave wave;
  const std::int32_t* dependences;  ///< most_dependences of each chunk, -1 where there are fewer
  unsigned* done;                   ///< of this sweep
  unsigned* other;      ///< of the sweep in the other direction, which the next one will fill
  std::int32_t chunks;  ///< in the order of the wave, of wide_chunk_rows each
  unsigned* tickets;    ///< 0 before and after; see Loader::draw
};

/// Pieces of a chunk. Its slices are as many as a warp has lanes: each lane of the loader knows
/// one.
inline constexpr int chunk_pieces = static_cast<int>(wide_chunk_rows / piece_rows);
static_assert(chunk_pieces * slices_a_piece == 32);

/// A chunk's slots as they stand in memory; one lane a slice.
struct ChunkSlots {
  std::int64_t begin;  ///< of the part that is multiplied
  std::int64_t end;
  SlotRange coarse;
  bool others;  ///< whether the slice has columns of other ranks
};

template <class Step, class Columns>
class Loader {
 public:
  __device__ __forceinline__ Loader(const Work& work, const LevelArguments<Columns>& a,
                                    Shared& shared, std::uint32_t ring)
      : work_(work),
        a_(a),
        part_(Step::main == Main::lower ? a.lower : a.upper),
        shared_(shared),
        ring_(ring),
        lane_(static_cast<int>(threadIdx.x % 32)) {}

  /// What the next chunk needs is asked for step by step while the pieces of this one are put on
  /// the belt, so that nobody waits for the answers.
  __device__ __forceinline__ void run() {
    std::int32_t chunk = taken(draw());
    ChunkSlots slots = slots_of(chunk);
    while (chunk != no_piece) {
      const unsigned ticket = draw();
      put(chunk, 0, slots);
      const std::int32_t following = taken(ticket);
      put(chunk, 1, slots);
      const ChunkSlots slots_to_come = slots_of(following);
      put(chunk, 2, slots);
      put(chunk, 3, slots);
      chunk = following;
      slots = slots_to_come;
    }
    for (int n = 0; n < groups; ++n) {
      put_end();
    }
  }

 private:
  static_assert(chunk_pieces == 4);

  /// In lane 0 the next place in the order. Every block draws once in vain; the last of these
  /// draws leaves the tickets as they were.
  __device__ __forceinline__ unsigned draw() const {
    unsigned ticket = 0;
    if (lane_ == 0) {
      ticket = atomicAdd(work_.tickets, 1U);
      if (ticket == static_cast<unsigned>(work_.chunks) + gridDim.x - 1U) {
        *work_.tickets = 0U;
      }
    }
    return ticket;
  }

  /// The chunk of a place.
  [[nodiscard]] __device__ __forceinline__ std::int32_t taken(unsigned ticket) const {
    const auto place = static_cast<std::int32_t>(__shfl_sync(~0U, ticket, 0));
    if (place >= work_.chunks) {
      return no_piece;
    }
    return __ldg(work_.wave.order + (work_.wave.reversed ? work_.chunks - 1 - place : place));
  }

  [[nodiscard]] __device__ __forceinline__ ChunkSlots slots_of(std::int32_t chunk) const {
    if (chunk == no_piece) {
      return {0, 0, {0, 0}, false};
    }
    const std::int64_t slice = std::int64_t{chunk} * 32 + lane_;
    const bool others = Step::others == Outer::some &&
                        __ldg(a_.outer.slot + slice) < __ldg(a_.outer.slot + slice + 1);
    return {__ldg(part_.slot + slice), __ldg(part_.slot + slice + 1), a_.coarse_slots[slice],
            others};
  }

  /// The place of the piece to come, once it is free.
  __device__ __forceinline__ Piece& next_place() {
    const Use use(count_);
    if (count_ >= places) {
      barrier(shared_.free[use.place]).wait(1U - use.parity);
    }
    return shared_.piece[use.place];
  }

  /// Where the ring has so many bytes in one; waits for them and for the place.
  __device__ __forceinline__ unsigned room_for(unsigned size) {
    const bool wraps = head_ + size > ring_bytes;
    unsigned wasted = wraps ? ring_bytes - head_ : 0U;
    while (used_ + wasted + size > ring_bytes || count_ - oldest_ >= places) {
      if (oldest_ == count_) {
        wasted = 0U;  // nothing is left in the ring
        break;
      }
      const Use use(oldest_);
      barrier(shared_.swept[use.place]).wait(use.parity);
      used_ -= shared_.size[use.place];
      ++oldest_;
    }
    const unsigned begin = wraps ? 0U : head_;
    head_ = begin + size;
    used_ += size + wasted;
    __syncwarp();
    if (lane_ == 0) {
      shared_.size[Use(count_).place] = size + wasted;
    }
    return begin;
  }

  /// Puts the n-th piece of a chunk on the belt.
  __device__ __forceinline__ void put(std::int32_t chunk, int n, const ChunkSlots& slots) {
    Piece& piece = next_place();
    const int first_lane = n * slices_a_piece;
    const int last_lane = first_lane + slices_a_piece - 1;
    const std::int64_t first_slot = __shfl_sync(~0U, slots.begin, first_lane);
    const std::int64_t last_slot = __shfl_sync(~0U, slots.end, last_lane);
    const SlotRange coarse = Step::apart ? stacked(slots.coarse) : from(first_slot, slots.coarse);
    const auto count = static_cast<unsigned>(last_slot - first_slot);
    const unsigned coarse_count =
        Step::apart ? static_cast<unsigned>(__shfl_sync(~0U, coarse.end, last_lane)) : 0U;
    const unsigned size = layout_of<Columns>(0U, count, coarse_count, Step::vectors).end;
    const Layout layout = layout_of<Columns>(room_for(size), count, coarse_count, Step::vectors);
    const bool mine = lane_ >= first_lane && lane_ <= last_lane;
    if (mine) {
      piece.main[lane_ - first_lane] = from(first_slot, {static_cast<std::int32_t>(slots.begin),
                                                         static_cast<std::int32_t>(slots.end)});
      piece.coarse[lane_ - first_lane] = coarse;
      piece.others[lane_ - first_lane] = slots.others;
    }
    if (lane_ == 0) {
      piece.number = chunk * chunk_pieces + n;
      piece.chunk = chunk;
      piece.first = n == 0;
      piece.last = n + 1 == chunk_pieces;
      piece.layout = layout;
      piece.first_slot = first_slot;
    }
    __syncwarp();
    const Use use(count_);
    const CopyBarrier ready = barrier(shared_.ready[use.place]);
    if (lane_ == 0) {
      barrier(shared_.known[use.place]).arrive();
      ready.expect(size);
      bring(piece.number, layout, first_slot, count, ready);
    }
    if (Step::apart && mine) {
      bring_coarse(layout, slots.coarse, static_cast<unsigned>(coarse.begin), ready);
    }
    __syncwarp();
    ++count_;
  }

  __device__ __forceinline__ void bring(std::int32_t number, const Layout& to,
                                        std::int64_t first_slot, unsigned slots,
                                        const CopyBarrier& ready) const {
    copy_once(ring_ + to.value, part_.value + first_slot * slice_height, slots * value_bytes,
              ready);
    copy_once(ring_ + to.column, columns_from(part_.columns, first_slot),
              slots * column_bytes<Columns>, ready);
    for (int n = 0; n < Step::vectors; ++n) {
      copy_once(ring_ + to.vectors + static_cast<unsigned>(n) * vector_bytes,
                Step::vector(a_, n) + number * piece_rows, vector_bytes, ready);
    }
  }

  /// A slice's coarse slots, `place` slots behind the piece's first.
  __device__ __forceinline__ void bring_coarse(const Layout& to, const SlotRange& slots,
                                               unsigned place, const CopyBarrier& ready) const {
    const auto count = static_cast<unsigned>(slots.end - slots.begin);
    copy_once(ring_ + to.coarse_value + place * value_bytes,
              a_.upper.value + std::int64_t{slots.begin} * slice_height, count * value_bytes,
              ready);
    copy_once(ring_ + to.coarse_column + place * column_bytes<Columns>,
              columns_from(a_.upper.columns, slots.begin), count * column_bytes<Columns>, ready);
  }

  static __device__ __forceinline__ SlotRange from(std::int64_t first, const SlotRange& slots) {
    const auto begin = static_cast<std::int32_t>(first);
    return {slots.begin - begin, slots.end - begin};
  }

  /// Slots of a piece's slices one after the other.
  [[nodiscard]] __device__ __forceinline__ SlotRange stacked(const SlotRange& slots) const {
    const std::int32_t own = slots.end - slots.begin;
    std::int32_t end = own;
    for (int n = 1; n < slices_a_piece; n *= 2) {
      const std::int32_t before =
          __shfl_up_sync(~0U, end, static_cast<unsigned>(n), slices_a_piece);
      end += lane_ % slices_a_piece >= n ? before : 0;
    }
    return {end - own, end};
  }

  __device__ __forceinline__ void put_end() {
    Piece& piece = next_place();
    const Use use(count_);
    if (lane_ == 0) {
      piece.number = no_piece;
      barrier(shared_.known[use.place]).arrive();
      barrier(shared_.ready[use.place]).arrive();
      barrier(shared_.ready[use.place]).arrive();
    }
    __syncwarp();
    ++count_;
  }

  const Work& work_;
  const LevelArguments<Columns>& a_;
  const SlicedView<Columns>& part_;
  Shared& shared_;
  std::uint32_t ring_;
  int lane_;
  int count_ = 0;   ///< pieces put on the belt
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

/// visit(use, piece) for all pieces, in their order, once the loader has filled them in.
template <class Visit>
__device__ __forceinline__ void for_known_pieces(const Shared& shared, const Visit& visit) {
  for (int n = 0;; ++n) {
    const Use use(n);
    barrier(shared.known[use.place]).wait(use.parity);
    const Piece& piece = shared.piece[use.place];
    if (piece.number == no_piece) {
      return;
    }
    visit(use, piece);
  }
}

/// Waits for the x of each chunk.
static __device__ __forceinline__ void scout(const Work& work, const Shared& shared) {
  const int lane = static_cast<int>(threadIdx.x % 32);
  for_known_pieces(shared, [&](const Use& use, const Piece& piece) {
    if (piece.first) {
      const std::int32_t* const awaited =
          work.dependences + std::int64_t{piece.chunk} * most_dependences;
      for (int k = lane; k < static_cast<int>(most_dependences); k += 32) {
        const std::int32_t chunk = awaited[k];
        while (chunk >= 0 && load_done(work.done + chunk) == 0U) {
        }
      }
    }
    __syncwarp();
    if (lane == 0) {
      barrier(shared.ready[use.place]).arrive();
    }
  });
}

/// Lets the chunks go on that depend on finished ones, and leaves the sums of pieces behind.
template <bool Summing>
__device__ __forceinline__ void herald(const Work& work, const Shared& shared, double* partials) {
  for_known_pieces(shared, [&](const Use& use, const Piece& piece) {
    barrier(shared.swept[use.place]).wait(use.parity);
    if (threadIdx.x % 32 == 0) {
      if (piece.last) {
        work.other[piece.chunk] = 0U;
        store_done(work.done + piece.chunk, 1U);
      }
      if constexpr (Summing) {
        double sum = 0.0;
        for (const double part : piece.sum) {
          sum += part;
        }
        partials[piece.number] = sum;
      }
      barrier(shared.free[use.place]).arrive();
    }
    __syncwarp();
  });
}

/// What a worker has at hand for its row.
template <class Step, class Columns>
__device__ __forceinline__ Row<Columns> row_of(const LevelArguments<Columns>& a, const Piece& piece,
                                               int slice, int lane, const unsigned char* ring) {
  const auto doubles = [&](unsigned at) { return reinterpret_cast<const double*>(ring + at); };
  const SlicedView<Columns>& part = Step::main == Main::lower ? a.lower : a.upper;
  const std::int64_t number = piece.number * piece_rows + slice * slice_height + lane;
  // Where the bases of the slice's coarse slots would be if slots had been stacked in memory too.
  const std::int64_t coarse_first =
      Step::apart ? a.coarse_slots[number / slice_height].begin - piece.coarse[slice].begin : 0;
  const Layout& at = piece.layout;
  return {a,
          number,
          lane,
          {doubles(at.value), {part.columns, ring + at.column, piece.first_slot}},
          piece.main[slice],
          {doubles(at.coarse_value), {a.upper.columns, ring + at.coarse_column, coarse_first}},
          piece.coarse[slice],
          piece.others[slice],
          doubles(at.vectors) + slice * slice_height + lane};
}

/// Sweeps the pieces of its group, a slice of each: groups take turns.
template <class Step, bool Summing, class Columns>
__device__ __forceinline__ void work(const LevelArguments<Columns>& a, Shared& shared,
                                     const unsigned char* ring) {
  const int warp = static_cast<int>(threadIdx.x) / 32 - roles;
  const int lane = static_cast<int>(threadIdx.x % 32);
  const int slice = warp % slices_a_piece;
  for (int n = warp / slices_a_piece;; n += groups) {
    const Use use(n);
    barrier(shared.ready[use.place]).wait(use.parity);
    Piece& piece = shared.piece[use.place];
    if (piece.number == no_piece) {
      return;
    }
    double term = Step::run(row_of<Step>(a, piece, slice, lane, ring));
    if constexpr (Summing) {
      for (unsigned offset = 16; offset > 0; offset /= 2) {
        term += __shfl_down_sync(~0U, term, offset);
      }
      if (lane == 0) {
        piece.sum[slice] = term;
      }
    }
    __syncwarp();
    if (lane == 0) {
      barrier(shared.swept[use.place]).arrive();
    }
  }
}

}  // namespace belt

/// A step of a sweep for all rows of the chunks, each after the chunks that it depends on; where it
/// adds up, the sum of the terms of each piece.
template <class Step, bool Summing, class Columns>
__global__ void __launch_bounds__(belt::threads, 1)
    conveyor_kernel(const __grid_constant__ belt::Work work,
                    const __grid_constant__ LevelArguments<Columns> a, double* partials) {
  if constexpr (compiled_capability >= bulk_copy_capability) {
    extern __shared__ __align__(128) unsigned char belt_ring[];
    __shared__ belt::Shared shared;
    if (threadIdx.x == 0) {
      for (int n = 0; n < belt::places; ++n) {
        belt::barrier(shared.known[n]).initialise();
        belt::barrier(shared.ready[n]).initialise(2);  // the loader, the scout
        belt::barrier(shared.swept[n]).initialise(slices_a_piece);
        belt::barrier(shared.free[n]).initialise();
      }
      publish_copy_barriers();
    }
    __syncthreads();
    const unsigned warp = threadIdx.x / 32;
    if (warp == 0) {
      belt::Loader<Step, Columns>(work, a, shared, shared_address(belt_ring)).run();
    } else if (warp == 1) {
      belt::scout(work, shared);
    } else if (warp == 2) {
      belt::herald<Summing>(work, shared, partials);
    } else {
      belt::work<Step, Summing>(a, shared, belt_ring);
    }
  }
}

}  // namespace bankfull::hpcg::cuda
