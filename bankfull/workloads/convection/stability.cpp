#include "bankfull/workloads/convection/stability.hpp"

#include "bankfull/numerics/formula/bounds.hpp"
#include "bankfull/workloads/convection/flow.hpp"
#include "bankfull/workloads/convection/scalar_range.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace bankfull::convection {
namespace {

/// 1 / h with the narrowest cells along x, y, z.
Vector largest_rates(const Grid& grid) {
  Vector rates{};
  for (const int n : storage_axes) {
    const std::vector<double>& widths = grid.axis(n).cells.widths;
    // A single cell along a periodic axis has itself for a neighbour.
    if (widths.size() > 1 || !grid.axis(n).cells.periodic) {
      rates[static_cast<std::size_t>(grid.physical(n))] =
          1.0 / *std::min_element(widths.begin(), widths.end());
    }
  }
  return rates;
}

/// The least of 1 / h along the axes that waves can go along.
double min_rate(const Grid& grid) {
  double least = std::numeric_limits<double>::infinity();
  for (const int n : storage_axes) {
    const std::vector<double>& widths = grid.axis(n).cells.widths;
    if (widths.size() > 1 || !grid.axis(n).cells.periodic) {
      least = std::min(least, 1.0 / *std::max_element(widths.begin(), widths.end()));
    }
  }
  return std::isfinite(least) ? least : 0.0;
}

/// The largest and the least of the viscosity and of the scalars' diffusivities.
struct Diffusivities {
  double largest = 0.0;
  double least = 0.0;
};

Diffusivities diffusivities_of(const Problem& problem) {
  Diffusivities all{problem.viscosity, problem.viscosity};
  for (const Scalar& scalar : problem.scalars) {
    all.largest = std::max(all.largest, scalar.diffusivity);
    all.least = std::min(all.least, scalar.diffusivity);
  }
  return all;
}

/// Largest eigenvalue of diffusion of the most diffusive quantity along all axes but implicit ones.
double fastest_diffusion(const Problem& problem, const Grid& grid) {
  const Vector rates = largest_rates(grid);
  double sum = 0.0;
  for (std::size_t axis = 0; axis < rates.size(); ++axis) {
    if (!problem.implicit_along()[axis]) {
      sum += 4.0 * diffusivities_of(problem).largest * rates[axis] * rates[axis];
    }
  }
  return sum;
}

/// Decay of what diffusion takes longest to smooth along the shortest implicit axis.
double implicit_decay(const Problem& problem) {
  double fastest = 0.0;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (problem.implicit_along()[axis]) {
      const double number =
          std::numbers::pi / (problem.axes[axis].upper - problem.axes[axis].lower);
      fastest = std::max(fastest, diffusivities_of(problem).largest * number * number);
    }
  }
  return fastest;
}

/// The same of the least diffusive quantity along the axis with the widest cells.
double slowest_diffusion(const Problem& problem, const Grid& grid) {
  const double per_cell = min_rate(grid);
  return 4.0 * diffusivities_of(problem).least * per_cell * per_cell;
}

/// Acceleration by the whole range of all scalars.
double buoyancy_difference(const Problem& problem, const Diagnosis& flow) {
  double sum = 0.0;
  for (std::size_t s = 0; s < problem.scalars.size(); ++s) {
    const Vector& buoyancy = problem.scalars[s].buoyancy;
    sum += std::hypot(buoyancy[0], buoyancy[1], buoyancy[2]) *
           (flow.scalars[s].max - flow.scalars[s].min);
  }
  return sum;
}

/// The largest magnitude of a formula of time in a run; `absent` where there is none.
double largest_in_run(const Problem& problem, const TimeFunction& function, double absent) {
  return function ? formula::bounds_of(*function, {0.0, longest_run(problem)}).magnitude() : absent;
}

/// As Courant numbers count: a single cell along a periodic axis, which carries nothing anywhere,
/// too.
Vector counted_rates(const Grid& grid) {
  Vector rates{};
  for (const int n : storage_axes) {
    const std::vector<double>& widths = grid.axis(n).cells.widths;
    rates[static_cast<std::size_t>(grid.physical(n))] =
        1.0 / *std::min_element(widths.begin(), widths.end());
  }
  return rates;
}

/// |u| / h that a moving wall will give the fluid beside it.
double rate_of_walls(const Problem& problem, const Grid& grid) {
  const Vector rates = counted_rates(grid);
  double largest = 0.0;
  for (const auto& walls : problem.walls) {
    for (const WallMotion& wall : walls) {
      double sum = 0.0;
      for (std::size_t axis = 0; axis < 3; ++axis) {
        sum += (std::abs(wall.velocity[axis]) + largest_in_run(problem, wall.varying[axis], 0.0)) *
               rates[axis];
      }
      largest = std::max(largest, sum);
    }
  }
  return largest;
}

