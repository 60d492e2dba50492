#pragma once

#include "bankfull/core/exec/bulk_copy.cuh"
#include "bankfull/workloads/hpcg/cuda/wave.cuh"

#include <cstdint>

namespace bankfull::hpcg::cuda {

// A sweep as a conveyor, for large levels. One block stays on each multiprocessor and takes chunk
// after chunk. Its warps have four offices:
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

inline constexpr int slices_a_piece = static_cast<int>(piece_rows) / slice_height;

namespace belt {

inline constexpr int groups = 3;
/// A multiple of the groups: a place always belongs to the same group.
inline constexpr int places = 4 * groups;
inline constexpr int offices = 3;  ///< one warp each
inline constexpr int threads = offices * 32 + groups * static_cast<int>(piece_rows);
inline constexpr unsigned ring_bytes = 204 * 1024;
inline constexpr int most_vectors = 4;
inline constexpr unsigned vector_bytes = piece_rows * sizeof(double);
inline constexpr std::int32_t no_piece = -1;

/// Slots of a slice, counted from the first that was brought.
using Slots = SlotRange;

/// A piece on the belt.
struct Piece {
  std::int32_t number = no_piece;  ///< rows [number piece_rows, ...); no_piece where the belt ends
  std::int32_t chunk = 0;
  bool first = false;  ///< of its chunk
  bool last = false;
  // Where in the ring:
  unsigned value = 0;
  unsigned column = 0;
  unsigned coarse_value = 0;
  unsigned coarse_column = 0;
  unsigned vectors = 0;
  std::int64_t first_slot = 0;        ///< of the main part
  Slots main[slices_a_piece] = {};    ///< of the part that is multiplied
  Slots coarse[slices_a_piece] = {};  ///< of `upper`, with columns of coarse classes
  double sum[slices_a_piece] = {};    ///< of the terms of each slice
};

struct Shared {
  std::uint64_t known[static_cast<std::size_t>(places)];  ///< the loader has filled in the piece
  std::uint64_t ready[static_cast<std::size_t>(places)];  ///< its data and its x are there
  std::uint64_t swept[static_cast<std::size_t>(places)];
  std::uint64_t free[static_cast<std::size_t>(places)];  ///< the herald has seen it
  unsigned size[static_cast<std::size_t>(places)];       ///< bytes of the ring that it holds
  Piece piece[static_cast<std::size_t>(places)];
};

/// A place at its n-th use, counted over all places.
struct Use {
  int place;
  unsigned parity;
  explicit __device__ __forceinline__ Use(int n)
      : place(n % places), parity(static_cast<unsigned>(n / places) % 2U) {}
};

__device__ __forceinline__ CopyBarrier barrier(const std::uint64_t& at) {
  return {shared_address(&at)};
}

/// Bytes of the columns of a slot.
template <class Columns>
inline constexpr unsigned column_bytes = slice_height * sizeof(std::int32_t);
template <>
inline constexpr unsigned column_bytes<SlimColumns> = slice_height * sizeof(std::uint16_t);
inline constexpr unsigned value_bytes = slice_height * sizeof(double);

__device__ __forceinline__ const void* columns_from(const FullColumns& columns, std::int64_t slot) {
  return columns.column + slot * slice_height;
}
__device__ __forceinline__ const void* columns_from(const SlimColumns& columns, std::int64_t slot) {
  return columns.offset + slot * slice_height;
}

/// Columns on the belt.
template <class Columns>
struct BroughtColumns {
  const std::int32_t* column;
  __device__ __forceinline__ BroughtColumns(const FullColumns& /*columns*/, const void* brought,
                                            std::int64_t /*first*/)
      : column(static_cast<const std::int32_t*>(brought)) {}
  __device__ __forceinline__ std::int32_t at(int slot, int lane) const {
    return column[slot * slice_height + lane];
  }
};

/// The bases stay where they are: one number for all lanes.
template <>
struct BroughtColumns<SlimColumns> {
  const std::uint16_t* offset;
  const std::int32_t* base;
  __device__ __forceinline__ BroughtColumns(const SlimColumns& columns, const void* brought,
                                            std::int64_t first)
      : offset(static_cast<const std::uint16_t*>(brought)), base(columns.base + first) {}
  __device__ __forceinline__ std::int32_t at(int slot, int lane) const {
    return __ldg(base + slot) + offset[slot * slice_height + lane];
  }
};

/// Slots on the belt.
template <class Columns>
struct Brought {
  const double* value;
  BroughtColumns<Columns> columns;

