#include "bankfull/core/exec/cuda_executor.cuh"
#include "bankfull/numerics/sparse/sliced.hpp"

#include <cstdint>

namespace bankfull {
namespace {

constexpr unsigned lanes = 32;
constexpr unsigned threads = 256;

/// A warp a slot: an empty entry repeats the column of the nearest row before that has one, or of
/// the first after.
__global__ void __launch_bounds__(threads)
    fill_empty_kernel(std::int64_t slots, std::int32_t* columns) {
  const std::int64_t slot = (std::int64_t{blockIdx.x} * threads + threadIdx.x) / lanes;
  if (slot >= slots) {
    return;
  }
  const unsigned lane = threadIdx.x % lanes;
  std::int32_t* const mine = columns + slot * lanes + lane;
  const std::int32_t column = *mine;
  const bool empty = column == detail::empty_entry;
  const unsigned filled = __ballot_sync(~0U, empty ? 0 : 1);
  const unsigned before = filled & ((1U << lane) - 1U);
  const int from =
      before != 0 ? 31 - __clz(static_cast<int>(before)) : __ffs(static_cast<int>(filled)) - 1;
  const std::int32_t repeated = __shfl_sync(~0U, column, from);
  if (empty && filled != 0) {
    *mine = repeated;
  }
}

}  // namespace

void detail::fill_empty_columns(const CudaExecutor& executor, const Sliced& matrix) {
  const std::int64_t blocks = (matrix.slots * lanes + threads - 1) / threads;
  if (blocks > 0) {
    launch(executor.stream(), {dim3(static_cast<unsigned>(blocks)), dim3(threads)},
           fill_empty_kernel, matrix.slots, matrix.column.data());
  }
}

}  // namespace bankfull
