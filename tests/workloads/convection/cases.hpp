#pragma once

#include "bankfull/numerics/formula/compile.hpp"
#include "bankfull/workloads/convection/grid.hpp"
#include "bankfull/workloads/convection/problem.hpp"
#include "bankfull/workloads/convection/stability.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <gtest/gtest.h>
#include <memory>
#include <numbers>
#include <ostream>
#include <string>
#include <vector>

namespace bankfull::convection {

/// What the two walls across one axis do to the flow.
enum class FlowEnds { periodic, no_slip, free_slip, mixed_moving };

inline constexpr std::array<FlowEnds, 4> all_flow_ends{FlowEnds::periodic, FlowEnds::no_slip,
                                                       FlowEnds::free_slip, FlowEnds::mixed_moving};

inline std::string name_of(FlowEnds ends) {
  constexpr std::array<const char*, 4> names{"Periodic", "NoSlip", "FreeSlip", "Moving"};
  return names[static_cast<std::size_t>(ends)];
}

inline void set_flow_ends(Problem& problem, std::size_t axis, FlowEnds ends) {
  auto& [lower, upper] = problem.walls[axis];
  problem.axes[axis].periodic = ends == FlowEnds::periodic;
  lower.free_slip = ends == FlowEnds::free_slip;
  upper.free_slip = ends == FlowEnds::free_slip;
  if (ends == FlowEnds::mixed_moving) {
    lower.free_slip = true;
    upper.velocity[(axis + 1) % 3] = 0.4;
    upper.velocity[(axis + 2) % 3] = -0.7;
    upper.slip_length = axis == 1 ? 0.15 : 0.0;
  }
}

/// Five kinds of walls for a scalar.
inline WallScalar scalar_wall(std::size_t number) {
  switch (number % 5) {
    case 0:
      return WallScalar::fixed(0.5);
    case 1:
      return WallScalar::fixed(-0.2, {0.3, -0.4, 0.6});
    case 2:
      return WallScalar::heated(0.07);
    case 3:
      return WallScalar::mixed(0.2, 0.4, {-0.2, 0.5, 0.3});
    default:
      return WallScalar::insulating();
  }
}

/// Where the box of a busy problem begins, and how long it is.
inline constexpr std::array<double, 3> box_lower{-0.3, 0.0, -0.5};
inline constexpr std::array<double, 3> box_length{1.5, 0.8, 1.0};

/// Smooth, periodic over the box, and alike along no two directions.
inline PointFunction uneven(double amplitude, double phase) {
  constexpr double turn = 2.0 * std::numbers::pi;
  return [amplitude, phase](double x, double y, double z) {
    const double a = turn * x / box_length[0];
    const double b = turn * y / box_length[1];
    const double c = turn * z / box_length[2];
    return amplitude * (std::sin(a + phase) * std::cos(b - 0.4 * phase) +
                        0.6 * std::cos(c + a + phase) + 0.2 * std::sin(b - c + 2.0 * phase));
  };
}

/// Small grids: odd, anisotropic, of one cell along an axis, the longest axis first, last and in
/// between.
inline const std::vector<std::array<std::int64_t, 3>>& shapes() {
  static const std::vector<std::array<std::int64_t, 3>> all{
      {6, 5, 7},  {9, 3, 4}, {1, 6, 9}, {4, 1, 5}, {7, 4, 1}, {2, 2, 2},
      {3, 11, 4}, {8, 8, 8}, {1, 1, 6}, {5, 1, 1}, {17, 6, 5}};
  return all;
}

/// A problem in which every term of the equations counts.
inline Problem busy_problem(std::array<std::int64_t, 3> cells, std::array<FlowEnds, 3> ends,
                            std::size_t scalars, std::size_t variety) {
  Problem problem;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    problem.axes[axis] = {.lower = box_lower[axis],
                          .upper = box_lower[axis] + box_length[axis],
                          .cells = cells[axis]};
    set_flow_ends(problem, axis, ends[axis]);
    problem.initial_velocity[axis] = uneven(0.5, 0.3 + static_cast<double>(axis));
  }
  problem.viscosity = 0.02;
  problem.noise = 0.1;
  problem.seed = 1 + variety;
  for (std::size_t s = 0; s < scalars; ++s) {
    Scalar& scalar = problem.scalars.emplace_back();
    scalar.name = "scalar " + std::to_string(s);
    scalar.diffusivity = 0.03 / (1.0 + static_cast<double>(s));
    scalar.buoyancy = s == 0 ? Vector{0.5, -0.8, 1.3} : Vector{0.0, 0.0, -0.4};
    scalar.initial = uneven(0.8, 2.0 + static_cast<double>(s));
    for (std::size_t axis = 0; axis < 3; ++axis) {
      scalar.walls[axis] = {scalar_wall(variety + 2 * axis + s), scalar_wall(variety / 4 + axis)};
    }
  }
  problem.time_step.fixed = 0.01;
  problem.steps = 4;
  problem.divergence = 1e-13;
  return problem;
}

