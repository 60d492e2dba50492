#pragma once

#include "bankfull/workloads/hpcg/cuda/block_sums.cuh"
#include "bankfull/workloads/hpcg/cuda/chunks.cuh"
#include "bankfull/workloads/hpcg/cuda/half_lists.cuh"
#include "bankfull/workloads/hpcg/cuda/sweeps.cuh"

#include <cstdint>

namespace bankfull::hpcg::cuda {

/// Chunks that a kernel's blocks take; in a sync_free_sweep_kernel chunks of one tile.
struct ChunkOrder {
  const std::int32_t* chunks;  ///< list after list; null: from `first` on
  std::int32_t first;
  bool reversed;  ///< take those of each list from its end
  HalfLists lists;

  /// The place in `chunks` of a claimed one.
  [[nodiscard]] __device__ __forceinline__ unsigned place(const Claim& claim) const {
    const unsigned item = reversed ? lists.counts[claim.half] - 1U - claim.item : claim.item;
    return claim.half == 0 ? item : lists.counts[0] + item;
  }
  [[nodiscard]] __device__ __forceinline__ std::int32_t chunk(unsigned place) const {
    return chunks == nullptr ? first + static_cast<std::int32_t>(place) : chunks[place];
  }
};

/// Blocks of a sweep that a multiprocessor holds at once.
inline constexpr int sweep_blocks_each = 3;

/// A step of a sweep for all rows of the tiles; where it adds up, also the sum of the rows' terms.
///
/// A row waits for each x that it gathers until the value itself appears, so no flag has to follow
/// the data. Therefore x exists twice, and each sweep resets the result of the previous one, which
/// writes one vector more; on the small levels that are swept this way, latency dominates. The
/// chunks are in an order in which each comes after those that it waits for: see half_lists.cuh.
template <template <class> class SweepStep, bool Summing, class Columns>
__global__ void __launch_bounds__(threads_per_block, sweep_blocks_each)
    sync_free_sweep_kernel(const __grid_constant__ ChunkOrder order,
                           const __grid_constant__ LevelArguments<Columns> a,
                           const __grid_constant__ BlockSums sums) {
  static_assert(threads_per_block == tile_rows);
  for_claimed(order.lists, [&](const Claim& claim) {
    const unsigned place = order.place(claim);
    SweepStep<Columns> step(a, std::int64_t{order.chunk(place)} * tile_rows + threadIdx.x);
    const double term = step.run();
    if constexpr (Summing) {
      add_partial(sums, term, place);
    }
  });
  if constexpr (Summing) {
    add_up_partials(sums);
  }
}

}  // namespace bankfull::hpcg::cuda
