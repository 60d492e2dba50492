#pragma once

#include "bankfull/core/exec/cpu_executor.hpp"
#include "bankfull/workloads/hpcg/coloured_level.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace bankfull::hpcg::cpu {

/// Copies those slots of each slice of a filled matrix that its range names.
template <int Height>
Sliced copy_of_slots(const CpuExecutor& executor, const Sliced& from, const SlotRange* ranges,
                     const std::vector<Range>& classes) {
  Sliced copy = {};
  copy.slim = from.slim;
  copy.slices = from.slices;
  const auto width = executor.make<std::int32_t>(from.slices + 1);
  executor.each(from.slices, [ranges, to = width.data()](std::int64_t slice) {
    to[slice] = ranges[slice].end - ranges[slice].begin;
  });
  copy.slot = executor.make<std::int64_t>(from.slices + 1);
  copy.slots = executor.exclusive_sum(width.data(), from.slices, copy.slot.data());
  copy.entries = copy.slots * Height;
  copy.value = executor.make<double>(copy.entries);
  const auto copy_entries = [&](const auto& of, const auto& to, int height) {
    executor.each_in(classes, [=, source = of.data(), target = to.data(),
                               slot = copy.slot.data()](std::int64_t slice) {
      std::copy(source + std::int64_t{ranges[slice].begin} * height,
                source + std::int64_t{ranges[slice].end} * height, target + slot[slice] * height);
    });
  };
  copy_entries(from.value, copy.value, Height);
  if (from.slim) {
    copy.base = executor.make<std::int32_t>(copy.slots);
    copy.offset = executor.make<std::uint16_t>(copy.entries);
    copy_entries(from.base, copy.base, 1);
    copy_entries(from.offset, copy.offset, Height);
  } else {
    copy.column = executor.make<std::int32_t>(copy.entries);
    copy_entries(from.column, copy.column, Height);
  }
  return copy;
}

/// Keeps the coarse slots of the levels that have some once more, with the columns as they are now.
template <int Height>
void copy_coarse_slots(const CpuExecutor& executor, std::vector<ColouredLevel>& levels) {
  for (ColouredLevel& level : levels) {
    if (level.coarse_classes.size() > 0) {
      level.coarse_upper = copy_of_slots<Height>(executor, level.upper, level.coarse_slots.data(),
                                                 level.classes_of_slices(Height));
    }
  }
}

}  // namespace bankfull::hpcg::cpu