struct Case {
  std::string name;  ///< letters, digits and '_'
  Problem problem;
  std::size_t number = 0;  ///< its place among all of its kind
};

inline void PrintTo(const Case& one, std::ostream* out) { *out << one.name; }

/// What a test of one case is called.
inline std::string case_name(const testing::TestParamInfo<Case>& info) { return info.param.name; }

/// Along the axes that are stretched together cells gather more or less.
inline void stretch(Problem& problem, std::size_t axis, double stretching) {
  // Multigrid serves any stretching of one axis, and little of others.
  const bool is_second = std::ranges::any_of(
      problem.axes, [](const AxisCells& other) { return other.stretching > 0.0; });
  const double less = static_cast<double>(axis);
  problem.axes[axis].stretching = is_second ? 0.6 - 0.1 * less : stretching - 0.3 * less;
}

/// Problems that, together, have every combination of walls and periodic ends along the three axes,
/// every kind of wall of a scalar, all shapes, stretched axes, rotation, forces and both schemes.
inline std::vector<Case> cases() {
  std::vector<Case> all;
  for (std::size_t n = 0; n < 64; ++n) {
    const std::array<FlowEnds, 3> ends{all_flow_ends[n / 16], all_flow_ends[n / 4 % 4],
                                       all_flow_ends[n % 4]};
    // 11 shapes and 3 counts of scalars: no pattern repeats along with the walls.
    Problem problem = busy_problem(shapes()[n % shapes().size()], ends, n % 3, n);
    std::string name = name_of(ends[0]) + name_of(ends[1]) + name_of(ends[2]);
    // One axis, every one between walls, or none.
    for (std::size_t axis = 0; axis < 3; ++axis) {
      if ((n % 5 == axis || n % 5 == 3) && !problem.axes[axis].periodic) {
        stretch(problem, axis, 1.5);
        name += "Stretched" + std::string(axis_names[axis]);
      }
    }
    if (n % 7 > 3) {
      problem.rotation = {0.7, -0.3, 1.1};
      name += "Rotating";
    }
    if (n % 2 == 1) {
      problem.force = {uneven(0.3, 1.0), {}, uneven(0.2, 4.0)};
      if (!problem.scalars.empty()) {
        problem.scalars.back().source = uneven(0.4, 3.0);
      }
      name += "Forced";
    }
    if (n / 3 % 3 == 1) {
      problem.scheme = TimeScheme::runge_kutta;
      name += "RungeKutta";
    }
    for (const AxisCells& axis : problem.axes) {
      name += '_';
      name += std::to_string(axis.cells);
    }
    problem.name = name;
    problem.time_step.fixed =
        std::min(0.01, 0.5 * longest_diffusive_step(problem, Grid(problem.axes)));
    all.push_back({name, problem, n});
  }
  return all;
}

/// Those that have two or three axes to stretch by 3 to 5, which the direct solver alone serves:
/// explicit and, by turns, with implicit diffusion.
inline std::vector<Case> strongly_stretched_cases(const std::vector<Case>& from) {
  std::vector<Case> all;
  for (Case one : from) {
    int stretched = 0;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      AxisCells& cells = one.problem.axes[axis];
      const bool gathers = !cells.periodic && cells.cells > 2;
      cells.stretching = gathers ? 3.0 + static_cast<double>((one.number + axis) % 3) : 0.0;
      stretched += gathers ? 1 : 0;
    }
    if (stretched < 2) {
      continue;
    }
    one.problem.implicit_diffusion =
        one.number % 2 == 0 ? ImplicitDiffusion::stretched : ImplicitDiffusion::none;
    one.problem.time_step.fixed =
        std::min(1e-3, 0.5 * longest_diffusive_step(one.problem, Grid(one.problem.axes)));
    one.name += "_Strongly";
    one.problem.name = one.name;
    all.push_back(one);
  }
  return all;
}

