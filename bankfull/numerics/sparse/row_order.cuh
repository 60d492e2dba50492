#pragma once

#include "bankfull/core/exec/launch.cuh"

#include <cstdint>

namespace bankfull {

enum class RowOrder { ascending, descending };

namespace detail {

inline constexpr int order_threads = 128;
inline constexpr int rows_a_thread = 32;

template <class Recurrence>
__global__ void __launch_bounds__(order_threads)
    in_row_order_kernel(std::int64_t rows, RowOrder order, unsigned* tickets,
                        Recurrence recurrence) {
  __shared__ unsigned block;
  if (threadIdx.x == 0) {
    block = atomicAdd(tickets, 1U);
  }
  __syncthreads();
  const std::int64_t first = (std::int64_t{block} * order_threads + threadIdx.x) * rows_a_thread;
  const std::int64_t last = min(first + rows_a_thread, rows);
  const auto row_of = [=](std::int64_t n) {
    return order == RowOrder::ascending ? n : rows - 1 - n;
  };
  typename Recurrence::Row row;
  if (first < last) {
    row.begin(recurrence, row_of(first));
  }
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
  __device__ __forceinline__ void add(int n) { bits_ |= 1U << n; }
  __device__ __forceinline__ void remove(int n) { bits_ &= ~(1U << n); }
  [[nodiscard]] __device__ __forceinline__ bool holds(int n) const {
    return ((bits_ >> n) & 1U) != 0;
  }
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
/// loads and stores). Each thread takes consecutive rows, and blocks take theirs in the order in
/// which they start, so that whatever is waited for is running. `tickets` is one number of scratch
/// in GPU memory.
template <class Recurrence>
void in_row_order(const Stream& stream, std::int64_t rows, RowOrder order, unsigned* tickets,
                  const Recurrence& recurrence) {
  fill_bytes(tickets, 0, sizeof(unsigned), stream);
  constexpr std::int64_t rows_a_block = detail::order_threads * detail::rows_a_thread;
  launch(stream,
         {dim3(static_cast<unsigned>((rows + rows_a_block - 1) / rows_a_block)),
          dim3(detail::order_threads)},
         detail::in_row_order_kernel<Recurrence>, rows, order, tickets, recurrence);
}

}  // namespace bankfull
