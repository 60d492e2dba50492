#include "bankfull/workloads/convection/validation/samples.hpp"
#include "bankfull/workloads/convection/validation/setting.hpp"
#include "bankfull/workloads/convection/validation/timed_flow.hpp"

#include <array>
#include <cmath>
#include <cstdint>
#include <fmt/format.h>
#include <limits>
#include <string>
#include <vector>

namespace bankfull::convection {
namespace {

constexpr AxisCells one_cell{.upper = 1.0, .cells = 1, .periodic = true};

/// A layer of height 1 along z, heated from below, periodic across.
Problem heated_layer(double rayleigh, double prandtl, const AxisCells& along_x,
                     const AxisCells& along_y, const AxisCells& along_z) {
  Problem problem = free_fall_problem(rayleigh, prandtl, {along_x, along_y, along_z});
  problem.name = "heated layer";
  problem.scheme = TimeScheme::runge_kutta;
  problem.time_step.courant = 1.2;
  problem.scalars.front().initial = [](double, double, double z) { return 0.5 - z; };
  problem.scalars.front().walls[2] = {WallScalar::fixed(0.5), WallScalar::fixed(-0.5)};
  return problem;
}

/// The Nusselt number of one pair of steady rolls of wave number 3.117; NaN where they do not
/// become steady.
double nusselt_of_rolls(const ValidationSetting& setting, double rayleigh, std::int64_t cells,
                        const std::string& name, double done) {
  constexpr double wave_number = 3.117;
  constexpr double width = 2.0 * std::numbers::pi / wave_number;
  Problem problem =
      heated_layer(rayleigh, 0.71, {.upper = width, .cells = 2 * cells, .periodic = true}, one_cell,
                   {.upper = 1.0, .cells = cells});
  problem.initial_velocity[2] = [](double x, double /*y*/, double z) {
    return 0.1 * std::cos(wave_number * x) * std::sin(std::numbers::pi * z);
  };
  TimedFlow flow(setting.placed(problem), setting.sharing());
  const auto watched = [](const Diagnosis& found) { return found.kinetic_energy; };
  const bool steady = settle(flow, {.interval = 5.0, .tolerance = 1e-7, .longest = 1000.0}, watched,
                             [&](double /*time*/) { setting.tell(name, done); });
  return steady ? nusselt_at_walls(flow) : std::numeric_limits<double>::quiet_NaN();
}

void check_rolls(const ValidationSetting& setting, double rayleigh, double nusselt, double done,
                 std::vector<Check>& checks) {
  const std::int64_t coarse = setting.full() ? 48 : 24;
  const std::string name = fmt::format(
      "rolls of wave number 3.117, Ra {:g}, {} and {} cells high, extrapolated: "
      "Nusselt number",
      rayleigh, coarse, 2 * coarse);
  checks.push_back(
      {.name = name,
       .value = extrapolated(nusselt_of_rolls(setting, rayleigh, coarse, name, done),
                             nusselt_of_rolls(setting, rayleigh, 2 * coarse, name, done)),
       .reference = nusselt,
       .tolerance = 1e-4,
       .source =
           "steady solution by a spectral method, tests/workloads/convection/steady_rolls.py; "
           "the truncated expansions of Clever and Busse 1974, J. Fluid Mech. 65, 625, give "
           "2.661 and 4.245"});
}

/// A flow that never becomes steady, and over what time its Nusselt number is averaged.
struct Turbulence {
  std::string name;
  Problem problem;
  double transient = 100.0;
  double averaged = 200.0;
  double reference = 0.0;
  double tolerance = 0.0;
  std::string source;
};

Turbulence plane_layer(double rayleigh, std::int64_t cells) {
  return {
      .name = fmt::format("layer in the plane, Ra {:g}, Pr 1, {} x {} cells", rayleigh, 2 * cells,
                          cells),
      .problem = heated_layer(rayleigh, 1.0, {.upper = 2.0, .cells = 2 * cells, .periodic = true},
                              one_cell, {.upper = 1.0, .cells = cells, .stretching = 1.5}),
      .averaged = 300.0,
      .reference = 0.138 * std::pow(rayleigh, 0.285),
      .tolerance = 0.05,
      .source =
          "0.138 Ra^0.285: Johnston and Doering 2009, Phys. Rev. Lett. 102, 064501; a "
          "fit over three decades"};
}

/// Four heights wide. The published flows are 25 heights wide, which changes little at the walls.
Turbulence wide_layer(double rayleigh, std::int64_t cells_across, std::int64_t cells,
                      double averaged, double nusselt) {
  const AxisCells across{.upper = 4.0, .cells = cells_across, .periodic = true};
  return {.name = fmt::format("layer, Ra {:g}, Pr 0.7, {} x {} x {} cells", rayleigh, cells_across,
                              cells_across, cells),
          .problem = heated_layer(rayleigh, 0.7, across, across,
                                  {.upper = 1.0, .cells = cells, .stretching = 1.5}),
          .transient = 60.0,
          .averaged = averaged,
          .reference = nusselt,
          .tolerance = 0.02,
          .source = "Pandey, Scheel and Schumacher 2018, Nat. Commun. 9, 2118"};
}

void check_turbulence(const ValidationSetting& setting, Turbulence one, double done,
                      std::vector<Check>& checks) {
  constexpr double interval = 0.25;
  one.problem.noise = 1e-2;
  TimedFlow flow(setting.placed(one.problem), setting.sharing());
  const auto tell = [&] { setting.tell(one.name, done); };
  while (flow.time() < one.transient) {
    tell();
    flow.advance(10.0);
  }
  Samples heat{.interval = interval};
  while (heat.duration() < one.averaged) {
    tell();
    flow.advance(interval);
    heat.values.push_back(nusselt_at_walls(flow));
  }
  checks.push_back({.name = one.name + ": mean Nusselt number",
                    .value = heat.mean(),
                    .reference = one.reference,
                    .tolerance = one.tolerance,
                    .source = one.source});
}

}  // namespace

void check_layers(const ValidationSetting& setting, std::vector<Check>& checks) {
  check_rolls(setting, 1e4, 2.652502, 0.0, checks);
  check_rolls(setting, 5e4, 4.157695, 0.03, checks);
  if (!setting.full()) {
    return;
  }
  check_turbulence(setting, plane_layer(1e7, 128), 0.06, checks);
  check_turbulence(setting, plane_layer(1e8, 256), 0.2, checks);
  check_turbulence(setting, wide_layer(1e5, 96, 48, 300.0, 4.26), 0.5, checks);
  check_turbulence(setting, wide_layer(1e6, 160, 64, 200.0, 8.10), 0.6, checks);
  check_turbulence(setting, wide_layer(1e7, 320, 96, 100.0, 15.48), 0.75, checks);
}

}  // namespace bankfull::convection
