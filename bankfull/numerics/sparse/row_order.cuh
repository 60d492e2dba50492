#pragma once

#include "bankfull/core/exec/launch.cuh"

#include <cstdint>

namespace bankfull {

enum class RowOrder { ascending, descending };

namespace detail {

inline constexpr int order_threads = 256;
inline constexpr int rows_a_thread = 32;

template <class Step>
__global__ void __launch_bounds__(order_threads)
    in_row_order_kernel(std::int64_t rows, RowOrder order, unsigned* tickets, Step step) {
  __shared__ unsigned block;
  if (threadIdx.x == 0) {
    block = atomicAdd(tickets, 1U);
  }
  __syncthreads();
  const std::int64_t first =
      (std::int64_t{block} * order_threads + threadIdx.x) * rows_a_thread;
  const std::int64_t last = min(first + rows_a_thread, rows);
  for (std::int64_t n = first; n < last;) {
    // No thread ever blocks: lanes of a warp depend on each other.
    if (step(order == RowOrder::ascending ? n : rows - 1 - n)) {
      ++n;
    }
  }
}

}  // namespace detail

/// Queues step(row) for all rows of a recurrence in which rows need earlier ones. `step` returns
/// false, having done nothing, while something that it needs is not there yet; it must see what
/// other threads wrote (volatile loads and stores). Each thread takes consecutive rows, and blocks
/// take theirs in the order in which they start, so that whatever is waited for is running.
/// `tickets` is one number of scratch in GPU memory.
template <class Step>
void in_row_order(const Stream& stream, std::int64_t rows, RowOrder order, unsigned* tickets,
                  Step step) {
  fill_bytes(tickets, 0, sizeof(unsigned), stream);
  constexpr std::int64_t rows_a_block = detail::order_threads * detail::rows_a_thread;
  launch(stream,
         {dim3(static_cast<unsigned>((rows + rows_a_block - 1) / rows_a_block)),
          dim3(detail::order_threads)},
         detail::in_row_order_kernel<Step>, rows, order, tickets, step);
}

}  // namespace bankfull
