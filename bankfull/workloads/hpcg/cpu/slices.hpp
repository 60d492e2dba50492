#pragma once

#include "bankfull/core/base/pack.hpp"
#include "bankfull/numerics/sparse/sliced.hpp"

#include <cstdint>

namespace bankfull::hpcg::cpu {

using Doubles = Pack<double>;

/// Rows of a slice: a pack.
inline constexpr int slice_height = Doubles::width;

/// Products of a slice's rows with x.
template <class Columns>
BANKFULL_ALWAYS_INLINE Doubles times(const SlicedView<Columns>& part, std::int64_t slice,
                                     const double* x) {
  Doubles sum = Doubles::broadcast(0.0);
  const std::int64_t last = part.slot[slice + 1];
  for (std::int64_t slot = part.slot[slice]; slot < last; ++slot) {
    const std::int64_t entry = slot * slice_height;
    const Doubles gathered =
        Doubles::of_lanes([&](int lane) -> double {
          return x[part.columns.at(slot, entry + lane)];
        });
    sum = fma(Doubles::load(part.value + entry), gathered, sum);
  }
  return sum;
}

/// Products of a slice's rows with the prolonged coarse x, which is not 0 in rows before `end`
/// that have a coarse row.
template <class Columns>
Doubles times_coarse(const SlicedView<Columns>& part, std::int64_t slice,
                     const std::int32_t* coarse_row, std::int64_t end, const double* coarse_x) {
  Doubles sum = Doubles::broadcast(0.0);
  const std::int64_t last = part.slot[slice + 1];
  for (std::int64_t slot = part.slot[slice]; slot < last; ++slot) {
    const std::int64_t entry = slot * slice_height;
    bool any = false;
    const Doubles gathered = Doubles::of_lanes([&](int lane) {
      const std::int32_t column = part.columns.at(slot, entry + lane);
      any = any || column < end;
      const std::int32_t coarse = column < end ? coarse_row[column] : -1;
      return coarse < 0 ? 0.0 : coarse_x[coarse];
    });
    // Columns ascend: later slots lie further away.
    if (!any) {
      break;
    }
    sum = fma(Doubles::load(part.value + entry), gathered, sum);
  }
  return sum;
}

}  // namespace bankfull::hpcg::cpu