/// The largest wave number that cells can hold across an axis.
double largest_wave_number_across(const Grid& grid, std::size_t axis) {
  const Vector rates = largest_rates(grid);
  double squares = 0.0;
  for (std::size_t across = 0; across < rates.size(); ++across) {
    squares += across == axis ? 0.0 : rates[across] * rates[across];
  }
  return std::numbers::pi * std::sqrt(squares);
}

/// |u| / h along an axis for each unit of a velocity that a force along it makes of a fluid at
/// rest. Beside a wall at distance y the pressure leaves no more than 1 - exp(-k y) < k y of it,
/// with k the wave number across the axis: what is alike everywhere across, the pressure carries.
double rate_of_driven_flow(const Grid& grid, std::size_t axis) {
  const GridAxis& along = grid.axis(grid.storage(static_cast<int>(axis)));
  if (along.cells.periodic) {
    return counted_rates(grid)[axis];
  }
  const double wave_number = largest_wave_number_across(grid, axis);
  double largest = 0.0;
  for (std::int64_t face = 1; face < along.count(); ++face) {
    const auto n = static_cast<std::size_t>(face);
    const double distance =
        std::min(along.faces[n] - along.faces.front(), along.faces.back() - along.faces[n]);
    const double narrower = std::min(along.width(face - 1), along.width(face));
    largest = std::max(largest, std::min(1.0, wave_number * distance) / narrower);
  }
  return largest;
}

Vector rates_of_driven_flow(const Grid& grid) {
  return {rate_of_driven_flow(grid, 0), rate_of_driven_flow(grid, 1), rate_of_driven_flow(grid, 2)};
}

/// The largest |T - T_reference| of a scalar that acts on the fluid along an axis. Between walls
/// the pressure carries the middle; a fluid that finds none falls by all of it.
double acting_part(const ScalarRange& range, bool periodic) {
  return periodic ? std::max(std::abs(range.least), std::abs(range.most))
                  : 0.5 * (range.most - range.least);
}

/// Rates at which the forces on the fluid change the sum of |u| / h.
double rate_of_acceleration(const Problem& problem, const Grid& grid, const Diagnosis& flow,
                            const Vector& force) {
  const Vector rates = rates_of_driven_flow(grid);
  double sum = 0.0;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    double acceleration = std::abs(force[axis]);
    for (std::size_t s = 0; s < flow.scalars.size(); ++s) {
      const Scalar& scalar = problem.scalars[s];
      const ScalarRange range =
          with_walls(problem, scalar, {flow.scalars[s].min, flow.scalars[s].max});
      acceleration +=
          std::abs(scalar.buoyancy[axis]) * acting_part(range, problem.axes[axis].periodic);
    }
    sum += acceleration * rates[axis];
  }
  return sum;
}

/// How fast fluxes through walls warm the cells beside them, as long as none of that diffuses away.
double heating_by_walls(const Problem& problem, const Grid& grid, const Scalar& scalar) {
  const Vector rates = largest_rates(grid);
  double largest = 0.0;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    for (const WallScalar& wall : scalar.walls[axis]) {
      if (wall.is_flux && !problem.axes[axis].periodic) {
        const double flux = std::abs(wall.flux) + largest_in_run(problem, wall.varying, 0.0);
        largest = std::max(largest, flux * rates[axis]);
      }
    }
  }
  return largest;
}

/// By how much that and sources raise the rate of acceleration, for each time.
double growth_of_acceleration(const Problem& problem, const Grid& grid,
                              const LargestSources& sources) {
  const Vector rates = rates_of_driven_flow(grid);
  double sum = 0.0;
  for (std::size_t s = 0; s < problem.scalars.size(); ++s) {
    const Scalar& scalar = problem.scalars[s];
    const double heating = heating_by_walls(problem, grid, scalar) +
                           (sources.heating.empty() ? 0.0 : sources.heating[s]);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      sum += std::abs(scalar.buoyancy[axis]) * heating * rates[axis];
    }
  }
  return sum;
}

/// How long a step may be for a fluid at rest to stay within a Courant number C, with dt the root
/// of a dt^2 + j dt^3 / 2 = C.
double longest_under_acceleration(double a, double j, double courant) {
  double dt = std::min(std::sqrt(courant / a), std::cbrt(2.0 * courant / j));
  // Newton's method from above, where the polynomial is convex.
  for (int n = 0; n < 5 && std::isfinite(dt) && a > 0.0 && j > 0.0; ++n) {
    dt -= (a * dt * dt + 0.5 * j * dt * dt * dt - courant) / (2.0 * a * dt + 1.5 * j * dt * dt);
  }
  return dt;
}

