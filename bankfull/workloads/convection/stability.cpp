#include "bankfull/workloads/convection/stability.hpp"

#include "bankfull/workloads/convection/flow.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <numbers>

namespace bankfull::convection {
namespace {

/// A Courant number says nothing about diffusion.
constexpr double diffusive_margin = 0.8;

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

/// Largest eigenvalues of diffusion: of the most diffusive quantity along all axes, and of the
/// least diffusive one along the axis with the widest cells.
struct DiffusiveRates {
  double max = 0.0;
  double min = 0.0;
};

DiffusiveRates diffusive_rates(const Problem& problem, const Grid& grid) {
  double max_diffusivity = problem.viscosity;
  double min_diffusivity = problem.viscosity;
  for (const Scalar& scalar : problem.scalars) {
    max_diffusivity = std::max(max_diffusivity, scalar.diffusivity);
    min_diffusivity = std::min(min_diffusivity, scalar.diffusivity);
  }
  DiffusiveRates rates{.min = std::numeric_limits<double>::infinity()};
  for (const double per_cell : largest_rates(grid)) {
    rates.max += 4.0 * max_diffusivity * per_cell * per_cell;
    if (per_cell > 0.0) {
      rates.min = std::min(rates.min, 4.0 * min_diffusivity * per_cell * per_cell);
    }
  }
  return rates;
}

/// The larger |root| of Adams-Bashforth 2 for du/dt = z u / dt.
double amplification(std::complex<double> z) {
  const std::complex<double> half = 0.5 * (1.0 + 1.5 * z);
  const std::complex<double> root = std::sqrt(half * half - 0.5 * z);
  return std::max(std::abs(half + root), std::abs(half - root));
}

/// |u| / h that a moving wall will give the fluid beside it.
double rate_of_walls(const Problem& problem, const Grid& grid) {
  const Vector rates = largest_rates(grid);
  double largest = 0.0;
  for (const auto& walls : problem.walls) {
    for (const WallMotion& wall : walls) {
      double sum = 0.0;
      for (std::size_t axis = 0; axis < 3; ++axis) {
        sum += std::abs(wall.velocity[axis]) * rates[axis];
      }
      largest = std::max(largest, sum);
    }
  }
  return largest;
}

/// Rates at which the forces on the fluid change the sum of |u| / h. Only half the
/// range of a scalar's buoyancy counts: the pressure carries the middle.
double rate_of_acceleration(const Problem& problem, const Grid& grid, const Diagnosis& flow,
                            const Vector& force) {
  const Vector rates = largest_rates(grid);
  double sum = 0.0;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    double acceleration = std::abs(force[axis]);
    for (std::size_t s = 0; s < problem.scalars.size(); ++s) {
      const Diagnosis::OfScalar& scalar = flow.scalars[s];
      acceleration += 0.5 * std::abs(problem.scalars[s].buoyancy[axis]) * (scalar.max - scalar.min);
    }
    sum += acceleration * rates[axis];
  }
  return sum;
}

}  // namespace

double longest_diffusive_step(const Problem& problem, const Grid& grid) {
  const double limit = problem.scheme == TimeScheme::runge_kutta ? 2.51 : 1.0;
  const double fastest_decay = diffusive_rates(problem, grid).max;
  constexpr double any = 1e300;
  return fastest_decay > 0.0 ? limit / fastest_decay : any;
}

double largest_courant(TimeScheme scheme) { return scheme == TimeScheme::runge_kutta ? 1.7 : 0.8; }

bool is_stable(TimeScheme scheme, double courant, double diffusive_number) {
  if (courant > largest_courant(scheme) || scheme == TimeScheme::runge_kutta) {
    return courant <= largest_courant(scheme);
  }
  constexpr int waves = 64;
  constexpr double growth_let_pass = 1e-4;
  for (int n = 1; n <= waves; ++n) {
    const double angle = std::numbers::pi * n / waves;
    const double sine = std::sin(0.5 * angle);
    const std::complex<double> z(-diffusive_number * sine * sine, courant * std::sin(angle));
    if (amplification(z) > 1.0 + growth_let_pass) {
      return false;
    }
  }
  return true;
}

Vector largest_force(const Problem& problem, const Grid& grid) {
  Vector largest{};
  const std::vector<std::vector<double>> sources = steady_sources(problem, grid);
  for (const int n : storage_axes) {
    double& along = largest[static_cast<std::size_t>(grid.physical(n))];
    for (const double value : sources[static_cast<std::size_t>(n)]) {
      along = std::max(along, std::abs(value));
    }
  }
  return largest;
}

double turning_rate(const Problem& problem) {
  return 2.0 * std::hypot(problem.rotation[0], problem.rotation[1], problem.rotation[2]);
}

double advective_rate(const Problem& problem, const Diagnosis& flow) {
  return flow.courant_rate + turning_rate(problem);
}

double step_length(const Problem& problem, const Grid& grid, const Diagnosis& flow,
                   const Vector& force) {
  if (problem.time_step.fixed > 0.0) {
    return problem.time_step.fixed;
  }
  double dt = diffusive_margin * longest_diffusive_step(problem, grid);
  if (problem.time_step.longest > 0.0) {
    dt = std::min(dt, problem.time_step.longest);
  }
  const double acceleration = rate_of_acceleration(problem, grid, flow, force);
  if (acceleration > 0.0) {
    dt = std::min(dt, std::sqrt(problem.time_step.courant / acceleration));
  }
  const double rate = std::max(advective_rate(problem, flow), rate_of_walls(problem, grid));
  if (rate > 0.0) {
    dt = std::min(dt, problem.time_step.courant / rate);
  }
  constexpr double shorter = 0.95;
  const DiffusiveRates diffusion = diffusive_rates(problem, grid);
  const auto stable_beside = [&](double diffusive_rate) {
    return is_stable(problem.scheme, dt * rate, dt * diffusive_rate);
  };
  while (!stable_beside(diffusion.min) || !stable_beside(diffusion.max)) {
    dt *= shorter;
  }
  return dt;
}

}  // namespace bankfull::convection
