#pragma once

#include "bankfull/core/base/pack.hpp"
#include "bankfull/numerics/sparse/sliced.hpp"
#include "bankfull/workloads/hpcg/coloured_level.hpp"

#include <cstdint>

namespace bankfull::hpcg::cpu {

using Doubles = Pack<double>;

/// Rows of a slice: a pack.
inline constexpr int slice_height = Doubles::width;

/// Entries from one that is multiplied to one that is fetched. The hardware fetches ahead too, but
/// follows too few streams for values, columns and x of all classes at once: without this a thread
/// took 1.2 times as long on a Zen 3. Distances of 128 to 512 entries did equally well.
inline constexpr std::int64_t entries_ahead = 256;

/// The same in slices, for slots that are not read one after the other.
inline constexpr std::int64_t slices_ahead = 4;

template <class Columns>
BANKFULL_ALWAYS_INLINE void fetch(const SlicedView<Columns>& part, std::int64_t entry) {
  __builtin_prefetch(part.value + entry);
  __builtin_prefetch(part.columns.place(entry));
}

/// Adds the products of a slot with x.
template <class Columns>
BANKFULL_ALWAYS_INLINE Doubles add_slot(const SlicedView<Columns>& part, std::int64_t slot,
                                        const double* x, const Doubles& sum) {
  const std::int64_t entry = slot * slice_height;
  const Doubles gathered =
      Doubles::of_lanes([&](int lane) -> double { return x[part.columns.at(slot, entry + lane)]; });
  return fma(Doubles::load(part.value + entry), gathered, sum);
}

/// Products of a slice's rows with x, of the slots [first, last) of a part that is read whole.
template <class Columns>
BANKFULL_ALWAYS_INLINE Doubles times_slots(const SlicedView<Columns>& part, std::int64_t first,
                                           std::int64_t last, const double* x) {
  Doubles sum = Doubles::broadcast(0.0);
  for (std::int64_t slot = first; slot < last; ++slot) {
    fetch(part, slot * slice_height + entries_ahead);
    sum = add_slot(part, slot, x, sum);
  }
  return sum;
}

/// The same for some slots of a part whose others are not read; fetches those of a slice to come.
template <class Columns>
BANKFULL_ALWAYS_INLINE Doubles times_some_slots(const SlicedView<Columns>& part,
                                                const SlotRange& slots, const SlotRange& to_come,
                                                const double* x) {
  for (std::int64_t slot = to_come.begin; slot < to_come.end; ++slot) {
    fetch(part, slot * slice_height);
  }
  Doubles sum = Doubles::broadcast(0.0);
  for (std::int64_t slot = slots.begin; slot < slots.end; ++slot) {
    sum = add_slot(part, slot, x, sum);
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
