#include "bankfull/workloads/convection/problem.hpp"

#include "bankfull/core/base/error.hpp"
#include "bankfull/numerics/formula/bounds.hpp"
#include "bankfull/workloads/convection/grid.hpp"
#include "bankfull/workloads/convection/heat_path.hpp"
#include "bankfull/workloads/convection/option_names.hpp"
#include "bankfull/workloads/convection/point.hpp"
#include "bankfull/workloads/convection/stability.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace bankfull::convection {
namespace {

constexpr std::int64_t max_cells_along = 1 << 20;
constexpr double max_cells = 1e12;
constexpr double max_stretching = 5.0;

void require_moderate(double value, const std::string& name) {
  require(is_moderate(value), fmt::format("{} is {}", name, value),
          fmt::format("use a number of up to {:g}, in other units if need be", max_magnitude));
}

void require_moderate(const Vector& vector, const std::string& name) {
  for (const double component : vector) {
    require_moderate(component, name);
  }
}

void require_positive(double value, const std::string& name) {
  require_moderate(value, name);
  require(value > 0.0, fmt::format("{} is {}", name, value), "use more than 0");
}

void require_not_negative(double value, const std::string& name) {
  require_moderate(value, name);
  require(value >= 0.0, fmt::format("{} is {}", name, value), "use 0 or more");
}

void validate_axis(const AxisCells& axis, const std::string& name) {
  about("domain.cells", [&] {
    require(axis.cells >= 1 && axis.cells <= max_cells_along,
            fmt::format("{} cells along {}", axis.cells, name),
            fmt::format("use 1 to {}", max_cells_along));
  });
  about("domain.lower", [&] { require_moderate(axis.lower, "the lower end of " + name); });
  about("domain.upper", [&] {
    require_moderate(axis.upper, "the upper end of " + name);
    require(axis.upper > axis.lower,
            fmt::format("{} goes from {} to {}", name, axis.lower, axis.upper),
            "put the upper end above the lower one");
  });
  about("domain.stretching", [&] {
    require(axis.stretching >= 0.0 && axis.stretching <= max_stretching,
            fmt::format("the stretching of {} is {}", name, axis.stretching),
            fmt::format("use 0 (uniform) to {}", max_stretching));
    require(axis.stretching == 0.0 || !axis.periodic, name + " is stretched and periodic",
            "stretch an axis between walls");
  });
}

void validate_cells(const Problem& problem) {
  double all_cells = 1.0;
  for (const AxisCells& axis : problem.axes) {
    all_cells *= static_cast<double>(axis.cells);
  }
  require(all_cells <= max_cells, fmt::format("{:.3g} cells", all_cells),
          fmt::format("use at most {:g}", max_cells));
}

/// Steps and checks depend on how large forces, walls and sources may become.
void require_bounded(const Problem& problem, const TimeFunction& function,
                     const std::string& name) {
  const double end = longest_run(problem);
  if (function && !formula::bounds_of(*function, {0.0, end}).finite()) {
    throw UsageError(fmt::format("the formula of t of {} has no bound that can be computed for "
                                 "{}",
                                 name,
                                 std::isfinite(end) ? fmt::format("the times 0 to {:g}", end)
                                                    : std::string("all times from 0 on")),
                     std::isfinite(end) ? "give one that is finite throughout"
                                        : "give time.end, or one that is finite throughout");
  }
}

void validate_scalar(const Scalar& scalar) {
  require(!scalar.name.empty(), "a scalar has no name", "name it");
  require_positive(scalar.diffusivity, "the diffusivity of " + scalar.name);
  require_moderate(scalar.buoyancy, "the buoyancy of " + scalar.name);
  for (const auto& walls : scalar.walls) {
    for (const WallScalar& wall : walls) {
      require_moderate(wall.flux, "the flux of " + scalar.name);
      require_moderate(wall.value, "the wall value of " + scalar.name);
      require_moderate(wall.slope, "the wall slope of " + scalar.name);
      require_not_negative(wall.transfer, "the wall transfer of " + scalar.name);
    }
  }
}

void validate_scalars(const std::vector<Scalar>& scalars) {
  about("scalar", [&] {
    require(scalars.size() <= max_scalars, fmt::format("{} scalars", scalars.size()),
            fmt::format("use at most {}", max_scalars));
  });
  int listed = 0;
  for (const Scalar& scalar : scalars) {
    const bool is_temperature = scalar.name == Scalar().name;
    about(is_temperature ? "physics" : fmt::format("scalar.{}", listed++),
          [&] { validate_scalar(scalar); });
  }
}

void validate_varying_wall(const Problem& problem, std::size_t axis, const WallMotion& wall) {
  for (std::size_t along = 0; along < 3; ++along) {
    require(!wall.varying[along] || (along != axis && !wall.free_slip),
            fmt::format("a wall across {} moves along {} with time", axis_names[axis],
                        axis_names[along]),
            "no-slip walls move, within their own plane");
    require_bounded(problem, wall.varying[along],
                    std::string("a wall's velocity across ") + axis_names[axis]);
  }
}

/// Formulas of time stand in boundaries and forcing.
void validate_variation(const Problem& problem) {
  about("forcing.acceleration", [&] {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      require_bounded(problem, problem.force_factor[axis],
                      std::string("the acceleration along ") + axis_names[axis]);
    }
  });
  for (const Scalar& scalar : problem.scalars) {
    about("forcing." + scalar.name,
          [&] { require_bounded(problem, scalar.source_factor, "the source of " + scalar.name); });
    for (std::size_t axis = 0; axis < 3; ++axis) {
      for (std::size_t side = 0; side < 2; ++side) {
        about(
            fmt::format("boundaries.{}.{}", axis_names[axis], side == 0 ? "lower" : "upper"), [&] {
              require_bounded(problem, scalar.walls[axis][side].varying, "a wall's " + scalar.name);
            });
      }
    }
  }
  const bool follows = problem.time_step.fixed > 0.0 || problem.time_step.longest > 0.0;
  about("time.cfl", [&] {
    require(follows || !varies_in_time(problem),
            "a formula of t has no part in how long steps are chosen by a Courant number",
            "give time.longest too, a small part of the time in which the formula changes, or "
            "time.dt");
  });
}

