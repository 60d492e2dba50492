#include "bankfull/workloads/convection/stability.hpp"
#include "bankfull/workloads/convection/validation/setting.hpp"
#include "bankfull/workloads/convection/validation/timed_flow.hpp"

#include <array>
#include <cmath>
#include <cstdint>
#include <fmt/format.h>
#include <functional>
#include <map>
#include <numbers>
#include <string>

namespace bankfull::convection {
namespace {

using std::numbers::pi;

/// The amplitude of the first motion: so small that it changes nothing but itself.
constexpr double seed_amplitude = 1e-4;

/// Fluid heated from below between z = 0 and 1, of unit viscosity and diffusivity, and its state of
/// conduction with hardly any motion.
Problem conducting_layer(double rayleigh, std::array<AxisCells, 3> axes) {
  Problem problem;
  problem.name = "onset of convection";
  problem.axes = axes;
  const WallScalar linear = WallScalar::fixed(1.0, {0.0, 0.0, -1.0});
  problem.scalars.push_back({.buoyancy = {0.0, 0.0, rayleigh},
                             .initial = [](double, double, double z) { return 1.0 - z; }});
  problem.scalars.front().walls[2] = {linear, linear};
  problem.noise = 1e-8;
  constexpr double margin = 0.95;
  problem.time_step.fixed = margin * longest_diffusive_step(problem, Grid(axes));
  problem.divergence = 1e-12 * problem.time_step.fixed;  // the flow is as weak as rounding
  return problem;
}

/// Half a roll between free-slip, insulating side walls, periodic along its axis.
Problem half_roll(double rayleigh, std::int64_t cells, double width, bool free_slip) {
  Problem problem = conducting_layer(
      rayleigh, {AxisCells{.upper = width, .cells = cells},
                 AxisCells{.upper = 0.5 * width, .cells = cells / 2, .periodic = true},
                 AxisCells{.upper = 1.0, .cells = cells}});
  for (WallMotion& side : problem.walls[0]) {
    side.free_slip = true;
  }
  for (WallMotion& plate : problem.walls[2]) {
    plate.free_slip = free_slip;
  }
  problem.initial_velocity[0] = [width](double x, double, double z) {
    return -seed_amplitude * width * std::sin(pi * x / width) * std::cos(pi * z);
  };
  problem.initial_velocity[2] = [width](double x, double, double z) {
    return seed_amplitude * std::cos(pi * x / width) * std::sin(pi * z);
  };
  return problem;
}

/// A pair of rolls between free-slip plates, periodic across and along.
Problem pair_of_rolls(double rayleigh, std::int64_t cells, double wave_number) {
  const double width = 2.0 * pi / wave_number;
  Problem problem =
      conducting_layer(rayleigh, {AxisCells{.upper = width, .cells = 2 * cells, .periodic = true},
                                  AxisCells{.upper = width, .cells = 1, .periodic = true},
                                  AxisCells{.upper = 1.0, .cells = cells}});
  for (WallMotion& plate : problem.walls[2]) {
    plate.free_slip = true;
  }
  problem.initial_velocity[0] = [wave_number](double x, double, double z) {
    return -seed_amplitude * pi / wave_number * std::sin(wave_number * x) * std::cos(pi * z);
  };
  problem.initial_velocity[2] = [wave_number](double x, double, double z) {
    return seed_amplitude * std::cos(wave_number * x) * std::sin(pi * z);
  };
  return problem;
}

/// That which turns about z, of this Taylor number (2 Omega)^2.
Problem turning_layer(double rayleigh, std::int64_t cells, double wave_number, double taylor) {
  Problem problem = pair_of_rolls(rayleigh, cells, wave_number);
  problem.rotation[2] = 0.5 * std::sqrt(taylor);
  return problem;
}

/// That with warm water above, of Rayleigh number -`stable`, and salt above, which diffuses more
/// slowly. `fingers` is the salt's Rayleigh number over the ratio of diffusivities.
Problem salt_fingers(double fingers, std::int64_t cells, double stable) {
  constexpr double diffusivity_of_salt = 0.5;
  Problem problem = pair_of_rolls(-stable, cells, pi / std::numbers::sqrt2);
  Scalar salt = problem.scalars.front();
  salt.name = "salt";
  salt.diffusivity = diffusivity_of_salt;
  salt.buoyancy[2] = fingers * diffusivity_of_salt;
  problem.scalars.push_back(salt);
  return problem;
}

/// A cube with no-slip walls; its side walls conduct as the fluid at rest does, or insulate.
Problem cubic_box(double rayleigh, std::int64_t cells, bool conducting_sides) {
  const AxisCells axis{.upper = 1.0, .cells = cells};
  Problem problem = conducting_layer(rayleigh, {axis, axis, axis});
  if (conducting_sides) {
    Scalar& temperature = problem.scalars.front();
    temperature.walls[0] = temperature.walls[2];
    temperature.walls[1] = temperature.walls[2];
  }
  set_roll(problem, seed_amplitude);
  return problem;
}

/// The growth rate of max |u| and max |w|, once both agree and no longer change. Starts from
/// `state` where that holds one, and leaves there what it ended with.
double growth_rate(const Problem& problem, const poisson::Sharing& sharing, double small_rate,
                   FlowState& state) {
  constexpr double interval = 0.05;
  constexpr int max_intervals = 60;
  TimedFlow flow(problem, sharing);
  if (!state.fields.empty()) {
    flow.integrator().load(state);
  }
  const auto speeds = [&] {
    const Vector fastest = flow.integrator().diagnose().fastest_along;
    return std::array<double, 2>{std::log(fastest[0]), std::log(fastest[2])};
  };
  std::array<double, 2> before = speeds();
  double rate_before = HUGE_VAL;
  double rate = HUGE_VAL;
  for (int n = 0; n < max_intervals; ++n) {
    flow.advance_evenly(interval, problem.time_step.fixed);
    const std::array<double, 2> now = speeds();
    const double of_u = (now[0] - before[0]) / interval;
    const double of_w = (now[1] - before[1]) / interval;
    rate = 0.5 * (of_u + of_w);
    if (std::abs(of_u - of_w) < small_rate && std::abs(rate - rate_before) < small_rate) {
      break;
    }
    before = now;
    rate_before = rate;
  }
  state = flow.integrator().state();
  return rate;
}

/// The Rayleigh number at which the rate is zero, from two that bracket it.
double critical(const std::function<Problem(double)>& problem_of, double expected,
                const poisson::Sharing& sharing) {
  constexpr double bracket = 0.005;
  constexpr double small_rate = 1e-4;  // a rate of about 10 for each relative Rayleigh number
  const double lower = expected * (1.0 - bracket);
  const double upper = expected * (1.0 + bracket);
  FlowState mode;
  const double decay = growth_rate(problem_of(lower), sharing, small_rate, mode);
  const double growth = growth_rate(problem_of(upper), sharing, small_rate, mode);
  return lower - decay * (upper - lower) / (growth - decay);
}

/// A wave exp(i k x) on cells of one width: what the second difference and the mean of two
/// neighbours multiply it by, K = (2 / h sin(k h / 2))^2 and cos(k h / 2).
struct DiscreteWave {
  double second_difference;
  double mean;
};

DiscreteWave discrete_wave(double wave_number, double width) {
  const double half = 0.5 * wave_number * width;
  const double difference = 2.0 / width * std::sin(half);
  return {difference * difference, std::cos(half)};
}

/// [(Kx + Kz)^3 + Ta cos^2(kx hx / 2) Kz] / (Kx cos^2(pi hz / 2)): free-slip plates, in a frame
/// that turns about z with Taylor number Ta.
double discrete_slip(const DiscreteWave& x, const DiscreteWave& z, double taylor = 0.0) {
  const double turned = taylor * x.mean * x.mean * z.second_difference;
  return (std::pow(x.second_difference + z.second_difference, 3) + turned) /
         (x.second_difference * z.mean * z.mean);
}

/// For one half of a roll on N cells each way, kx the critical wave number pi / sqrt(2).
double discrete_full_slip(std::int64_t cells) {
  const auto n = static_cast<double>(cells);
  return discrete_slip(discrete_wave(pi / std::numbers::sqrt2, std::numbers::sqrt2 / n),
                       discrete_wave(pi, 1.0 / n));
}

/// For pair_of_rolls.
double discrete_pair(std::int64_t cells, double wave_number, double taylor) {
  const auto n = static_cast<double>(cells);
  return discrete_slip(discrete_wave(wave_number, pi / (wave_number * n)),
                       discrete_wave(pi, 1.0 / n), taylor);
}

/// One set-up at several resolutions.
struct OnsetCase {
  std::string name;
  std::function<Problem(double rayleigh, std::int64_t cells)> problem;
  std::map<std::int64_t, double> discrete;  ///< by cells along z
  std::string discrete_source;
  std::vector<std::int64_t> cells;  ///< each twice the one before
  double exact = 0.0;
  double exact_tolerance = 0.0;
  std::string exact_source;
};

constexpr const char* eigenvalue_solve =
    "least eigenvalue of the discrete centred operator on this grid, by a separate eigenvalue "
    "solve";

OnsetCase full_slip(bool full) {
  OnsetCase one{
      .name = "critical Rayleigh number, full slip",
      .problem = [](double ra,
                    std::int64_t n) { return half_roll(ra, n, std::numbers::sqrt2, true); },
      .discrete_source =
          "closed form of the discrete operator: (Kx + Kz)^3 / "
          "(Kx cos^2(pi h / 2))",
      .exact = 27.0 * std::pow(pi, 4) / 4.0,
      .exact_tolerance = full ? 2e-5 : 1e-4,
      .exact_source = "27 pi^4 / 4; Cohen and Molemaker 2009, Table II: 657.51"};
  one.cells = full ? std::vector<std::int64_t>{16, 32, 64, 128} : std::vector<std::int64_t>{16, 32};
  for (const std::int64_t cells : one.cells) {
    one.discrete[cells] = discrete_full_slip(cells);
  }
  return one;
}

OnsetCase in_rotation(bool full) {
  constexpr double taylor = 1000.0;
  constexpr double wave_number = 3.7104;  // 2 x^3 + 3 x^2 = 1 + Ta / pi^4, x = (k / pi)^2
  const double k2 = wave_number * wave_number;
  OnsetCase one{.name = "critical Rayleigh number, full slip, Taylor number 1000",
                .problem = [](double ra,
                              std::int64_t n) { return turning_layer(ra, n, wave_number, taylor); },
                .discrete_source =
                    "closed form of the discrete operator: [(Kx + Kz)^3 + Ta "
                    "cos^2(k hx / 2) Kz] / (Kx cos^2(pi hz / 2))",
                .exact = (std::pow(pi * pi + k2, 3) + pi * pi * taylor) / k2,
                .exact_tolerance = full ? 2e-5 : 1e-4,
                .exact_source =
                    "[(pi^2 + k^2)^3 + pi^2 Ta] / k^2: Chandrasekhar 1961, Hydrodynamic "
                    "and Hydromagnetic Stability, chapter III"};
  one.cells = full ? std::vector<std::int64_t>{16, 32, 64} : std::vector<std::int64_t>{16, 32};
  for (const std::int64_t cells : one.cells) {
    one.discrete[cells] = discrete_pair(cells, wave_number, taylor);
  }
  return one;
}

OnsetCase of_salt_fingers(bool full) {
  constexpr double stable = 1000.0;
  constexpr double wave_number = pi / std::numbers::sqrt2;
  OnsetCase one{
      .name = "critical Rayleigh number of salt over its diffusivity, full slip, below warm water",
      .problem = [](double fingers, std::int64_t n) { return salt_fingers(fingers, n, stable); },
      .discrete_source =
          "closed form of the discrete operator: 1000 + (Kx + Kz)^3 / "
          "(Kx cos^2(pi h / 2))",
      .exact = stable + 27.0 * std::pow(pi, 4) / 4.0,
      .exact_tolerance = full ? 2e-5 : 1e-4,
      .exact_source =
          "Ra_S / tau + Ra_T = 27 pi^4 / 4: Baines and Gill 1969, J. Fluid Mech. 37, 289"};
  one.cells = full ? std::vector<std::int64_t>{16, 32, 64} : std::vector<std::int64_t>{16, 32};
  for (const std::int64_t cells : one.cells) {
    one.discrete[cells] = stable + discrete_pair(cells, wave_number, 0.0);
  }
  return one;
}

OnsetCase no_slip(bool full) {
  OnsetCase one{.name = "critical Rayleigh number, no slip",
                .problem =
                    [](double ra, std::int64_t n) {
                      constexpr double wave_number = 3.11;
                      return half_roll(ra, n, pi / wave_number, false);
                    },
                .discrete = {{16, 1674.0200}, {32, 1699.0571}, {64, 1705.5753}, {128, 1707.2216}},
                .discrete_source = eigenvalue_solve,
                .exact = 1707.772,
                .exact_tolerance = full ? 5e-5 : 4e-4,
                .exact_source =
                    "Reid and Harris 1958, at wave number 3.11; Cohen and Molemaker "
                    "2009, Table II: 1707.76"};
  one.cells = full ? std::vector<std::int64_t>{16, 32, 64, 128} : std::vector<std::int64_t>{16, 32};
  return one;
}

OnsetCase in_a_cube(bool full, bool conducting_sides) {
  OnsetCase one{
      .problem = [conducting_sides](double ra,
                                    std::int64_t n) { return cubic_box(ra, n, conducting_sides); },
      .discrete_source = eigenvalue_solve,
      .exact_tolerance = full ? 2e-4 : 1e-3};
  if (conducting_sides) {
    one.name = "critical Rayleigh number, cube, conducting sides";
    one.discrete = {{16, 6636.2936}, {32, 6754.8766}};
    one.exact = 6797.74;
    one.exact_source =
        "converged value; Cohen and Molemaker's 6755 is that of 32 cells, not converged";
  } else {
    one.name = "critical Rayleigh number, cube, insulating sides";
    one.discrete = {{16, 3282.7012}, {32, 3360.6326}};
    one.exact = 3388.53;
    one.exact_source = "converged value; Puigjaner et al. 2004, Phys. Fluids 16, 3639: 3389";
  }
  one.cells = full ? std::vector<std::int64_t>{16, 32, 64} : std::vector<std::int64_t>{16, 32};
  return one;
}

void add_checks(std::vector<Check>& checks, const OnsetCase& one, const ValidationSetting& setting,
                const std::function<void(const std::string&, std::int64_t cells)>& told) {
  constexpr double discrete_tolerance = 1e-4;
  double before = 0.0;
  double last = 0.0;
  for (const std::int64_t cells : one.cells) {
    const std::string name = fmt::format("{}, {} cells", one.name, cells);
    told(name, cells);
    const auto known = one.discrete.find(cells);
    const double expected =
        known != one.discrete.end() ? known->second : one.exact - (one.exact - last) / 4.0;
    before = last;
    last = critical([&](double ra) { return setting.placed(one.problem(ra, cells)); }, expected,
                    setting.sharing());
    if (known != one.discrete.end()) {
      checks.push_back({.name = name,
                        .value = last,
                        .reference = known->second,
                        .tolerance = discrete_tolerance,
                        .source = one.discrete_source});
    }
  }
  checks.push_back({.name = one.name + ", extrapolated",
                    .value = extrapolated(before, last),
                    .reference = one.exact,
                    .tolerance = one.exact_tolerance,
                    .source = one.exact_source});
}

}  // namespace

void check_critical_rayleigh_numbers(const ValidationSetting& setting, std::vector<Check>& checks) {
  const std::vector<OnsetCase> cases{
      full_slip(setting.full()), in_rotation(setting.full()),     of_salt_fingers(setting.full()),
      no_slip(setting.full()),   in_a_cube(setting.full(), true), in_a_cube(setting.full(), false)};
  double done = 0.0;
  double all = 0.0;
  const auto work = [](std::int64_t cells) { return std::pow(static_cast<double>(cells), 3.5); };
  for (const OnsetCase& one : cases) {
    for (const std::int64_t cells : one.cells) {
      all += work(cells);
    }
  }
  for (const OnsetCase& one : cases) {
    add_checks(checks, one, setting, [&](const std::string& name, std::int64_t cells) {
      setting.tell(name, done / all);
      done += work(cells);
    });
  }
}

}  // namespace bankfull::convection
