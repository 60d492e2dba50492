#pragma once

#include "bankfull/core/exec/launch.cuh"
#include "bankfull/core/exec/vector16.cuh"
#include "bankfull/workloads/npb/is/cuda/key_batches.cuh"
#include "bankfull/workloads/npb/is/is.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>

namespace bankfull::npb::is::cuda {

// The first half of a ranking: keys go to buckets by their high bits, and only their low bits, 16
// at most, are written.
//
// Each block keeps the ends of all its buckets in shared memory, a ring of keys each. After every
// batch of keys, full units of a bucket go to places of that bucket's list in memory: whole
// sectors, each written once. The places are claimed while the batch is still being put into the
// rings. At the end each block pads its last units with the largest low bits, and records the
// number of these fillers.
//
// The capacity of a list follows from the distribution of NPB's keys (bucket_partition.hpp). Keys
// with another distribution may claim places beyond it. Such units overwrite only lists of this
// ranking, which is then discarded: the kernel that reads the lists compares the claimed places
// with the capacity.
//
// There are two schedules: the one here, and that of partition_by_warps.cuh for many buckets.

template <class Shape>
class PartitionBlock;

/// How blocks partition.
template <int Threads, int Buckets, int Unit, int Ring, int KeysAThread, int BlocksAMultiprocessor>
struct PartitionShape {
  using Block = PartitionBlock<PartitionShape>;

  static constexpr int threads = Threads;
  static constexpr int buckets = Buckets;
  static constexpr int unit = Unit;  ///< keys that go to memory together
  static constexpr unsigned unit_bytes = Unit * sizeof(std::uint16_t);
  static constexpr int ring = Ring;  ///< capacity of a block for keys of a bucket
  static constexpr int blocks_per_multiprocessor = BlocksAMultiprocessor;

  static constexpr int keys_per_thread = KeysAThread;
  static constexpr int batch = Threads * keys_per_thread;

  static constexpr int keys_per_lane = 8;  ///< 16 bytes
  static constexpr int lanes = Unit / keys_per_lane;
  static constexpr int groups = Threads / lanes;
  static constexpr int own_buckets = Buckets / groups;
  static_assert(Buckets % groups == 0 && 32 % lanes == 0 && groups * lanes == Threads);
  static_assert(Ring >= Unit && Ring % keys_per_lane == 0);
  static_assert(batch + Unit < 1 << 16);
};

/// The state of a bucket's ring in one word, so that the atomic that counts a key also returns the
/// state.
struct RingState {
  std::uint32_t begin;    ///< of the keys in the ring
  std::uint32_t waiting;  ///< keys; those beyond the capacity are not in the ring

  __device__ __forceinline__ explicit RingState(std::uint32_t word)
      : begin(word >> 16), waiting(word & 0xFFFFU) {}

  /// After so many keys have left.
  template <class Shape>
  [[nodiscard]] __device__ __forceinline__ std::uint32_t word_without(std::uint32_t keys) const {
    return wrapped<Shape>(begin + keys) << 16 | (waiting - keys);
  }

  /// The place within the ring, for a place less than two rings.
  template <class Shape>
  static __device__ __forceinline__ std::uint32_t wrapped(std::uint32_t place) {
    if constexpr (std::has_single_bit(static_cast<unsigned>(Shape::ring))) {
      return place % Shape::ring;
    }
    return min(place, place - Shape::ring);  // the difference wraps around where place is less
  }
};

/// The lists of all buckets in one array: places are counted in units over all of them.
struct ListsToFill {
  std::uint16_t* lists;
  std::uint32_t* claimed;  ///< of each bucket, the next place
  std::uint32_t spill;     ///< the place behind all lists, a unit that is never read

