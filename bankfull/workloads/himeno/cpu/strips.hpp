#pragma once

#include "bankfull/core/base/spin_until.hpp"
#include "bankfull/core/exec/team.hpp"
#include "bankfull/core/field/box.hpp"
#include "bankfull/workloads/himeno/cpu/plan.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace bankfull::himeno::detail {

/// What the sweeps of one block compute: its own cells and, for later sweeps, the halo around them.
struct Reach {
  Box updated;  ///< cells that are updated at all, by this rank or another
  Block block;
  int sweeps;

  [[nodiscard]] Range planes(int sweep) const {
    return widened(block.planes, sweeps - 1 - sweep, {updated.i0, updated.i1});
  }
  [[nodiscard]] Range rows(int sweep) const {
    return widened(block.rows, sweeps - 1 - sweep, {updated.j0, updated.j1});
  }

 private:
  static Range widened(const Range& range, std::int64_t by, const Range& within) {
    return {std::max(within.begin, range.begin - by), std::min(within.end, range.end + by)};
  }
};

/// Strip n of sweep s is the rows [begin(n) - s, begin(n + 1) - s), clipped to the reach. All
/// threads of the block get as many strips, if the rows suffice: two in each strip.
class Strips {
 public:
  Strips(const Reach& reach, std::int64_t strip_rows, int threads)
      : first_(reach.rows(0).begin), length_(reach.block.rows.end + reach.sweeps - 1 - first_) {
    const std::int64_t in_a_round = strip_rows * threads;
    const std::int64_t wanted = (length_ + in_a_round - 1) / in_a_round * threads;
    count_ = std::max<std::int64_t>(1, std::min(wanted, length_ / 2));
  }

  [[nodiscard]] std::int64_t count() const { return count_; }
  [[nodiscard]] std::int64_t begin(std::int64_t strip) const {
    return first_ + length_ * strip / count_;
  }
  [[nodiscard]] std::int64_t rows(std::int64_t strip) const {
    return begin(strip + 1) - begin(strip);
  }
  [[nodiscard]] std::int64_t max_rows() const { return (length_ + count_ - 1) / count_; }

 private:
  std::int64_t first_;
  std::int64_t length_;
  std::int64_t count_;
};

/// How far the strips of a block are. A step of a strip needs the same step of the strip before and
/// nothing else. Each thread takes its strips in ascending order, so the first strip that is not
/// done waits for none, and its thread is at it: the threads cannot block each other.
class StripProgress {
 public:
  explicit StripProgress(std::int64_t strips) : done_(static_cast<std::size_t>(strips)) {}

  /// Before a pass, by one thread.
  void restart() {
    for (Steps& strip : done_) {
      strip.done.store(0, std::memory_order_relaxed);
    }
  }

  void await_strip_before(std::int64_t strip, std::int64_t step) const {
    if (strip > 0) {
      const std::atomic<std::int64_t>& done = done_[static_cast<std::size_t>(strip - 1)].done;
      spin_until([&] { return done.load(std::memory_order_acquire) > step; });
    }
  }

  /// By the thread that has the strip.
  void advance(std::int64_t strip) {
    std::atomic<std::int64_t>& done = done_[static_cast<std::size_t>(strip)].done;
    done.store(done.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  }

 private:
  /// Alone in two lines, because processors fetch lines in pairs.
  struct alignas(128) Steps {
    std::atomic<std::int64_t> done{0};
  };

  std::vector<Steps> done_;
};

}  // namespace bankfull::himeno::detail
