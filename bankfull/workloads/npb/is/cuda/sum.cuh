#pragma once

#include "bankfull/core/comm/peer_signals.cuh"
#include "bankfull/core/exec/launch.cuh"
#include "bankfull/workloads/npb/is/cuda/block_sums.cuh"
#include "bankfull/workloads/npb/is/cuda/count_messages.hpp"
#include "bankfull/workloads/npb/is/cuda/rank.cuh"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace bankfull::npb::is::cuda {

// The third pass of a ranking on several ranks: the owner of values adds up the counts that have
// come from all ranks, and turns them into ranks. A block has a section of values: a bucket, or
// several small ones. A thread has four values of a word, a warp 128 side by side in each step.

struct SumArguments {
  int ranks;
  int buckets;
  int first_bucket;            ///< of this rank's
  int low_bits;                ///< of a bucket
  int steps;                   ///< of a block
  int values;                  ///< of this rank
  const GpuMessageEnds* ends;  ///< of all ranks, this one too
  unsigned* epoch;             ///< null for transports without slots and counters
  bool waits;                  ///< for the messages, which otherwise are there
  unsigned* ticket;            ///< counts blocks that are done; 0 between launches
  std::uint32_t* smaller;      ///< ranks of this rank's values
  Key* test_keys;
  std::array<std::int64_t, is_tests> test_ranks;  ///< that partial verification expects
  Findings* findings;
};

/// How blocks sum up, in at most so many steps.
template <int MostSteps>
struct SumShape {
  static constexpr int threads = 1024;
  static constexpr int warps = threads / 32;
  static constexpr int values_per_step = 4 * threads;
  static constexpr int most_steps = MostSteps;

  /// For whole buckets.
  [[nodiscard]] static constexpr int steps(int low_bits) {
    return std::max(1, (1 << low_bits) / values_per_step);
  }
};

__device__ __forceinline__ void await_messages(const GpuMessageEnds* ends, int ranks,
                                               unsigned epoch) {
  for (int rank = static_cast<int>(threadIdx.x); rank < ranks;
       rank += static_cast<int>(blockDim.x)) {
    wait_until(ends[rank].received_count, epoch + 1);
  }
}

/// One block of the pass.
template <class Shape>
class SumBlock {
 public:
  __device__ __forceinline__ SumBlock(const SumArguments& arguments, std::uint32_t* sums)
      : f_(arguments),
        sums_(sums),
        thread_(static_cast<int>(threadIdx.x)),
        lane_(thread_ % 32),
        warp_(thread_ / 32),
        epoch_(epoch_of(f_.epoch)),
        begin_(static_cast<int>(blockIdx.x) * f_.steps * Shape::values_per_step),
        end_(min(begin_ + f_.steps * Shape::values_per_step, f_.values)) {}

  __device__ __forceinline__ void run() {
    if (f_.waits) {
      await_messages(f_.ends, f_.ranks, epoch_);
      __syncthreads();
    }
    const int first = f_.first_bucket + (begin_ >> f_.low_bits);
    const int behind = f_.first_bucket + (end_ >> f_.low_bits);
    add_up_counts();
    const std::uint32_t smaller = sums_.total(share_of_keys(0, first));
    const std::uint32_t keys = sums_.total(share_of_keys(first, behind));
    rank(smaller, keys);
    __syncthreads();
    test();
    if (f_.epoch != nullptr && is_last_block(f_.ticket) && thread_ == 0) {
      *f_.epoch = epoch_ + 1;
    }
  }

 private:
  [[nodiscard]] __device__ __forceinline__ const std::uint32_t* message_of(int rank) const {
    return incoming_message<std::uint32_t>(f_.ends[rank], epoch_);
  }

  /// A thread's share of all ranks' keys in the buckets [first, end).
  [[nodiscard]] __device__ __forceinline__ std::uint32_t share_of_keys(int first, int end) const {
    std::uint32_t sum = 0;
    for (int rank = 0; rank < f_.ranks; ++rank) {
      const std::uint32_t* const keys = message_of(rank) + MessageHeader::keys;
      for (int n = first + thread_; n < end; n += Shape::threads) {
        sum += __ldcg(keys + n);
      }
    }
    return sum;
  }

  /// The first value of the lane's word in a step.
  [[nodiscard]] __device__ __forceinline__ int value_of(int step) const {
    return begin_ + ((warp_ * f_.steps + step) * 32 + lane_) * 4;
  }