  /// Units beyond a bucket's capacity go to the next bucket's list, those of the last bucket to
  /// `spill`.
  template <class Shape>
  [[nodiscard]] __device__ __forceinline__ uint4* unit_at(std::uint32_t place) const {
    return reinterpret_cast<uint4*>(lists) + std::size_t{min(place, spill)} * Shape::lanes;
  }
};

template <class Shape>
struct PartitionShared {
  std::uint32_t states[static_cast<std::size_t>(Shape::buckets)];
  alignas(16) std::uint16_t
      rings[static_cast<std::size_t>(Shape::buckets)][static_cast<std::size_t>(Shape::ring)];
  int low_bits;
};

struct PartitionArguments {
  Key* keys;
  std::int64_t batches;
  int low_bits;
  Change changes[2];  ///< done before; with positions among these keys, or negative ones
  ListsToFill lists;
  std::uint32_t* fillers;  ///< of each bucket
};

/// Empties the rings of a block, all of whose threads call. Returns the arguments' `low_bits`, by
/// way of memory: otherwise the compiler would keep the bucket of every key in a register from
/// where it is counted to where it is stored.
template <class Shape, class Shared>
__device__ __forceinline__ int begin_block(const PartitionArguments& arguments, Shared& shared) {
  for (unsigned n = threadIdx.x; n < Shape::buckets; n += Shape::threads) {
    shared.states[n] = 0;
  }
  if (threadIdx.x == 0) {
    shared.low_bits = arguments.low_bits;
  }
  __syncthreads();
  return *static_cast<const volatile int*>(&shared.low_bits);
}

/// One block of the partition.
template <class Shape>
class PartitionBlock {
 public:
  using Shared = PartitionShared<Shape>;

  __device__ __forceinline__ PartitionBlock(const PartitionArguments& arguments, Shared& shared)
      : f_(arguments),
        shared_(shared),
        batches_(arguments),
        thread_(static_cast<int>(threadIdx.x)),
        lane_(thread_ % Shape::lanes),
        group_(thread_ / Shape::lanes),
        group_mask_(((1U << (Shape::lanes - 1)) * 2U - 1U) << (thread_ % 32 - lane_)) {}

  __device__ __forceinline__ void run() {
    low_bits_ = begin_block<Shape>(f_, shared_);
    batches_.for_each([&](std::int64_t batch, const Key* keys) { put(batch, keys); });
    finish();
  }

 private:
  template <class Body>
  __device__ __forceinline__ void for_own_buckets(const Body& body) const {
#pragma unroll
    for (int n = 0; n < Shape::own_buckets; ++n) {
      body(n, group_ + n * Shape::groups);
    }
  }

  __device__ __forceinline__ bool leads() const { return lane_ == 0; }

  /// Puts a batch into the rings and flushes full units.
  __device__ __forceinline__ void put(std::int64_t batch, const Key* keys) {
    std::uint32_t tickets[static_cast<std::size_t>(Shape::keys_per_thread)];
#pragma unroll
    for (int n = 0; n < Shape::keys_per_thread; ++n) {
      tickets[n] = count(keys[n]);
    }
    __syncthreads();  // all are counted, and the units before have left the rings
    for_own_buckets([&](int n, int bucket) { claim_full_units(n, bucket); });
    std::uint32_t left = 0;
#pragma unroll
    for (int n = 0; n < Shape::keys_per_thread; ++n) {
      if (!store(keys[n], tickets[n])) {
        left |= 1U << n;
      }
    }
    batches_.ask_behind(batch);
    const bool again = __syncthreads_or(static_cast<int>(left)) != 0;
    for_own_buckets([&](int n, int bucket) { write(n, bucket); });
    if (again) {
      put_left(batch, left);
    }
  }

  /// Puts the keys of a batch that had no room, those of the bit mask `left`, one per thread at a
  /// time.
  __device__ __forceinline__ void put_left(std::int64_t batch, std::uint32_t left) {
    for (std::uint32_t bits = left; bits != 0; bits &= bits - 1U) {
      discount(batches_.first_key(batch, bits));
    }
    bool again = true;
    while (again) {
      __syncthreads();  // only keys in rings are counted, and the units before have left these
      const bool any = left != 0;
      const Key key = any ? batches_.first_key(batch, left) : 0;
      const std::uint32_t ticket = any ? count(key) : 0;
      __syncthreads();
      for_own_buckets([&](int n, int bucket) { claim_full_units(n, bucket); });
      const bool stored = any && store(key, ticket);
      left &= stored ? left - 1U : ~0U;
      again = __syncthreads_or(static_cast<int>(left)) != 0;
      for_own_buckets([&](int n, int bucket) { write(n, bucket); });
      if (any && !stored) {
        discount(key);
      }
    }
  }

  [[nodiscard]] __device__ __forceinline__ std::uint32_t count(Key key) const {
    return atomicAdd(&shared_.states[key >> f_.low_bits], 1U);
  }
  __device__ __forceinline__ void discount(Key key) const {
    atomicSub(&shared_.states[key >> f_.low_bits], 1U);
  }

