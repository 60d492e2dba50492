#pragma once

#include "bankfull/core/exec/team.hpp"
#include "bankfull/core/field/box.hpp"
#include "bankfull/workloads/himeno/cpu/plan.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
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

/// The next strip of a block, and where the block ends now. The strip is the rows
/// [rows.begin - s, rows.end - s) of sweep s, clipped to the reach.
struct Strip {
  Range rows;
  std::int64_t block_end = 0;
};

/// The blocks of a team, one for each thread. A thread claims the strips of its block in order; one
/// that is done cuts off the far half of what another has not claimed, which is its block then.
///
/// The first sweep of a block that ends before row e goes up to row e + sweeps - 1, so a claim has
/// that many rows more than the block has. Blocks are cut behind the first row that is not claimed:
/// claimed strips have no row of the block that is cut off, in no sweep, but only of its halo.
/// So of each row exactly one thread writes the result and the sums.
class SharedBlocks {
 public:
  SharedBlocks(const Extents& interior, const Box& updated, const FusedPassPlan& plan)
      : interior_(interior),
        updated_(updated),
        grid_(plan.grid),
        sweeps_(plan.sweeps),
        strip_rows_(plan.strip_rows),
        numbers_of_slab_(updated.j1 - updated.j0 + plan.sweeps),
        unclaimed_(static_cast<std::size_t>(plan.grid.threads())) {
    restart();
  }

  /// Before a pass, by one thread.
  void restart() {
    for (int thread = 0; thread < grid_.threads(); ++thread) {
      put(thread, thread / grid_.j, own(thread).rows);
    }
  }

  /// The block that a thread has at first.
  [[nodiscard]] Block own(int thread) const { return grid_.block(interior_, thread); }

  [[nodiscard]] Reach reach(const Block& block) const { return {updated_, block, sweeps_}; }

  /// Of any block.
  [[nodiscard]] std::int64_t max_planes() const {
    std::int64_t planes = 0;
    for (int thread = 0; thread < grid_.threads(); ++thread) {
      planes = std::max(planes, reach(own(thread)).planes(0).size());
    }
    return planes;
  }

  /// Of any strip.
  [[nodiscard]] std::int64_t max_rows() const {
    std::int64_t rows = 0;
    for (int thread = 0; thread < grid_.threads(); ++thread) {
      rows = std::max(rows, claimable(own(thread).rows).size());
    }
    return std::min(rows, std::max(strip_rows_, 2 * rows_kept - 1));
  }

  /// Of the thread's present block; none where all strips are claimed.
  std::optional<Strip> claim(int thread) {
    std::atomic<std::uint64_t>& unclaimed = unclaimed_[static_cast<std::size_t>(thread)].word;
    std::uint64_t seen = unclaimed.load(std::memory_order_relaxed);
    for (;;) {
      const Unclaimed rest = unpacked(seen);
      if (rest.rows.size() == 0) {
        return std::nullopt;
      }
      const Range strip{rest.rows.begin, rest.rows.begin + next_height(rest.rows.size())};
      if (unclaimed.compare_exchange_weak(seen, packed({rest.slab, {strip.end, rest.rows.end}}),
                                          std::memory_order_relaxed)) {
        return Strip{strip, rest.rows.end - (sweeps_ - 1)};
      }
    }
  }

