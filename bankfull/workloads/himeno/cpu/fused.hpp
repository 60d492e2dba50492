#pragma once

#include "bankfull/core/base/stream_store.hpp"
#include "bankfull/core/exec/team.hpp"
#include "bankfull/core/memory/buffer.hpp"
#include "bankfull/workloads/himeno/cpu/plan.hpp"
#include "bankfull/workloads/himeno/cpu/row_sums.hpp"
#include "bankfull/workloads/himeno/problem.hpp"

#include <algorithm>
#include <vector>

namespace bankfull::himeno {

// Several iterations in one pass over the coefficients.
//
// A thread owns a block of planes and rows. It marches through the block strip by strip of rows,
// and within a strip plane by plane: in step m, sweep s works on plane m - s, so the coefficients
// that it reads were read by sweep s - 1 one step before and are still in cache. Where strips are
// in L3, a sweep follows the previous one after a whole plane of the strip, because hardware
// prefetchers need long runs; where they are in L2, after a row: then the strip of one plane less
// must stay in cache.
//
// A strip of sweep s lies s rows towards lower j (a parallelogram in j and time), so it needs
// nothing of the strips to come; of the strip before it needs the last two rows of every plane,
// which are kept. At the edges of its block a thread also computes what its neighbours compute, so
// the team never waits within a pass.
//
// Traffic of a pass: 13 fields read and one written, 14 sizeof(T) bytes per cell for all its
// iterations, and the kept rows, two in every strip.

namespace detail {

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

/// Strip n of sweep s is the rows [begin(n) - s, begin(n + 1) - s), clipped to the reach.
class Strips {
 public:
  Strips(const Reach& reach, std::int64_t strip_rows)
      : first_(reach.rows(0).begin), length_(reach.block.rows.end + reach.sweeps - 1 - first_) {
    count_ =
        std::max<std::int64_t>(1, std::min((length_ + strip_rows - 1) / strip_rows, length_ / 2));
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

/// The pressures between two sweeps of a pass: three planes of the present strip in a ring, and the
/// last two rows of every plane of this strip and of the one before.
template <class T>
class IntermediateRows {
 public:
  IntermediateRows(std::int64_t row_pitch, const Range& planes, std::int64_t strip_rows, int levels)
      : pitch_(row_pitch),
        strip_rows_(strip_rows),
        planes_(planes),
        ring_size_(planes_kept * strip_rows * row_pitch),
        edge_size_(2 * planes.size() * edge_rows * row_pitch),
        data_(MemorySpace::host,
              static_cast<std::size_t>(levels * (ring_size_ + edge_size_) + 2 * lead)) {}

  /// To be called by the thread that will use the rows. Zeros, because lanes beyond a row read what
  /// no sweep wrote.
  void touch() const { std::fill_n(data_.data(), data_.size(), T(0)); }

  /// Row `row` of a plane of a strip that has `rows`; negative rows are the last of the strip
  /// before.
  [[nodiscard]] T* at(int level, std::int64_t strip, std::int64_t rows, std::int64_t plane,
                      std::int64_t row) const {
    if (row < 0) {
      return edge(level, strip + 1, plane, row + edge_rows);
    }
    if (row >= rows - edge_rows) {
      return edge(level, strip, plane, row - (rows - edge_rows));
    }
    const std::int64_t slot = (plane - planes_.begin) % planes_kept;
    return data_.data() + lead + level * ring_size_ + (slot * strip_rows_ + row) * pitch_;
  }

 private:
  static constexpr std::int64_t planes_kept = 3;
  static constexpr std::int64_t edge_rows = 2;
  static constexpr std::int64_t lead = Layout::alignment_bytes / static_cast<int>(sizeof(T));

  [[nodiscard]] T* edge(int level, std::int64_t strip, std::int64_t plane, std::int64_t row) const {
    const std::int64_t kept = strip % 2 * planes_.size() + plane - planes_.begin;
    T* edges = data_.data() + data_.size() - lead - (level + 1) * edge_size_;
    return edges + (kept * edge_rows + row) * pitch_;
  }

  std::int64_t pitch_;
  std::int64_t strip_rows_;
  Range planes_;
  std::int64_t ring_size_;
  std::int64_t edge_size_;
  Buffer<T> data_;
};

/// One thread's part of one pass.
template <class T>
class FusedBlock {
 public:
  FusedBlock(const SweepView<T>& view, const Reach& reach, const FusedPassPlan& plan,
             const IntermediateRows<T>& between, RowSums& sums)
      : view_(view),
        plan_(plan),
        reach_(reach),
        strips_(reach_, plan.strip_rows),
        between_(between),
        sums_(sums) {}

  void run() {
    const Range planes = reach_.planes(0);
    for (strip_ = 0; strip_ < strips_.count(); ++strip_) {
      for (std::int64_t step = planes.begin; step < planes.end + plan_.sweeps - 1; ++step) {
        if (plan_.row_by_row) {
          sweep_rows_of_step(step);
        } else {
          for (int sweep = 0; sweep < plan_.sweeps; ++sweep) {
            sweep_plane_of_strip(sweep, step - sweep);
          }
        }
      }
    }
  }

 private:
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
    const double sum =
        sweep_row_with(access, coefficient_rows(view_, i, j),
                       first ? pressure_rows(view_, i, j) : intermediate_rows(sweep - 1, i, j),
                       next, view_.updated.nk, static_cast<T>(omega));
    if (!last) {
      const T* boundary = view_.pressure.row(i, j);
      next[-1] = boundary[-1];
      next[view_.updated.nk] = boundary[view_.updated.nk];
    }
    if (reach_.block.planes.holds(i) && reach_.block.rows.holds(j)) {
      sums_.at(sweep, i, j) = sum;
    }
  }

  [[nodiscard]] T* intermediate_row(int sweep, std::int64_t i, std::int64_t j) const {
    return between_.at(sweep, strip_, strips_.rows(strip_), i, j - (strips_.begin(strip_) - sweep));
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
  const Reach reach_;
  const Strips strips_;
  const IntermediateRows<T>& between_;
  RowSums& sums_;
  std::int64_t strip_ = 0;
};

}  // namespace detail

/// Fused passes by a fixed plan. Keeps each thread's intermediate rows from pass to pass.
template <class T>
class FusedSweep {
 public:
  /// `updated` is the interior and, where another rank has the neighbours, plan.sweeps - 1 layers
  /// of its cells: this rank sweeps them too, so that a pass needs one exchange.
  FusedSweep(const Layout& layout, const Box& updated, const FusedPassPlan& plan)
      : plan_(plan), updated_(updated) {
    // Allocated here, where a failure throws an exception; first touched by the threads.
    for (int thread = 0; thread < plan_.grid.threads(); ++thread) {
      const detail::Reach reach = reach_of(layout.interior(), thread);
      const detail::Strips strips(reach, plan_.strip_rows);
      between_.emplace_back(layout.row_pitch(), reach.planes(0), strips.max_rows(),
                            plan_.sweeps - 1);
    }
#pragma omp parallel num_threads(plan_.grid.threads())
    between_[static_cast<std::size_t>(share_number())].touch();
  }

  [[nodiscard]] const FusedPassPlan& plan() const { return plan_; }

  /// plan().sweeps iterations from view.pressure to view.next; sums.total(s) is gosa of sweep s.
  void operator()(const SweepView<T>& view, RowSums& sums) const {
#pragma omp parallel num_threads(plan_.grid.threads())
    {
      const int thread = share_number();
      detail::FusedBlock<T>(view, reach_of(view.updated, thread), plan_,
                            between_[static_cast<std::size_t>(thread)], sums)
          .run();
      stream_store_fence();
    }
  }

 private:
  [[nodiscard]] detail::Reach reach_of(const Extents& interior, int thread) const {
    return {updated_, plan_.grid.block(interior, thread), plan_.sweeps};
  }

  FusedPassPlan plan_;
  Box updated_;
  std::vector<detail::IntermediateRows<T>> between_;
};

}  // namespace bankfull::himeno