  __device__ __forceinline__ void add_up_counts() {
#pragma unroll
    for (int step = 0; step < Shape::most_steps; ++step) {
      even_[step] = odd_[step] = 0;
    }
    const std::size_t header = MessageHeader::bytes(f_.buckets) / sizeof(std::uint32_t);
    for (int rank = 0; rank < f_.ranks; ++rank) {
      const std::uint32_t* const counts = message_of(rank) + header;
      std::uint32_t words[static_cast<std::size_t>(Shape::most_steps)];
#pragma unroll
      for (int step = 0; step < Shape::most_steps; ++step) {
        const int value = value_of(step);
        words[step] = step < f_.steps && value < end_ ? __ldcg(counts + (value >> 2)) : 0;
      }
#pragma unroll
      for (int step = 0; step < Shape::most_steps; ++step) {
        even_[step] += words[step] & 0xFF00FFU;
        odd_[step] += words[step] >> 8 & 0xFF00FFU;
      }
    }
  }

  /// Of the lane's four values.
  [[nodiscard]] __device__ __forceinline__ std::uint32_t keys_in(int step) const {
    const std::uint32_t pairs = even_[step] + odd_[step];
    return (pairs & 0xFFFFU) + (pairs >> 16);
  }

  /// `smaller` keys are in sections before, `keys` in this one.
  __device__ __forceinline__ void rank(std::uint32_t smaller, std::uint32_t keys) {
    std::uint32_t own = 0;
#pragma unroll
    for (int step = 0; step < Shape::most_steps; ++step) {
      own += keys_in(step);
    }
    sums_.leave_warp_total(warp_sums(own));
    const std::uint32_t totals = sums_.before_next_warp();
    const std::uint32_t before = __shfl_sync(~0U, totals, max(warp_ - 1, 0));
    if (thread_ == Shape::threads - 1 && totals != keys) {
      f_.findings->overflowed = 1;
    }
    smaller += warp_ > 0 ? before : 0;
#pragma unroll
    for (int step = 0; step < Shape::most_steps; ++step) {
      if (step < f_.steps) {
        const std::uint32_t sums = warp_sums(keys_in(step));
        write(step, smaller + sums - keys_in(step));
        smaller += __shfl_sync(~0U, sums, 31);
      }
    }
  }

  __device__ __forceinline__ void write(int step, std::uint32_t smaller) const {
    const int value = value_of(step);
    if (value < end_) {
      const std::uint32_t second = smaller + (even_[step] & 0xFFFFU);
      const std::uint32_t third = second + (odd_[step] & 0xFFFFU);
      const std::uint32_t fourth = third + (even_[step] >> 16);
      *reinterpret_cast<uint4*>(f_.smaller + value) = {smaller, second, third, fourth};
    }
  }

  /// Partial verification of the keys in this section.
  __device__ __forceinline__ void test() const {
    if (thread_ < is_tests) {
      Key key = 0;
      for (int rank = 0; rank < f_.ranks; ++rank) {
        key += __ldcg(message_of(rank) + thread_);
      }
      if (blockIdx.x == 0) {
        f_.test_keys[thread_] = key;
      }
      const int value = static_cast<int>(key) - (f_.first_bucket << f_.low_bits);
      if (value >= begin_ && value < end_ && f_.smaller[value] == f_.test_ranks[thread_]) {
        atomicAdd(&f_.findings->right_ranks, 1U);
      }
    }
  }

  const SumArguments& f_;
  BlockSums<Shape::warps> sums_;
  int thread_;
  int lane_;
  int warp_;
  unsigned epoch_;
  int begin_;  ///< of the section, among this rank's values
  int end_;

  // Counts of the lane's values in each step, in the halves of words: of the first and third, and
  // of the second and fourth.
  std::uint32_t even_[static_cast<std::size_t>(Shape::most_steps)];
  std::uint32_t odd_[static_cast<std::size_t>(Shape::most_steps)];
};

template <class Shape>
__global__ void __launch_bounds__(Shape::threads)
    sum_kernel(const __grid_constant__ SumArguments arguments) {
  __shared__ std::uint32_t sums[Shape::warps];
  SumBlock<Shape>(arguments, sums).run();
}

/// Waits for the messages in one block, where other ranks need the same GPU meanwhile.
static __global__ void __launch_bounds__(32)
    await_kernel(const __grid_constant__ SumArguments arguments) {
  await_messages(arguments.ends, arguments.ranks, epoch_of(arguments.epoch));
}

}  // namespace bankfull::npb::is::cuda
