#include "bankfull/numerics/poisson/multigrid/plane_start.hpp"

#include <cstddef>
#include <numeric>

namespace bankfull::poisson::multigrid {
namespace {

double length_of(const Axis& axis) {
  return std::accumulate(axis.widths.begin(), axis.widths.end(), 0.0);
}

/// From a plane's centre to that of the next.
double distance_after(const Axis& axis, std::size_t plane) {
  const bool is_last = plane + 1 == axis.widths.size();
  const bool goes_round = axis.periodic && axis.cells() > 1;
  return is_last && !goes_round ? 0.0 : axis.distance(static_cast<std::int64_t>(plane) + 1);
}

}  // namespace

std::vector<AxisPlane> axis_planes(const Axis& axis) {
  const double length = length_of(axis);
  std::vector<AxisPlane> planes;
  double width_up_to = 0.0;
  double centre = 0.0;
  double mean_centre = 0.0;
  for (std::size_t n = 0; n < axis.widths.size(); ++n) {
    const double width = axis.widths[n];
    width_up_to += width;
    const double distance = distance_after(axis, n);
    planes.push_back({width / length, width_up_to / length, distance, centre});
    mean_centre += width / length * centre;
    centre += distance;
  }
  for (AxisPlane& plane : planes) {
    plane.centre -= mean_centre;
  }
  return planes;
}

std::vector<double> plane_potentials(const Axis& axis, const std::vector<double>& means) {
  const std::vector<AxisPlane> planes = axis_planes(axis);
  double mean = 0.0;
  for (std::size_t n = 0; n < planes.size(); ++n) {
    mean += planes[n].share * means[n];
  }
  std::vector<double> potentials;
  double potential = 0.0;
  double mean_potential = 0.0;
  double flow = 0.0;  // the gradient beyond a plane, were it 0 before the first one
  for (std::size_t n = 0; n < planes.size(); ++n) {
    potentials.push_back(potential);
    mean_potential += planes[n].share * potential;
    flow += axis.widths[n] * (means[n] - mean);
    potential += planes[n].distance * flow;
  }
  // Around, p ends where it began.
  const double slope = planes.back().distance > 0.0 ? -potential / length_of(axis) : 0.0;
  for (std::size_t n = 0; n < planes.size(); ++n) {
    potentials[n] += slope * planes[n].centre - mean_potential;
  }
  return potentials;
}

}  // namespace bankfull::poisson::multigrid
