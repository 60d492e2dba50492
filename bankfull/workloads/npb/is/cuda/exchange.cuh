#pragma once

#include "bankfull/core/comm/peer_signals.cuh"
#include "bankfull/workloads/npb/is/cuda/block_sums.cuh"
#include "bankfull/workloads/npb/is/cuda/list_messages.hpp"
#include "bankfull/workloads/npb/is/cuda/rank.cuh"

#include <array>
#include <cstddef>
#include <cstdint>

namespace bankfull::npb::is::cuda {

// The exchange between the two kernels of a ranking on several ranks. The partition has written
// lists into the messages; one block signals them to their receivers and collects what has arrived
// for the rank's own buckets.

struct ExchangeArguments {
  int ranks;
  int buckets;
  int first_bucket;  ///< of this rank's
  int own_buckets;
  int unit;

  const GpuMessageEnds* ends;  ///< of all ranks, this one too
  unsigned* epoch;             ///< null for transports without slots and counters

  const std::uint32_t* units;  ///< in each bucket's list
  const std::uint32_t* fillers;

  const Key* keys;
  std::array<std::int64_t, is_tests> test_positions;  ///< among this rank's keys, or negative

  const std::uint16_t* const* arrivals;  ///< where lists come, by slot, own bucket and rank
  const std::uint32_t* capacities;       ///< of the lists, in units, by own bucket and rank
  Piece* pieces;
  BucketSurvey* surveys;
  Key* test_keys;
  Findings* findings;
};

/// The block that exchanges.
class ExchangeBlock {
 public:
  static constexpr int threads = 1024;
  static constexpr int warps = threads / 32;

  __device__ __forceinline__ explicit ExchangeBlock(const ExchangeArguments& arguments)
      : f_(arguments), thread_(static_cast<int>(threadIdx.x)), epoch_(epoch_of(f_.epoch)) {}

  /// Fills in the headers of all messages and signals their receivers.
  __device__ __forceinline__ void announce() const {
    for (int n = thread_; n < f_.buckets; n += threads) {
      const std::uint32_t units = f_.units[n];
      const std::uint32_t fillers = f_.fillers[n];
      for_ranks([&](int rank) {
        std::uint32_t* const header = outgoing_message<std::uint32_t>(f_.ends[rank], epoch_);
        header[MessageHeader::units + n] = units;
        header[MessageHeader::fillers(f_.buckets) + n] = fillers;
      });
    }
    if (thread_ < is_tests) {
      const std::int64_t position = f_.test_positions[static_cast<std::size_t>(thread_)];
      const Key key = position < 0 ? 0 : f_.keys[position];
      for_ranks(
          [&](int rank) { outgoing_message<std::uint32_t>(f_.ends[rank], epoch_)[thread_] = key; });
    }
    __syncthreads();  // the counter is raised after the stores of all threads
    if (f_.epoch != nullptr) {
      for (int rank = thread_; rank < f_.ranks; rank += threads) {
        raise(f_.ends[rank].sent_count, epoch_ + 1);
      }
    }
  }

  /// Waits for the messages of all ranks, unless the transport has done so, and evaluates them.
  /// `sums` is shared memory for a number per warp.
  __device__ __forceinline__ void survey(std::uint32_t* sums) const {
    if (f_.epoch != nullptr) {
      for (int rank = thread_; rank < f_.ranks; rank += threads) {
        wait_until(f_.ends[rank].received_count, epoch_ + 1);
      }
    }
    __syncthreads();
    add_up_buckets(BlockSums<warps>(sums));
    find_pieces();
    if (thread_ < is_tests) {
      Key key = 0;
      for_ranks([&](int rank) { key += header_word(rank, thread_); });
      f_.test_keys[thread_] = key;
    }
    if (f_.epoch != nullptr && thread_ == 0) {
      *f_.epoch = epoch_ + 1;
    }
  }

 private:
  template <class Visit>
  __device__ __forceinline__ void for_ranks(const Visit& visit) const {
    for (int rank = 0; rank < f_.ranks; ++rank) {
      visit(rank);
    }
  }

  [[nodiscard]] __device__ __forceinline__ int slot() const { return static_cast<int>(epoch_ & 1); }

  [[nodiscard]] __device__ __forceinline__ std::uint32_t header_word(int rank, int n) const {
    return __ldcg(incoming_message<std::uint32_t>(f_.ends[rank], epoch_) + n);
  }
  [[nodiscard]] __device__ __forceinline__ std::uint32_t units_of(int rank, int bucket) const {
    return header_word(rank, MessageHeader::units + bucket);
  }

  __device__ __forceinline__ void add_up_buckets(const BlockSums<warps>& sums) const {
    std::uint32_t before = 0;
    const int end = f_.first_bucket + f_.own_buckets;
    for (int first = 0; first < end; first += threads) {
      const int bucket = first + thread_;
      std::uint32_t keys = 0;
      std::uint32_t fillers = 0;
      if (bucket < end) {
        for_ranks([&](int rank) {
          const std::uint32_t of_rank =
              header_word(rank, MessageHeader::fillers(f_.buckets) + bucket);
          keys += units_of(rank, bucket) * static_cast<std::uint32_t>(f_.unit) - of_rank;
          fillers += of_rank;
        });
      }
      const std::uint32_t inclusive = sums.inclusive(keys);
      if (bucket >= f_.first_bucket && bucket < end) {
        f_.surveys[bucket - f_.first_bucket] = {before + inclusive - keys, keys, fillers};
      }
      before += sums.total(keys);
    }
  }

  __device__ __forceinline__ void find_pieces() const {
    constexpr int keys_per_vector = 8;
    const int count = f_.own_buckets * f_.ranks;
    bool overflowed = false;
    for (int n = thread_; n < count; n += threads) {
      const int bucket = n / f_.ranks;
      const std::uint32_t claimed = units_of(n - bucket * f_.ranks, f_.first_bucket + bucket);
      const std::uint32_t units = min(claimed, f_.capacities[n]);
      f_.pieces[n] = {f_.arrivals[slot() * count + n],
                      units * static_cast<std::uint32_t>(f_.unit / keys_per_vector)};
      overflowed |= claimed > units;
    }
    if (overflowed) {
      f_.findings->overflowed = 1;
    }
  }

  const ExchangeArguments& f_;
  int thread_;
  unsigned epoch_;
};

/// The part of an exchange before the messages, where a library sends them.
static __global__ void __launch_bounds__(ExchangeBlock::threads)
    announce_kernel(const __grid_constant__ ExchangeArguments arguments) {
  ExchangeBlock(arguments).announce();
}

/// The part after the messages.
static __global__ void __launch_bounds__(ExchangeBlock::threads)
    survey_kernel(const __grid_constant__ ExchangeArguments arguments) {
  __shared__ std::uint32_t sums[ExchangeBlock::warps];
  ExchangeBlock(arguments).survey(sums);
}

/// Both parts, for GPUs that store into each other's memory.
static __global__ void __launch_bounds__(ExchangeBlock::threads)
    exchange_kernel(const __grid_constant__ ExchangeArguments arguments) {
  __shared__ std::uint32_t sums[ExchangeBlock::warps];
  const ExchangeBlock block(arguments);
  block.announce();
  block.survey(sums);
}

}  // namespace bankfull::npb::is::cuda
