#pragma once

#include "bankfull/core/exec/launch.cuh"
#include "bankfull/core/exec/vector16.cuh"
#include "bankfull/workloads/npb/is/is.hpp"

#include <cstddef>
#include <cstdint>

namespace bankfull::npb::is::cuda {

// The first half of a ranking: keys go to buckets by their high bits, and only their low bits, 16
// at most, are written.
//
// Each block keeps the ends of all its buckets in shared memory, two units of keys each. When the
// first unit of a bucket is full it goes to a place of that bucket's list in memory: whole
// sectors, each written once. Blocks claim places one by one, ahead of their need. In the end each
// block fills its last units up with the largest low bits; how many these fillers are is noted.

/// How blocks partition.
template <int Threads, int Buckets, int Unit, int BlocksAMultiprocessor>
struct PartitionShape {
  static constexpr int threads = Threads;
  static constexpr int buckets = Buckets;
  static constexpr int unit = Unit;  ///< keys that go to memory together
  static constexpr int blocks_a_multiprocessor = BlocksAMultiprocessor;

  static constexpr int keys_a_thread = 8;
  static constexpr int batch = Threads * keys_a_thread;  ///< keys of a block between two flushes

  static constexpr int keys_a_lane = 8;  ///< 16 bytes
  static constexpr int lanes = Unit / keys_a_lane;
  static constexpr int groups = Threads / lanes;
  static constexpr int own_buckets = Buckets / groups;
  static_assert(Buckets % groups == 0 && 32 % lanes == 0 && groups * lanes == Threads);
};

template <class Shape>
struct PartitionShared {
  /// Keys put into each bucket and not flushed; those beyond two units are still with their
  /// threads.
  std::uint32_t waiting[static_cast<std::size_t>(Shape::buckets)];
  alignas(16) std::uint16_t
      ends[static_cast<std::size_t>(Shape::buckets)][static_cast<std::size_t>(2 * Shape::unit)];
};

struct PartitionArguments {
  Key* keys;
  std::int64_t batches;
  int low_bits;
  Change changes[2];       ///< done before
  std::uint16_t* lists;    ///< of all buckets, in units
  std::uint32_t* claimed;  ///< of each bucket, the next place, counted in units over all lists
  std::uint32_t* fillers;  ///< of each bucket
};

/// One block of the partition.
template <class Shape>
class PartitionBlock {
 public:
  __device__ __forceinline__ PartitionBlock(const PartitionArguments& arguments,
                                            PartitionShared<Shape>& shared)
      : f_(arguments),
        shared_(shared),
        thread_(static_cast<int>(threadIdx.x)),
        lane_(thread_ % Shape::lanes),
        group_(thread_ / Shape::lanes),
        group_mask_(((1U << (Shape::lanes - 1)) * 2U - 1U) << (thread_ % 32 - lane_)) {}

  __device__ __forceinline__ void run() {
    for (int n = thread_; n < Shape::buckets; n += Shape::threads) {
      shared_.waiting[n] = 0;
    }
    for_own_buckets([&](int n, int bucket) { claim(n, bucket); });
    __syncthreads();
    std::int64_t batch = blockIdx.x;
    ask(batch);
    while (batch < f_.batches) {
      Key keys[static_cast<std::size_t>(Shape::keys_a_thread)];
      take(batch, keys);
      batch += gridDim.x;
      ask(batch);
      put(keys);
    }
    finish();
  }

 private:
  static constexpr int vectors = Shape::keys_a_thread / 4;

  template <class Body>
  __device__ __forceinline__ void for_own_buckets(const Body& body) const {
#pragma unroll
    for (int n = 0; n < Shape::own_buckets; ++n) {
      body(n, group_ + n * Shape::groups);
    }
  }

  __device__ __forceinline__ bool leads() const { return lane_ == 0; }

  /// The answer is waited for where the place is used.
  __device__ __forceinline__ void claim(int n, int bucket) {
    if (leads()) {
      place_[n] = atomicAdd(f_.claimed + bucket, 1U);
    }
  }

  __device__ __forceinline__ uint4* vector_at(std::int64_t batch, int n) const {
    return reinterpret_cast<uint4*>(f_.keys) + (batch * vectors + n) * Shape::threads + thread_;
  }

  __device__ __forceinline__ void ask(std::int64_t batch) {
    if (batch < f_.batches) {
#pragma unroll
      for (int n = 0; n < vectors; ++n) {
        asked_[n] = *vector_at(batch, n);
      }
    }
  }

