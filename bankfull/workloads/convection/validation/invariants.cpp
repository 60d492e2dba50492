#include "bankfull/workloads/convection/validation/field_norms.hpp"
#include "bankfull/workloads/convection/validation/setting.hpp"
#include "bankfull/workloads/convection/validation/timed_flow.hpp"

#include <cmath>

namespace bankfull::convection {
namespace {

/// Random motion and uneven scalars in a box of walls of several kinds, stretched, rotating.
Problem stirred_box(std::int64_t cells) {
  Problem problem;
  problem.name = "stirred box";
  problem.axes = {AxisCells{.upper = 1.2, .cells = cells + cells / 4},
                  AxisCells{.upper = 0.8, .cells = cells, .periodic = true},
                  AxisCells{.upper = 1.0, .cells = cells, .stretching = 1.0}};
  problem.walls[0][0].free_slip = true;
  problem.walls[0][1].free_slip = true;
  problem.viscosity = 0.01;
  problem.rotation = {0.7, -0.3, 1.1};
  problem.noise = 0.5;
  problem.time_step.fixed = 1e-3;
  problem.steps = 1;
  problem.scalars.push_back({.diffusivity = 0.01,
                             .buoyancy = {0.2, -0.4, 1.0},
                             .initial = [](double x, double y, double z) {
                               return 1.0 + std::sin(3.0 * x + 5.0 * y) * std::cos(4.0 * z);
                             }});
  return problem;
}

/// Work of advection and rotation on the flow, as part of the largest that forces of their size
/// could do.
Check check_energy(const ValidationSetting& setting) {
  Problem problem = stirred_box(setting.full() ? 64 : 24);
  problem.viscosity = 0.0;
  problem.scalars.clear();
  TimedFlow flow(setting.placed(problem), setting.sharing());
  const FlowState before = flow.integrator().state();
  flow.integrator().advance({.gamma = 1.0});
  const FlowState rate = difference(flow.integrator().state(), before);
  const double largest = std::sqrt(velocity_product(flow.grid(), before, before) *
                                   velocity_product(flow.grid(), rate, rate));
  return {.name = "kinetic energy without viscosity: its rate of change, part of the largest",
          .value = velocity_product(flow.grid(), before, rate) / largest,
          .tolerance = 1e-12,
          .source = "centred advection and rotation do no work"};
}

Check check_mean_scalar(const ValidationSetting& setting) {
  TimedFlow flow(setting.placed(stirred_box(setting.full() ? 64 : 24)), setting.sharing());
  const double before = flow.integrator().diagnose().scalars.front().mean;
  constexpr double duration = 0.05;
  flow.advance_evenly(duration, 1e-3);
  return {.name = "mean temperature between insulating walls after 50 steps: change",
          .value = flow.integrator().diagnose().scalars.front().mean / before - 1.0,
          .tolerance = 1e-13,
          .source = "conservation"};
}

/// Fluxes through both plates, a different one each: the mean grows by what comes in.
Check check_heated_mean(const ValidationSetting& setting) {
  Problem problem = stirred_box(setting.full() ? 64 : 24);
  constexpr double in_below = 0.3;
  constexpr double out_above = -0.1;
  problem.scalars.front().walls[2] = {WallScalar::heated(in_below), WallScalar::heated(out_above)};
  TimedFlow flow(setting.placed(problem), setting.sharing());
  const double before = flow.integrator().diagnose().scalars.front().mean;
  constexpr double duration = 0.05;
  flow.advance_evenly(duration, 1e-3);
  return {.name = "mean temperature with fluxes through two walls after 50 steps: growth",
          .value = flow.integrator().diagnose().scalars.front().mean - before,
          .reference = duration * (in_below + out_above),
          .tolerance = 1e-11,
          .source = "budget: time times fluxes over the height"};
}

Check check_divergence_left(const ValidationSetting& setting, PressureSolver solver) {
  Problem problem = stirred_box(setting.full() ? 64 : 24);
  problem.solver = solver;
  constexpr double tolerance = 1e-8;
  problem.divergence = tolerance * problem.time_step.fixed;
  TimedFlow flow(setting.placed(problem), setting.sharing());
  flow.advance(5.0 * problem.time_step.fixed);
  const bool direct = solver == PressureSolver::direct;
  return {.name = "divergence after five steps, " + to_string(solver) + " solver",
          .value = flow.integrator().diagnose().divergence,
          .tolerance = direct ? 1e-12 : tolerance,
          .source = direct ? "continuity, to rounding" : "continuity, to the tolerance asked for"};
}

bool has_direct_solver(const ValidationSetting& setting) {
  const Plan plan(setting.placed(stirred_box(8)), CeilingRule::none, {}, setting.sharing());
  return plan.solver() == PressureSolver::direct;
}

FlowState after_one_step(const Problem& problem, const poisson::Sharing& sharing) {
  TimedFlow flow(problem, sharing);
  flow.step(problem.time_step.fixed);
  return flow.integrator().state();
}

/// A GPU against the CPU, a CPU's tuned schedule against the serial reference.
Check check_agreement(const ValidationSetting& setting) {
  Problem problem = stirred_box(setting.device().is_cuda() ? 64 : 16);
  problem.divergence = 1e-12;
  const FlowState found = after_one_step(setting.placed(problem), setting.sharing());
  problem.threads = setting.threads();
  if (!setting.device().is_cuda()) {
    problem.schedule = Schedule::reference;
  }
  return {.name = "all fields after one step, largest difference",
          .value = largest_relative_difference(found, after_one_step(problem, setting.sharing())),
          .tolerance = 1e-12,
          .source = setting.device().is_cuda() ? "the tuned schedule of the CPU"
                                               : "the serial reference schedule"};
}

}  // namespace

void check_invariants(const ValidationSetting& setting, std::vector<Check>& checks) {
  setting.tell("conservation", 0.0);
  checks.push_back(check_mean_scalar(setting));
  checks.push_back(check_heated_mean(setting));
  checks.push_back(check_energy(setting));
  setting.tell("divergence", 0.3);
  if (has_direct_solver(setting)) {
    checks.push_back(check_divergence_left(setting, PressureSolver::direct));
  }
  checks.push_back(check_divergence_left(setting, PressureSolver::multigrid));
  setting.tell("agreement of schedules", 0.5);
  checks.push_back(check_agreement(setting));
  setting.tell("convergence of multigrid", 0.7);
  check_multigrid_factors(setting, checks);
}

}  // namespace bankfull::convection
