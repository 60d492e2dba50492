#pragma once

#include "bankfull/core/base/stream_store.hpp"
#include "bankfull/core/exec/team.hpp"
#include "bankfull/core/memory/buffer.hpp"
#include "bankfull/workloads/himeno/cpu/plan.hpp"
#include "bankfull/workloads/himeno/cpu/row_sums.hpp"
#include "bankfull/workloads/himeno/cpu/strips.hpp"
#include "bankfull/workloads/himeno/problem.hpp"

#include <algorithm>
#include <vector>

namespace bankfull::himeno {

// Several iterations in one pass over the coefficients.
//
// A thread marches through a block of planes and rows strip by strip of rows, and within a strip
// plane by plane: in step m, sweep s works on plane m - s, so the coefficients that it reads were
// read by sweep s - 1 one step before and are still in cache. Where strips are in L3, a sweep
// follows the previous one after a whole plane of the strip, because hardware prefetchers need long
// runs; where they are in L2, after a row: then the strip of one plane less must stay in cache.
//
// A strip of sweep s lies s rows towards lower j (a parallelogram in j and time), so it needs
// nothing of the strips to come; of the strip before it needs the last two rows of every plane,
// which are kept.
//
// Blocks are computed with the halo that their neighbours compute too, so their threads never wait
// for each other within a pass. The threads of one block compute nothing twice: they take its
// strips in turn, and each of them stays a step behind the thread that has the strip before.
//
// Traffic of a pass: 13 fields read and one written, 14 sizeof(T) bytes per cell for all its
// iterations. Besides, where blocks meet, the halo is read again, and of every strip two rows are
// kept after each sweep but the last: written once and read once, by another thread where a block
// has several.

namespace detail {

/// Elements around rows that packs may read beyond the first and the last. Rows are zero where no
/// sweep has written, because lanes beyond a row are computed and dropped.
template <class T>
inline constexpr std::int64_t lead = Layout::alignment_bytes / static_cast<int>(sizeof(T));

/// The last two rows of every plane of a strip, as each sweep but the last leaves them. One more
/// strip is kept than the block has threads: what a strip overwrites was last read in an earlier
/// strip of the same thread.
template <class T>
class KeptRows {
 public:
  static constexpr std::int64_t rows_kept = 2;

  KeptRows(std::int64_t row_pitch, const Range& planes, int threads, int levels)
      : row_pitch_(row_pitch),
        plane_pitch_(rows_kept * row_pitch + lead<T>),
        planes_(planes),
        strips_(threads + 1),
        level_size_(strips_ * planes.size() * plane_pitch_),
        data_(MemorySpace::host, static_cast<std::size_t>(levels * level_size_ + 2 * lead<T>)) {}

  /// To be called by all threads of the block, so that each has a share of the memory.
  void touch(int follower) const {
    const auto size = static_cast<std::int64_t>(data_.size());
    const Range mine = share(size, follower, static_cast<int>(strips_ - 1));
    std::fill_n(data_.data() + mine.begin, mine.size(), T(0));
  }

  [[nodiscard]] std::size_t bytes() const { return data_.bytes(); }

  [[nodiscard]] T* at(int level, std::int64_t strip, std::int64_t plane, std::int64_t row) const {
    const std::int64_t kept = strip % strips_ * planes_.size() + plane - planes_.begin;
    return data_.data() + lead<T> + level * level_size_ + kept * plane_pitch_ + row * row_pitch_;
  }

 private:
  std::int64_t row_pitch_;
  std::int64_t plane_pitch_;  ///< packs must not read into a plane that another thread is writing
  Range planes_;
  std::int64_t strips_;
  std::int64_t level_size_;
  Buffer<T> data_;
};

/// The pressures between two sweeps of a thread's present strip: three planes in a ring, without
/// the rows that are kept elsewhere.
template <class T>
class RingRows {
 public:
  RingRows(std::int64_t row_pitch, std::int64_t strip_rows, int levels)
      : pitch_(row_pitch),
        strip_rows_(strip_rows),
        data_(MemorySpace::host,
              static_cast<std::size_t>(levels * planes * strip_rows * row_pitch + 2 * lead<T>)) {}

  /// To be called by the thread that will use the rows.
  void touch() const { std::fill_n(data_.data(), data_.size(), T(0)); }

  [[nodiscard]] std::size_t bytes() const { return data_.bytes(); }

