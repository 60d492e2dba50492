#pragma once

#include "bankfull/core/exec/launch.cuh"
#include "bankfull/core/exec/vector16.cuh"
#include "bankfull/workloads/npb/is/is.hpp"

#include <cstddef>
#include <cstdint>

namespace bankfull::npb::is::cuda {

// The second half of a ranking: a block counts the keys of one bucket in shared memory and turns
// the counts into ranks. Counters have 16 bits, for no value is that frequent; should one be, the
// sum of the counts would tell.

/// What partial verification looks at.
struct Tests {
  std::int64_t position[is_tests];
  std::int64_t rank[is_tests];  ///< that each must have
};

/// What the rankings of a run found.
struct Findings {
  std::uint32_t right_ranks;
  std::uint32_t lost_counts;
};

struct RankArguments {
  const Key* keys;
  const std::uint16_t* lists;
  const std::uint32_t* starts;   ///< of each bucket's list, in units
  const std::uint32_t* claimed;  ///< and its end
  const std::uint32_t* fillers;
  int unit;
  int buckets;
  int low_bits;
  std::uint32_t* ranks;  ///< of each value
  Tests tests;
  Findings* findings;
};

/// Words of two counters each; whole warps of them.
constexpr int counter_words(int low_bits) { return low_bits > 6 ? 1 << (low_bits - 1) : 32; }

/// Inclusive sums over a warp.
__device__ __forceinline__ std::uint32_t warp_sums(std::uint32_t value) {
  const unsigned lane = threadIdx.x % 32;
#pragma unroll
  for (unsigned offset = 1; offset < 32; offset *= 2) {
    const std::uint32_t before = __shfl_up_sync(~0U, value, offset);
    value += lane >= offset ? before : 0;
  }
  return value;
}

/// One block of the ranking.
template <int Threads>
class RankBlock {
 public:
  __device__ __forceinline__ RankBlock(const RankArguments& arguments, std::uint32_t* counters,
                                       std::uint32_t* sums)
      : f_(arguments),
        counters_(counters),
        sums_(sums),
        thread_(static_cast<int>(threadIdx.x)),
        lane_(thread_ % 32),
        warp_(thread_ / 32),
        words_(counter_words(f_.low_bits)),
        bucket_(bucket_of(static_cast<int>(blockIdx.x))) {}

  __device__ __forceinline__ void run() {
    for (int n = thread_; n < words_; n += Threads) {
      counters_[n] = 0;
    }
    const std::uint32_t smaller = keys_before_bucket();
    count();
    rank(smaller);
    __syncthreads();
    test();
  }

 private:
  /// The fullest buckets first: keys crowd in the middle.
  [[nodiscard]] __device__ __forceinline__ int bucket_of(int block) const {
    const int away = (block + 1) / 2;
    return f_.buckets / 2 - (block % 2 == 0 ? -away : away);
  }

  [[nodiscard]] __device__ __forceinline__ std::uint32_t units_of(int bucket) const {
    return f_.claimed[bucket] - f_.starts[bucket];
  }

  [[nodiscard]] __device__ __forceinline__ std::uint32_t keys_of(int bucket) const {
    return units_of(bucket) * static_cast<std::uint32_t>(f_.unit) - f_.fillers[bucket];
  }

  /// Also waits for the counters to be clear.
  __device__ __forceinline__ std::uint32_t keys_before_bucket() {
    std::uint32_t sum = 0;
    for (int n = thread_; n < bucket_; n += Threads) {
      sum += keys_of(n);
    }
    return block_total(sum);
  }

  /// All threads get the sum.
  __device__ __forceinline__ std::uint32_t block_total(std::uint32_t value) {
    leave_warp_total(warp_sums(value));
    const std::uint32_t total = __shfl_sync(~0U, sums_before_next_warp(), warps - 1);
    __syncthreads();
    return total;
  }

  /// Over the warps up to the one of this lane's number.
  [[nodiscard]] __device__ __forceinline__ std::uint32_t sums_before_next_warp() const {
    return warp_sums(lane_ < warps ? sums_[lane_] : 0);
  }

  __device__ __forceinline__ void leave_warp_total(std::uint32_t inclusive) {
    if (lane_ == 31) {
      sums_[warp_] = inclusive;
    }
    __syncthreads();
  }

