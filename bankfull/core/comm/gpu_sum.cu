#include "bankfull/core/comm/gpu_sum.hpp"

#include "bankfull/core/base/expects.hpp"
#include "bankfull/core/comm/device_copy.hpp"
#include "bankfull/core/comm/peer_signals.cuh"
#include "bankfull/core/exec/launch.cuh"

#include <vector>

namespace bankfull {
namespace {

/// One warp, whose threads meet in no time and read each other's registers. More ranks or numbers
/// than threads take turns.
constexpr int threads = 32;

struct SumEnds {
  int own_rank = 0;
  int others = 0;
  const GpuMessageEnds* other = nullptr;
  unsigned* epoch = nullptr;  ///< null for transports without slots and counters
};

__device__ __forceinline__ void send_to_all(const double* values, int count, const SumEnds& a,
                                            unsigned epoch) {
  for (int n = static_cast<int>(threadIdx.x); n < a.others * count; n += threads) {
    const int other = n / count;
    const int at = n - other * count;
    outgoing_message<double>(a.other[other], epoch)[at] = values[at];
  }
}

/// A rank's value number n; any for numbers beyond the last rank.
__device__ __forceinline__ double term_of(int rank, const double* values, int n, const SumEnds& a,
                                          unsigned epoch) {
  if (rank == a.own_rank || rank > a.others) {
    return values[n];
  }
  const int other = rank < a.own_rank ? rank : rank - 1;
  return __ldcg(incoming_message<double>(a.other[other], epoch) + n);
}

/// Threads read a rank each, at the same time, and all of them add the same.
__device__ __forceinline__ void add_in_order(double* values, int count, const SumEnds& a,
                                             unsigned epoch) {
  for (int n = 0; n < count; ++n) {
    double sum = -0.0;  // unlike 0, it leaves every first term as it is: -0.0 too
    for (int begin = 0; begin <= a.others; begin += threads) {
      const double term = term_of(begin + static_cast<int>(threadIdx.x), values, n, a, epoch);
      const int terms = min(threads, a.others + 1 - begin);
      for (int m = 0; m < terms; ++m) {
        sum += __shfl_sync(~0U, term, m);
      }
    }
    __syncwarp();  // all have read the own value
    if (threadIdx.x == 0) {
      values[n] = sum;
    }
  }
}

/// All of a sum, between GPUs that store into each other's memory.
__global__ void __launch_bounds__(threads) sum_over_peers(double* values, int count, SumEnds a) {
  const unsigned epoch = *a.epoch;
  send_to_all(values, count, a, epoch);
  __syncthreads();  // a counter speaks for what all threads have stored
  for (int n = static_cast<int>(threadIdx.x); n < a.others; n += threads) {
    raise(a.other[n].told, epoch + 1);
  }
  for (int n = static_cast<int>(threadIdx.x); n < a.others; n += threads) {
    wait_until(a.other[n].heard, epoch + 1);
  }
  __syncthreads();
  add_in_order(values, count, a, epoch);
  if (threadIdx.x == 0) {
    *a.epoch = epoch + 1;
  }
}

/// The halves of a sum whose messages a library carries.
__global__ void __launch_bounds__(threads) pack_terms(const double* values, int count, SumEnds a) {
  send_to_all(values, count, a, 0U);
}
__global__ void __launch_bounds__(threads) add_terms(double* values, int count, SumEnds a) {
  add_in_order(values, count, a, 0U);
}

}  // namespace

GpuSum::GpuSum(const Communicator& ranks, int max_values, Transport wanted, const Stream& work)
    : work_(work), own_rank_(ranks.rank()), max_values_(max_values) {
  expects(max_values >= 1, "a sum has a value");
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

void GpuSum::queue(double* values, int count) {
  expects(count >= 0 && count <= max_values_, "as many values as were set up, at most");
  if (ends_.size() == 0) {
    return;
  }
  const SumEnds ends{.own_rank = own_rank_,
                     .others = static_cast<int>(ends_.size()),
                     .other = ends_.data(),
                     .epoch = chosen_.transport->epoch()};
  const LaunchShape one_block{dim3(1), dim3(threads)};
  if (ends.epoch != nullptr) {
    launch(work_, one_block, sum_over_peers, values, count, ends);
    return;
  }
  launch(work_, one_block, pack_terms, static_cast<const double*>(values), count, ends);
  chosen_.transport->packed(work_);
  chosen_.transport->before_unpacking(work_);
  launch(work_, one_block, add_terms, values, count, ends);
}

}  // namespace bankfull