double longest_at_rest(const Problem& problem, const Grid& grid, const Diagnosis& flow,
                       const LargestSources& sources) {
  const double courant = problem.time_step.courant;
  const double by_forces =
      longest_under_acceleration(rate_of_acceleration(problem, grid, flow, sources.force),
                                 growth_of_acceleration(problem, grid, sources), courant);
  return std::min(by_forces, courant / rate_of_walls(problem, grid));
}

double infinite_where_none(double limit) {
  return limit > 0.0 ? limit : std::numeric_limits<double>::infinity();
}

}  // namespace

double longest_diffusive_step(const Problem& problem, const Grid& grid) {
  constexpr double any = 1e300;
  const double fastest_decay = fastest_diffusion(problem, grid);
  const detail::StabilityEllipse ellipse =
      detail::stability_ellipse(problem.scheme, problem.implicit_anywhere());
  return fastest_decay > 0.0 ? ellipse.diffusion / fastest_decay : any;
}

std::array<std::vector<double>, 3> diffusive_exchange(const Problem& problem, const Grid& grid) {
  double kappa = 0.0;
  for (const int scalar : bounded_scalars(problem)) {
    kappa = std::max(kappa, problem.scalars[static_cast<std::size_t>(scalar)].diffusivity);
  }
  std::array<std::vector<double>, 3> rates;
  for (const int n : storage_axes) {
    const GridAxis& axis = grid.axis(n);
    // A single cell along a periodic axis has itself for a neighbour.
    const double diffusivity = axis.cells.periodic && axis.count() == 1 ? 0.0 : kappa;
    const double to_wall = axis.cells.periodic ? 1.0 : 2.0;
    for (std::int64_t cell = 0; cell < axis.count(); ++cell) {
      const double below = (cell == 0 ? to_wall : 1.0) / axis.cells.distance(cell);
      const double above =
          (cell == axis.count() - 1 ? to_wall : 1.0) / axis.cells.distance(cell + 1);
      rates[static_cast<std::size_t>(n)].push_back(diffusivity / axis.width(cell) *
                                                   (below + above));
    }
  }
  return rates;
}

double largest_courant(TimeScheme scheme) { return scheme == TimeScheme::runge_kutta ? 1.7 : 0.8; }

LargestSources largest_sources(const Problem& problem, const Grid& grid) {
  const auto largest_of = [](const std::vector<double>& values) {
    double largest = 0.0;
    for (const double value : values) {
      largest = std::max(largest, std::abs(value));
    }
    return largest;
  };
  LargestSources found;
  const std::vector<std::vector<double>> sources = steady_sources(problem, grid);
  for (const int n : storage_axes) {
    const auto axis = static_cast<std::size_t>(grid.physical(n));
    found.force[axis] = largest_of(sources[static_cast<std::size_t>(n)]) *
                        largest_in_run(problem, problem.force_factor[axis], 1.0);
  }
  for (std::size_t s = 0; s < problem.scalars.size(); ++s) {
    found.heating.push_back(largest_of(sources[3 + s]) *
                            largest_in_run(problem, problem.scalars[s].source_factor, 1.0));
  }
  return found;
}

double turning_rate(const Problem& problem) {
  return 2.0 * std::hypot(problem.rotation[0], problem.rotation[1], problem.rotation[2]);
}

bool are_steps_planned(const Problem& problem) {
  return problem.scheme == TimeScheme::adams_bashforth && !problem.implicit_anywhere() &&
         bounded_scalars(problem).empty();
}

StepRule step_rule(const Problem& problem, const Grid& grid, const Diagnosis& flow,
                   const LargestSources& sources) {
  return {.scheme = problem.scheme,
          .implicit = problem.implicit_anywhere(),
          .planned = are_steps_planned(problem),
          .fixed = problem.time_step.fixed,
          .courant = problem.time_step.courant,
          .longest = infinite_where_none(problem.time_step.longest),
          .at_rest = longest_at_rest(problem, grid, flow, sources),
          .moved = rate_of_walls(problem, grid),
          .pushed = rate_of_acceleration(problem, grid, flow, sources.force),
          .end_time = infinite_where_none(problem.end_time),
          .steps = infinite_where_none(static_cast<double>(problem.steps)),
          .turning = turning_rate(problem),
          .fastest_diffusion = fastest_diffusion(problem, grid),
          .implicit_decay = implicit_decay(problem),
          .slowest_diffusion = slowest_diffusion(problem, grid),
          .min_diffusivity = diffusivities_of(problem).least,
          .buoyancy_difference = buoyancy_difference(problem, flow)};
}

}  // namespace bankfull::convection
