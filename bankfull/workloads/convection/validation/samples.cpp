#include "bankfull/workloads/convection/validation/samples.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>

namespace bankfull::convection {

double Samples::mean() const {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double Samples::range() const {
  const auto [least, largest] = std::ranges::minmax_element(values);
  return *largest - *least;
}

double Samples::period() const {
  const double middle = mean();
  std::vector<double> passed;
  for (std::size_t n = 1; n < values.size(); ++n) {
    if (values[n - 1] < middle && values[n] >= middle) {
      const double part = (middle - values[n - 1]) / (values[n] - values[n - 1]);
      passed.push_back(interval * (static_cast<double>(n - 1) + part));
    }
  }
  return passed.size() < 2
             ? std::numeric_limits<double>::quiet_NaN()
             : (passed.back() - passed.front()) / static_cast<double>(passed.size() - 1);
}

Nusselt nusselt_now(TimedFlow& flow) {
  const std::unique_ptr<HeatPath> path = heat_path_of(flow.problem());
  const double diffusivity = flow.problem().scalars.front().diffusivity;
  return nusselt_of(*path, diffusivity, flow.integrator().diagnose());
}

double nusselt_at_walls(TimedFlow& flow) {
  const Nusselt now = nusselt_now(flow);
  return 0.5 * (now.lower + now.upper);
}

Problem free_fall_problem(double rayleigh, double prandtl, std::array<AxisCells, 3> axes) {
  Problem problem;
  problem.axes = axes;
  problem.viscosity = std::sqrt(prandtl / rayleigh);
  problem.scalars.push_back(
      {.diffusivity = 1.0 / std::sqrt(prandtl * rayleigh), .buoyancy = {0.0, 0.0, 1.0}});
  return problem;
}

}  // namespace bankfull::convection