  /// Puts a key into its ring. Returns whether it has room there.
  __device__ __forceinline__ bool store(Key key, std::uint32_t ticket) const {
    const RingState state(ticket);
    const bool fits = state.waiting < Shape::ring;
    if (fits) {
      std::uint16_t* const ring = shared_.rings[key >> low_bits_];
      ring[RingState::wrapped<Shape>(state.begin + state.waiting)] =
          static_cast<std::uint16_t>(key & ((1U << low_bits_) - 1U));
    }
    return fits;
  }

  /// The result of the atomic is awaited where the units are written.
  __device__ __forceinline__ void claim_full_units(int n, int bucket) {
    const RingState state(shared_.states[bucket]);
    const std::uint32_t units = min(state.waiting, std::uint32_t{Shape::ring}) / Shape::unit;
    full_[n] = state.begin << 16 | units;
    __syncwarp(group_mask_);
    if (leads() && units > 0) {
      place_[n] = atomicAdd(f_.lists.claimed + bucket, units);
      shared_.states[bucket] = state.word_without<Shape>(units * Shape::unit);
    }
  }

  /// Writes the units of own bucket n to the places that were claimed; all lanes of the group call.
  __device__ __forceinline__ void write(int n, int bucket) const {
    const std::uint32_t place = __shfl_sync(group_mask_, place_[n], 0, Shape::lanes);
    const std::uint32_t begin = full_[n] >> 16;
    const std::uint32_t units = full_[n] & 0xFFFFU;
    for (std::uint32_t unit = 0; unit < units; ++unit) {
      f_.lists.unit_at<Shape>(place + unit)[lane_] =
          *reinterpret_cast<const uint4*>(own_keys(bucket, begin + unit * Shape::unit));
    }
  }

  /// This lane's keys of the unit at a place less than two rings.
  [[nodiscard]] __device__ __forceinline__ std::uint16_t* own_keys(int bucket,
                                                                   std::uint32_t place) const {
    const auto within = static_cast<std::uint32_t>(lane_ * Shape::keys_per_lane);
    return shared_.rings[bucket] + RingState::wrapped<Shape>(place + within);
  }

  __device__ __forceinline__ void finish() {
    for_own_buckets([&](int n, int bucket) {
      const RingState state(shared_.states[bucket]);
      const bool any = state.waiting > 0;
      full_[n] = state.begin << 16 | (any ? 1U : 0U);
      const auto filler = static_cast<std::uint16_t>((1U << f_.low_bits) - 1U);
      std::uint16_t* const keys = own_keys(bucket, state.begin);
#pragma unroll
      for (int k = 0; k < Shape::keys_per_lane; ++k) {
        if (lane_ * Shape::keys_per_lane + k >= static_cast<int>(state.waiting)) {
          keys[k] = filler;
        }
      }
      if (leads() && any) {
        place_[n] = atomicAdd(f_.lists.claimed + bucket, 1U);
        atomicAdd(f_.fillers + bucket, Shape::unit - state.waiting);
      }
      __syncwarp(group_mask_);
      write(n, bucket);
    });
  }

  const PartitionArguments& f_;
  Shared& shared_;
  KeyBatches<Shape, PartitionArguments> batches_;
  int thread_;
  int lane_;
  int group_;
  unsigned group_mask_;

  int low_bits_;

  // The own buckets' full units: where they begin in the ring and how many they are, in the halves
  // of a word; and, with leading lanes, where they go.
  std::uint32_t full_[static_cast<std::size_t>(Shape::own_buckets)];
  std::uint32_t place_[static_cast<std::size_t>(Shape::own_buckets)];
};

template <class Shape>
__global__ void __launch_bounds__(Shape::threads, Shape::blocks_per_multiprocessor)
    partition_kernel(const __grid_constant__ PartitionArguments arguments) {
  using Block = typename Shape::Block;
  extern __shared__ uint4 shared_memory[];
  Block(arguments, *reinterpret_cast<typename Block::Shared*>(shared_memory)).run();
}

/// Of each block.
template <class Shape>
constexpr std::size_t partition_shared_bytes = sizeof(typename Shape::Block::Shared);

}  // namespace bankfull::npb::is::cuda
