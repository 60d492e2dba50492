#pragma once

#include "bankfull/core/exec/cuda_executor.cuh"
#include "bankfull/numerics/sparse/row_runs.hpp"

#include <cstdint>

namespace bankfull {

/// From the first row of a matrix to the last, or back.
enum class RowOrder { ascending, descending };

/// Lanes of a warp: entries of a row that it takes at a time.
inline constexpr int order_lanes = 32;
/// Warps of a block.
inline constexpr int order_warps = 4;
/// Threads of a block.
inline constexpr int order_threads = order_warps * order_lanes;

/// The number of the calling lane.
__device__ __forceinline__ int order_lane() { return static_cast<int>(threadIdx.x) % order_lanes; }

/// Whether a condition holds on any lane.
__device__ __forceinline__ bool on_any_lane(bool condition) {
  return __any_sync(~0U, condition ? 1 : 0) != 0;
}

namespace detail {

template <class Recurrence>
__global__ void __launch_bounds__(order_threads)
    in_row_order_kernel(std::int64_t runs, const std::int32_t* start, RowOrder order,
                        unsigned* tickets, Recurrence recurrence) {
  __shared__ unsigned block;
  if (threadIdx.x == 0) {
    block = atomicAdd(tickets, 1U);
  }
  __syncthreads();
  const std::int64_t place = std::int64_t{block} * order_warps + threadIdx.x / order_lanes;
  if (place >= runs) {
    return;
  }
  const bool ascending = order == RowOrder::ascending;
  const std::int64_t run = ascending ? place : runs - 1 - place;
  const std::int64_t first = start[run];
  const std::int64_t last = start[run + 1];
  const auto row_of = [=](std::int64_t n) { return ascending ? n : first + last - 1 - n; };
  typename Recurrence::Row next;
  next.read(recurrence, row_of(first));
  for (std::int64_t n = first; n < last; ++n) {
    auto row = next;
    if (n + 1 < last) {
      next.read(recurrence, row_of(n + 1));
    }
    const auto value = row.complete(recurrence);
    if (n + 1 < last) {
      next.tell(row_of(n), value);
    }
  }
}

}  // namespace detail

/// Runs for `in_row_order`: as long as rows are connected, for a warp hands its last value on
/// itself, and the fewer runs a line of a grid has, the more lines are being worked on.
inline RowRuns find_runs_of_warps(const CudaExecutor& executor, const CsrView& matrix) {
  return find_row_runs(executor, matrix, unlimited_run);
}

/// Queues a recurrence in which rows need earlier ones. Recurrence::Row is the work of a warp on
/// one row, of which a lane has every 32nd entry; all lanes call its functions together:
///
/// - `read(recurrence, row)` loads what does not depend on earlier rows, before the last is done;
/// - `tell(row, value)` has the value of the row before in the run, but for the first;
/// - `complete(recurrence)` waits for the rest, stores the row's value, and returns it on all
/// lanes.
///
/// It must see what other warps wrote (volatile loads and stores). Each warp takes a run, and
/// blocks take theirs in the order in which they start, so that whatever is waited for is running.
/// There is a run or more. `tickets` is one number of scratch in GPU memory.
template <class Recurrence>
void in_row_order(const Stream& stream, const RowRuns& runs, RowOrder order, unsigned* tickets,
                  const Recurrence& recurrence) {
  fill_bytes(tickets, 0, sizeof(unsigned), stream);
  launch(stream,
         {dim3(static_cast<unsigned>((runs.count + order_warps - 1) / order_warps)),
          dim3(order_threads)},
         detail::in_row_order_kernel<Recurrence>, runs.count,
         static_cast<const std::int32_t*>(runs.start.data()), order, tickets, recurrence);
}

}  // namespace bankfull
