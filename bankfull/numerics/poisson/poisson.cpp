#include "bankfull/numerics/poisson/poisson.hpp"

#include "bankfull/core/base/error.hpp"
#include "bankfull/core/base/expects.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace bankfull::poisson {
namespace {

void require_cells_along(const Axis& axis, char name) {
  require(!axis.widths.empty(), fmt::format("axis {} of a domain has no cells", name),
          "give it at least one");
  const auto wrong = std::ranges::find_if(
      axis.widths, [](double width) { return !std::isfinite(width) || width <= 0.0; });
  if (wrong != axis.widths.end()) {
    throw UsageError(fmt::format("cell {} of axis {} has a width of {}",
                                 wrong - axis.widths.begin(), name, *wrong),
                     "use finite widths above 0");
  }
}

}  // namespace

bool Axis::uniform() const {
  constexpr double rounding = 1e-12;
  return std::all_of(widths.begin(), widths.end(), [&](double width) {
    return std::abs(width - widths.front()) <= rounding * widths.front();
  });
}

double Axis::distance(std::int64_t face) const {
  expects(face >= 0 && face <= cells(), "a face between or beside the cells");
  const auto width = [&](std::int64_t cell) { return widths[static_cast<std::size_t>(cell)]; };
  const std::int64_t last = cells() - 1;
  const bool at_lower_end = face == 0;
  const bool at_upper_end = face == cells();
  const double below = at_lower_end ? width(periodic ? last : 0) : width(face - 1);
  const double above = at_upper_end ? width(periodic ? 0 : last) : width(face);
  return 0.5 * (below + above);
}

void require_cells(const Domain& domain) {
  require_cells_along(domain.i, 'i');
  require_cells_along(domain.j, 'j');
  require_cells_along(domain.k, 'k');
}

double width_ratio(const Axis& axis) {
  require(!axis.widths.empty(), "an axis without cells has no ratio of widths",
          "give it at least one");
  const auto [least, most] = std::minmax_element(axis.widths.begin(), axis.widths.end());
  return *most / *least;
}

}  // namespace bankfull::poisson
