#pragma once

#include "bankfull/core/exec/launch.cuh"
#include "bankfull/numerics/sparse/row_runs.hpp"

#include <cstdint>

namespace bankfull {

/// From the first row of a matrix to the last, or back.
enum class RowOrder { ascending, descending };

namespace detail {

inline constexpr int order_threads = 128;

template <class Recurrence>
__global__ void __launch_bounds__(order_threads)
    in_row_order_kernel(std::int64_t runs, const std::int32_t* start, RowOrder order,
                        unsigned* tickets, Recurrence recurrence) {
  __shared__ unsigned block;
  if (threadIdx.x == 0) {
    block = atomicAdd(tickets, 1U);
  }
  __syncthreads();
  const std::int64_t place = std::int64_t{block} * order_threads + threadIdx.x;
  if (place >= runs) {
    return;
  }
  const bool ascending = order == RowOrder::ascending;
  const std::int64_t run = ascending ? place : runs - 1 - place;
  const std::int64_t first = start[run];
  const std::int64_t last = start[run + 1];
  const auto row_of = [=](std::int64_t n) { return ascending ? n : first + last - 1 - n; };
  typename Recurrence::Row row;
  row.begin(recurrence, row_of(first));
  for (std::int64_t n = first; n < last;) {
    // No thread ever blocks: lanes of a warp depend on each other.
    if (row.attempt(recurrence) && ++n < last) {
      row.begin(recurrence, row_of(n));
    }
  }
}

}  // namespace detail

/// The entries of a row that are still awaited, up to 32 at a time, as a set of bits.
class AwaitedEntries {
 public:
  /// Entry n, in [0, 32), is awaited from now on.
  __device__ __forceinline__ void add(int n) { bits_ |= 1U << n; }
  /// Entry n has come.
  __device__ __forceinline__ void remove(int n) { bits_ &= ~(1U << n); }
  /// Whether entry n is awaited.
  [[nodiscard]] __device__ __forceinline__ bool holds(int n) const {
    return ((bits_ >> n) & 1U) != 0;
  }
  /// Whether no entry is.
  [[nodiscard]] __device__ __forceinline__ bool empty() const { return bits_ == 0; }

  /// The last one; the set is not empty.
  [[nodiscard]] __device__ __forceinline__ int last() const {
    return 31 - __clz(static_cast<int>(bits_));
  }

 private:
  unsigned bits_ = 0;
};

/// Queues a recurrence in which rows need earlier ones. Recurrence::Row is the work on one row:
/// `begin` starts it, and `attempt`, called until it returns true, looks for what is still missing
/// and completes the row once everything is there. It must see what other threads wrote (volatile
/// loads and stores). Each thread takes a run, and blocks take theirs in the order in which they
/// start, so that whatever is waited for is running. `tickets` is one number of scratch in GPU
/// memory.
template <class Recurrence>
void in_row_order(const Stream& stream, const RowRuns& runs, RowOrder order, unsigned* tickets,
                  const Recurrence& recurrence) {
  fill_bytes(tickets, 0, sizeof(unsigned), stream);
  constexpr std::int64_t threads = detail::order_threads;
  launch(stream, {dim3(static_cast<unsigned>((runs.count + threads - 1) / threads)), dim3(threads)},
         detail::in_row_order_kernel<Recurrence>, runs.count,
         static_cast<const std::int32_t*>(runs.start.data()), order, tickets, recurrence);
}

}  // namespace bankfull
