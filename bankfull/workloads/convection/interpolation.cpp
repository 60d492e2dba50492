#include "bankfull/workloads/convection/interpolation.hpp"

#include <algorithm>
#include <cstddef>

namespace bankfull::convection {
namespace {

/// Two elements along an axis, the second one after the first, and what that counts.
struct ElementsAlong {
  std::int64_t first = 0;
  double share = 0.0;
};

/// `places`: those of elements `first`, `first` + 1, ... in order.
ElementsAlong elements_along(const std::vector<double>& places, std::int64_t first, double at) {
  const auto above = std::upper_bound(places.begin() + 1, places.end() - 1, at);
  const double distance = *above - *(above - 1);
  return {first + (above - places.begin()) - 1,
          std::clamp((at - *(above - 1)) / distance, 0.0, 1.0)};
}

}  // namespace

Neighbourhood neighbourhood_of(const Grid& grid, int field, const Vector& point) {
  std::array<ElementsAlong, 3> along;
  for (const int axis : storage_axes) {
    const GridAxis& places = grid.axis(axis);
    const double at = point[static_cast<std::size_t>(grid.physical(axis))];
    along[static_cast<std::size_t>(axis)] = axis == field ? elements_along(places.faces, 0, at)
                                                          : elements_along(places.centres, -1, at);
  }
  Neighbourhood around{};
  for (std::size_t n = 0; n < around.elements.size(); ++n) {
    const std::array<std::int64_t, 3> step{static_cast<std::int64_t>(n / 4),
                                           static_cast<std::int64_t>(n / 2 % 2),
                                           static_cast<std::int64_t>(n % 2)};
    around.elements[n] = {field, along[0].first + step[0], along[1].first + step[1],
                          along[2].first + step[2]};
    around.weights[n] = 1.0;
    for (std::size_t axis = 0; axis < along.size(); ++axis) {
      around.weights[n] *= step[axis] == 0 ? 1.0 - along[axis].share : along[axis].share;
    }
  }
  return around;
}

double interpolated(const Neighbourhood& around, const double* elements) {
  double sum = 0.0;
  for (std::size_t n = 0; n < around.weights.size(); ++n) {
    // What lies beyond an edge of the box is no part of a value within it, whatever it is.
    sum += around.weights[n] == 0.0 ? 0.0 : around.weights[n] * elements[n];
  }
  return sum;
}

}  // namespace bankfull::convection
