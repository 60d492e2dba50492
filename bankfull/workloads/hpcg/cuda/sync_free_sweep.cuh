#pragma once

#include "bankfull/workloads/hpcg/cuda/block_sums.cuh"
#include "bankfull/workloads/hpcg/cuda/chunks.cuh"
#include "bankfull/workloads/hpcg/cuda/sweeps.cuh"

#include <cstdint>
#include <type_traits>

namespace bankfull::hpcg::cuda {

/// Chunks that a kernel's blocks take; in a sync_free_sweep_kernel chunks of one tile.
struct ChunkOrder {
  const std::int32_t* chunks;  ///< null: from `first` on
  std::int32_t first;
  bool reversed;  ///< take them from the end
};

/// Blocks of a multiprocessor. Columns that have to be decoded need registers, of which a fourth
/// block leaves too few.
template <class Columns>
inline constexpr int sweep_blocks = std::is_same_v<Columns, FullColumns> ? 4 : 3;

/// A step of a sweep for all rows of the tiles; where it adds up, also the sum of the rows' terms.
///
/// A row waits for each x that it gathers until the value itself appears, so no flag has to follow
/// the data. Therefore x exists twice, and each sweep resets the result of the previous one, which
/// writes one vector more; on the small levels that are swept this way, latency dominates. Blocks
/// start in the order of their numbers, as device-wide scans also assume, so that the rows waited
/// for are done or being swept.
template <template <class> class SweepStep, bool Summing, class Columns>
__global__ void __launch_bounds__(threads_per_block, sweep_blocks<Columns>)
    sync_free_sweep_kernel(const __grid_constant__ ChunkOrder order,
                           const __grid_constant__ LevelArguments<Columns> a,
                           const __grid_constant__ BlockSums sums) {
  static_assert(threads_per_block == tile_rows);
  const unsigned place = order.reversed ? gridDim.x - 1 - blockIdx.x : blockIdx.x;
  const std::int32_t chunk = order.chunks == nullptr
                                 ? order.first + static_cast<std::int32_t>(place)
                                 : order.chunks[place];
  SweepStep<Columns> step(a, std::int64_t{chunk} * tile_rows + threadIdx.x);
  const double term = step.run();
  if constexpr (Summing) {
    add_up(sums, term, blockIdx.x, gridDim.x);
  }
}

}  // namespace bankfull::hpcg::cuda
