#pragma once

#include "bankfull/core/exec/cuda_executor.cuh"
#include "bankfull/workloads/hpcg/coloured_level.hpp"

#include <cstdint>

namespace bankfull::hpcg::cuda {

struct CountCoarseSlots {
  const SlotRange* ranges;
  std::int32_t* count;

  __device__ void operator()(std::int64_t slice) const {
    count[slice] = ranges[slice].end - ranges[slice].begin;
  }
};

/// Copies a row's entries with coarse columns.
template <int Height>
struct CopyCoarseEntries {
  SlicedView<FullColumns> upper;
  const SlotRange* ranges;
  const std::int64_t* slot;
  std::int32_t* column;
  double* value;

  __device__ void operator()(std::int64_t row) const {
    const std::int64_t slice = row / Height;
    const SlotRange range = ranges[slice];
    for (std::int32_t n = 0; n < range.end - range.begin; ++n) {
      const std::int64_t from = (std::int64_t{range.begin} + n) * Height + row % Height;
      const std::int64_t to = (slot[slice] + n) * Height + row % Height;
      column[to] = upper.columns.column[from];
      value[to] = upper.value[from];
    }
  }
};

/// Keeps the coarse slots of `upper` once more, in one stream.
template <int Height>
void copy_coarse_slots(const CudaExecutor& executor, ColouredLevel& level) {
  const std::int64_t slices = level.upper.slices;
  const SlotRange* const ranges = level.coarse_slots.data();
  const auto count = executor.make<std::int32_t>(slices + 1);
  executor.each(slices, CountCoarseSlots{ranges, count.data()});
  Sliced& copy = level.coarse_upper;
  copy = make_sliced<Height>(executor, count.data(), slices);
  executor.each(slices * Height,
                CopyCoarseEntries<Height>{level.upper.full_view(), ranges, copy.slot.data(),
                                          copy.column.data(), copy.value.data()});
  executor.synchronize();
}

}  // namespace bankfull::hpcg::cuda
