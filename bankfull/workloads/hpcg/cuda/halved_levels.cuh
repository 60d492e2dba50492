#pragma once

#include "bankfull/core/exec/cuda_executor.cuh"
#include "bankfull/numerics/sparse/halve_slices.hpp"
#include "bankfull/workloads/hpcg/coloured_level.hpp"
#include "bankfull/workloads/hpcg/cuda/chunks.cuh"

#include <cstdint>

namespace bankfull::hpcg::cuda {

/// Coarse slots from numbers of `upper` as it was to those of its half's streams.
struct MoveCoarseSlots {
  const std::int64_t* slot;
  const HalvedSlice* slices;
  SlotRange* ranges;

  __device__ void operator()(std::int64_t slice) const {
    const auto shift =
        static_cast<std::int32_t>(std::int64_t{slices[slice].first} - slot[slice]);
    ranges[slice].begin += shift;
    ranges[slice].end += shift;
  }
};

/// Lays the entries of a level out by halves of L2, those of a chunk of so many rows in one half.
/// memory_of(blocks) makes the memory.
template <class MemoryOf>
void halve(const CudaExecutor& executor, ColouredLevel& level, std::int64_t chunk_rows,
           const MemoryOf& memory_of) {
  const HalfOfSlice half_of{hpcg::detail::begins_of(level.order), chunk_rows};
  for (Sliced* const part : {&level.lower, &level.upper, &level.coarse_upper}) {
    if (part->slices > 0) {
      bankfull::halve<slice_height>(executor, *part, half_of, memory_of);
    }
  }
  executor.each(level.upper.slices,
                MoveCoarseSlots{level.upper.slot.data(), level.upper.slice.data(),
                                level.coarse_slots.data()});
}

}  // namespace bankfull::hpcg::cuda
