#include "bankfull/workloads/convection/validation/samples.hpp"

#include "bankfull/core/field/box.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <limits>
#include <memory>
#include <numeric>
#include <vector>

namespace bankfull::convection {
namespace {

/// The centres of up to four cells around a place along an axis, and their shares in the polynomial
/// there. Layers at walls bend so much that linear interpolation would be the largest error of all.
struct CubicThrough {
  std::int64_t first = 0;
  std::vector<double> shares;

  CubicThrough() = default;
  CubicThrough(const GridAxis& axis, double place) {
    const std::int64_t points = std::min<std::int64_t>(4, axis.count());
    while (first + points < axis.count() && axis.centre(first + points / 2) <= place) {
      ++first;
    }
    std::vector<double> centres;
    for (std::int64_t n = first; n < first + points; ++n) {
      centres.push_back(axis.centre(n));
    }
    shares = shares_in_polynomial(centres, place);
  }

  [[nodiscard]] std::int64_t end() const { return first + std::ssize(shares); }
};

}  // namespace

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

double scalar_at(TimedFlow& flow, const Vector& place) {
  const Grid& grid = flow.grid();
  std::array<CubicThrough, 3> along;
  for (const int axis : storage_axes) {
    const auto a = static_cast<std::size_t>(axis);
    along[a] = CubicThrough(grid.axis(axis), place[static_cast<std::size_t>(grid.physical(axis))]);
  }
  const auto [i, j, k] = along;
  const Box around{i.first, i.end(), j.first, j.end(), k.first, k.end()};
  std::vector<double> values(static_cast<std::size_t>(around.extents().count()));
  flow.integrator().read(3, around, values.data());
  double sum = 0.0;
  std::size_t n = 0;
  for (const double of_plane : i.shares) {
    for (const double of_row : j.shares) {
      for (const double of_cell : k.shares) {
        sum += of_plane * of_row * of_cell * values[n++];
      }
    }
  }
  return sum;
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
