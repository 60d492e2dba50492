#include "bankfull/numerics/sparse/ordered_rows.hpp"

#include "bankfull/core/base/expects.hpp"
#include "bankfull/core/exec/run_on_team.hpp"
#include "bankfull/numerics/sparse/row_runs.hpp"

#include <algorithm>
#include <span>

namespace bankfull {
namespace {

enum class SweepOrder { ascending, descending };

/// For each run the other runs that its rows are connected to.
struct RunGraph {
  Buffer<std::int64_t> start = {};
  Buffer<std::int32_t> other = {};

  [[nodiscard]] std::span<const std::int32_t> of(std::int32_t run) const {
    return {other.data() + start.data()[run], other.data() + start.data()[run + 1]};
  }
};

Buffer<std::int32_t> runs_of_rows(const CpuExecutor& executor, std::int64_t rows,
                                  const RowRuns& runs) {
  auto run_of = executor.make<std::int32_t>(rows);
  executor.each(runs.count, [start = runs.start.data(), of = run_of.data()](std::int64_t run) {
    std::fill(of + start[run], of + start[run + 1], static_cast<std::int32_t>(run));
  });
  return run_of;
}

/// Appends the runs that a run is connected to, each once.
void append_connected(const CsrView& matrix, const RowRuns& runs, const std::int32_t* run_of,
                      std::int32_t run, std::vector<std::int32_t>& list) {
  const auto begin = static_cast<std::ptrdiff_t>(list.size());
  const std::int64_t first = matrix.start[runs.start.data()[run]];
  const std::int64_t last = matrix.start[runs.start.data()[run + 1]];
  for (std::int64_t n = first; n < last; ++n) {
    const std::int32_t column = matrix.column[n];
    if (column < matrix.rows && run_of[column] != run) {
      list.push_back(run_of[column]);
    }
  }
  std::sort(list.begin() + begin, list.end());
  list.erase(std::unique(list.begin() + begin, list.end()), list.end());
}

RunGraph connect_runs(const CpuExecutor& executor, const CsrView& matrix, const RowRuns& runs) {
  const Team& team = executor.team();
  const auto run_of = runs_of_rows(executor, matrix.rows, runs);
  std::vector<std::vector<std::int32_t>> found(static_cast<std::size_t>(team.threads()));
  const auto count = executor.make<std::int32_t>(runs.count + 1);
  run_on_team(team, [&] {
    const Range mine = my_share(runs.count);
    std::vector<std::int32_t> list;
    for (std::int64_t run = mine.begin; run < mine.end; ++run) {
      const std::size_t before = list.size();
      append_connected(matrix, runs, run_of.data(), static_cast<std::int32_t>(run), list);
      count.data()[run] = static_cast<std::int32_t>(list.size() - before);
    }
    found[static_cast<std::size_t>(share_number())] = std::move(list);
  });
  RunGraph graph;
  graph.start = executor.make<std::int64_t>(runs.count + 1);
  graph.other = executor.make<std::int32_t>(
      executor.exclusive_sum(count.data(), runs.count, graph.start.data()));
  run_on_team(team, [&] {
    const std::vector<std::int32_t>& list = found[static_cast<std::size_t>(share_number())];
    std::copy(list.begin(), list.end(),
              graph.other.data() + graph.start.data()[my_share(runs.count).begin]);
  });
  return graph;
}

/// Of each run one more than the largest depth of the connected runs before it.
std::vector<std::int32_t> depths_of(const RunGraph& graph, std::int64_t runs) {
  std::vector<std::int32_t> depths(static_cast<std::size_t>(runs), 0);
  for (std::int32_t run = 0; run < runs; ++run) {
    for (const std::int32_t other : graph.of(run)) {
      if (other < run) {
        depths[static_cast<std::size_t>(run)] = std::max(
            depths[static_cast<std::size_t>(run)], depths[static_cast<std::size_t>(other)] + 1);
      }
    }
  }
  return depths;
}

/// In builds with assertions: threads would wait for each other for ever, or read what is not yet
/// done, where a row is connected to one that is not connected to it.
void expects_symmetry(const RunGraph& graph, const std::vector<std::int32_t>& depths) {
  if constexpr (build::assertions) {
    for (std::size_t run = 0; run < depths.size(); ++run) {
      for (const std::int32_t other : graph.of(static_cast<std::int32_t>(run))) {
        const auto at = static_cast<std::size_t>(other);
        expects(at < run || depths[at] > depths[run], "the pattern is symmetric");
      }
    }
  }
}

/// Which thread does a run, as which of its runs.
struct RunPlace {
  std::int32_t thread = 0;
  std::int32_t number = 0;
};

/// The runs' division among the threads.
struct RunPartition {
  std::vector<RunPlace> place_of = {};                    ///< of each run
  std::vector<std::vector<std::int32_t>> of_thread = {};  ///< in the order of ascending sweeps
};

/// Divides the runs of every depth, in their order, into a part for each thread: runs that lie side
/// by side mostly meet on one thread, also from depth to depth.
RunPartition partition(const std::vector<std::int32_t>& depths, int threads) {
  std::vector<std::int64_t> runs_of_depth;
  for (const std::int32_t depth : depths) {
    runs_of_depth.resize(
        std::max(runs_of_depth.size(), static_cast<std::size_t>(depth) + std::size_t{1}), 0);
    ++runs_of_depth[static_cast<std::size_t>(depth)];
  }
  std::vector<std::int64_t> next(runs_of_depth.size(), 0);
  for (std::size_t depth = 1; depth < next.size(); ++depth) {
    next[depth] = next[depth - 1] + runs_of_depth[depth - 1];
  }
  const std::vector<std::int64_t> first = next;
  std::vector<std::int32_t> by_depth(depths.size());
  for (std::size_t run = 0; run < depths.size(); ++run) {
    by_depth[static_cast<std::size_t>(next[static_cast<std::size_t>(depths[run])]++)] =
        static_cast<std::int32_t>(run);
  }
  RunPartition partitioned{
      std::vector<RunPlace>(depths.size()),
      std::vector<std::vector<std::int32_t>>(static_cast<std::size_t>(threads))};
  for (std::size_t place = 0; place < by_depth.size(); ++place) {
    const auto run = static_cast<std::size_t>(by_depth[place]);
    const auto depth = static_cast<std::size_t>(depths[run]);
    // The middle of the run's part of the depth: fewer runs than threads are spread evenly.
    const std::int64_t middle = 2 * (static_cast<std::int64_t>(place) - first[depth]) + 1;
    const auto thread = static_cast<std::size_t>(middle * threads / (2 * runs_of_depth[depth]));
    std::vector<std::int32_t>& runs = partitioned.of_thread[thread];
    partitioned.place_of[run] = {static_cast<std::int32_t>(thread),
                                 static_cast<std::int32_t>(runs.size())};
    runs.push_back(static_cast<std::int32_t>(run));
  }
  return partitioned;
}

/// What one thread waits for in sweeps of one order.
class WaitPlanner {
 public:
  WaitPlanner(const RunGraph& graph, const RunPartition& partitioned, std::size_t thread,
              SweepOrder order)
      : graph_(graph),
        partition_(partitioned),
        me_(static_cast<std::int32_t>(thread)),
        order_(order),
        seen_(partitioned.of_thread.size(), 0) {}

