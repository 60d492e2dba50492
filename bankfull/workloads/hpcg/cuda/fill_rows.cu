#include "bankfull/core/exec/cuda_executor.cuh"
#include "bankfull/workloads/hpcg/level.hpp"

#include <cstdint>

namespace bankfull::hpcg {
namespace {

constexpr int lanes = 32;
constexpr int threads = 256;
/// Consecutive rows of a warp, so that it divides once to find its point.
constexpr int rows_each = 8;
static_assert(max_entries <= lanes, "a lane has an entry");

/// The n-th of the points around a point, itself included, with x fastest.
__device__ Point beside(const Point& at, int n) {
  return {at.x + n % 3 - 1, at.y + n / 3 % 3 - 1, at.z + n / 9 - 1};
}

__device__ bool inside(const LocalGrid& grid, const Point& at) {
  return grid.x.inside(at.x) && grid.y.inside(at.y) && grid.z.inside(at.z);
}

/// The point of the next row.
__device__ Point after(const LocalGrid& grid, const Point& at) {
  if (at.x + 1 < grid.x.local) {
    return {at.x + 1, at.y, at.z};
  }
  return at.y + 1 < grid.y.local ? Point{0, at.y + 1, at.z} : Point{0, 0, at.z + 1};
}

__global__ void __launch_bounds__(threads) fill_rows_kernel(const __grid_constant__ FillRow fill) {
  const int lane = static_cast<int>(threadIdx.x) % lanes;
  const std::int64_t warp = (std::int64_t{blockIdx.x} * threads + threadIdx.x) / lanes;
  const std::int64_t begin = warp * rows_each;
  const std::int64_t end = min(begin + rows_each, fill.grid.rows());
  Point at = fill.grid.point_of_row(begin);
  for (std::int64_t row = begin; row < end; ++row) {
    const Point mine = beside(at, lane);
    const bool is_entry = lane < max_entries && inside(fill.grid, mine);
    const unsigned entries = __ballot_sync(~0U, is_entry ? 1 : 0);
    if (is_entry) {
      fill.put(fill.start[row] + __popc(entries & ((1U << lane) - 1U)), row, mine);
    }
    at = after(fill.grid, at);
  }
}

}  // namespace

void fill_rows_by_warps(const CudaExecutor& executor, const FillRow& fill) {
  constexpr std::int64_t rows_of_block = std::int64_t{threads} / lanes * rows_each;
  const std::int64_t blocks = (fill.grid.rows() + rows_of_block - 1) / rows_of_block;
  launch(executor.stream(), {dim3(static_cast<unsigned>(blocks)), dim3(threads)}, fill_rows_kernel,
         fill);
}

}  // namespace bankfull::hpcg
