#pragma once

#include "bankfull/workloads/npb/is/cuda/block_sums.cuh"
#include "bankfull/workloads/npb/is/cuda/partition.cuh"

#include <bit>
#include <cstddef>
#include <cstdint>

namespace bankfull::npb::is::cuda {

// The partition for many buckets, of which a batch gives each only a few keys (ADR 0057).
//
// - Rings have two sizes, powers of two: the middle half of the buckets, which receives 11 of 12 of
//   NPB's keys, has the larger ones. Hardly any batch leaves keys without room, which costs
//   another visit of all buckets.
// - A bucket belongs to a lane. Its warp puts the full units of all its buckets into a queue, and
//   then all lanes write those, two lanes a unit, whichever buckets they are of.
// - Each warp has buckets from all quarters of the values, at about the same place of each. As
//   densities of the sum of four uniform numbers at x, x + 1/4, x + 1/2 and x + 3/4 add up to the
//   same for all x, all warps have about as many units.
//
// The atomic that counts a key adds to two counters at a time: keys that wait in the ring, and all
// that ever came, which is where the key goes.

template <class Shape>
class WarpPartitionBlock;

/// How blocks partition by warps.
template <int Threads, int Buckets, int SmallRing, int LargeRing, int KeysAThread>
struct WarpPartitionShape {
  using Block = WarpPartitionBlock<WarpPartitionShape>;

  static constexpr int threads = Threads;
  static constexpr int buckets = Buckets;
  static constexpr int blocks_per_multiprocessor = 1;

  static constexpr int unit = 16;  ///< keys that go to memory together
  static constexpr int keys_per_lane = 8;
  static constexpr int lanes = unit / keys_per_lane;

  static constexpr int keys_per_thread = KeysAThread;
  static constexpr int batch = Threads * keys_per_thread;

  static constexpr int warps = Threads / 32;
  static constexpr int own_buckets = Buckets / Threads;  ///< of a lane
  static constexpr int queue = 64;  ///< units of a warp at a time; the average is half of it

  static constexpr unsigned quarter = Buckets / 4;  ///< of the buckets
  static constexpr unsigned small_ring = SmallRing;
  static constexpr unsigned large_ring = LargeRing;
  static constexpr std::size_t ring_keys = std::size_t{2} * quarter * (SmallRing + LargeRing);

  static_assert(Buckets % Threads == 0 && Threads % 128 == 0);
  static_assert(std::has_single_bit(small_ring) && std::has_single_bit(large_ring));
  static_assert(SmallRing >= unit && LargeRing >= SmallRing);
  static_assert(batch + LargeRing < 1 << 16);
};

/// The ring of a bucket within the memory of all rings.
template <class Shape>
struct Ring {
  std::uint32_t begin;
  std::uint32_t size;

  __device__ __forceinline__ explicit Ring(std::uint32_t bucket) {
    constexpr auto quarter = static_cast<int>(Shape::quarter);
    const bool middle = bucket - Shape::quarter < 2U * Shape::quarter;
    const int larger_before = min(max(static_cast<int>(bucket) - quarter, 0), 2 * quarter);
    begin = bucket * Shape::small_ring +
            static_cast<std::uint32_t>(larger_before) * (Shape::large_ring - Shape::small_ring);
    size = middle ? Shape::large_ring : Shape::small_ring;
  }

  /// Where the key is that came when so many had come.
  [[nodiscard]] __device__ __forceinline__ std::uint32_t place(std::uint32_t came) const {
    return begin + (came & (size - 1U));
  }
};

/// The counters of a ring in one word.
struct RingCounters {
  static constexpr std::uint32_t one_key = 0x10001U;  ///< in both counters

  std::uint32_t came;     ///< keys, modulo 2^16
  std::uint32_t waiting;  ///< the last of them; those beyond the ring's size are not in the ring

  __device__ __forceinline__ explicit RingCounters(std::uint32_t word)
      : came(word >> 16), waiting(word & 0xFFFFU) {}

  template <class Shape>
  [[nodiscard]] __device__ __forceinline__ std::uint32_t in_ring(const Ring<Shape>& ring) const {
    return min(waiting, ring.size);
  }
};

/// A unit that is to be written.
struct QueuedUnit {
  std::uint32_t vector;  ///< of the rings, where it begins
  std::uint32_t place;   ///< in the lists
};

template <class Shape>
struct WarpPartitionShared {
  std::uint32_t states[static_cast<std::size_t>(Shape::buckets)];  ///< RingCounters
  alignas(16) std::uint16_t rings[Shape::ring_keys];
  QueuedUnit queues[static_cast<std::size_t>(Shape::warps)][static_cast<std::size_t>(Shape::queue)];
  int low_bits;
};

/// One block of the partition by warps.
template <class Shape>
class WarpPartitionBlock {
 public:
  using Shared = WarpPartitionShared<Shape>;