  template <int Slots>
  __device__ __forceinline__ double add_batch(int& slot, int lane, const double* x,
                                              double sum) const {
    double gathered[static_cast<std::size_t>(Slots)];
#pragma unroll
    for (int n = 0; n < Slots; ++n) {
      gathered[n] = x[columns.at(slot + n, lane)];
    }
#pragma unroll
    for (int n = 0; n < Slots; ++n) {
      sum = fma(value[(slot + n) * slice_height + lane], gathered[n], sum);
    }
    slot += Slots;
    return sum;
  }

  /// sum + the entries of some slots times their x.
  __device__ __forceinline__ double add(const SlotRange& slots, int lane, const double* x,
                                        double sum) const {
    int slot = slots.begin;
    while (slot + 13 <= slots.end) {
      sum = add_batch<13>(slot, lane, x, sum);
    }
    if (slot + 8 <= slots.end) {
      sum = add_batch<8>(slot, lane, x, sum);
    }
    if (slot + 4 <= slots.end) {
      sum = add_batch<4>(slot, lane, x, sum);
    }
    if (slot + 2 <= slots.end) {
      sum = add_batch<2>(slot, lane, x, sum);
    }
    if (slot < slots.end) {
      sum = add_batch<1>(slot, lane, x, sum);
    }
    return sum;
  }
};

/// What a worker has at hand for its row.
template <class Columns>
struct Row {
  const LevelArguments<Columns>& a;
  std::int64_t number;
  int lane;
  Brought<Columns> matrix;  ///< the part that is multiplied
  SlotRange slots;
  Brought<Columns> coarse;  ///< the coarse slots of `upper`, where they are not in that part
  SlotRange coarse_slots;
  const double* vectors;

  /// One of the vectors that the step asks for.
  __device__ __forceinline__ double vector(int n) const { return vectors[n * piece_rows]; }
  [[nodiscard]] __device__ __forceinline__ double times(const double* x) const {
    return matrix.add(slots, lane, x, 0.0);
  }
};

// Steps of a sweep. `main` is the part of the matrix that they read, `vectors` what else.

enum class Main { lower, upper };

struct FromZero {
  static constexpr Main main = Main::lower;
  static constexpr bool apart = false;  ///< whether coarse slots are brought by themselves
  static constexpr int vectors = 2;
  template <class Columns>
  static __device__ __forceinline__ const double* vector(const LevelArguments<Columns>& a, int n) {
    return n == 0 ? a.diagonal : a.r;
  }

  template <class Columns>
  static __device__ __forceinline__ double run(const Row<Columns>& row) {
    double* const x = row.a.x;
    x[row.number] = forward_from_zero(row.vector(1), row.times(x), row.vector(0));
    return 0.0;
  }
};

struct AfterZero {
  static constexpr Main main = Main::upper;
  static constexpr bool apart = false;
  static constexpr int vectors = 2;
  template <class Columns>
  static __device__ __forceinline__ const double* vector(const LevelArguments<Columns>& a, int n) {
    return n == 0 ? a.diagonal : a.x;
  }

