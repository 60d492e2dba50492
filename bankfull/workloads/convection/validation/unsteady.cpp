#include "bankfull/workloads/convection/heat_path.hpp"
#include "bankfull/workloads/convection/validation/setting.hpp"
#include "bankfull/workloads/convection/validation/timed_flow.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <fmt/format.h>
#include <string>
#include <vector>

namespace bankfull::convection {
namespace {

/// The mean of the Nusselt numbers at both walls.
double nusselt_at_walls(TimedFlow& flow, const HeatPath& path) {
  const double diffusivity = flow.problem().scalars.front().diffusivity;
  const Nusselt now = nusselt_of(path, diffusivity, flow.integrator().diagnose());
  return 0.5 * (now.lower + now.upper);
}

/// A fluid of buoyancy 1 for each unit of temperature, in units of the free fall over a length.
Problem free_fall(double rayleigh, double prandtl, std::array<AxisCells, 3> axes) {
  Problem problem;
  problem.axes = axes;
  problem.viscosity = std::sqrt(prandtl / rayleigh);
  problem.scalars.push_back(
      {.diffusivity = 1.0 / std::sqrt(prandtl * rayleigh), .buoyancy = {0.0, 0.0, 1.0}});
  return problem;
}

/// Air in a cavity eight times as high as wide, from rest at the mean temperature; lengths in
/// widths.
Problem tall_cavity(std::int64_t cells_across) {
  Problem problem = free_fall(3.4e5, 0.71,
                              {AxisCells{.upper = 1.0, .cells = cells_across, .stretching = 1.3},
                               AxisCells{.upper = 1.0, .cells = 1, .periodic = true},
                               AxisCells{.upper = 8.0, .cells = 5 * cells_across}});
  problem.name = "8:1 cavity";
  problem.scalars.front().walls[0] = {WallScalar::fixed(0.5), WallScalar::fixed(-0.5)};
  problem.time_step.courant = 0.5;
  return problem;
}

/// The first scalar at a place inside, linear between the centres of the cells around it; the grid
/// has one cell along y.
double scalar_at(TimedFlow& flow, double x, double z) {
  const Grid& grid = flow.grid();
  std::array<std::int64_t, 3> below{};
  std::array<double, 3> share{};
  for (const auto& [physical, place] : {std::pair{0, x}, std::pair{2, z}}) {
    const int axis = grid.storage(physical);
    const GridAxis& line = grid.axis(axis);
    std::int64_t cell = 0;
    while (line.centre(cell + 1) <= place) {
      ++cell;
    }
    const auto n = static_cast<std::size_t>(axis);
    below[n] = cell;
    share[n] = (place - line.centre(cell)) / (line.centre(cell + 1) - line.centre(cell));
  }
  double sum = 0.0;
  for (const int corner : {0, 1, 2, 3, 4, 5, 6, 7}) {
    std::array<std::int64_t, 3> at = below;
    double weight = 1.0;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const bool above = (corner >> axis) % 2 == 1;
      weight *= above ? share[axis] : 1.0 - share[axis];
      at[axis] += above ? 1 : 0;
    }
    if (weight > 0.0) {
      double value = 0.0;
      flow.integrator().read(3, {at[0], at[0] + 1, at[1], at[1] + 1, at[2], at[2] + 1}, &value);
      sum += weight * value;
    }
  }
  return sum;
}

/// Samples of a quantity, evenly spaced in time.
struct Samples {
  double interval = 0.0;
  std::vector<double> values;

  [[nodiscard]] double mean() const {
    double sum = 0.0;
    for (const double value : values) {
      sum += value;
    }
    return sum / static_cast<double>(values.size());
  }

  [[nodiscard]] double range() const {
    const auto [least, most] = std::minmax_element(values.begin(), values.end());
    return *most - *least;
  }

