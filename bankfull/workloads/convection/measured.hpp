#pragma once

#include "bankfull/core/measure/progress.hpp"
#include "bankfull/core/measure/run_result.hpp"
#include "bankfull/workloads/convection/heat_path.hpp"
#include "bankfull/workloads/convection/integrator.hpp"
#include "bankfull/workloads/convection/problem.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace bankfull::convection {

/// What an integration leaves behind.
struct RunOutcome {
  std::int64_t steps = 0;
  double time = 0.0;
  Diagnosis diagnosis;
  Nusselt nusselt;
  poisson::Outcome pressure;
  double mean_cycles = 0.0;
  double largest_courant = 0.0;          ///< what the rotation adds included
  Vector largest_force = {};             ///< along x, y, z
  std::vector<double> seconds_per_step;  ///< one sample for each stretch between two looks

  [[nodiscard]] double mean_step() const { return time / static_cast<double>(steps); }
};

/// Seconds of a few stages.
struct PartSamples {
  std::array<std::vector<double>, stage_parts> parts;

  /// Of multigrid: whole stages whose pressure solve starts from nothing.
  std::vector<double> cold_stages;
  int cold_cycles = 0;
  StageTraffic cold_traffic{};
};

/// Runs a few more stages of a flow, of length dt, a clock around each part.
PartSamples time_parts(const Problem& problem, Integrator& integrator, double dt);

/// The divergence of a flow after a step of length dt, against what the solver leaves and what
/// rounding adds.
Check check_divergence(const Problem& problem, const Diagnosis& flow, double dt,
                       const Vector& largest_force);

/// The run as a result: its checks, and its times beside the measured ceiling.
RunResult result_of(const Problem& problem, const RunOutcome& outcome, const PartSamples& parts,
                    const StageTraffic& traffic, Progress& progress);

}  // namespace bankfull::convection
