#include "bankfull/core/comm/gpu_reduction.hpp"

#include "bankfull/core/base/expects.hpp"
#include "bankfull/core/base/nan.hpp"
#include "bankfull/core/comm/device_copy.hpp"
#include "bankfull/core/comm/peer_signals.cuh"
#include "bankfull/core/exec/launch.cuh"

#include <cmath>
#include <vector>

namespace bankfull {
namespace {

/// One warp, whose threads synchronise quickly and read each other's registers. If there are more
/// ranks or numbers than threads, each thread handles several.
constexpr int threads = 32;

struct Sum {
  static constexpr double first = -0.0;  // unlike 0, it leaves every term as it is: -0.0 too

  __device__ static double of(double a, double b) { return a + b; }
};

struct Largest {
  static constexpr double first = -HUGE_VAL;

  __device__ static double of(double a, double b) { return larger_or_nan(a, b); }
};

struct RankEnds {
  int own_rank = 0;
  int others = 0;
  const GpuMessageEnds* other = nullptr;
  unsigned* epoch = nullptr;  ///< null for transports without slots and counters
};

__device__ __forceinline__ void send_to_all(const double* values, int count, const RankEnds& a,
                                            unsigned epoch) {
  for (int n = static_cast<int>(threadIdx.x); n < a.others * count; n += threads) {
    const int other = n / count;
    const int at = n - other * count;
    outgoing_message<double>(a.other[other], epoch)[at] = values[at];
  }
}

/// A rank's value number n; an arbitrary one for ranks beyond the last.
__device__ __forceinline__ double term_of(int rank, const double* values, int n, const RankEnds& a,
                                          unsigned epoch) {
  if (rank == a.own_rank || rank > a.others) {
    return values[n];
  }
  const int other = rank < a.own_rank ? rank : rank - 1;
  return __ldcg(incoming_message<double>(a.other[other], epoch) + n);
}

/// Few numbers: each thread reads one rank's value, all at the same time, and all of them combine
/// the values in the same order.
template <class Operation>
__device__ __forceinline__ void combine_one_by_one(double* values, int count, const RankEnds& a,
                                                   unsigned epoch) {
  for (int n = 0; n < count; ++n) {
    double result = Operation::first;
    for (int begin = 0; begin <= a.others; begin += threads) {
      const double term = term_of(begin + static_cast<int>(threadIdx.x), values, n, a, epoch);
      const int terms = min(threads, a.others + 1 - begin);
      for (int m = 0; m < terms; ++m) {
        result = Operation::of(result, __shfl_sync(~0U, term, m));
      }
    }
    __syncwarp();  // all have read this rank's value
    if (threadIdx.x == 0) {
      values[n] = result;
    }
  }
}

/// Many numbers: each thread combines its own, in the same order.
template <class Operation>
__device__ __forceinline__ void combine_side_by_side(double* values, int count, const RankEnds& a,
                                                     unsigned epoch) {
  for (int n = static_cast<int>(threadIdx.x); n < count; n += threads) {
    double result = Operation::first;
    for (int rank = 0; rank <= a.others; ++rank) {
      result = Operation::of(result, term_of(rank, values, n, a, epoch));
    }
    values[n] = result;
  }
}

template <class Operation>
__device__ __forceinline__ void combine_in_order(double* values, int count, const RankEnds& a,
                                                 unsigned epoch) {
  if (count < threads) {
    combine_one_by_one<Operation>(values, count, a, epoch);
  } else {
    combine_side_by_side<Operation>(values, count, a, epoch);
  }
}

/// A whole reduction between GPUs that store into each other's memory.
template <class Operation>
__global__ void __launch_bounds__(threads)
    reduce_over_peers(double* values, int count, RankEnds a) {
  const unsigned epoch = *a.epoch;
  send_to_all(values, count, a, epoch);
  __syncthreads();  // a counter covers the stores of all threads
  for (int n = static_cast<int>(threadIdx.x); n < a.others; n += threads) {
    raise(a.other[n].sent_count, epoch + 1);
  }
  for (int n = static_cast<int>(threadIdx.x); n < a.others; n += threads) {
    wait_until(a.other[n].received_count, epoch + 1);
  }
  __syncthreads();
  combine_in_order<Operation>(values, count, a, epoch);
  if (threadIdx.x == 0) {
    *a.epoch = epoch + 1;
  }
}

/// The two halves of a reduction whose messages are sent by a library.
__global__ void __launch_bounds__(threads) pack_terms(const double* values, int count, RankEnds a) {
  send_to_all(values, count, a, 0U);
}
template <class Operation>
__global__ void __launch_bounds__(threads) combine_terms(double* values, int count, RankEnds a) {
  combine_in_order<Operation>(values, count, a, 0U);
}

}  // namespace

GpuReduction::GpuReduction(const Communicator& ranks, int max_values, Transport wanted,
                           const Stream& work)
    : work_(work), own_rank_(ranks.rank()), max_values_(max_values) {
  expects(max_values >= 1, "a reduction has a value");
  if (ranks.size() == 1) {
    chosen_.kind = Transport::local;
    return;
  }
  select(work.device());
  std::vector<MessageSize> messages;
  for (int rank = 0; rank < ranks.size(); ++rank) {
    if (rank != own_rank_) {
      messages.push_back({rank, static_cast<std::size_t>(max_values) * sizeof(double)});
    }
  }
  chosen_ = make_gpu_transport(wanted, ranks, messages, work);
  ends_ = device_copy(chosen_.transport->ends(), work);
}

void GpuReduction::queue_sum(double* values, int count) { queue<Sum>(values, count); }

void GpuReduction::queue_largest(double* values, int count) { queue<Largest>(values, count); }

template <class Operation>
void GpuReduction::queue(double* values, int count) {
  expects(count >= 0 && count <= max_values_, "as many values as were set up, at most");
  if (ends_.size() == 0) {
    return;
  }
  const RankEnds ends{.own_rank = own_rank_,
                      .others = static_cast<int>(ends_.size()),
                      .other = ends_.data(),
                      .epoch = chosen_.transport->epoch()};
  const LaunchShape one_block{dim3(1), dim3(threads)};
  if (ends.epoch != nullptr) {
    launch(work_, one_block, reduce_over_peers<Operation>, values, count, ends);
    return;
  }
  launch(work_, one_block, pack_terms, static_cast<const double*>(values), count, ends);
  chosen_.transport->packed(work_);
  chosen_.transport->before_unpacking(work_);
  launch(work_, one_block, combine_terms<Operation>, values, count, ends);
}

}  // namespace bankfull
