#pragma once

#include "bankfull/core/base/stream_store.hpp"
#include "bankfull/core/exec/team.hpp"
#include "bankfull/core/memory/buffer.hpp"
#include "bankfull/workloads/himeno/cpu/blocks.hpp"
#include "bankfull/workloads/himeno/cpu/plan.hpp"
#include "bankfull/workloads/himeno/cpu/row_sums.hpp"
#include "bankfull/workloads/himeno/problem.hpp"

#include <algorithm>
#include <optional>
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
// Every thread has a block, which it computes with the halo that its neighbours compute too, so
// that threads never wait for each other within a pass. One that is done takes rows from the far
// end of another's block (blocks.hpp).
//
// Traffic of a pass: 13 fields read and one written, 14 sizeof(T) bytes per cell for all its
// iterations. Besides, where blocks meet, the halo is read again. The two rows of every plane of a
// strip that are kept after each sweep but the last are written once and read once.

namespace detail {

/// Elements around rows that packs may read beyond the first and the last. Rows are zero where no
/// sweep has written, because lanes beyond a row are computed and dropped.
template <class T>
inline constexpr std::int64_t lead = Layout::alignment_bytes / static_cast<int>(sizeof(T));

/// The last two rows of every plane of a thread's strip, as each sweep but the last leaves them,
/// and those of the strip before.
template <class T>
class KeptRows {
 public:
  KeptRows(std::int64_t row_pitch, std::int64_t planes, int levels)
      : pitch_(row_pitch),
        planes_(planes),
        data_(MemorySpace::host,
              static_cast<std::size_t>(
                  levels * strips * planes * SharedBlocks::rows_kept * row_pitch + 2 * lead<T>)) {}

  /// To be called by the thread that will use the rows.
  void touch() const { std::fill_n(data_.data(), data_.size(), T(0)); }

  [[nodiscard]] std::size_t bytes() const { return data_.bytes(); }

  [[nodiscard]] T* at(int level, std::int64_t strip, std::int64_t plane, std::int64_t row) const {
    const std::int64_t slot = (level * strips + strip % strips) * planes_ + plane;
    return data_.data() + lead<T> + (slot * SharedBlocks::rows_kept + row) * pitch_;
  }

 private:
  static constexpr std::int64_t strips = 2;

  std::int64_t pitch_;
  std::int64_t planes_;
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

/// What a thread keeps between sweeps.
template <class T>
struct RowsBetweenSweeps {
  RowsBetweenSweeps(std::int64_t row_pitch, const SharedBlocks& blocks, int levels)
      : kept(row_pitch, blocks.max_planes(), levels), ring(row_pitch, blocks.max_rows(), levels) {}

  KeptRows<T> kept;
  RingRows<T> ring;
};

/// One thread's part of one pass.
template <class T>
class FusedStrips {
 public:
  FusedStrips(const SweepView<T>& view, const FusedPassPlan& plan, SharedBlocks& blocks,
              const RowsBetweenSweeps<T>& between, RowSums& sums)
      : view_(view), plan_(plan), blocks_(blocks), between_(between), sums_(sums) {}

  /// The strips of the thread's own block, and of those that it takes from others.
  void run(int thread) {
    for (std::optional<Block> block = blocks_.own(thread); block; block = blocks_.steal(thread)) {
      reach_ = blocks_.reach(*block);
      for (std::optional<Strip> next = blocks_.claim(thread); next; next = blocks_.claim(thread)) {
        rows_ = next->rows;
        reach_.block.rows.end = next->block_end;
        sweep_strip();
        ++strip_;
      }
    }
  }

 private:
  void sweep_strip() {
    const std::int64_t steps = reach_.planes(0).size() + plan_.sweeps - 1;
    for (std::int64_t step = 0; step < steps; ++step) {
      sweep_step(reach_.planes(0).begin + step);
    }
  }

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
    for (std::int64_t j = rows_.begin; j < rows_.end; ++j) {
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
    const std::int64_t begin = std::max(rows_.begin - sweep, rows.begin);
    const std::int64_t end = std::min(rows_.end - sweep, rows.end);
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
    constexpr std::int64_t kept = SharedBlocks::rows_kept;
    const std::int64_t plane = i - reach_.planes(0).begin;
    const std::int64_t row = j - (rows_.begin - sweep);
    if (row < 0) {
      return between_.kept.at(sweep, strip_ - 1, plane, row + kept);
    }
    const std::int64_t first_kept = rows_.size() - kept;
    return row < first_kept ? between_.ring.at(sweep, plane, row)
                            : between_.kept.at(sweep, strip_, plane, row - first_kept);
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
  SharedBlocks& blocks_;
  const RowsBetweenSweeps<T>& between_;
  RowSums& sums_;
  Reach reach_{};
  Range rows_;  ///< of the present strip
  std::int64_t strip_ = 1;
};

}  // namespace detail

/// Fused passes by a fixed plan. Keeps the rows between sweeps from pass to pass.
template <class T>
class FusedSweep {
 public:
  /// `updated` is the interior and, where another rank has the neighbours, plan.sweeps - 1 layers
  /// of its cells: this rank sweeps them too, so that a pass needs one exchange.
  FusedSweep(const Layout& layout, const Box& updated, const FusedPassPlan& plan)
      : plan_(plan), blocks_(layout.interior(), updated, plan) {
    // Allocated here, where a failure throws an exception; first touched by the threads.
    for (int thread = 0; thread < plan_.threads(); ++thread) {
      between_.emplace_back(layout.row_pitch(), blocks_, plan_.sweeps - 1);
    }
#pragma omp parallel num_threads(plan_.threads())
    {
      const detail::RowsBetweenSweeps<T>& mine = of_thread(share_number());
      mine.kept.touch();
      mine.ring.touch();
    }
  }

  [[nodiscard]] const FusedPassPlan& plan() const { return plan_; }

  /// Of all rows between sweeps.
  [[nodiscard]] std::size_t bytes() const {
    std::size_t bytes = 0;
    for (const detail::RowsBetweenSweeps<T>& rows : between_) {
      bytes += rows.kept.bytes() + rows.ring.bytes();
    }
    return bytes;
  }

  /// plan().sweeps iterations from view.pressure to view.next; sums.total(s) is gosa of sweep s.
  void operator()(const SweepView<T>& view, RowSums& sums) {
    begin_pass();
#pragma omp parallel num_threads(plan_.threads())
    take_part(share_number(), view, sums);
  }

  /// A pass by other means than a parallel region: this, then take_part for each of
  /// plan().threads() threads, at the same time or in any order, and then all must be over.
  void begin_pass() { blocks_.restart(); }

  void take_part(int thread, const SweepView<T>& view, RowSums& sums) {
    detail::FusedStrips<T>(view, plan_, blocks_, of_thread(thread), sums).run(thread);
    stream_store_fence();
  }

 private:
  [[nodiscard]] const detail::RowsBetweenSweeps<T>& of_thread(int thread) const {
    return between_[static_cast<std::size_t>(thread)];
  }

  FusedPassPlan plan_;
  detail::SharedBlocks blocks_;
  std::vector<detail::RowsBetweenSweeps<T>> between_;  ///< of each thread
};

}  // namespace bankfull::himeno
