#pragma once

#include "bankfull/core/base/pack.hpp"
#include "bankfull/numerics/sparse/sliced.hpp"

#include <cstdint>

namespace bankfull::hpcg::cpu {

using Doubles = Pack<double>;

/// Rows of a slice: a pack.
inline constexpr int slice_height = Doubles::width;

/// Entries from one that is multiplied to one that is fetched. The hardware fetches ahead too, but
/// follows too few streams for values, columns and x of all classes at once: without this a thread
/// took 1.2 times as long on a Zen 3. Distances of 128 to 512 entries did equally well.
inline constexpr std::int64_t entries_ahead = 256;

/// Products of a slice's rows with x, of the slots [first, last).
template <class Columns>
BANKFULL_ALWAYS_INLINE Doubles times_slots(const SlicedView<Columns>& part, std::int64_t first,
                                           std::int64_t last, const double* x) {
  Doubles sum = Doubles::broadcast(0.0);
  for (std::int64_t slot = first; slot < last; ++slot) {
    const std::int64_t entry = slot * slice_height;
    __builtin_prefetch(part.value + entry + entries_ahead);
    __builtin_prefetch(part.columns.place(entry + entries_ahead));
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
