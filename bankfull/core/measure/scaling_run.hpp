#pragma once

#include "bankfull/core/comm/first_ranks.hpp"
#include "bankfull/core/machine/device.hpp"
#include "bankfull/core/measure/experiment.hpp"
#include "bankfull/core/measure/run_result.hpp"
#include "bankfull/core/measure/scaling.hpp"

#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace bankfull {

// What scaling runs of all workloads do: the same work on several numbers of ranks in turn.

/// Throws UsageError where a scaling run names no number of ranks, or more ranks than there are.
void require_rank_counts(const std::vector<int>& counts, const Communicator& world);

/// Throws UsageError where fewer ranks cannot have the cores of all, as --same-cores asks for: on
/// GPUs, and beyond one node.
void require_same_cores(Device device, const Communicator& world);

/// What is to be said where the threads of a case are not as many as those of all; else "".
std::string note_on_threads(int ranks, int threads_per_rank, int total_threads);

/// "1 rank"
std::string ranks_text(int ranks);

/// Collective over `world`: does `body` on the first ranks of it. If those end it early, all ranks
/// throw Interrupted.
void run_on(const FirstRanks& ranks, const Communicator& world,
            const std::function<void(const Communicator&)>& body);

/// Collective over the ranks of the context: tries all cases out, then times them, alternating
/// between them, and adds the ceilings, all measured when their memory is free, and the load of the
/// whole run. Cases that have no repeat when the run is to end early are dropped.
///
/// A Case has `ranks` (FirstRanks), `measuring->experiment`, `measurement` and task(), the text of
/// its progress; on its ranks, where all of it but the first and last is known, try_out(case,
/// context) makes `measuring`, and time_once(case, stage) adds a repeat to `measurement`.
template <class Case>
void measure_in_turn(std::vector<Case>& cases, int repeats, const RunContext& context) {
  const Communicator& world = context.ranks;
  const LoadWatch load;
  MeasurePolicy policy = context.policy;  // of a case: its part of the time for ceilings
  policy.ceiling_share /= static_cast<double>(cases.size());
  policy.ceiling_seconds /= static_cast<double>(cases.size());
  const double total = static_cast<double>(repeats) * static_cast<double>(cases.size());
  double done = 0.0;
  std::size_t timed = 0;
  until_interrupted([&] {
    for (Case& c : cases) {
      context.end_if_interrupted();
      run_on(c.ranks, world, [&](const Communicator& ranks) {
        try_out(c, RunContext{.ranks = ranks,
                              .progress = context.progress,
                              .policy = policy,
                              .interruption = context.interruption,
                              .machine = context.machine});
      });
    }
    for (int repeat = 0; repeat < repeats; ++repeat) {
      for (Case& c : cases) {
        const Stage stage{.task = c.task(), .done = done, .total = total};
        context.end_if_interrupted();
        run_on(c.ranks, world, [&](const Communicator& /*ranks*/) { time_once(c, stage); });
        done += 1.0;
        timed += repeat == 0 ? 1 : 0;
      }
    }
  });
  while (cases.size() > timed) {
    cases.pop_back();
  }
  const Quietness of_run = load.so_far(world);
  for (Case& c : cases) {
    c.ranks.run([&](const Communicator& /*ranks*/) {
      std::vector<Measurement> alone{std::move(c.measurement)};
      c.measuring->experiment.finish(alone, of_run);
      c.measurement = std::move(alone.front());
    });
  }
}

/// What a number of ranks reached, relative to `first`. `unit_of_work`: "iteration", "step".
void add_scaling(Scaling mode, const ScalingPoint& first, const ScalingPoint& point,
                 const std::string& unit_of_work, bool verified, Measurement& measurement);

/// Notes on what these figures are relative to.
std::vector<std::string> notes_on_scaling(int first_ranks);

/// Collective: ranks outside a case are informed by the others that it failed.
void share_verdict(RunResult& result, const Communicator& world);

}  // namespace bankfull
