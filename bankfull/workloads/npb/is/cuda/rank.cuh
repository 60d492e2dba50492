#pragma once

#include "bankfull/core/exec/launch.cuh"
#include "bankfull/core/exec/vector16.cuh"
#include "bankfull/workloads/npb/is/cuda/block_sums.cuh"
#include "bankfull/workloads/npb/is/is.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace bankfull::npb::is::cuda {

// The second half of a ranking: a block counts the keys of one bucket in shared memory and turns
// the counts into ranks. Counters have 16 bits, because no value of NPB's keys is more frequent.
// Other keys may overflow a counter, which is detected by the sum of the counts, or the capacity of
// a bucket's list; both are recorded, and keys are counted by value instead (keys.hpp).

/// Results of the rankings of a run.
struct Findings {
  std::uint32_t right_ranks;
  std::uint32_t overflowed;  ///< not 0 if a list or a counter overflowed
};

/// The lists of all buckets, which the partition has filled.
struct FilledLists {
  const Key* keys;
  const std::uint16_t* lists;
  const std::uint32_t*
      starts;  ///< of each bucket's list, in units, and the end of the last one's capacity
  const std::uint32_t* claimed;  ///< of each bucket, the end of its list
  const std::uint32_t* filling;  ///< keys that are none, in each bucket
  int unit;
  int buckets;
  std::array<std::int64_t, is_tests> test_positions;

  /// The fullest buckets, in the middle of the range, first.
  [[nodiscard]] __device__ __forceinline__ int bucket_of(int block) const {
    const int away = (block + 1) / 2;
    return buckets / 2 - (block % 2 == 0 ? -away : away);
  }

  [[nodiscard]] __device__ __forceinline__ std::uint32_t fillers(int bucket) const {
    return filling[bucket];
  }
  [[nodiscard]] __device__ __forceinline__ std::uint32_t keys_of(int bucket) const {
    return units_of(bucket) * static_cast<std::uint32_t>(unit) - filling[bucket];
  }

  /// A thread's share of the keys in all buckets before.
  [[nodiscard]] __device__ __forceinline__ std::uint32_t share_of_keys_before(int bucket,
                                                                              int threads) const {
    std::uint32_t sum = 0;
    for (int n = static_cast<int>(threadIdx.x); n < bucket; n += threads) {
      sum += keys_of(n);
    }
    return sum;
  }

  /// Calls visit(list, vectors of 16 bytes) for a bucket.
  template <class Visit>
  __device__ __forceinline__ void visit_list(int bucket, const Visit& visit) const {
    constexpr int keys_per_vector = 8;
    const std::uint32_t units = min(units_of(bucket), capacity_of(bucket));
    visit(lists + std::size_t{starts[bucket]} * static_cast<std::size_t>(unit),
          units * static_cast<std::uint32_t>(unit / keys_per_vector));
  }

  [[nodiscard]] __device__ __forceinline__ bool overflowed(int bucket) const {
    return units_of(bucket) > capacity_of(bucket);
  }

 private:
  [[nodiscard]] __device__ __forceinline__ std::uint32_t units_of(int bucket) const {
    return claimed[bucket] - starts[bucket];
  }
  [[nodiscard]] __device__ __forceinline__ std::uint32_t capacity_of(int bucket) const {
    return starts[bucket + 1] - starts[bucket];
  }
};

/// visit(8 keys) for all keys of a list of `vectors` times 8, which the threads of a block share;
/// each requests four times 8 at once.
template <int Threads, class Visit>
__device__ __forceinline__ void for_keys(const std::uint16_t* list, std::uint32_t vectors,
                                         const Visit& visit) {
  constexpr int keys_per_vector = 8;
  constexpr unsigned requests = 4;
  for (std::uint32_t first = threadIdx.x; first < vectors; first += requests * Threads) {
    Vector16<std::uint16_t> keys[std::size_t{requests}];
#pragma unroll
    for (unsigned n = 0; n < requests; ++n) {
      const std::uint32_t vector = first + n * Threads;
      if (vector < vectors) {
        keys[n] = load_once(list + std::size_t{vector} * keys_per_vector);
      }
    }
#pragma unroll
    for (unsigned n = 0; n < requests; ++n) {
      if (first + n * Threads < vectors) {
        visit(keys[n]);
      }
    }
  }
}

struct RankArguments {
  FilledLists lists;
  int low_bits;
  std::uint32_t* ranks;                           ///< of each value
  std::array<std::int64_t, is_tests> test_ranks;  ///< that partial verification expects
  Findings* findings;
};

/// Words of two counters each; whole warps of them.
constexpr int counter_words(int low_bits) { return low_bits > 6 ? 1 << (low_bits - 1) : 32; }

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
        bucket_(f_.lists.bucket_of(static_cast<int>(blockIdx.x))) {}

  __device__ __forceinline__ void run() {
    for (int n = thread_; n < words_; n += Threads) {
      counters_[n] = 0;
    }
    // This also waits for the counters to be clear.
    const std::uint32_t smaller = sums_.total(f_.lists.share_of_keys_before(bucket_, Threads));
    count();
    rank(smaller);
    __syncthreads();
    test();
  }

 private:
  __device__ __forceinline__ void count() {
    f_.lists.visit_list(bucket_, [&](const std::uint16_t* list, std::uint32_t vectors) {
      for_keys<Threads>(list, vectors, [&](const auto& keys) { add(keys); });
    });
    __syncthreads();
    if (thread_ == 0) {
      const std::uint32_t top = (1U << f_.low_bits) - 1U;
      counters_[top / 2] -= f_.lists.fillers(bucket_) << 16;
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
    const int words_per_warp = max(words_ / warps, 32);
    const int begin = min(warp_ * words_per_warp, words_);
    const int end = min(begin + words_per_warp, words_);
    std::uint32_t own = 0;
    for (int word = begin + lane_; word < end; word += 32) {
      const Counts counts = counts_of(word);
      own += counts.even + counts.odd;
    }
    sums_.leave_warp_total(warp_sums(own));
    const std::uint32_t totals = sums_.before_next_warp();
    const std::uint32_t before = __shfl_sync(~0U, totals, max(warp_ - 1, 0));
    if (thread_ == Threads - 1 &&
        (totals != f_.lists.keys_of(bucket_) || f_.lists.overflowed(bucket_))) {
      f_.findings->overflowed = 1;
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
      const Key key = f_.lists.keys[f_.lists.test_positions[thread_]];
      if (static_cast<int>(key >> f_.low_bits) == bucket_ &&
          f_.ranks[key] == f_.test_ranks[thread_]) {
        atomicAdd(&f_.findings->right_ranks, 1U);
      }
    }
  }

  const RankArguments& f_;
  std::uint32_t* counters_;
  BlockSums<warps> sums_;
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
