#pragma once

#include "bankfull/core/base/expects.hpp"
#include "bankfull/core/exec/cuda_executor.cuh"
#include "bankfull/core/exec/half_queues.cuh"
#include "bankfull/core/exec/halved_memory.hpp"
#include "bankfull/workloads/npb/cg/cuda/tiling.hpp"

#include <cstdint>

namespace bankfull::npb::cg::cuda {

/// The items that the blocks of a product claim: see `Tiling::items`.
struct ItemsView {
  HalfQueues queues;  ///< `claimed` is null where each block has just the item of its own number
  unsigned* done;  ///< blocks that claim no more; 0 between launches, like the counters of claims
};

/// The number of the next item of the block, by one thread; -1 where none is left.
__device__ __forceinline__ int next_item(const ItemsView& items) {
  if (items.queues.claimed == nullptr) {
    return static_cast<int>(blockIdx.x);
  }
  const Claim claim = claim_item(items.queues);
  const unsigned before = claim.half == 0 ? 0U : items.queues.counts[0];
  return claim.any ? static_cast<int>(before + claim.item) : -1;
}

/// The same by all threads of the block, in shared memory, which the next call overwrites.
__device__ __forceinline__ const int& next_item_of_block(const ItemsView& items) {
  __shared__ int item;
  __syncthreads();  // all have read the previous one
  if (threadIdx.x == 0) {
    item = next_item(items);
  }
  __syncthreads();
  return item;
}

/// To be called by each block after its last claim, by all threads: the last block makes everything
/// as the next launch expects it.
__device__ __forceinline__ void end_claims(const ItemsView& items) {
  if (items.queues.claimed != nullptr && threadIdx.x == 0 &&
      atomicAdd(items.done, 1U) + 1U == gridDim.x) {
    items.queues.claimed[0] = 0;
    items.queues.claimed[1] = 0;
    *items.done = 0;
  }
}

/// What Items is to be given: null where blocks have one tile each and the last cache keeps what
/// all of their warps read.
inline const std::uint8_t* claiming_halves(const Tiling& tiling, int kept_warps,
                                           const L2Halves& halves) {
  const bool stays = tiling.one_tile_per_block && kept_warps == solver_warps;
  return stays ? nullptr : halves.of_multiprocessor();
}

/// Owns the counters. One launch at a time may use them.
class Items {
 public:
  /// `halves`: of each multiprocessor, by its number; it must outlive this. Null: blocks do not
  /// claim, which requires that they have one tile each.
  Items(const CudaExecutor& executor, const Tiling& tiling, const std::uint8_t* halves)
      : counters_(executor.make<unsigned>(3)),
        items_(static_cast<unsigned>(tiling.items())),
        of_first_half_(static_cast<unsigned>(tiling.first_half_items())),
        halves_(halves) {
    expects(halves != nullptr || tiling.one_tile_per_block, "blocks of several groups claim them");
    executor.fill(counters_.data(), 3, 0U);
  }

  [[nodiscard]] ItemsView view() const {
    return {{halves_ == nullptr ? nullptr : counters_.data(),
             {of_first_half_, items_ - of_first_half_},
             halves_},
            counters_.data() + 2};
  }

 private:
  Buffer<unsigned> counters_;
  unsigned items_;
  unsigned of_first_half_;
  const std::uint8_t* halves_;
};

}  // namespace bankfull::npb::cg::cuda