  __device__ __forceinline__ void count() {
    constexpr int batch = 4;
    constexpr int keys_a_vector = 8;
    const std::uint32_t vectors =
        units_of(bucket_) * static_cast<std::uint32_t>(f_.unit / keys_a_vector);
    const std::uint16_t* const list =
        f_.lists + std::size_t{f_.starts[bucket_]} * static_cast<std::size_t>(f_.unit);
    for (std::uint32_t first = threadIdx.x; first < vectors; first += batch * Threads) {
      Vector16<std::uint16_t> keys[batch];
#pragma unroll
      for (unsigned n = 0; n < batch; ++n) {
        const std::uint32_t vector = first + n * Threads;
        if (vector < vectors) {
          keys[n] = load_once(list + std::size_t{vector} * keys_a_vector);
        }
      }
#pragma unroll
      for (unsigned n = 0; n < batch; ++n) {
        if (first + n * Threads < vectors) {
          add(keys[n]);
        }
      }
    }
    __syncthreads();
    if (thread_ == 0) {
      const std::uint32_t top = (1U << f_.low_bits) - 1U;
      counters_[top / 2] -= f_.fillers[bucket_] << 16;
    }
    __syncthreads();
  }

  __device__ __forceinline__ void add(const Vector16<std::uint16_t>& keys) {
#pragma unroll
    for (const std::uint16_t key : keys.lane) {
      atomicAdd(counters_ + key / 2, (key & 1U) != 0 ? 1U << 16 : 1U);
    }
  }

  static constexpr int warps = Threads / 32;

  /// Two values of a lane.
  struct Counts {
    std::uint32_t even;
    std::uint32_t odd;
  };
  [[nodiscard]] __device__ __forceinline__ Counts counts_of(int word) const {
    const std::uint32_t both = counters_[word];
    return {both & 0xFFFFU, both >> 16};
  }

  /// A warp ranks a range of values, 64 at a time.
  __device__ __forceinline__ void rank(std::uint32_t smaller) {
    const int words_a_warp = max(words_ / warps, 32);
    const int begin = min(warp_ * words_a_warp, words_);
    const int end = min(begin + words_a_warp, words_);
    std::uint32_t own = 0;
    for (int word = begin + lane_; word < end; word += 32) {
      const Counts counts = counts_of(word);
      own += counts.even + counts.odd;
    }
    leave_warp_total(warp_sums(own));
    const std::uint32_t totals = sums_before_next_warp();
    const std::uint32_t before = __shfl_sync(~0U, totals, max(warp_ - 1, 0));
    if (thread_ == Threads - 1 && totals != keys_of(bucket_)) {
      f_.findings->lost_counts = 1;
    }
    smaller += warp_ > 0 ? before : 0;
    for (int first = begin; first < end; first += 32) {
      const Counts counts = counts_of(first + lane_);
      const std::uint32_t sums = warp_sums(counts.even + counts.odd);
      write(first + lane_, smaller + sums - counts.even - counts.odd, counts);
      smaller += __shfl_sync(~0U, sums, 31);
    }
  }

  __device__ __forceinline__ void write(int word, std::uint32_t smaller, const Counts& counts) {
    if (word < 1 << (f_.low_bits - 1)) {
      auto* const ranks = reinterpret_cast<uint2*>(
          f_.ranks + (std::size_t{static_cast<unsigned>(bucket_)} << f_.low_bits));
      ranks[word] = {smaller, smaller + counts.even};
    }
  }

  /// Partial verification of the keys in this bucket.
  __device__ __forceinline__ void test() const {
    if (thread_ < is_tests) {
      const Key key = f_.keys[f_.tests.position[thread_]];
      if (static_cast<int>(key >> f_.low_bits) == bucket_ &&
          f_.ranks[key] == f_.tests.rank[thread_]) {
        atomicAdd(&f_.findings->right_ranks, 1U);
      }
    }
  }

  const RankArguments& f_;
  std::uint32_t* counters_;
  std::uint32_t* sums_;
  int thread_;
  int lane_;
  int warp_;
  int words_;
  int bucket_;
};

template <int Threads, int BlocksAMultiprocessor>
__global__ void __launch_bounds__(Threads, BlocksAMultiprocessor)
    rank_kernel(const __grid_constant__ RankArguments arguments) {
  extern __shared__ uint4 shared_memory[];
  __shared__ std::uint32_t sums[std::size_t{Threads} / 32];
  RankBlock<Threads>(arguments, reinterpret_cast<std::uint32_t*>(shared_memory), sums).run();
}

}  // namespace bankfull::npb::is::cuda