  [[nodiscard]] T* at(int level, std::int64_t plane, std::int64_t row) const {
    const std::int64_t slot = level * planes + plane % planes;
    return data_.data() + lead<T> + (slot * strip_rows_ + row) * pitch_;
  }

 private:
  static constexpr std::int64_t planes = 3;

  std::int64_t pitch_;
  std::int64_t strip_rows_;
  Buffer<T> data_;
};

/// A block of the grid, and what its threads share.
template <class T>
struct FusedBlock {
  FusedBlock(const Layout& layout, const Reach& cells, const FusedPassPlan& plan)
      : reach(cells),
        strips(cells, plan.strip_rows, plan.threads_per_block),
        kept(layout.row_pitch(), cells.planes(0), plan.threads_per_block, plan.sweeps - 1),
        progress(strips.count()) {}

  Reach reach;
  Strips strips;
  KeptRows<T> kept;
  StripProgress progress;
};

/// One thread's part of one pass.
template <class T>
class FusedStrips {
 public:
  FusedStrips(const SweepView<T>& view, const FusedPassPlan& plan, FusedBlock<T>& block,
              const RingRows<T>& ring, RowSums& sums)
      : view_(view),
        plan_(plan),
        reach_(block.reach),
        strips_(block.strips),
        kept_(block.kept),
        progress_(block.progress),
        ring_(ring),
        sums_(sums) {}

  /// All strips that a thread of the block takes.
  void run(int follower) {
    for (strip_ = follower; strip_ < strips_.count(); strip_ += plan_.threads_per_block) {
      const std::int64_t steps = reach_.planes(0).size() + plan_.sweeps - 1;
      for (std::int64_t step = 0; step < steps; ++step) {
        progress_.await_strip_before(strip_, step);
        sweep_step(reach_.planes(0).begin + step);
        progress_.advance(strip_);
      }
    }
  }

 private:
  void sweep_step(std::int64_t plane) {
    if (plan_.row_by_row) {
      sweep_rows_of_step(plane);
      return;
    }
    for (int sweep = 0; sweep < plan_.sweeps; ++sweep) {
      sweep_plane_of_strip(sweep, plane - sweep);
    }
  }

  void sweep_rows_of_step(std::int64_t step) {
    for (std::int64_t j = strips_.begin(strip_); j < strips_.begin(strip_ + 1); ++j) {
      for (int sweep = 0; sweep < plan_.sweeps; ++sweep) {
        if (reach_.planes(sweep).holds(step - sweep) && reach_.rows(sweep).holds(j - sweep)) {
          sweep_one_row(sweep, step - sweep, j - sweep);
        }
      }
    }
  }

  void sweep_plane_of_strip(int sweep, std::int64_t plane) {
    const Range planes = reach_.planes(sweep);
    if (!planes.holds(plane)) {
      return;
    }
    const Range rows = reach_.rows(sweep);
    const std::int64_t begin = std::max(strips_.begin(strip_) - sweep, rows.begin);
    const std::int64_t end = std::min(strips_.begin(strip_ + 1) - sweep, rows.end);
    for (std::int64_t j = begin; j < end; ++j) {
      sweep_one_row(sweep, plane, j);
    }
  }

  void sweep_one_row(int sweep, std::int64_t i, std::int64_t j) {
    const bool first = sweep == 0;
    const bool last = sweep == plan_.sweeps - 1;
    // Only the first sweep reads memory, and only the last one writes it.
    const RowAccess access{.store = last ? plan_.access.store : StoreKind::ordinary,
                           .prefetch = first && plan_.access.prefetch};
    T* next = last ? view_.next.row(i, j) : intermediate_row(sweep, i, j);
    const T* boundary = view_.pressure.row(i, j);  // ranks do not cut rows where sweeps are fused
    const double sum =
        sweep_row_with(access, coefficient_rows(view_, i, j),
                       first ? pressure_rows(view_, i, j) : intermediate_rows(sweep - 1, i, j),
                       next, boundary, view_.updated.nk, static_cast<T>(omega));
    if (!last) {
      next[-1] = boundary[-1];
      next[view_.updated.nk] = boundary[view_.updated.nk];
    }
    if (reach_.block.planes.holds(i) && reach_.block.rows.holds(j)) {
      sums_.at(sweep, i, j) = sum;
    }
  }

