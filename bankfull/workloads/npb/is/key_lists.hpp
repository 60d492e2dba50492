#pragma once

#include "bankfull/core/base/stream_store.hpp"
#include "bankfull/core/memory/buffer.hpp"
#include "bankfull/workloads/npb/is/buckets.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace bankfull::npb::is {

/// The keys of one thread by bucket, 16 bits each. A bucket is a list of chunks, taken from a
/// common store as they fill up: any keys fit, whatever their distribution, and no key is looked at
/// twice. Keys are gathered in a cache line per bucket and leave it by streaming stores, so that
/// they neither displace what the caches hold nor are read before they are written.
class KeyLists {
 public:
  /// For up to so many keys. The thread that sorts should construct it, to touch it first.
  KeyLists(const Buckets& buckets, std::int64_t keys)
      : buckets_(buckets),
        chunks_(MemorySpace::host, chunk_count(buckets, keys) * chunk_keys),
        lines_(MemorySpace::host, buckets.count * line_keys),
        counts_(buckets.count, 0),
        first_(buckets.count, 0),
        last_(buckets.count, 0),
        next_(chunk_count(buckets, keys), 0) {
    std::fill_n(chunks_.data(), chunks_.size(), LowBits{0});
    std::fill_n(lines_.data(), lines_.size(), LowBits{0});
  }

  static std::int64_t bytes(const Buckets& buckets, std::int64_t keys) {
    return static_cast<std::int64_t>(
        chunk_count(buckets, keys) * (chunk_keys * sizeof(LowBits) + sizeof(std::uint32_t)) +
        buckets.count *
            (line_keys * sizeof(LowBits) + sizeof(std::int64_t) + 2 * sizeof(std::uint32_t)));
  }

  /// Sorts keys into the lists, which it empties first.
  void sort(std::span<const Key> keys) {
    std::fill(counts_.begin(), counts_.end(), 0);
    used_ = 0;
    LowBits* const lines = lines_.data();
    std::int64_t* const counts = counts_.data();
    const Buckets buckets = buckets_;
    for (const Key key : keys) {
      const std::size_t bucket = buckets.of(key);
      const std::int64_t number = counts[bucket]++;
      const auto place = static_cast<std::size_t>(number) % line_keys;
      lines[bucket * line_keys + place] = buckets.rest(key);
      if (place == line_keys - 1) {
        store_line(bucket, number);
      }
    }
    for (std::size_t bucket = 0; bucket < buckets.count; ++bucket) {
      if (static_cast<std::size_t>(counts[bucket]) % line_keys != 0) {
        store_line(bucket, counts[bucket] - 1);
      }
    }
    stream_store_fence();
  }

  [[nodiscard]] std::int64_t count(std::size_t bucket) const { return counts_[bucket]; }

  /// visit(keys) for the parts of a bucket's list.
  template <class Visit>
  void for_parts(std::size_t bucket, const Visit& visit) const {
    std::size_t chunk = first_[bucket];
    auto left = static_cast<std::size_t>(counts_[bucket]);
    while (left > 0) {
      const std::size_t some = std::min(left, chunk_keys);
      visit(std::span<const LowBits>(chunks_.data() + chunk * chunk_keys, some));
      left -= some;
      chunk = next_[chunk];
    }
  }

 private:
  static constexpr std::size_t line_keys = 32;     ///< 64 bytes
  static constexpr std::size_t chunk_keys = 2048;  ///< 4 KiB: a page, or a part of a huge one

  static std::size_t chunk_count(const Buckets& buckets, std::int64_t keys) {
    return static_cast<std::size_t>(keys) / chunk_keys + buckets.count + 1;
  }

  /// Stores a bucket's line, of which key `number` is the last.
  void store_line(std::size_t bucket, std::int64_t number) {
    const std::size_t line = static_cast<std::size_t>(number) / line_keys * line_keys;
    const std::size_t place = line % chunk_keys;
    if (place == 0) {
      (line == 0 ? first_[bucket] : next_[last_[bucket]]) = used_;
      last_[bucket] = used_++;
    }
    LowBits* const to = chunks_.data() + last_[bucket] * chunk_keys + place;
    const LowBits* const from = lines_.data() + bucket * line_keys;
    constexpr std::size_t step = stream_store_bytes / sizeof(LowBits);
    for (std::size_t n = 0; n < line_keys; n += step) {
      stream_store(to + n, from + n);
    }
  }

  Buckets buckets_;
  Buffer<LowBits> chunks_;
  Buffer<LowBits> lines_;  ///< of each bucket: the keys that are in no chunk yet
  std::vector<std::int64_t> counts_;
  std::vector<std::uint32_t> first_;  ///< chunk of each bucket
  std::vector<std::uint32_t> last_;
  std::vector<std::uint32_t> next_;  ///< after each chunk
  std::uint32_t used_ = 0;           ///< chunks
};

}  // namespace bankfull::npb::is