void validate_walls(const Problem& problem) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    for (const WallMotion& wall : problem.walls[axis]) {
      require_moderate(wall.velocity, std::string("a wall's velocity across ") + axis_names[axis]);
      require(wall.velocity[axis] == 0.0,
              fmt::format("a wall across {} moves along {} with {}", axis_names[axis],
                          axis_names[axis], wall.velocity[axis]),
              "walls move within their own plane");
      require(!wall.free_slip || wall.velocity == Vector{},
              fmt::format("a free-slip wall across {} moves", axis_names[axis]),
              "only no-slip walls drag the fluid");
      require_not_negative(wall.slip_length, "the slip length of a wall");
      require(!wall.free_slip || wall.slip_length == 0.0,
              fmt::format("a free-slip wall across {} has a slip length of {}", axis_names[axis],
                          wall.slip_length),
              "leave it away: free slip is an infinite one");
      validate_varying_wall(problem, axis, wall);
    }
  }
}

void validate_end(const Problem& problem) {
  require(problem.steps >= 0, fmt::format("{} steps", problem.steps), "use 0 or more");
  require_not_negative(problem.end_time, "the end time");
  require(problem.steps > 0 || problem.end_time > 0.0, "the run has no end",
          "give steps or an end time");
}

void validate_until(const Problem& problem) {
  const Until& until = problem.until;
  about("time.until", [&] {
    require_not_negative(until.steady, "the part by which a steady Nusselt number changes");
    require_not_negative(until.converged, "the standard error of Nusselt numbers");
    require(!until.any() || (std::isfinite(until.window) && until.window > 0.0),
            fmt::format("the window of Nusselt numbers is {}", until.window),
            "give a time, of some turnovers of the flow");
    require(!until.any() || heat_path_of(problem) != nullptr,
            "a run cannot end by its Nusselt numbers, as it has none: no two walls fix different "
            "values of its first scalar",
            "leave it out, or give the walls such values");
  });
}

void validate_schedule(const Problem& problem) {
  about("solver.schedule", [&] {
    require(problem.schedule == Schedule::tuned || !problem.device.is_cuda(),
            "the reference schedule on a GPU", "use --device cpu");
  });
  about("solver.precision", [&] {
    require(problem.schedule == Schedule::tuned || problem.precision == Precision::fp64,
            "the reference schedule in fp32", "use fp64");
  });
}

void validate_step(const Problem& problem, const Grid& grid) {
  const TimeStep& step = problem.time_step;
  about("time.longest", [&] { require_not_negative(step.longest, "the longest time step"); });
  const double largest = largest_courant(problem.scheme);
  about("time.cfl", [&] {
    require(step.fixed > 0.0 || (step.courant > 0.0 && step.courant <= largest),
            fmt::format("the Courant number is {}", step.courant),
            fmt::format("use more than 0 and at most {} with this scheme", largest));
  });
  const double limit = longest_diffusive_step(problem, grid);
  about("time.dt", [&] {
    require_not_negative(step.fixed, "the time step");
    require(step.fixed <= limit,
            fmt::format("a time step of {:g} is beyond {:.6g}, where diffusion becomes unstable "
                        "with this scheme on this grid",
                        step.fixed, limit),
            "shorten it, or let a Courant number choose it");
  });
}

}  // namespace

std::vector<double> AxisCells::faces() const {
  std::vector<double> places;
  const double middle = 0.5 * (lower + upper);
  const double half = 0.5 * (upper - lower);
  for (std::int64_t n = 0; n <= cells; ++n) {
    const double s = 2.0 * static_cast<double>(n) / static_cast<double>(cells) - 1.0;
    const double bent = stretching == 0.0 ? s : std::tanh(s * stretching) / std::tanh(stretching);
    places.push_back(middle + half * bent);
  }
  places.front() = lower;
  places.back() = upper;
  return places;
}

