#include "bankfull/numerics/poisson/multigrid.hpp"
#include "bankfull/numerics/poisson/multigrid/levels.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <numbers>
#include <numeric>

namespace bankfull::poisson {
namespace {

/// What there is to know of an axis with neighbours.
struct AxisShape {
  explicit AxisShape(const Axis& axis)
      : counts(axis.cells() > 1),
        narrowest(*std::min_element(axis.widths.begin(), axis.widths.end())),
        widest(*std::max_element(axis.widths.begin(), axis.widths.end())) {
    const double length = std::accumulate(axis.widths.begin(), axis.widths.end(), 0.0);
    const double number = (axis.periodic ? 2.0 : 1.0) * std::numbers::pi / length;
    eigenvalue = number * number;
  }

  bool counts;
  double narrowest;
  double widest;
  double eigenvalue = 0.0;  ///< the smallest but 0 of its second difference, but for the grid
};

using Shapes = std::array<AxisShape, 3>;

/// By how much widths differ where points are relaxed, or across lines.
MultigridFit fit_of_shapes(const Shapes& axes, int line_axis) {
  MultigridFit fit{.limit = MultigridLimit::shapes, .value = 1.0, .largest = max_ratio_of_shapes};
  double widest_ratio = 0.0;
  for (int n = 0; n < 3; ++n) {
    const AxisShape& axis = axes[static_cast<std::size_t>(n)];
    if (n == line_axis) {
      continue;
    }
    const double ratio = axis.counts ? axis.widest / axis.narrowest : 1.0;
    if (!axis.counts && line_axis >= 0) {
      fit.largest = max_ratio_of_shapes_in_planes;
    }
    // Without lines i and j are all but uniform.
    fit.value = line_axis >= 0 ? fit.value * ratio : std::max(fit.value, ratio);
    if (ratio > widest_ratio) {
      widest_ratio = ratio;
      fit.narrow = n;
    }
  }
  fit.other = std::max(0, line_axis);
  return fit;
}

/// The longest axis, by its eigenvalue, other than one; -1: there is none.
int slowest_axis(const Shapes& axes, int but) {
  int slowest = -1;
  for (int n = 0; n < 3; ++n) {
    const auto at = static_cast<std::size_t>(n);
    if (n != but && axes[at].counts &&
        (slowest < 0 || axes[at].eigenvalue < axes[static_cast<std::size_t>(slowest)].eigenvalue)) {
      slowest = n;
    }
  }
  return slowest;
}

/// How far the coefficients of an axis are above the smallest eigenvalue.
MultigridFit fit_of_range(const Shapes& axes, int axis, bool along_lines) {
  const AxisShape& narrow = axes[static_cast<std::size_t>(axis)];
  MultigridFit fit{.limit = MultigridLimit::range,
                   .largest = along_lines ? max_range_along_lines : max_range,
                   .narrow = axis,
                   .other = slowest_axis(axes, along_lines ? axis : -1)};
  if (narrow.counts && fit.other >= 0) {
    const double width = along_lines ? narrow.widest : narrow.narrowest;
    fit.value =
        1.0 / (narrow.narrowest * width) / axes[static_cast<std::size_t>(fit.other)].eigenvalue;
  }
  return fit;
}

}  // namespace

MultigridFit multigrid_fit(const Domain& domain) {
  require_cells(domain);
  const Shapes axes{AxisShape(domain.i), AxisShape(domain.j), AxisShape(domain.k)};
  const int line_axis = multigrid::line_axis_of_schedules(domain);
  if (const MultigridFit fit = fit_of_shapes(axes, line_axis); !(fit.value <= fit.largest)) {
    return fit;
  }
  for (int n = 0; n < 3; ++n) {
    const MultigridFit fit = fit_of_range(axes, n, n == line_axis);
    if (!(fit.value <= fit.largest)) {
      return fit;
    }
  }
  return {};
}

}  // namespace bankfull::poisson
