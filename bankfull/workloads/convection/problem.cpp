#include "bankfull/workloads/convection/problem.hpp"

#include "bankfull/core/base/error.hpp"
#include "bankfull/workloads/convection/grid.hpp"
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

void require_finite(double value, const std::string& name) {
  require(std::isfinite(value), fmt::format("{} is {}", name, value), "use a finite number");
}

void require_finite(const Vector& vector, const std::string& name) {
  for (const double component : vector) {
    require_finite(component, name);
  }
}

void require_positive(double value, const std::string& name) {
  require_finite(value, name);
  require(value > 0.0, fmt::format("{} is {}", name, value), "use more than 0");
}

void require_not_negative(double value, const std::string& name) {
  require_finite(value, name);
  require(value >= 0.0, fmt::format("{} is {}", name, value), "use 0 or more");
}

void validate_axis(const AxisCells& axis, const std::string& name) {
  about("domain.cells", [&] {
    require(axis.cells >= 1 && axis.cells <= max_cells_along,
            fmt::format("{} cells along {}", axis.cells, name),
            fmt::format("use 1 to {}", max_cells_along));
  });
  about("domain.lower", [&] { require_finite(axis.lower, "the lower end of " + name); });
  about("domain.upper", [&] {
    require_finite(axis.upper, "the upper end of " + name);
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

void validate_scalar(const Scalar& scalar) {
  require(!scalar.name.empty(), "a scalar has no name", "name it");
  require_positive(scalar.diffusivity, "the diffusivity of " + scalar.name);
  require_finite(scalar.buoyancy, "the buoyancy of " + scalar.name);
  for (const auto& walls : scalar.walls) {
    for (const WallScalar& wall : walls) {
      require_finite(wall.flux, "the flux of " + scalar.name);
      require_finite(wall.value, "the wall value of " + scalar.name);
      require_finite(wall.slope, "the wall slope of " + scalar.name);
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

void validate_walls(const Problem& problem) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    for (const WallMotion& wall : problem.walls[axis]) {
      require_finite(wall.velocity, std::string("a wall's velocity across ") + axis_names[axis]);
      require(wall.velocity[axis] == 0.0,
              fmt::format("a wall across {} moves along {} with {}", axis_names[axis],
                          axis_names[axis], wall.velocity[axis]),
              "walls move within their own plane");
      require(!wall.free_slip || wall.velocity == Vector{},
              fmt::format("a free-slip wall across {} moves", axis_names[axis]),
              "only no-slip walls drag the fluid");
    }
  }
}

void validate_end(const Problem& problem) {
  require(problem.steps >= 0, fmt::format("{} steps", problem.steps), "use 0 or more");
  require_not_negative(problem.end_time, "the end time");
  require(problem.steps > 0 || problem.end_time > 0.0, "the run has no end",
          "give steps or an end time");
}

void validate_schedule(const Problem& problem) {
  about("solver.schedule", [&] {
    require(problem.schedule == Schedule::tuned || !problem.device.is_cuda(),
            "the reference schedule on a GPU", "use --device cpu");
  });
  about("time.implicit_diffusion", [&] {
    require(problem.implicit_diffusion == ImplicitDiffusion::none || !problem.device.is_cuda(),
            fmt::format("implicit diffusion ({}) on a GPU", to_string(problem.implicit_diffusion)),
            "use --device cpu, or \"none\"");
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
  about("physics.rotation", [&] { require_finite(rotation, "the rotation"); });
  validate_scalars(scalars);
  about("boundaries", [&] { validate_walls(*this); });
  about("initial.noise", [&] { require_not_negative(noise, "the noise"); });
  about("time", [&] { validate_end(*this); });
  about("solver.divergence",
        [&] { require_positive(divergence, "the divergence that multigrid may leave"); });
  require(threads >= 1, fmt::format("{} threads", threads), "use 1 or more");
  validate_schedule(*this);
  validate_step(*this, Grid(axes));
}

bool has_sources(const Problem& problem) {
  const auto given = [](const PointFunction& function) { return static_cast<bool>(function); };
  return std::any_of(problem.force.begin(), problem.force.end(), given) ||
         std::ranges::any_of(problem.scalars, given, &Scalar::source);
}

std::string to_string(TimeScheme scheme) { return time_scheme_names.to_string(scheme); }
std::string to_string(ImplicitDiffusion implicit) {
  return implicit_diffusion_names.to_string(implicit);
}
std::string to_string(PressureSolver solver) { return pressure_solver_names.to_string(solver); }
std::string to_string(Schedule schedule) { return schedule_names.to_string(schedule); }

}  // namespace bankfull::convection
