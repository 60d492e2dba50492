#pragma once

#include "bankfull/core/base/pack.hpp"
#include "bankfull/numerics/sparse/sliced.hpp"

#include <cstdint>

namespace bankfull::hpcg::cpu {

using Doubles = Pack<double>;

/// Rows of a slice: a pack.
inline constexpr int slice_height = Doubles::width;

/// Products of a slice's rows with x, of the slots [first, last).
template <class Columns>
BANKFULL_ALWAYS_INLINE Doubles times_slots(const SlicedView<Columns>& part, std::int64_t first,
                                           std::int64_t last, const double* x) {
  Doubles sum = Doubles::broadcast(0.0);
  for (std::int64_t slot = first; slot < last; ++slot) {
    const std::int64_t entry = slot * slice_height;
    const Doubles gathered = Doubles::of_lanes(
        [&](int lane) -> double { return x[part.columns.at(slot, entry + lane)]; });
    sum = fma(Doubles::load(part.value + entry), gathered, sum);
  }
  return sum;
}

/// Products of a slice's rows with x.
template <class Columns>
BANKFULL_ALWAYS_INLINE Doubles times(const SlicedView<Columns>& part, std::int64_t slice,
                                     const double* x) {
  return times_slots(part, part.slot[slice], part.slot[slice + 1], x);
}

}  // namespace bankfull::hpcg::cpu