  __device__ __forceinline__ WarpPartitionBlock(const PartitionArguments& arguments, Shared& shared)
      : f_(arguments),
        shared_(shared),
        batches_(arguments),
        lane_(threadIdx.x % 32),
        warp_(threadIdx.x / 32) {}

  __device__ __forceinline__ void run() {
    low_bits_ = begin_block<Shape>(f_, shared_);
    batches_.for_each([&](std::int64_t batch, const Key* keys) { put(batch, keys); });
    finish();
  }

 private:
  /// Own bucket n. Lanes 0 to 7 have buckets of the first quarter, lanes 8 to 15 of the second, and
  /// so on, in runs of eight; four runs at the same place of their quarters are turned against each
  /// other, so that states of a warp's buckets are in different banks.
  [[nodiscard]] __device__ __forceinline__ std::uint32_t own_bucket(int n) const {
    constexpr std::uint32_t run = 8;
    const std::uint32_t quarter = lane_ / run;
    const std::uint32_t place = warp_ * Shape::own_buckets + static_cast<std::uint32_t>(n);
    const std::uint32_t turned = (place & ~3U) | ((place + quarter) & 3U);
    return quarter * Shape::quarter + turned * run + lane_ % run;
  }

  /// Puts a batch into the rings and writes full units.
  __device__ __forceinline__ void put(std::int64_t batch, const Key* keys) {
    std::uint32_t tickets[static_cast<std::size_t>(Shape::keys_per_thread)];
#pragma unroll
    for (int n = 0; n < Shape::keys_per_thread; ++n) {
      tickets[n] = count(keys[n]);
    }
    __syncthreads();  // all are counted, and the units before have left the rings
    claim_full_units();
    std::uint32_t left = 0;
#pragma unroll
    for (int n = 0; n < Shape::keys_per_thread; ++n) {
      if (!store(keys[n], tickets[n])) {
        left |= 1U << n;
      }
    }
    enqueue();
    batches_.ask_behind(batch);
    const bool again = __syncthreads_or(static_cast<int>(left)) != 0;
    write_queue();
    if (again) {
      put_left(batch, left);
    }
  }

  /// Puts the keys of a batch that had no room, those of the bit mask `left`, one per thread at a
  /// time.
  __device__ __forceinline__ void put_left(std::int64_t batch, std::uint32_t left) {
    bool again = true;
    while (again) {
      const bool any = left != 0;
      const Key key = any ? batches_.first_key(batch, left) : 0;
      const std::uint32_t ticket = any ? count(key) : 0;
      __syncthreads();
      claim_full_units();
      if (any && store(key, ticket)) {
        left &= left - 1U;
      }
      enqueue();
      again = __syncthreads_or(static_cast<int>(left)) != 0;
      write_queue();
    }
  }

  [[nodiscard]] __device__ __forceinline__ std::uint32_t count(Key key) const {
    return atomicAdd(&shared_.states[key >> f_.low_bits], RingCounters::one_key);
  }

  /// Puts a key into its ring. Returns whether it has room there.
  __device__ __forceinline__ bool store(Key key, std::uint32_t ticket) const {
    const Ring<Shape> ring(key >> low_bits_);
    const RingCounters before(ticket);
    const bool fits = before.waiting < ring.size;
    if (fits) {
      shared_.rings[ring.place(before.came)] =
          static_cast<std::uint16_t>(key & ((1U << low_bits_) - 1U));
    }
    return fits;
  }

  /// Claims places for the full units of own buckets, as many as the queue holds; others wait. The
  /// results of the atomics are awaited in `enqueue`.
  __device__ __forceinline__ void claim_full_units() {
    std::uint32_t words[static_cast<std::size_t>(Shape::own_buckets)];
    std::uint32_t full = 0;
#pragma unroll
    for (int n = 0; n < Shape::own_buckets; ++n) {
      const std::uint32_t bucket = own_bucket(n);
      words[n] = shared_.states[bucket];
      full += RingCounters(words[n]).in_ring(Ring<Shape>(bucket)) / Shape::unit;
    }
    std::uint32_t room = reserve(full);
#pragma unroll
    for (int n = 0; n < Shape::own_buckets; ++n) {
      claim_full_units(n, RingCounters(words[n]), room);
    }
  }

  /// Decides where the lane's units are in the queue. Returns how many have room there.
  __device__ __forceinline__ std::uint32_t reserve(std::uint32_t units) {
    const std::uint32_t sums = warp_sums(units);
    queued_ = min(__shfl_sync(~0U, sums, 31), std::uint32_t{Shape::queue});
    first_queued_ = min(sums - units, queued_);
    return queued_ - first_queued_;
  }

