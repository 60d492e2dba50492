#pragma once

#include "bankfull/core/base/spin_until.hpp"
#include "bankfull/core/exec/cpu_executor.hpp"
#include "bankfull/numerics/sparse/csr.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace bankfull {

namespace detail {

/// Rows [begin, end).
struct RunRows {
  std::int32_t begin = 0;
  std::int32_t end = 0;
};

/// Until a thread has done so many runs of the present sweep.
struct RunWait {
  std::int32_t thread = 0;
  std::int32_t runs = 0;
};

/// Before run n of a thread come waits [start[n], start[n + 1]).
struct RunWaits {
  std::vector<std::int32_t> start = {};
  std::vector<RunWait> all = {};
};

/// What one thread does in a sweep.
struct ThreadRuns {
  std::vector<RunRows> runs = {};  ///< in the order of ascending sweeps
  RunWaits ascending = {};
  RunWaits descending = {};
};

}  // namespace detail

/// Rows one after the other, as a Gauss-Seidel sweep takes them, on many threads: a row begins when
/// the connected rows before it are done, so each row finds what it would find on one thread, and
/// results are the same bits.
///
/// - Rows are taken in runs (row_runs.hpp), on a grid pieces of a line of points. The depth of a
///   run is one more than that of the deepest run before it to which it is connected: runs of one
///   depth are independent.
/// - The runs of each depth are divided among the threads. A thread takes its runs in the order of
///   their depths; before each of them it waits until other threads have done as many of theirs as
///   the run needs, which is planned beforehand. There are no barriers.
/// - Of all runs that are not done the shallowest one waits for none, and its thread is at it: the
///   threads cannot block each other.
///
/// `row_order.cuh` does the same on a GPU. The matrix's pattern must be symmetric between own rows:
/// then descending sweeps need what ascending ones precede, and no value is overwritten before all
/// have read it.
class OrderedRows {
 public:
  /// Plans the sweeps for the executor's team. The matrix is needed for this only; on a team of one
  /// there is nothing to plan.
  OrderedRows(const CpuExecutor& executor, const CsrView& matrix);

  /// body(row) for all rows, each after the connected rows before it.
  template <class Body>
  void ascending(const Body& body) {
    if (threads_.empty()) {
      ascending_on_one_thread(body);
      return;
    }
    on_team([&](const detail::ThreadRuns& mine, Progress& done) {
      const auto runs = static_cast<std::int32_t>(mine.runs.size());
      for (std::int32_t n = 0; n < runs; ++n) {
        await(mine.ascending, n);
        const detail::RunRows& run = mine.runs[static_cast<std::size_t>(n)];
        for (std::int64_t row = run.begin; row < run.end; ++row) {
          body(row);
        }
        done.runs.store(n + 1, std::memory_order_release);
      }
    });
  }

  /// body(row) for all rows, each after the connected rows behind it.
  template <class Body>
  void descending(const Body& body) {
    if (threads_.empty()) {
      descending_on_one_thread(body);
      return;
    }
    on_team([&](const detail::ThreadRuns& mine, Progress& done) {
      const auto runs = static_cast<std::int32_t>(mine.runs.size());
      for (std::int32_t n = runs - 1; n >= 0; --n) {
        await(mine.descending, n);
        const detail::RunRows& run = mine.runs[static_cast<std::size_t>(n)];
        for (std::int64_t row = run.end - 1; row >= run.begin; --row) {
          body(row);
        }
        done.runs.store(runs - n, std::memory_order_release);
      }
    });
  }

  /// The same, row after row on the calling thread.
  template <class Body>
  void ascending_on_one_thread(const Body& body) const {
    for (std::int64_t row = 0; row < rows_; ++row) {
      body(row);
    }
  }

  /// The same from the last row to the first.
  template <class Body>
  void descending_on_one_thread(const Body& body) const {
    for (std::int64_t row = rows_ - 1; row >= 0; --row) {
      body(row);
    }
  }

 private:
  /// Runs that a thread has done in the present sweep; alone in two lines, because processors fetch
  /// lines in pairs.
  struct alignas(128) Progress {
    std::atomic<std::int32_t> runs{0};
  };

  /// work(what the calling thread has to do, its progress) on each thread.
  template <class Work>
  void on_team(const Work& work) {
    for (Progress& progress : done_) {
      progress.runs.store(0, std::memory_order_relaxed);
    }
#pragma omp parallel num_threads(team_.threads())
    {
      const auto me = static_cast<std::size_t>(share_number());
      work(threads_[me], done_[me]);
    }
  }

  void await(const detail::RunWaits& waits, std::int32_t run) const {
    const auto number = static_cast<std::size_t>(run);
    for (std::int32_t n = waits.start[number]; n < waits.start[number + 1]; ++n) {
      const detail::RunWait& wait = waits.all[static_cast<std::size_t>(n)];
      const std::atomic<std::int32_t>& done = done_[static_cast<std::size_t>(wait.thread)].runs;
      spin_until([&] { return done.load(std::memory_order_acquire) >= wait.runs; });
    }
  }

  Team team_;
  std::int64_t rows_;
  std::vector<detail::ThreadRuns> threads_;  ///< empty for a team of one
  std::vector<Progress> done_;
};

}  // namespace bankfull