  template <class Columns>
  static __device__ __forceinline__ double run(const Row<Columns>& row) {
    double* const x = row.a.x;
    const SlotRange before{row.slots.begin, row.coarse_slots.begin};
    const SlotRange after{row.coarse_slots.end, row.slots.end};
    double sum = row.matrix.add(before, row.lane, x, 0.0);
    sum = row.matrix.add(after, row.lane, x, sum);
    __stcs(row.a.u + row.number, sum);
    sum = row.matrix.add(row.coarse_slots, row.lane, x, sum);
    x[row.number] = backward_after_zero(row.vector(1), sum, row.vector(0));
    return 0.0;
  }
};

/// Reads x of coarse rows too: their own chunks wait for this one.
template <Outer Others>
struct Again {
  static constexpr Main main = Main::lower;
  static constexpr bool apart = true;
  static constexpr int vectors = 3;
  template <class Columns>
  static __device__ __forceinline__ const double* vector(const LevelArguments<Columns>& a, int n) {
    return n == 0 ? a.diagonal : n == 1 ? a.r : a.u;
  }

  template <class Columns>
  static __device__ __forceinline__ double run(const Row<Columns>& row) {
    double* const x = row.a.x;
    double upper = row.vector(2);
    if (row.coarse_slots.begin < row.coarse_slots.end) {
      upper = row.coarse.add(row.coarse_slots, row.lane, x, upper);
      row.a.u[row.number] = upper;
    }
    const double outer = Others == Outer::some ? cuda::times(row.a.outer, row.number, x) : 0.0;
    x[row.number] = forward_again(row.vector(1), row.times(x), upper, outer, row.vector(0));
    return 0.0;
  }
};

struct BackAgain {
  static constexpr Main main = Main::upper;
  static constexpr bool apart = false;
  static constexpr int vectors = 3;
  template <class Columns>
  static __device__ __forceinline__ const double* vector(const LevelArguments<Columns>& a, int n) {
    return n == 0 ? a.diagonal : n == 1 ? a.x : n == 2 ? a.u : a.r;
  }

  template <class Columns>
  static __device__ __forceinline__ double run(const Row<Columns>& row) {
    double* const x = row.a.x;
    const double now = backward_again(row.vector(1), row.vector(2), row.times(x), row.vector(0));
    x[row.number] = now;
    return now;
  }
};

/// The same with the row's term of r.x.
struct BackAgainWithProduct : BackAgain {
  static constexpr int vectors = 4;