  /// The mean time between the values' passing their mean upwards; NaN where they hardly do.
  [[nodiscard]] double period() const {
    const double middle = mean();
    std::vector<double> times;
    for (std::size_t n = 1; n < values.size(); ++n) {
      if (values[n - 1] < middle && values[n] >= middle) {
        const double part = (middle - values[n - 1]) / (values[n] - values[n - 1]);
        times.push_back(interval * (static_cast<double>(n - 1) + part));
      }
    }
    return times.size() < 2
               ? std::nan("")
               : (times.back() - times.front()) / static_cast<double>(times.size() - 1);
  }
};

/// A flow that has become periodic at this Rayleigh number, just beyond the onset of unsteadiness.
void check_tall_cavity(const ValidationSetting& setting, std::vector<Check>& checks) {
  constexpr double transient = 1500.0;  // in which the oscillation grows to its amplitude
  constexpr double watched = 100.0;
  constexpr double interval = 0.05;
  const std::int64_t cells = 64;
  const std::string name = fmt::format("8:1 cavity, Ra 3.4e5, {} x {} cells", cells, 5 * cells);
  TimedFlow flow(setting.placed(tall_cavity(cells)));
  while (flow.time() < transient) {
    setting.tell(name, 0.4 * flow.time() / transient);
    flow.advance(0.02 * transient);
  }
  const std::unique_ptr<HeatPath> path = heat_path_of(flow.problem());
  const double longest = 0.9 * flow.integrator().progress().dt;
  Samples temperature{.interval = interval};
  Samples heat{.interval = interval};
  while (static_cast<double>(heat.values.size()) * interval < watched) {
    setting.tell(name, 0.4);
    flow.advance_evenly(interval, longest);
    temperature.values.push_back(scalar_at(flow, 0.181, 7.37));
    heat.values.push_back(nusselt_at_walls(flow, *path));
  }
  const std::string source =
      "Xin and Le Quere in Christon, Gresho and Sutton 2002, Int. J. Numer. Meth. Fluids 40, 953";
  const auto add = [&](const std::string& what, double value, double reference, double tolerance) {
    checks.push_back({.name = name + ": " + what,
                      .value = value,
                      .reference = reference,
                      .tolerance = tolerance,
                      .source = source});
  };
  add("period", temperature.period(), 3.4115, 5e-3);
  add("mean Nusselt number", heat.mean(), 4.57946, 2e-3);
  add("mean temperature at point 1", temperature.mean(), 0.265480, 5e-3);
  add("range of temperature at point 1", temperature.range(), 0.042740, 0.05);
}

/// Heat through a layer of two by one, periodic across, in the plane.
void check_plane_layer(const ValidationSetting& setting, double rayleigh, std::int64_t cells,
                       double done, std::vector<Check>& checks) {
  constexpr double transient = 100.0;
  constexpr double averaged = 300.0;
  constexpr double interval = 0.25;
  const std::string name =
      fmt::format("layer in the plane, Ra {:g}, Pr 1, {} x {} cells: mean Nusselt number", rayleigh,
                  2 * cells, cells);
  Problem problem = free_fall(rayleigh, 1.0,
                              {AxisCells{.upper = 2.0, .cells = 2 * cells, .periodic = true},
                               AxisCells{.upper = 1.0, .cells = 1, .periodic = true},
                               AxisCells{.upper = 1.0, .cells = cells, .stretching = 1.5}});
  problem.name = "layer in the plane";
  problem.scheme = TimeScheme::runge_kutta;
  problem.time_step.courant = 1.2;
  problem.noise = 1e-2;
  problem.scalars.front().initial = [](double, double, double z) { return 0.5 - z; };
  problem.scalars.front().walls[2] = {WallScalar::fixed(0.5), WallScalar::fixed(-0.5)};
  TimedFlow flow(setting.placed(problem));
  flow.advance(transient);
  const std::unique_ptr<HeatPath> path = heat_path_of(flow.problem());
  Samples heat{.interval = interval};
  while (static_cast<double>(heat.values.size()) * interval < averaged) {
    setting.tell(name, done);
    flow.advance(interval);
    heat.values.push_back(nusselt_at_walls(flow, *path));
  }
  checks.push_back({.name = name,
                    .value = heat.mean(),
                    .reference = 0.138 * std::pow(rayleigh, 0.285),
                    .tolerance = 0.04,
                    .source = "0.138 Ra^0.285: Johnston and Doering 2009, Phys. Rev. Lett. 102, "
                              "064501"});
}

}  // namespace

void check_unsteady_flows(const ValidationSetting& setting, std::vector<Check>& checks) {
  if (!setting.full()) {
    return;
  }
  check_tall_cavity(setting, checks);
  check_plane_layer(setting, 1e7, 128, 0.5, checks);
  check_plane_layer(setting, 1e8, 256, 0.7, checks);
}

}  // namespace bankfull::convection
