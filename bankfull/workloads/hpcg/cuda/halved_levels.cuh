#pragma once

#include "bankfull/core/exec/cuda_executor.cuh"
#include "bankfull/numerics/sparse/halve_slices.hpp"
#include "bankfull/workloads/hpcg/coloured_level.hpp"
#include "bankfull/workloads/hpcg/cuda/chunks.cuh"

#include <cstdint>

namespace bankfull::hpcg::cuda {

/// The half of L2 that owns the entries of a slice.
struct HalfOfSlice {
  BANKFULL_HOST_DEVICE std::uint32_t operator()(std::int64_t slice) const {
    return half_of_chunk(slice * slice_height / wide_chunk_rows);
  }
};

/// Coarse slots from numbers of `upper` as it was to those of its half's streams.
struct MoveCoarseSlots {
  const std::int64_t* slot;
  const HalvedSlice* slices;
  SlotRange* ranges;

  __device__ void operator()(std::int64_t slice) const {
    const auto shift = static_cast<std::int32_t>(std::int64_t{slices[slice].first} - slot[slice]);
    ranges[slice].begin += shift;
    ranges[slice].end += shift;
  }
};

/// Lays the entries of a level with pipelined sweeps out by halves of L2.
inline void halve(const CudaExecutor& executor, ColouredLevel& level, const L2Halves& halves) {
  for (Sliced* const part : {&level.lower, &level.upper, &level.coarse_upper}) {
    if (part->slices > 0) {
      bankfull::halve<slice_height>(executor, *part, HalfOfSlice{}, [&](std::int64_t blocks) {
        return HalvedMemory(halves, blocks, executor.stream());
      });
    }
  }
  executor.each(level.upper.slices,
                MoveCoarseSlots{level.upper.slot.data(), level.upper.slice.data(),
                                level.coarse_slots.data()});
}

}  // namespace bankfull::hpcg::cuda