/// Grids of more than one block of rows, tile or chunk of any schedule, and of rows that are whole
/// cache lines with others beside them.
inline std::vector<Case> larger_cases() {
  constexpr std::array<std::array<std::int64_t, 3>, 8> sizes{{{70, 5, 17},
                                                              {33, 20, 6},
                                                              {5, 9, 70},
                                                              {16, 18, 16},
                                                              {21, 9, 40},
                                                              {12, 37, 19},
                                                              {32, 32, 6},
                                                              {32, 32, 5}}};
  std::vector<Case> all;
  for (std::size_t n = 0; n < sizes.size(); ++n) {
    const std::array<FlowEnds, 3> ends{all_flow_ends[n % 4], all_flow_ends[(n + 1) % 4],
                                       all_flow_ends[(n + 2) % 4]};
    Problem problem = busy_problem(sizes[n], ends, 1 + n % 2, n);
    problem.rotation = {0.7, -0.3, 1.1};
    problem.force[1] = uneven(0.3, 1.0);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      if (n >= 4 && !problem.axes[axis].periodic) {
        stretch(problem, axis, 1.8);
      }
    }
    problem.time_step.fixed =
        std::min(0.01, 0.5 * longest_diffusive_step(problem, Grid(problem.axes)));
    problem.name = name_of(ends[0]) + name_of(ends[1]) + name_of(ends[2]) +
                   (n >= 4 ? "LargeStretched" : "Large");
    all.push_back({problem.name, problem, n});
  }
  return all;
}

/// Those that carry scalars, by bounded advection: one of them, or all. They begin with jumps,
/// which centred fluxes turn into ripples.
inline std::vector<Case> bounded_cases(const std::vector<Case>& from) {
  std::vector<Case> all;
  for (Case one : from) {
    std::vector<Scalar>& scalars = one.problem.scalars;
    for (std::size_t s = 0; s < scalars.size(); ++s) {
      if (s == 0 || one.number % 2 == 0) {
        scalars[s].advection = Advection::bounded;
      }
      scalars[s].diffusivity *= 0.01;
      scalars[s].initial = [smooth = scalars[s].initial](double x, double y, double z) {
        return smooth(x, y, z) > 0.1 ? 0.7 : -0.3;
      };
    }
    if (!scalars.empty()) {
      one.name += "Bounded";
      one.problem.name = one.name;
      all.push_back(one);
    }
  }
  return all;
}

inline TimeFunction of_time(const std::string& formula) {
  return std::make_shared<const formula::Program>(formula::compile(formula, "t"));
}

/// Lets walls, forces and sources vary with time, each in its own way, where they may.
inline void let_vary(Problem& problem) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const std::string number = std::to_string(axis);
    for (std::size_t side = 0; side < 2; ++side) {
      WallMotion& wall = problem.walls[axis][side];
      if (!wall.free_slip) {
        wall.varying[(axis + 1) % 3] = of_time("0.3*sin(40*t + " + number + ")");
      }
    }
    if (problem.force[axis]) {
      problem.force_factor[axis] = of_time("1 + 0.5*cos(30*t + " + number + ")");
    }
  }
  for (Scalar& scalar : problem.scalars) {
    for (auto& walls : scalar.walls) {
      walls[0].varying = of_time("0.2*cos(50*t)");
      walls[1].varying = of_time("t < 0.012 ? 10*t : 0.3 - 15*t");
    }
    scalar.source_factor = scalar.source ? of_time("exp(-20*t)") : nullptr;
  }
}

/// Some of the cases, with both schemes, whose walls, forces and sources vary with time.
inline std::vector<Case> varying_cases() {
  std::vector<Case> all;
  for (Case one : cases()) {
    if (one.number % 3 == 1) {
      let_vary(one.problem);
      one.name += "Varying";
      one.problem.name = one.name;
      all.push_back(one);
    }
  }
  return all;
}

inline std::vector<Case> all_cases() {
  std::vector<Case> all = cases();
  for (const Case& one : larger_cases()) {
    all.push_back(one);
  }
  return all;
}

}  // namespace bankfull::convection
