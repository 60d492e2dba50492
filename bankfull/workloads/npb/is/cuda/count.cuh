#pragma once

#include "bankfull/core/comm/peer_signals.cuh"
#include "bankfull/core/exec/launch.cuh"
#include "bankfull/workloads/npb/is/cuda/count_messages.hpp"
#include "bankfull/workloads/npb/is/cuda/rank.cuh"

#include <cstddef>
#include <cstdint>

namespace bankfull::npb::is::cuda {

// The second pass of a ranking on several ranks: a block counts this rank's keys of one bucket, in
// a byte per value in shared memory, and stores the counts into the message to the owner of the
// values, perhaps in another GPU's memory.
//
// No value of NPB's keys comes up 256 times on one of several ranks. Of others the counter may
// overflow into that of the next value, or out of the word: each time the sum of the counts falls
// behind the number of keys, by 255 or 256, which the owner compares (sum.cuh).

struct CountArguments {
  FilledLists lists;           ///< with positions among this rank's keys, or negative ones
  const CountedBucket* order;  ///< of the blocks
  int low_bits;                ///< at least 2
  int ranks;
  const GpuMessageEnds* ends;  ///< of all ranks, this one too
  const unsigned* epoch;       ///< null for transports without slots and counters
  unsigned* ticket;            ///< counts blocks that are done; 0 between launches
  Findings* findings;
};

/// Words of four counters each.
constexpr int byte_counter_words(int low_bits) { return 1 << (low_bits - 2); }

/// One block of the pass.
template <int Threads>
class CountBlock {
 public:
  __device__ __forceinline__ CountBlock(const CountArguments& arguments, std::uint32_t* counters)
      : f_(arguments),
        counters_(counters),
        thread_(static_cast<int>(threadIdx.x)),
        words_(byte_counter_words(f_.low_bits)),
        epoch_(epoch_of(f_.epoch)),
        own_(f_.order[blockIdx.x]) {}

  __device__ __forceinline__ void run() const {
    clear();
    __syncthreads();
    f_.lists.visit_list(own_.bucket, [&](const std::uint16_t* list, std::uint32_t vectors) {
      for_keys<Threads>(list, vectors, [&](const auto& keys) { add(keys); });
    });
    announce();
    __syncthreads();
    send();
    if (f_.epoch != nullptr && is_last_block(f_.ticket)) {
      for (int rank = thread_; rank < f_.ranks; rank += Threads) {
        raise(f_.ends[rank].sent_count, epoch_ + 1);
      }
    }
  }

 private:
  /// Fillers have the largest value, whose counter is the highest of its word: what they and keys
  /// carry out of it is lost, and the rest is right.
  __device__ __forceinline__ void clear() const {
    const std::uint32_t without_fillers = 0U - (f_.lists.fillers(own_.bucket) << 24);
    for (int n = thread_; n < words_; n += Threads) {
      counters_[n] = n == words_ - 1 ? without_fillers : 0;
    }
  }

  __device__ __forceinline__ void add(const Vector16<std::uint16_t>& keys) const {
#pragma unroll
    for (const std::uint16_t key : keys.lane) {
      atomicAdd(counters_ + key / 4, 1U << (key % 4U * 8U));
    }
  }

  __device__ __forceinline__ void send() const {
    auto* const counts = reinterpret_cast<std::uint32_t*>(
        outgoing_message<std::byte>(f_.ends[own_.owner], epoch_) + own_.begin);
    for (int n = thread_; n < words_; n += Threads) {
      counts[n] = counters_[n];
    }
  }

  /// The bucket's part of all headers, and with the first block the keys to be tested.
  __device__ __forceinline__ void announce() const {
    for (int rank = thread_; rank < f_.ranks; rank += Threads) {
      auto* const header = outgoing_message<std::uint32_t>(f_.ends[rank], epoch_);
      header[MessageHeader::keys + own_.bucket] = f_.lists.keys_of(own_.bucket);
      if (blockIdx.x == 0) {
        for (int n = 0; n < is_tests; ++n) {
          const std::int64_t position = f_.lists.test_positions[static_cast<std::size_t>(n)];
          header[n] = position < 0 ? 0 : f_.lists.keys[position];
        }
      }
    }
    if (thread_ == 0 && f_.lists.overflowed(own_.bucket)) {
      f_.findings->overflowed = 1;
    }
  }

  const CountArguments& f_;
  std::uint32_t* counters_;
  int thread_;
  int words_;
  unsigned epoch_;
  CountedBucket own_;
};

template <int Threads, int BlocksAMultiprocessor>
__global__ void __launch_bounds__(Threads, BlocksAMultiprocessor)
    count_kernel(const __grid_constant__ CountArguments arguments) {
  extern __shared__ uint4 shared_memory[];
  CountBlock<Threads>(arguments, reinterpret_cast<std::uint32_t*>(shared_memory)).run();
}

/// How blocks count.
template <int Threads, int BlocksAMultiprocessor>
struct CountShape {
  static constexpr int threads = Threads;
  static constexpr auto kernel = count_kernel<Threads, BlocksAMultiprocessor>;
};

}  // namespace bankfull::npb::is::cuda
