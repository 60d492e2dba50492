#include "bankfull/workloads/convection/validation/samples.hpp"
#include "bankfull/workloads/convection/validation/setting.hpp"
#include "bankfull/workloads/convection/validation/timed_flow.hpp"

#include <array>
#include <cstdint>
#include <fmt/format.h>
#include <functional>
#include <limits>
#include <memory>
#include <string>

namespace bankfull::convection {
namespace {

constexpr double prandtl_of_air = 0.71;

/// A square in x and z of one periodic cell along y.
std::array<AxisCells, 3> square(std::int64_t cells) {
  const AxisCells side{.upper = 1.0, .cells = cells};
  return {side, AxisCells{.upper = 1.0, .cells = 1, .periodic = true}, side};
}

/// Air between a warm wall at x = 0 and a cold one at x = 1, insulated above and below; lengths in
/// widths, velocities in kappa over width.
Problem heated_cavity(double rayleigh, std::int64_t cells) {
  Problem problem;
  problem.name = "heated cavity";
  problem.axes = square(cells);
  problem.viscosity = prandtl_of_air;
  problem.scalars.push_back({.buoyancy = {0.0, 0.0, rayleigh * prandtl_of_air},
                             .initial = [](double x, double, double) { return 0.5 - x; }});
  problem.scalars.front().walls[0] = {WallScalar::fixed(0.5), WallScalar::fixed(-0.5)};
  return problem;
}

/// The same with cells that gather at all four walls, whose diffusion would keep steps short.
Problem stretched_cavity(double rayleigh, std::int64_t cells) {
  Problem problem = heated_cavity(rayleigh, cells);
  problem.axes[0].stretching = problem.axes[2].stretching = 1.5;
  problem.implicit_diffusion = ImplicitDiffusion::stretched;
  problem.scheme = TimeScheme::runge_kutta;
  problem.time_step.courant = 1.2;
  return problem;
}

/// A cube heated from below, its side walls as warm as the fluid at rest, from one roll about y.
Problem heated_cube(double rayleigh, std::int64_t cells) {
  const AxisCells side{.upper = 1.0, .cells = cells};
  Problem problem;
  problem.name = "cube heated from below";
  problem.axes = {side, side, side};
  problem.viscosity = prandtl_of_air;
  problem.scalars.push_back({.buoyancy = {0.0, 0.0, rayleigh * prandtl_of_air},
                             .initial = [](double, double, double z) { return 1.0 - z; }});
  const WallScalar linear = WallScalar::fixed(1.0, {0.0, 0.0, -1.0});
  problem.scalars.front().walls.fill({linear, linear});
  set_roll(problem, 10.0);
  return problem;
}

/// The lid at z = 1 moves along x with unit speed.
Problem lid_driven_cavity(double reynolds, std::int64_t cells) {
  Problem problem;
  problem.name = "lid-driven cavity";
  problem.axes = square(cells);
  problem.viscosity = 1.0 / reynolds;
  problem.walls[2][1].velocity[0] = 1.0;
  problem.time_step.courant = 0.5;
  return problem;
}

/// What is read off a steady flow.
using Readings = std::vector<double>;

/// Runs a problem until it is steady; null where it does not become so.
std::unique_ptr<TimedFlow> steady_flow(const Problem& problem, const Steadiness& steadiness,
                                       const std::string& name, const ValidationSetting& setting,
                                       double done) {
  auto flow = std::make_unique<TimedFlow>(setting.placed(problem), setting.sharing_of(problem));
  const auto watched = [](const Diagnosis& found) { return found.kinetic_energy; };
  const auto told = [&](double /*time*/) { setting.tell(name, done); };
  if (!settle(*flow, steadiness, watched, told)) {
    flow.reset();
  }
  return flow;
}

/// The value for a flow that does not become steady: fails every check.
constexpr double unsteady = std::numeric_limits<double>::quiet_NaN();

/// Nusselt number, fastest horizontal velocity on x = 1/2, fastest vertical one on z = 1/2.
Readings read_heated_cavity(TimedFlow& flow) {
  const FlowState state = flow.integrator().state();
  constexpr Vector middle{0.5, 0.5, 0.5};
  return {nusselt_now(flow).lower, max_along(velocity_profile(flow.grid(), state, 0, 2, middle)),
          max_along(velocity_profile(flow.grid(), state, 2, 0, middle))};
}

/// Least horizontal velocity on x = 1/2; largest and least vertical one on z = 1/2.
Readings read_lid_driven_cavity(TimedFlow& flow) {
  const FlowState state = flow.integrator().state();
  constexpr Vector middle{0.5, 0.5, 0.5};
  const LineProfile vertical = velocity_profile(flow.grid(), state, 2, 0, middle);
  return {min_along(velocity_profile(flow.grid(), state, 0, 2, middle)), max_along(vertical),
          min_along(vertical)};
}

/// One of the readings, as the literature has it.
struct Known {
  std::string quantity;
  double reference = 0.0;
  double tolerance = 0.0;
  std::string source;
};

/// A steady flow on two grids.
struct CavityCase {
  std::string name;
  double rayleigh = 0.0;
  std::function<Problem(std::int64_t cells)> problem;
  std::function<Readings(TimedFlow&)> read;
  std::vector<Known> known;
  std::array<std::int64_t, 2> cells;  ///< the second twice the first
  Steadiness steadiness;
};

constexpr const char* de_vahl_davis =
    "de Vahl Davis 1983, Int. J. Numer. Meth. Fluids 3, 249; to the accuracy he states";
constexpr const char* le_quere = "Le Quere 1991, Comput. Fluids 20, 29";

constexpr const char* hortmann =
    "Hortmann, Peric and Scheuerer 1990, Int. J. Numer. Meth. Fluids 11, 189";

/// The Nusselt number and the fastest velocities.
std::vector<Known> heated_cavity_readings(const Known& nusselt_number, const Known& velocities,
                                          double vertical) {
  std::vector<Known> known{nusselt_number, velocities, velocities};
  known[0].quantity = "Nusselt number";
  known[1].quantity = "fastest horizontal velocity";
  known[2].quantity = "fastest vertical velocity";
  known[2].reference = vertical;
  return known;
}

CavityCase heated(double rayleigh, std::vector<Known> known, std::int64_t coarse, double interval) {
  return {.name = fmt::format("heated cavity, Ra {:g}, {}^2 and {}^2 extrapolated", rayleigh,
                              coarse, 2 * coarse),
          .rayleigh = rayleigh,
          .problem = [rayleigh](std::int64_t cells) { return heated_cavity(rayleigh, cells); },
          .read = read_heated_cavity,
          .known = std::move(known),
          .cells = {coarse, 2 * coarse},
          .steadiness = {.interval = interval, .tolerance = 1e-7, .longest = 100.0 * interval}};
}

/// The same on stretched grids.
CavityCase stretched(CavityCase one) {
  one.problem = [rayleigh = one.rayleigh](std::int64_t cells) {
    return stretched_cavity(rayleigh, cells);
  };
  return one;
}

CavityCase lid_driven(std::int64_t coarse, double tolerance, double steadiness) {
  constexpr double reynolds = 1000.0;
  const std::string source = "Botella and Peyret 1998, Comput. Fluids 27, 421";
  return {.name = fmt::format("lid-driven cavity, Re 1000, {}^2 and {}^2 extrapolated", coarse,
                              2 * coarse),
          .problem = [](std::int64_t cells) { return lid_driven_cavity(reynolds, cells); },
          .read = read_lid_driven_cavity,
          .known = {{"least horizontal velocity", -0.3885698, tolerance, source},
                    {"largest vertical velocity", 0.3769447, tolerance, source},
                    {"least vertical velocity", -0.5270771, tolerance, source}},
          .cells = {coarse, 2 * coarse},
          .steadiness = {.interval = 2.0, .tolerance = steadiness, .longest = 400.0}};
}

std::vector<CavityCase> cavity_cases(bool full) {
  const auto readings = [](const Known& nusselt_number, double horizontal, double vertical,
                           double tolerance, const char* source) {
    return heated_cavity_readings(
        nusselt_number, {.reference = horizontal, .tolerance = tolerance, .source = source},
        vertical);
  };
  const auto nusselt_of_hortmann = [](double value) {
    return Known{.reference = value, .tolerance = 1e-4, .source = hortmann};
  };
  std::vector<CavityCase> cases{
      heated(1e3,
             readings({.reference = 1.118, .tolerance = 2e-3, .source = de_vahl_davis}, 3.649,
                      3.697, 2e-3, de_vahl_davis),
             full ? 64 : 16, 0.02),
      heated(1e4, readings(nusselt_of_hortmann(2.24475), 16.178, 19.617, 3e-3, de_vahl_davis),
             full ? 64 : 32, 0.02),
      heated(1e5, readings(nusselt_of_hortmann(4.52164), 34.73, 68.59, 4e-3, de_vahl_davis),
             full ? 96 : 48, 0.01)};
  if (full) {
    cases.push_back(heated(1e6,
                           readings({.reference = 8.8252, .tolerance = 1e-3, .source = le_quere},
                                    64.83, 220.6, 1e-3, le_quere),
                           96, 0.01));
    cases.push_back(
        stretched(heated(1e7,
                         readings({.reference = 16.523, .tolerance = 5e-3, .source = le_quere},
                                  148.6, 699.2, 5e-3, le_quere),
                         96, 0.01)));
    cases.push_back(
        stretched(heated(1e8,
                         readings({.reference = 30.225, .tolerance = 2e-3, .source = le_quere},
                                  321.9, 2222.0, 5e-3, le_quere),
                         96, 0.02)));
  }
  cases.push_back(full ? lid_driven(128, 1e-3, 1e-6) : lid_driven(64, 0.01, 1e-5));
  return cases;
}

void add_cavity_checks(std::vector<Check>& checks, const CavityCase& one,
                       const ValidationSetting& setting, double done) {
  std::array<Readings, 2> found;
  for (std::size_t grid = 0; grid < 2; ++grid) {
    const std::unique_ptr<TimedFlow> flow =
        steady_flow(one.problem(one.cells[grid]), one.steadiness, one.name, setting, done);
    found[grid] = flow ? one.read(*flow) : Readings(one.known.size(), unsteady);
  }
  for (std::size_t n = 0; n < one.known.size(); ++n) {
    const Known& known = one.known[n];
    checks.push_back({.name = one.name + ": " + known.quantity,
                      .value = extrapolated(found[0][n], found[1][n]),
                      .reference = known.reference,
                      .tolerance = known.tolerance,
                      .source = known.source});
  }
}

/// Several steady flows exist at this Rayleigh number; from this roll comes the paper's. The paper
/// names no grid, and its two decimals are not converged.
Check check_cube(const ValidationSetting& setting, double done) {
  constexpr double rayleigh = 4.4e4;
  const std::int64_t cells = setting.full() ? 48 : 32;
  const std::string name =
      fmt::format("cube heated from below, Ra 4.4e4, {}^3: Nusselt number", cells);
  const std::unique_ptr<TimedFlow> flow = steady_flow(
      heated_cube(rayleigh, cells), {.interval = 0.05, .tolerance = 1e-5}, name, setting, done);
  return {.name = name,
          .value = flow ? nusselt_now(*flow).lower : unsteady,
          .reference = 2.05,
          .tolerance = setting.full() ? 3e-3 : 1e-2,
          .source = "Cohen and Molemaker 2009 print 2.05"};
}

}  // namespace

void check_cavities(const ValidationSetting& setting, std::vector<Check>& checks) {
  const std::vector<CavityCase> cases = cavity_cases(setting.full());
  const auto count = static_cast<double>(cases.size() + 2);
  double done = 0.0;
  for (const CavityCase& one : cases) {
    add_cavity_checks(checks, one, setting, done++ / count);
  }
  checks.push_back(check_cube(setting, done++ / count));
  if (setting.full()) {
    check_tall_cavity(setting, done / count, checks);
  }
}

}  // namespace bankfull::convection