  /// A new block for a thread whose strips are all claimed: the half of the largest. None where no
  /// block has enough rows left to be worth the halo.
  std::optional<Block> steal(int thread) {
    for (;;) {
      int victim = 0;
      std::uint64_t seen = 0;
      std::int64_t most = std::int64_t{2} * sweeps_ - 1;
      for (int other = 0; other < grid_.threads(); ++other) {
        const std::uint64_t word =
            unclaimed_[static_cast<std::size_t>(other)].word.load(std::memory_order_relaxed);
        if (open_rows(unpacked(word)).size() > most) {
          most = open_rows(unpacked(word)).size();
          victim = other;
          seen = word;
        }
      }
      if (most < std::int64_t{2} * sweeps_) {
        return std::nullopt;
      }
      const Unclaimed rest = unpacked(seen);
      const Range open = open_rows(rest);
      // Both have as many rows to sweep then: later sweeps of the one are behind its first, and the
      // other begins with a halo.
      const std::int64_t cut = open.begin + open.size() / 2;
      const std::uint64_t left = packed({rest.slab, {rest.rows.begin, cut + sweeps_ - 1}});
      if (unclaimed_[static_cast<std::size_t>(victim)].word.compare_exchange_strong(
              seen, left, std::memory_order_relaxed)) {
        put(thread, rest.slab, {cut, open.end});
        return Block{share(interior_.ni, rest.slab, grid_.i), {cut, open.end}};
      }
    }
  }

  /// A strip reads so many rows of every plane of the strip before it, and has no fewer itself.
  static constexpr std::int64_t rows_kept = 2;

 private:
  /// Rows of the first sweep that are in no strip yet.
  struct Unclaimed {
    int slab = 0;  ///< of the grid's parts along i
    Range rows;
  };

  /// One word has all of an Unclaimed, so that it is claimed from and cut by one exchange, whoever
  /// was faster. All of these are relaxed: the words are all that threads tell each other within a
  /// pass. What they compute is read by others only after the parallel region, whose end orders it;
  /// and a word that has come back to an earlier value means the same as then.
  ///
  /// Alone in two lines, because processors fetch lines in pairs.
  struct alignas(128) Word {
    std::atomic<std::uint64_t> word{0};
  };

  static constexpr int half_word = 32;

  /// Rows are numbered through all slabs: no memory holds a grid with 2^32 of them.
  [[nodiscard]] std::uint64_t packed(const Unclaimed& rest) const {
    const std::int64_t first = rest.slab * numbers_of_slab_ - updated_.j0;
    return static_cast<std::uint64_t>(first + rest.rows.begin) << half_word |
           static_cast<std::uint64_t>(first + rest.rows.end);
  }

  [[nodiscard]] Unclaimed unpacked(std::uint64_t word) const {
    const auto begin = static_cast<std::int64_t>(word >> half_word);
    const auto end = static_cast<std::int64_t>(word & ((std::uint64_t{1} << half_word) - 1));
    const std::int64_t slab = begin / numbers_of_slab_;
    const std::int64_t first = slab * numbers_of_slab_ - updated_.j0;
    return {static_cast<int>(slab), {begin - first, end - first}};
  }

  /// Rows of the first sweep of a block with these rows.
  [[nodiscard]] Range claimable(const Range& rows) const {
    return {std::max(updated_.j0, rows.begin - (sweeps_ - 1)), rows.end + sweeps_ - 1};
  }

  /// Rows of the block of which no sweep is claimed.
  [[nodiscard]] Range open_rows(const Unclaimed& rest) const {
    return {rest.rows.begin, rest.rows.end - (sweeps_ - 1)};
  }

  void put(int thread, int slab, const Range& rows) {
    unclaimed_[static_cast<std::size_t>(thread)].word.store(packed({slab, claimable(rows)}),
                                                            std::memory_order_relaxed);
  }

  /// Strips of about the same height, of so many rows.
  [[nodiscard]] std::int64_t next_height(std::int64_t rows) const {
    const std::int64_t wanted = (rows + strip_rows_ - 1) / strip_rows_;
    const std::int64_t count = std::max<std::int64_t>(1, std::min(wanted, rows / rows_kept));
    return (rows + count - 1) / count;
  }

  Extents interior_;
  Box updated_;
  TeamGrid grid_;
  int sweeps_;
  std::int64_t strip_rows_;
  std::int64_t numbers_of_slab_;
  std::vector<Word> unclaimed_;  ///< of each thread's block
};

}  // namespace bankfull::himeno::detail