std::array<bool, 3> Problem::implicit_along() const {
  std::array<bool, 3> along{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const bool asked =
        implicit_diffusion == ImplicitDiffusion::walls ||
        (implicit_diffusion == ImplicitDiffusion::stretched && axes[axis].stretching != 0.0);
    along[axis] = asked && !axes[axis].periodic;
  }
  return along;
}

bool Problem::implicit_anywhere() const {
  const std::array<bool, 3> along = implicit_along();
  return along[0] || along[1] || along[2];
}

void Problem::validate() const {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    validate_axis(axes[axis], axis_names[axis]);
  }
  about("domain.cells", [&] { validate_cells(*this); });
  about("physics.viscosity", [&] { require_not_negative(viscosity, "the viscosity"); });
  about("physics.rotation", [&] { require_moderate(rotation, "the rotation"); });
  validate_scalars(scalars);
  about("boundaries", [&] { validate_walls(*this); });
  about("initial.noise", [&] { require_not_negative(noise, "the noise"); });
  about("time", [&] { validate_end(*this); });
  validate_until(*this);
  about("solver.divergence", [&] {
    require_positive(divergence, "the divergence that multigrid may leave");
    require(divergence <= max_divergence,
            fmt::format("multigrid would leave a divergence of {:g}, which spoils transport",
                        divergence),
            fmt::format("use at most {:g}", max_divergence));
  });
  require(threads >= 1, fmt::format("{} threads", threads), "use 1 or more");
  validate_variation(*this);
  about("time.implicit_diffusion", [&] {
    const std::vector<int> bounded = bounded_scalars(*this);
    require(!implicit_anywhere() || bounded.empty(),
            fmt::format("implicit diffusion ({}) beside the bounded advection of {}",
                        to_string(implicit_diffusion),
                        bounded.empty() ? "" : scalars[static_cast<std::size_t>(bounded[0])].name),
            R"(use "none", or advection = "centred")");
  });
  validate_schedule(*this);
  validate_step(*this, Grid(axes));
}

Vector WallMotion::velocity_at(double time) const {
  return {velocity[0] + value_at(varying[0], time), velocity[1] + value_at(varying[1], time),
          velocity[2] + value_at(varying[2], time)};
}

bool walls_vary(const Problem& problem) {
  const auto given = [](const TimeFunction& function) { return function != nullptr; };
  const auto wall_moves = [&](const WallMotion& wall) {
    return std::ranges::any_of(wall.varying, given);
  };
  const auto scalar_varies = [&](const Scalar& scalar) {
    return std::ranges::any_of(scalar.walls, [&](const auto& walls) {
      return std::ranges::any_of(walls, given, &WallScalar::varying);
    });
  };
  return std::ranges::any_of(problem.scalars, scalar_varies) ||
         std::ranges::any_of(problem.walls, [&](const auto& walls) {
           return std::ranges::any_of(walls, wall_moves);
         });
}

bool varies_in_time(const Problem& problem) {
  const auto given = [](const TimeFunction& function) { return function != nullptr; };
  return walls_vary(problem) || std::ranges::any_of(problem.force_factor, given) ||
         std::ranges::any_of(problem.scalars, given, &Scalar::source_factor);
}

double longest_run(const Problem& problem) {
  if (problem.end_time > 0.0) {
    return problem.end_time;
  }
  const double longest =
      problem.time_step.fixed > 0.0 ? problem.time_step.fixed : problem.time_step.longest;
  return longest > 0.0 ? longest * static_cast<double>(problem.steps) : HUGE_VAL;
}

bool has_sources(const Problem& problem) {
  const auto given = [](const PointFunction& function) { return static_cast<bool>(function); };
  return std::any_of(problem.force.begin(), problem.force.end(), given) ||
         std::ranges::any_of(problem.scalars, given, &Scalar::source);
}

bool has_usual_terms(const Problem& problem) {
  const bool rotates =
      std::ranges::any_of(problem.rotation, [](double along) { return along != 0.0; });
  return problem.scalars.size() == 1 && !rotates && !has_sources(problem);
}

std::vector<int> bounded_scalars(const Problem& problem) {
  std::vector<int> numbers;
  for (std::size_t s = 0; s < problem.scalars.size(); ++s) {
    if (problem.scalars[s].advection == Advection::bounded) {
      numbers.push_back(static_cast<int>(s));
    }
  }
  return numbers;
}

std::string to_string(Advection advection) { return advection_names.to_string(advection); }
std::string to_string(TimeScheme scheme) { return time_scheme_names.to_string(scheme); }
std::string to_string(ImplicitDiffusion implicit) {
  return implicit_diffusion_names.to_string(implicit);
}
std::string to_string(PressureSolver solver) { return pressure_solver_names.to_string(solver); }
std::string to_string(Schedule schedule) { return schedule_names.to_string(schedule); }

}  // namespace bankfull::convection
