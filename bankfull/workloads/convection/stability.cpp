#include "bankfull/workloads/convection/stability.hpp"

#include <algorithm>

namespace bankfull::convection {
namespace {

/// A Courant number says nothing about diffusion, nor about a flow that grows before the next look.
constexpr double diffusive_margin = 0.8;

double square_sum_of_rates(const Grid& grid) {
  double sum = 0.0;
  for (const int n : storage_axes) {
    const std::vector<double>& widths = grid.axis(n).cells.widths;
    const double narrowest = *std::min_element(widths.begin(), widths.end());
    // A single cell along a periodic axis has itself for a neighbour.
    if (widths.size() > 1 || !grid.axis(n).cells.periodic) {
      sum += 1.0 / (narrowest * narrowest);
    }
  }
  return sum;
}

}  // namespace

double longest_diffusive_step(const Problem& problem, const Grid& grid) {
  double diffusivity = problem.viscosity;
  for (const Scalar& scalar : problem.scalars) {
    diffusivity = std::max(diffusivity, scalar.diffusivity);
  }
  const double limit = problem.scheme == TimeScheme::runge_kutta ? 2.51 : 1.0;
  const double fastest_decay = 4.0 * diffusivity * square_sum_of_rates(grid);
  constexpr double any = 1e300;
  return fastest_decay > 0.0 ? limit / fastest_decay : any;
}

double largest_courant(TimeScheme scheme) { return scheme == TimeScheme::runge_kutta ? 1.7 : 1.0; }

double step_length(const Problem& problem, const Grid& grid, double courant_rate) {
  if (problem.time_step.fixed > 0.0) {
    return problem.time_step.fixed;
  }
  double dt = diffusive_margin * longest_diffusive_step(problem, grid);
  if (courant_rate > 0.0) {
    dt = std::min(dt, problem.time_step.courant / courant_rate);
  }
  return problem.time_step.longest > 0.0 ? std::min(dt, problem.time_step.longest) : dt;
}

}  // namespace bankfull::convection