  detail::RunWaits waits() {
    const std::vector<std::int32_t>& mine = partition_.of_thread[static_cast<std::size_t>(me_)];
    std::vector<std::vector<detail::RunWait>> of_run(mine.size());
    for (std::size_t n = 0; n < mine.size(); ++n) {
      const std::size_t number = order_ == SweepOrder::ascending ? n : mine.size() - 1 - n;
      of_run[number] = before(mine[number]);
    }
    detail::RunWaits waits{{0}, {}};
    for (const std::vector<detail::RunWait>& some : of_run) {
      waits.all.insert(waits.all.end(), some.begin(), some.end());
      waits.start.push_back(static_cast<std::int32_t>(waits.all.size()));
    }
    return waits;
  }

 private:
  /// Only what earlier waits of this thread do not imply.
  std::vector<detail::RunWait> before(std::int32_t run) {
    std::vector<detail::RunWait> waits;
    for (const std::int32_t other : graph_.of(run)) {
      const RunPlace& place = partition_.place_of[static_cast<std::size_t>(other)];
      const bool comes_first = (other < run) == (order_ == SweepOrder::ascending);
      std::int32_t& seen = seen_[static_cast<std::size_t>(place.thread)];
      const std::int32_t needed = runs_until(place);
      if (!comes_first || place.thread == me_ || needed <= seen) {
        continue;
      }
      seen = needed;
      const auto known = std::find_if(waits.begin(), waits.end(), [&](const auto& wait) {
        return wait.thread == place.thread;
      });
      if (known == waits.end()) {
        waits.push_back({place.thread, needed});
      } else {
        known->runs = needed;
      }
    }
    return waits;
  }

  /// Runs that a thread has done once this one is.
  [[nodiscard]] std::int32_t runs_until(const RunPlace& place) const {
    const auto runs = static_cast<std::int32_t>(
        partition_.of_thread[static_cast<std::size_t>(place.thread)].size());
    return order_ == SweepOrder::ascending ? place.number + 1 : runs - place.number;
  }

  const RunGraph& graph_;
  const RunPartition& partition_;
  std::int32_t me_;
  SweepOrder order_;
  std::vector<std::int32_t> seen_;  ///< runs of each thread that were waited for
};

}  // namespace

OrderedRows::OrderedRows(const CpuExecutor& executor, const CsrView& matrix)
    : team_(executor.team()), rows_(matrix.rows) {
  const int threads = team_.threads();
  if (threads == 1) {
    return;
  }
  const RowRuns runs = find_row_runs(executor, matrix, longest_run);
  const RunGraph graph = connect_runs(executor, matrix, runs);
  const std::vector<std::int32_t> depths = depths_of(graph, runs.count);
  expects_symmetry(graph, depths);
  const RunPartition partitioned = partition(depths, threads);
  threads_.resize(static_cast<std::size_t>(threads));
  done_ = std::vector<Progress>(static_cast<std::size_t>(threads));
  run_on_team(team_, [&] {
    const auto me = static_cast<std::size_t>(share_number());
    detail::ThreadRuns mine;
    for (const std::int32_t run : partitioned.of_thread[me]) {
      mine.runs.push_back({runs.start.data()[run], runs.start.data()[run + 1]});
    }
    mine.ascending = WaitPlanner(graph, partitioned, me, SweepOrder::ascending).waits();
    mine.descending = WaitPlanner(graph, partitioned, me, SweepOrder::descending).waits();
    threads_[me] = std::move(mine);
  });
}

}  // namespace bankfull
