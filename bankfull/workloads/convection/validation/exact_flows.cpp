#include "bankfull/workloads/convection/stability.hpp"
#include "bankfull/workloads/convection/validation/field_norms.hpp"
#include "bankfull/workloads/convection/validation/manufactured.hpp"
#include "bankfull/workloads/convection/validation/setting.hpp"
#include "bankfull/workloads/convection/validation/timed_flow.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <fmt/format.h>
#include <numbers>
#include <string>

namespace bankfull::convection {
namespace {

using std::numbers::pi;

/// Orders are 2.0 (or 3.0) +- 0.05.
constexpr double order_margin = 0.05;

double order_of(double coarse, double fine) { return std::log2(coarse / fine); }

Check order_check(const std::string& name, double found, double expected,
                  const std::string& source) {
  return {.name = name,
          .value = found,
          .reference = expected,
          .tolerance = order_margin / expected,
          .source = source};
}

/// Vortices that decay as exp(-2 nu k^2 t), periodic along x and z.
Problem vortices(std::int64_t cells) {
  Problem problem;
  problem.name = "Taylor-Green vortices";
  const AxisCells side{.upper = 2.0 * pi, .cells = cells, .periodic = true};
  problem.axes = {side, AxisCells{.cells = 1, .periodic = true}, side};
  problem.viscosity = 0.1;
  problem.scheme = TimeScheme::runge_kutta;
  problem.initial_velocity[0] = [](double x, double, double z) {
    return std::sin(x) * std::cos(z);
  };
  problem.initial_velocity[2] = [](double x, double, double z) {
    return -std::cos(x) * std::sin(z);
  };
  return problem;
}

/// Decay of the kinetic energy over a time of 1, as a rate.
double decay_rate(const Problem& problem, const poisson::Sharing& sharing) {
  TimedFlow flow(problem, sharing);
  const double before = flow.integrator().diagnose().kinetic_energy;
  constexpr double longest = 0.002;
  flow.advance_evenly(1.0, std::min(longest, longest_diffusive_step(problem, flow.grid())));
  return -std::log(flow.integrator().diagnose().kinetic_energy / before);
}

void add_vortex_checks(std::vector<Check>& checks, const ValidationSetting& setting) {
  const std::int64_t cells = setting.full() ? 64 : 32;
  const double coarse = decay_rate(setting.placed(vortices(cells / 2)), setting.sharing());
  const double fine = decay_rate(setting.placed(vortices(cells)), setting.sharing());
  const double exact = 4.0 * vortices(cells).viscosity;
  const std::string name = "Taylor-Green vortices in two dimensions: ";
  checks.push_back({.name = name + fmt::format("decay of energy, {}^2 extrapolated", cells),
                    .value = extrapolated(coarse, fine),
                    .reference = exact,
                    .tolerance = 5e-5,
                    .source = "exact solution: energy decays as exp(-4 nu k^2 t)"});
  checks.push_back(order_check(name + "order of the rate in space",
                               order_of(exact - coarse, exact - fine), 2.0, "order of the scheme"));
  const double h = 2.0 * pi / static_cast<double>(cells);
  const double wave = 2.0 / h * std::sin(0.5 * h);
  checks.push_back({.name = name + fmt::format("decay of energy, {}^2", cells),
                    .value = fine,
                    .reference = exact * wave * wave,
                    .tolerance = 1e-8,
                    .source = "exact solution of the discrete equations: k = 2 / h sin(h / 2)"});
}

struct OrderCase {
  std::string name;
  ManufacturedEnds ends;
  std::size_t stretched = 3;  ///< an axis; 3: none
};

std::vector<OrderCase> order_cases() {
  using Flow = EndsOfFlow;
  using Kept = EndsOfScalar;
  const auto alike = [](Flow flow, Kept kept) {
    return ManufacturedEnds{{flow, flow, flow}, {kept, kept, kept}};
  };
  return {{"periodic", alike(Flow::periodic, Kept::periodic)},
          {"no-slip, fixed temperature", alike(Flow::no_slip, Kept::fixed)},
          {"free-slip, insulating", alike(Flow::free_slip, Kept::insulating)},
          {"moving walls, fixed flux",
           {{Flow::periodic, Flow::periodic, Flow::moving},
            {Kept::periodic, Kept::periodic, Kept::flux}}},
          {"no-slip opposite free-slip, linear profiles",
           {{Flow::no_slip_below_free_slip, Flow::no_slip, Flow::free_slip},
            {Kept::profile, Kept::profile, Kept::fixed}}},
          {"stretched, fixed opposite insulating",
           {{Flow::periodic, Flow::free_slip, Flow::no_slip},
            {Kept::periodic, Kept::insulating, Kept::fixed_below_insulating}},
           2}};
}

ManufacturedFlow flow_of(const OrderCase& one, std::int64_t cells) {
  std::array<AxisCells, 3> axes{AxisCells{.lower = -0.3, .upper = 0.9, .cells = cells},
                                AxisCells{.lower = 0.0, .upper = 0.8, .cells = cells},
                                AxisCells{.lower = -0.5, .upper = 0.5, .cells = cells}};
  if (one.stretched < axes.size()) {
    axes[one.stretched].stretching = 1.0;
  }
  return manufactured_flow(axes, one.ends);
}

/// Errors of the velocity and of the scalar, after a while of standing still but for them.
std::array<double, 2> errors_in_space(const OrderCase& one, std::int64_t cells,
                                      const ValidationSetting& setting) {
  const Problem problem = setting.placed(flow_of(one, cells).problem);
  constexpr double end = 0.2;
  constexpr double longest = 0.01;
  constexpr double margin = 0.9;
  TimedFlow flow(problem, setting.sharing());
  flow.advance_evenly(end,
                      std::min(longest, margin * longest_diffusive_step(problem, flow.grid())));
  const FlowState exact = initial_state(problem, flow.grid());
  const FlowState found = flow.integrator().state();
  return {velocity_distance(flow.grid(), found, exact), scalar_distance(flow.grid(), found, exact)};
}

/// `begin` and `end` of 1 of the exact flows.
void add_space_orders(std::vector<Check>& checks, const ValidationSetting& setting, double begin,
                      double end) {
  const std::int64_t cells = setting.full() ? 64 : 48;
  const std::string source =
      "order of the scheme, by manufactured solutions (Roache 2002, J. Fluids Eng. 124, 4)";
  const std::vector<OrderCase> cases = order_cases();
  const double share = (end - begin) / static_cast<double>(cases.size());
  for (std::size_t n = 0; n < cases.size(); ++n) {
    const OrderCase& one = cases[n];
    setting.tell("manufactured flows", begin + static_cast<double>(n) * share);
    const std::string name =
        fmt::format("order in space, {}^3 to {}^3, {}: ", cells / 2, cells, one.name);
    const auto coarse = errors_in_space(one, cells / 2, setting);
    const auto fine = errors_in_space(one, cells, setting);
    checks.push_back(order_check(name + "velocity", order_of(coarse[0], fine[0]), 2.0, source));
    checks.push_back(order_check(name + "scalar", order_of(coarse[1], fine[1]), 2.0, source));
  }
}

/// The state at a fixed time by steps of unequal length: `count` of them.
FlowState by_steps(const Problem& problem, const poisson::Sharing& sharing, int count) {
  constexpr double end = 0.4;
  constexpr std::array<double, 4> pattern{1.0, 1.4, 0.6, 1.0};
  TimedFlow flow(problem, sharing);
  for (int n = 0; n < count; ++n) {
    flow.step(end / count * pattern[static_cast<std::size_t>(n) % pattern.size()]);
  }
  return flow.integrator().state();
}

void add_time_orders(std::vector<Check>& checks, const ValidationSetting& setting) {
  constexpr std::int64_t cells = 8;
  Problem problem = setting.placed(flow_of(order_cases()[5], cells).problem);
  // Away from the steady flow, so that something happens.
  problem.noise = 0.5;
  problem.force = {};
  constexpr int steps = 80;
  problem.scheme = TimeScheme::runge_kutta;
  const FlowState exact = by_steps(problem, setting.sharing(), 32 * steps);
  const Grid grid(problem.axes);
  for (const TimeScheme scheme : {TimeScheme::adams_bashforth, TimeScheme::runge_kutta}) {
    problem.scheme = scheme;
    const double coarse =
        velocity_distance(grid, by_steps(problem, setting.sharing(), steps), exact);
    const double fine =
        velocity_distance(grid, by_steps(problem, setting.sharing(), 2 * steps), exact);
    checks.push_back(
        order_check("order in time, steps of unequal length: " + to_string(scheme),
                    order_of(coarse, fine), scheme == TimeScheme::adams_bashforth ? 2.0 : 3.0,
                    "order of the scheme, against steps a sixteenth of the shorter ones"));
  }
}

}  // namespace

void check_exact_flows(const ValidationSetting& setting, std::vector<Check>& checks) {
  setting.tell("Taylor-Green vortices", 0.0);
  add_vortex_checks(checks, setting);
  add_space_orders(checks, setting, 0.2, 0.9);
  setting.tell("order in time", 0.9);
  add_time_orders(checks, setting);
}

}  // namespace bankfull::convection
