#pragma once

#include "bankfull/core/measure/experiment.hpp"
#include "bankfull/core/measure/run_result.hpp"
#include "bankfull/workloads/convection/budget.hpp"
#include "bankfull/workloads/convection/end_of_run.hpp"
#include "bankfull/workloads/convection/heat_path.hpp"
#include "bankfull/workloads/convection/integrator.hpp"
#include "bankfull/workloads/convection/nusselt_window.hpp"
#include "bankfull/workloads/convection/problem.hpp"
#include "bankfull/workloads/convection/resolution.hpp"
#include "bankfull/workloads/convection/time_taken.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace bankfull::convection {

/// What an integration leaves behind.
struct RunOutcome {
  StepState progress;
  RunEnd end = RunEnd::steps;
  Diagnosis diagnosis;
  Nusselt nusselt;
  Resolution resolution;                        ///< at the end
  std::vector<Check> resolution_checks;         ///< of the second half
  std::optional<NusseltAverages> averages;      ///< where there is a HeatPath
  std::optional<TimeSchemeBudget> time_scheme;  ///< of the last two steps, where known
  poisson::Outcome pressure;
  double mean_cycles = 0.0;
  Vector largest_force = {};    ///< along x, y, z
  double part_ahead = 0.0;      ///< of its steps: those that began with a projection
  std::int64_t first_step = 0;  ///< from which a saved run was continued; 0: it is a new one
  std::vector<double>
      seconds_per_step;  ///< one sample for each stretch between two checks of the flow
  std::vector<double> cycles_per_solve;  ///< of the last one of each stretch

  TimeTaken taken;
  double seconds_of_steps = 0.0;       ///< that were timed
  double seconds_of_statistics = 0.0;  ///< of all samples; 0: there were none
  CounterTally counters = {};          ///< of these steps, and of all that was done between them

  [[nodiscard]] double mean_step() const {
    return progress.time / static_cast<double>(progress.steps);
  }
};

/// A few more stages of a flow, with a clock around each part; none where the run was interrupted.
struct StageSamples {
  std::array<std::vector<double>, stage_parts> parts;  ///< seconds
  std::vector<double> cycles;                          ///< of their pressure solves

  /// With multigrid: whole stages whose pressure solve starts from nothing.
  std::vector<double> cold_stages;
  std::vector<double> cold_cycles;
};

/// Runs stages of length dt.
StageSamples time_stages(const Plan& plan, Integrator& integrator, double dt);

/// The divergence of a flow that steps have led to against what the solver leaves and what rounding
/// adds.
Check check_divergence(const Plan& plan, const Diagnosis& flow, const StepState& progress,
                       const Vector& largest_force);

/// What the residual of a solver that stopped at its rounding may be, in 1 / time, when a flow is
/// made free of divergence that it starts from: by the flow before that.
double rounding_of_projection(const Plan& plan, const FlowReader& flow);

/// Measures before the run what advancing the fields, the one part whose mix of reads and writes
/// does not depend on the pressure solve's course, is compared with.
void expect_ceilings(const Plan& plan, Experiment& experiment);

/// The run as a result: its checks, and its times beside the work of what took them, of steps and
/// stages with as many cycles of multigrid. What they are compared with is yet to be added: see
/// Experiment::finish.
RunResult result_of(const Integrator& flow, const RunOutcome& outcome, const StageSamples& samples,
                    const Experiment& experiment);

}  // namespace bankfull::convection
