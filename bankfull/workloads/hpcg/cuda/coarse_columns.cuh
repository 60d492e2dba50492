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
  hpcg::detail::PartEntries upper;
  const SlotRange* ranges;
  hpcg::detail::PartEntries copy;

  __device__ void operator()(std::int64_t row) const {
    const std::int64_t slice = row / Height;
    const std::int64_t lane = row % Height;
    const SlotRange range = ranges[slice];
    const std::int64_t skipped = range.begin - upper.slot[slice];
    for (std::int64_t n = 0; n < range.size(); ++n) {
      copy.column[(copy.slot[slice] + n) * Height + lane] =
          upper.column[(range.begin + n) * Height + lane];
      const std::int64_t from = value_slot<Height>(upper.slot, upper.place, slice, skipped + n);
      const std::int64_t to = value_slot<Height>(copy.slot, copy.place, slice, n);
      copy.value[to * Height + lane] = upper.value[from * Height + lane];
    }
  }
};

/// Keeps the coarse slots of `upper` once more, in one stream. make_values(executor, copy, number)
/// makes the room for their values.
template <int Height, class MakeValues = PlainValues<Height>>
void copy_coarse_slots(const CudaExecutor& executor, ColouredLevel& level,
                       const MakeValues& make_values = {}) {
  const std::int64_t slices = level.upper.slices;
  const SlotRange* const ranges = level.coarse_slots.data();
  const auto count = executor.make<std::int32_t>(slices + 1);
  executor.each(slices, CountCoarseSlots{ranges, count.data()});
  Sliced& copy = level.coarse_upper;
  copy = make_sliced<Height>(executor, count.data(), slices, make_values);
  using hpcg::detail::PartEntries;
  executor.each(slices * Height, CopyCoarseEntries<Height>{PartEntries::of(level.upper), ranges,
                                                           PartEntries::of(copy)});
  executor.synchronize();
}

}  // namespace bankfull::hpcg::cuda