  template <class Columns>
  static __device__ __forceinline__ double run(const Row<Columns>& row) {
    return BackAgain::run(row) * row.vector(3);
  }
};

/// What all blocks of a conveyor work on.
struct Work {
  Wave wave;
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
      return {0, 0, {0, 0}};
    }
    const std::int64_t slice = std::int64_t{chunk} * 32 + lane_;
    return {__ldg(part_.slot + slice), __ldg(part_.slot + slice + 1), a_.coarse_slots[slice]};
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
    const unsigned size =
        (count + coarse_count) * (value_bytes + column_bytes<Columns>)+Step::vectors * vector_bytes;
    const unsigned at = room_for(size);
    const unsigned column = at + count * value_bytes;
    const unsigned coarse_value = column + count * column_bytes<Columns>;
    const unsigned coarse_column = coarse_value + coarse_count * value_bytes;
    const unsigned vectors = coarse_column + coarse_count * column_bytes<Columns>;
    const std::int32_t number = chunk * chunk_pieces + n;
    const bool mine = lane_ >= first_lane && lane_ <= last_lane;
    if (mine) {
      piece.main[lane_ - first_lane] = {static_cast<std::int32_t>(slots.begin - first_slot),
                                        static_cast<std::int32_t>(slots.end - first_slot)};
      piece.coarse[lane_ - first_lane] = coarse;
    }
    const Use use(count_);
    const CopyBarrier ready = barrier(shared_.ready[use.place]);
    if (lane_ == 0) {
      piece.number = number;
      piece.chunk = chunk;
      piece.first = n == 0;
      piece.last = n + 1 == chunk_pieces;
      piece.first_slot = first_slot;
      piece.value = at;
      piece.column = column;
      piece.coarse_value = coarse_value;
      piece.coarse_column = coarse_column;
      piece.vectors = vectors;
    }
    __syncwarp();
    if (lane_ == 0) {
      barrier(shared_.known[use.place]).arrive();
      ready.expect(size);
      copy_once(ring_ + at, part_.value + first_slot * slice_height, count * value_bytes, ready);
      copy_once(ring_ + column, columns_from(part_.columns, first_slot),
                count * column_bytes<Columns>, ready);
      for (int v = 0; v < Step::vectors; ++v) {
        copy_once(ring_ + vectors + static_cast<unsigned>(v) * vector_bytes,
                  Step::vector(a_, v) + number * piece_rows, vector_bytes, ready);
      }
    }
    if (Step::apart && mine) {
      const auto own = static_cast<unsigned>(coarse.end - coarse.begin);
      const auto place = static_cast<unsigned>(coarse.begin);
      copy_once(ring_ + coarse_value + place * value_bytes,
                a_.upper.value + std::int64_t{slots.coarse.begin} * slice_height, own * value_bytes,
                ready);
      copy_once(ring_ + coarse_column + place * column_bytes<Columns>,
                columns_from(a_.upper.columns, slots.coarse.begin), own * column_bytes<Columns>,
                ready);
    }
    __syncwarp();
    ++count_;
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

/// Waits for the x of each chunk.
static __device__ __forceinline__ void scout(const Work& work, const Shared& shared) {
  const int lane = static_cast<int>(threadIdx.x % 32);
  for (int n = 0;; ++n) {
    const Use use(n);
    barrier(shared.known[use.place]).wait(use.parity);
    const Piece& piece = shared.piece[use.place];
    if (piece.number == no_piece) {
      return;
    }
    if (piece.first) {
      const std::int32_t* const awaited =
          work.wave.dependences + std::int64_t{piece.chunk} * most_dependences;
      for (int k = lane; k < static_cast<int>(most_dependences); k += 32) {
        const std::int32_t chunk = awaited[k];
        while (chunk >= 0 && load_done(work.wave.done + chunk) == 0U) {
        }
      }
    }
    __syncwarp();
    if (lane == 0) {
      barrier(shared.ready[use.place]).arrive();
    }
  }
}

/// Lets the chunks go on that depend on finished ones, and leaves the sums of pieces behind.
template <bool Summing>
__device__ __forceinline__ void herald(const Work& work, const Shared& shared, double* partials) {
  for (int n = 0;; ++n) {
    const Use use(n);
    barrier(shared.known[use.place]).wait(use.parity);
    const Piece& piece = shared.piece[use.place];
    if (piece.number == no_piece) {
      return;
    }
    barrier(shared.swept[use.place]).wait(use.parity);
    if (threadIdx.x % 32 == 0) {
      if (piece.last) {
        work.wave.other[piece.chunk] = 0U;
        store_done(work.wave.done + piece.chunk, 1U);
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
  }
}

template <class Step, bool Summing, class Columns>
__device__ __forceinline__ void work(const LevelArguments<Columns>& a, Shared& shared,
                                     const unsigned char* ring) {
  const int warp = static_cast<int>(threadIdx.x) / 32 - offices;
  const int lane = static_cast<int>(threadIdx.x % 32);
  const int slice = warp % slices_a_piece;
  for (int n = warp / slices_a_piece;; n += groups) {
    const Use use(n);
    barrier(shared.ready[use.place]).wait(use.parity);
    Piece& piece = shared.piece[use.place];
    if (piece.number == no_piece) {
      return;
    }
    const std::int64_t row = piece.number * piece_rows + slice * slice_height + lane;
    const SlicedView<Columns>& part = Step::main == Main::lower ? a.lower : a.upper;
    const auto doubles = [&](unsigned at) { return reinterpret_cast<const double*>(ring + at); };
    double term = Step::run(Row<Columns>{
        a,
        row,
        lane,
        {doubles(piece.value), {part.columns, ring + piece.column, piece.first_slot}},
        piece.main[slice],
        {doubles(piece.coarse_value),
         {a.upper.columns, ring + piece.coarse_column,
          // Where bases of the slice's coarse slots are, as if slots had been stacked in memory.
          Step::apart ? a.coarse_slots[row / slice_height].begin - piece.coarse[slice].begin : 0}},
        piece.coarse[slice],
        doubles(piece.vectors) + slice * slice_height + lane});
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
