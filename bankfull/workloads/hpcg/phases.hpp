#pragma once

#include "bankfull/core/measure/experiment.hpp"
#include "bankfull/core/measure/run_context.hpp"
#include "bankfull/workloads/hpcg/cg_backend.hpp"
#include "bankfull/workloads/hpcg/outcome.hpp"
#include "bankfull/workloads/hpcg/phase_progress.hpp"
#include "bankfull/workloads/hpcg/plan.hpp"

#include <string>
#include <vector>

namespace bankfull::hpcg {

/// Results of the benchmark's phases besides the official outcome.
struct PhaseResults {
  std::vector<double> set_seconds;  ///< of each timed set
  CounterTally counters = {};       ///< from the first set to the last
  std::vector<Step> steps;          ///< of one iteration, each timed by itself; may be empty
  Work iteration = {};              ///< of this rank; without steps only its working set is known
  Transport transport = Transport::local;
  ColumnIndices columns = ColumnIndices::full;
};

/// How many timed sets fill so many seconds, the last one beginning within them.
int sets_in(double seconds, double set_seconds);

/// Collective: all phases of the benchmark in turn.
PhaseResults run_phases(const Plan& plan, const RunContext& context, const Experiment& experiment,
                        PhaseProgress& progress, Outcome& outcome);

}  // namespace bankfull::hpcg