  /// Own bucket n, with units of which no more than `room` are claimed. Keys without room in the
  /// ring have not come, then.
  __device__ __forceinline__ void claim_full_units(int n, const RingCounters& counters,
                                                   std::uint32_t& room) {
    const std::uint32_t bucket = own_bucket(n);
    const std::uint32_t in_ring = counters.in_ring(Ring<Shape>(bucket));
    const std::uint32_t units = min(in_ring / Shape::unit, room);
    room -= units;
    note(n, counters, units);
    if (counters.waiting >= Shape::unit) {
      const std::uint32_t came = counters.came + in_ring - counters.waiting;
      shared_.states[bucket] = came << 16 | (in_ring - units * Shape::unit);
    }
    if (units > 0) {
      place_[n] = atomicAdd(f_.lists.claimed + bucket, units);
    }
  }

  /// Remembers the units at the beginning of a ring, which are to be queued.
  __device__ __forceinline__ void note(int n, const RingCounters& counters, std::uint32_t units) {
    const std::uint32_t begin = (counters.came - counters.waiting) & 0xFFFFU;
    units_[n] = begin << 16 | units;
  }

  /// Puts claimed units into the warp's queue.
  __device__ __forceinline__ void enqueue() {
    QueuedUnit* next = shared_.queues[warp_] + first_queued_;
#pragma unroll
    for (int n = 0; n < Shape::own_buckets; ++n) {
      const Ring<Shape> ring(own_bucket(n));
      const std::uint32_t begin = units_[n] >> 16;
      const std::uint32_t units = units_[n] & 0xFFFFU;
      for (std::uint32_t unit = 0; unit < units; ++unit) {
        *next++ = {ring.place(begin + unit * Shape::unit) / Shape::keys_per_lane, place_[n] + unit};
      }
    }
  }

  __device__ __forceinline__ void write_queue() const {
    for (std::uint32_t n = lane_; n < queued_ * Shape::lanes; n += 32) {
      const QueuedUnit unit = shared_.queues[warp_][n / Shape::lanes];
      const std::uint32_t lane = n % Shape::lanes;
      f_.lists.unit_at<Shape>(unit.place)[lane] =
          reinterpret_cast<const uint4*>(shared_.rings)[unit.vector + lane];
    }
  }

  /// Writes what is left in the rings of own buckets.
  __device__ __forceinline__ void finish() {
    do {
      claim_full_units();
      flush();
    } while (queued_ > 0);
#pragma unroll
    for (int n = 0; n < Shape::own_buckets; ++n) {
      claim_last_unit(n);
      flush();
    }
  }

  /// Queues and writes what the warp has claimed, without waiting for other warps.
  __device__ __forceinline__ void flush() {
    __syncwarp();  // the queue has been written
    enqueue();
    __syncwarp();
    write_queue();
  }

  /// Fills the last unit of own bucket n up, and claims its place.
  __device__ __forceinline__ void claim_last_unit(int n) {
    const std::uint32_t bucket = own_bucket(n);
    const RingCounters counters(shared_.states[bucket]);
    const bool any = counters.waiting > 0;
    reserve(any ? 1U : 0U);
#pragma unroll
    for (int other = 0; other < Shape::own_buckets; ++other) {
      note(other, counters, other == n && any ? 1U : 0U);
    }
    if (any) {
      std::uint16_t* const keys =
          shared_.rings + Ring<Shape>(bucket).place(counters.came - counters.waiting);
      for (std::uint32_t k = counters.waiting; k < Shape::unit; ++k) {
        keys[k] = static_cast<std::uint16_t>((1U << f_.low_bits) - 1U);
      }
      place_[n] = atomicAdd(f_.lists.claimed + bucket, 1U);
      atomicAdd(f_.fillers + bucket, Shape::unit - counters.waiting);
    }
  }

  const PartitionArguments& f_;
  Shared& shared_;
  KeyBatches<Shape, PartitionArguments> batches_;
  std::uint32_t lane_;
  std::uint32_t warp_;
  int low_bits_;

  // The own buckets' claimed units: after how many keys they begin and how many they are, in the
  // halves of a word; and where they go.
  std::uint32_t units_[static_cast<std::size_t>(Shape::own_buckets)];
  std::uint32_t place_[static_cast<std::size_t>(Shape::own_buckets)];

  std::uint32_t first_queued_;  ///< the lane's first unit in the queue
  std::uint32_t queued_;        ///< units of the warp
};

}  // namespace bankfull::npb::is::cuda
