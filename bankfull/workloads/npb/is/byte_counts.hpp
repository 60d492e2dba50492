#pragma once

#include "bankfull/core/exec/team.hpp"
#include "bankfull/core/memory/buffer.hpp"
#include "bankfull/workloads/npb/is/is.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace bankfull::npb::is {

/// How often each value occurs among keys, in one byte a value: a quarter of the cache that 32 bits
/// would take, and NPB's classes have 16 to 32 keys per value. A value whose byte overflows is
/// noted each time, so counts are right for any keys.
class ByteCounts {
 public:
  /// Counts of the values below this one, not cleared yet: the counting thread should touch them
  /// first.
  explicit ByteCounts(std::int64_t values)
      : counts_(MemorySpace::host, static_cast<std::size_t>(values)) {}

  void clear() {
    std::fill_n(counts_.data(), counts_.size(), std::uint8_t{0});
    overflows_.clear();
  }

  /// Counts keys; all earlier counts must have been taken.
  void count(std::span<const Key> keys) {
    overflows_.clear();
    const Key* const key = keys.data();
    std::uint8_t* const counts = counts_.data();
    const std::size_t ahead = counts_.bytes() <= near_bytes ? keys.size() : keys_ahead;
    const std::size_t middle = keys.size() - std::min(keys.size(), ahead);
    for (std::size_t n = 0; n < middle; ++n) {
      __builtin_prefetch(counts + key[n + ahead], 1);
      count(key[n], counts);
    }
    for (std::size_t n = middle; n < keys.size(); ++n) {
      count(key[n], counts);
    }
  }

  /// Keys that have one of these values.
  [[nodiscard]] std::int64_t keys_of(const Range& values) const {
    const std::uint8_t* const counts = counts_.data();
    std::int64_t keys = 0;
    for (std::int64_t value = values.begin; value < values.end; ++value) {
      keys += counts[value];
    }
    for (const Key value : overflows_) {
      keys += values.holds(value) ? overflow : 0;
    }
    return keys;
  }

  /// Adds the counts of these values to `sums`, the first value's first, and clears them. Several
  /// threads may take disjoint values concurrently.
  template <class Sum>
  void take(const Range& values, Sum* sums) {
    std::uint8_t* const counts = counts_.data() + values.begin;
    for (std::int64_t n = 0; n < values.size(); ++n) {
      sums[n] += counts[n];
    }
    std::fill_n(counts, values.size(), std::uint8_t{0});
    for (const Key value : overflows_) {
      if (values.holds(value)) {
        sums[value - values.begin] += overflow;
      }
    }
  }

 private:
  static constexpr int overflow = 256;

  /// Counts up to this size stay in L2 and are not prefetched.
  static constexpr std::size_t near_bytes = std::size_t{1} << 20;

  /// Prefetch distance, beyond the core's own look-ahead, for counts in the last-level cache or
  /// memory.
  static constexpr std::size_t keys_ahead = 64;

  /// A byte may alias anything, even `counts_`, so its data are passed as an argument.
  void count(Key key, std::uint8_t* counts) {
    if (++counts[key] == 0) [[unlikely]] {
      overflows_.push_back(key);
    }
  }

  Buffer<std::uint8_t> counts_;
  std::vector<Key> overflows_;  ///< values, as often as their bytes overflowed
};

}  // namespace bankfull::npb::is
