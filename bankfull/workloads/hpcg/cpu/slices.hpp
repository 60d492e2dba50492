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

// A Part is a SlicedView, or a counting type of the tests; Values are doubles, whose packs have
// slice_height lanes.

template <class Part>
BANKFULL_ALWAYS_INLINE void fetch(const Part& part, std::int64_t entry) {
  __builtin_prefetch(part.value + entry);
  __builtin_prefetch(part.columns.place(entry));
}

/// Adds the products of a slot with x.
template <class Part, class Value>
BANKFULL_ALWAYS_INLINE Pack<Value> add_slot(const Part& part, std::int64_t slot, const Value* x,
                                            const Pack<Value>& sum) {
  const std::int64_t entry = slot * slice_height;
  const Pack<Value> gathered = Pack<Value>::of_lanes(
      [&](int lane) -> Value { return x[part.columns.at(slot, entry + lane)]; });
  return fma(Pack<Value>::load(part.value + entry), gathered, sum);
}

/// Products of a slice's rows with x, of the slots [first, last) of a part that is read whole.
template <class Part, class Value>
BANKFULL_ALWAYS_INLINE Pack<Value> times_slots(const Part& part, std::int64_t first,
                                               std::int64_t last, const Value* x) {
  auto sum = Pack<Value>::broadcast(0.0);
  for (std::int64_t slot = first; slot < last; ++slot) {
    fetch(part, slot * slice_height + entries_ahead);
    sum = add_slot(part, slot, x, sum);
  }
  return sum;
}

/// Products of a slice's rows with x.
template <class Part, class Value>
BANKFULL_ALWAYS_INLINE Pack<Value> times(const Part& part, std::int64_t slice, const Value* x) {
  return times_slots(part, part.slot[slice], part.slot[slice + 1], x);
}

}  // namespace bankfull::hpcg::cpu
