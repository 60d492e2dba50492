#include "bankfull/workloads/convection/validation/samples.hpp"
#include "bankfull/workloads/convection/validation/setting.hpp"
#include "bankfull/workloads/convection/validation/timed_flow.hpp"

#include <array>
#include <cstdint>
#include <fmt/format.h>
#include <string>
#include <utility>
#include <vector>

namespace bankfull::convection {
namespace {

/// Air in a cavity eight times as high as wide, from rest at the mean temperature; lengths in
/// widths.
Problem tall_cavity(std::int64_t cells_across) {
  Problem problem =
      free_fall_problem(3.4e5, 0.71,
                        {AxisCells{.upper = 1.0, .cells = cells_across, .stretching = 1.3},
                         AxisCells{.upper = 1.0, .cells = 1, .periodic = true},
                         AxisCells{.upper = 8.0, .cells = 5 * cells_across}});
  problem.name = "8:1 cavity";
  problem.scheme = TimeScheme::runge_kutta;
  problem.time_step.courant = 1.2;
  problem.implicit_diffusion = ImplicitDiffusion::stretched;
  problem.scalars.front().walls[0] = {WallScalar::fixed(0.5), WallScalar::fixed(-0.5)};
  return problem;
}

/// What is read off the flow once it is periodic.
struct PeriodicFlow {
  double period = 0.0;
  double heat = 0.0;         ///< mean Nusselt number
  double temperature = 0.0;  ///< mean at (0.181, 7.37)
  double range = 0.0;        ///< of that temperature
};

PeriodicFlow periodic_flow(const ValidationSetting& setting, const std::string& name,
                           std::int64_t cells_across, double done) {
  constexpr double transient = 1400.0;  // in which the oscillation comes to its amplitude
  constexpr double watched = 100.0;
  constexpr double interval = 0.05;
  constexpr Vector probe{0.181, 0.5, 7.37};
  const Problem problem = setting.placed(tall_cavity(cells_across));
  TimedFlow flow(problem, setting.sharing_of(problem));
  while (flow.time() < transient) {
    setting.tell(name, done);
    flow.advance(0.02 * transient);
  }
  const double longest = flow.integrator().progress().dt;
  Samples temperature{.interval = interval};
  Samples heat{.interval = interval};
  while (heat.duration() < watched) {
    setting.tell(name, done);
    flow.advance_evenly(interval, longest);
    temperature.values.push_back(scalar_at(flow, probe));
    heat.values.push_back(nusselt_at_walls(flow));
  }
  return {temperature.period(), heat.mean(), temperature.mean(), temperature.range()};
}

}  // namespace

/// Just beyond the onset of unsteadiness: the oscillation grows out of the start from rest, slowly,
/// and on grids coarser than these not at all.
void check_tall_cavity(const ValidationSetting& setting, double done, std::vector<Check>& checks) {
  constexpr std::int64_t coarse_cells = 96;
  constexpr std::int64_t fine_cells = 128;
  const std::string name = fmt::format("8:1 cavity, Ra 3.4e5, {} and {} cells across, extrapolated",
                                       coarse_cells, fine_cells);
  const PeriodicFlow coarse = periodic_flow(setting, name, coarse_cells, done);
  const PeriodicFlow fine = periodic_flow(setting, name, fine_cells, done);
  const auto add = [&](const std::string& what, double PeriodicFlow::*read, double reference,
                       double tolerance) {
    constexpr double ratio = static_cast<double>(fine_cells) / static_cast<double>(coarse_cells);
    checks.push_back({.name = name + ": " + what,
                      .value = fine.*read + (fine.*read - coarse.*read) / (ratio * ratio - 1.0),
                      .reference = reference,
                      .tolerance = tolerance,
                      .source = "Xin and Le Quere 2002, Int. J. Numer. Meth. Fluids 40, 981"});
  };
  add("period", &PeriodicFlow::period, 3.4115, 1e-3);
  add("mean Nusselt number", &PeriodicFlow::heat, 4.57946, 2e-4);
  add("mean temperature at (0.181, 7.37)", &PeriodicFlow::temperature, 0.265480, 1e-3);
  add("range of temperature at (0.181, 7.37)", &PeriodicFlow::range, 0.042740, 0.05);
}

}  // namespace bankfull::convection