  __device__ __forceinline__ void take(std::int64_t batch, Key* keys) {
#pragma unroll
    for (int n = 0; n < vectors; ++n) {
      keys[4 * n] = asked_[n].x;
      keys[4 * n + 1] = asked_[n].y;
      keys[4 * n + 2] = asked_[n].z;
      keys[4 * n + 3] = asked_[n].w;
    }
    // Changes are within the first keys, those of each thread's first vector of the first batch.
    if (batch == 0) {
#pragma unroll
      for (int n = 0; n < 4; ++n) {
        for (const Change& change : f_.changes) {
          if (change.position == 4 * thread_ + n) {
            keys[n] = change.key;
            f_.keys[change.position] = change.key;
          }
        }
      }
    }
  }

  /// Puts a batch into buckets and flushes the full ones, again and again until there was room for
  /// all.
  __device__ __forceinline__ void put(const Key* keys) {
    std::uint32_t place[static_cast<std::size_t>(Shape::keys_a_thread)];
#pragma unroll
    for (int n = 0; n < Shape::keys_a_thread; ++n) {
      place[n] = atomicAdd(&shared_.waiting[keys[n] >> f_.low_bits], 1U);
    }
    std::uint32_t left = (1U << Shape::keys_a_thread) - 1U;
    bool again = true;
    while (again) {
#pragma unroll
      for (int n = 0; n < Shape::keys_a_thread; ++n) {
        const std::uint32_t bit = 1U << n;
        if ((left & bit) != 0 && place[n] < 2 * Shape::unit) {
          shared_.ends[keys[n] >> f_.low_bits][place[n]] =
              static_cast<std::uint16_t>(keys[n] & ((1U << f_.low_bits) - 1U));
          left &= ~bit;
        }
        place[n] -= 2 * Shape::unit;  // where there was no room, both units of the bucket go now
      }
      again = __syncthreads_or(static_cast<int>(left)) != 0;
      for_own_buckets([&](int n, int bucket) { flush(n, bucket); });
      __syncthreads();
    }
  }

  __device__ __forceinline__ void flush(int n, int bucket) {
    const std::uint32_t waiting = shared_.waiting[bucket];
    if (waiting < Shape::unit) {
      return;
    }
    uint4* const first = half(bucket, 0);
    const uint4 second = *half(bucket, 1);
    write(n, *first);
    claim(n, bucket);
    std::uint32_t flushed = Shape::unit;
    if (waiting >= 2 * Shape::unit) {
      write(n, second);
      claim(n, bucket);
      flushed = 2 * Shape::unit;
    } else {
      *first = second;
    }
    if (leads()) {
      shared_.waiting[bucket] = waiting - flushed;
    }
  }

  /// This lane's part of a unit.
  __device__ __forceinline__ uint4* half(int bucket, int number) const {
    return reinterpret_cast<uint4*>(shared_.ends[bucket]) + number * Shape::lanes + lane_;
  }

  /// Writes a unit to the place that was claimed for own bucket n; all lanes of the group call.
  __device__ __forceinline__ void write(int n, const uint4& keys) const {
    const std::uint32_t place = __shfl_sync(group_mask_, place_[n], 0, Shape::lanes);
    reinterpret_cast<uint4*>(f_.lists)[std::size_t{place} * Shape::lanes + lane_] = keys;
  }

  __device__ __forceinline__ void finish() {
    for_own_buckets([&](int n, int bucket) {
      const std::uint32_t waiting = shared_.waiting[bucket];
      const auto filler = static_cast<std::uint16_t>((1U << f_.low_bits) - 1U);
      std::uint16_t* const mine = &shared_.ends[bucket][lane_ * Shape::keys_a_lane];
#pragma unroll
      for (int k = 0; k < Shape::keys_a_lane; ++k) {
        if (lane_ * Shape::keys_a_lane + k >= static_cast<int>(waiting)) {
          mine[k] = filler;
        }
      }
      write(n, *half(bucket, 0));
      if (leads()) {
        atomicAdd(f_.fillers + bucket, static_cast<std::uint32_t>(Shape::unit) - waiting);
      }
    });
  }

  const PartitionArguments& f_;
  PartitionShared<Shape>& shared_;
  int thread_;
  int lane_;
  int group_;
  unsigned group_mask_;
  uint4 asked_[static_cast<std::size_t>(vectors)];
  std::uint32_t place_[static_cast<std::size_t>(Shape::own_buckets)];  ///< of leading lanes
};

template <class Shape>
__global__ void __launch_bounds__(Shape::threads, Shape::blocks_a_multiprocessor)
    partition_kernel(const __grid_constant__ PartitionArguments arguments) {
  extern __shared__ uint4 shared_memory[];
  PartitionBlock<Shape>(arguments, *reinterpret_cast<PartitionShared<Shape>*>(shared_memory)).run();
}

}  // namespace bankfull::npb::is::cuda