  [[nodiscard]] T* intermediate_row(int sweep, std::int64_t i, std::int64_t j) const {
    constexpr std::int64_t kept = KeptRows<T>::rows_kept;
    const std::int64_t row = j - (strips_.begin(strip_) - sweep);
    if (row < 0) {
      return kept_.at(sweep, strip_ - 1, i, row + kept);
    }
    const std::int64_t first_kept = strips_.rows(strip_) - kept;
    return row < first_kept ? ring_.at(sweep, i - reach_.planes(0).begin, row)
                            : kept_.at(sweep, strip_, i, row - first_kept);
  }

  /// The pressures that a sweep has computed around row j of plane i. Boundary rows never change.
  [[nodiscard]] PressureRows<T> intermediate_rows(int sweep, std::int64_t i, std::int64_t j) const {
    const Range planes{reach_.updated.i0, reach_.updated.i1};
    const Range rows{reach_.updated.j0, reach_.updated.j1};
    PressureRows<T> around = pressure_rows(view_, i, j);
    for (std::int64_t di = -1; di <= 1; ++di) {
      for (std::int64_t dj = -1; dj <= 1; ++dj) {
        if (planes.holds(i + di) && rows.holds(j + dj)) {
          around.row[static_cast<std::size_t>(1 + di)][static_cast<std::size_t>(1 + dj)] =
              intermediate_row(sweep, i + di, j + dj);
        }
      }
    }
    return around;
  }

  const SweepView<T>& view_;
  const FusedPassPlan& plan_;
  const Reach& reach_;
  const Strips& strips_;
  const KeptRows<T>& kept_;
  StripProgress& progress_;
  const RingRows<T>& ring_;
  RowSums& sums_;
  std::int64_t strip_ = 0;
};

}  // namespace detail

/// Fused passes by a fixed plan. Keeps the rows between sweeps from pass to pass.
template <class T>
class FusedSweep {
 public:
  /// `updated` is the interior and, where another rank has the neighbours, plan.sweeps - 1 layers
  /// of its cells: this rank sweeps them too, so that a pass needs one exchange.
  FusedSweep(const Layout& layout, const Box& updated, const FusedPassPlan& plan) : plan_(plan) {
    // Allocated here, where a failure throws an exception; first touched by the threads.
    for (int n = 0; n < plan_.grid.threads(); ++n) {
      const detail::Reach reach{updated, plan_.grid.block(layout.interior(), n), plan_.sweeps};
      blocks_.emplace_back(layout, reach, plan_);
      for (int follower = 0; follower < plan_.threads_per_block; ++follower) {
        rings_.emplace_back(layout.row_pitch(), blocks_.back().strips.max_rows(), plan_.sweeps - 1);
      }
    }
    on_team([](detail::FusedBlock<T>& block, const detail::RingRows<T>& ring, int follower) {
      block.kept.touch(follower);
      ring.touch();
    });
  }

  [[nodiscard]] const FusedPassPlan& plan() const { return plan_; }

  /// Of all rows between sweeps.
  [[nodiscard]] std::size_t bytes() const {
    std::size_t bytes = 0;
    for (const detail::FusedBlock<T>& block : blocks_) {
      bytes += block.kept.bytes();
    }
    for (const detail::RingRows<T>& ring : rings_) {
      bytes += ring.bytes();
    }
    return bytes;
  }

  /// plan().sweeps iterations from view.pressure to view.next; sums.total(s) is gosa of sweep s.
  void operator()(const SweepView<T>& view, RowSums& sums) {
    for (detail::FusedBlock<T>& block : blocks_) {
      block.progress.restart();
    }
    on_team([&](detail::FusedBlock<T>& block, const detail::RingRows<T>& ring, int follower) {
      detail::FusedStrips<T>(view, plan_, block, ring, sums).run(follower);
      stream_store_fence();
    });
  }

 private:
  /// work(its block, its ring, its number among the threads of the block) on each thread.
  template <class Work>
  void on_team(const Work& work) {
#pragma omp parallel num_threads(plan_.threads())
    {
      // Threads that follow each other are neighbours, as near to each other as can be.
      const int thread = share_number();
      const int block = thread / plan_.threads_per_block;
      work(blocks_[static_cast<std::size_t>(block)], rings_[static_cast<std::size_t>(thread)],
           thread % plan_.threads_per_block);
    }
  }

  FusedPassPlan plan_;
  std::vector<detail::FusedBlock<T>> blocks_;
  std::vector<detail::RingRows<T>> rings_;  ///< of each thread
};

}  // namespace bankfull::himeno
