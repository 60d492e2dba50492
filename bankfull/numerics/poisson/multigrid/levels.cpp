#include "bankfull/numerics/poisson/multigrid/levels.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>

namespace bankfull::poisson::multigrid {
namespace {

/// The smallest distance between neighbours; infinite for one cell, which is never coarsened.
double smallest_spacing(const Axis& axis) {
  double result = std::numeric_limits<double>::infinity();
  if (axis.cells() > 1) {
    for (std::int64_t face = axis.periodic ? 0 : 1; face < axis.cells(); ++face) {
      result = std::min(result, axis.distance(face));
    }
  }
  return result;
}

constexpr std::array domain_axes{&Domain::i, &Domain::j, &Domain::k};

/// Which of the first axes has widths that differ most, and by more than `min_ratio`; -1: none.
int most_stretched(const Domain& domain, int axes, double min_ratio) {
  int most = -1;
  double largest_ratio = min_ratio;
  for (int n = 0; n < axes; ++n) {
    const Axis& axis = domain.*domain_axes[static_cast<std::size_t>(n)];
    if (!axis.uniform() && width_ratio(axis) > largest_ratio) {
      largest_ratio = width_ratio(axis);
      most = n;
    }
  }
  return most;
}

/// Pairs of cells merged; the last cell of an odd axis stays alone.
Axis merged(const Axis& axis) {
  Axis result{{}, axis.periodic};
  for (std::size_t n = 0; n < axis.widths.size(); n += 2) {
    const double sibling = n + 1 < axis.widths.size() ? axis.widths[n + 1] : 0.0;
    result.widths.push_back(axis.widths[n] + sibling);
  }
  return result;
}

/// The interpolation weight of the parent for a cell that covers `restriction_weight` of it: the
/// cell's centre is half its sibling's width away from the parent's centre, towards the other
/// parent.
double interpolation_weight_in(const Axis& coarse, std::int64_t parent, bool first,
                               double restriction_weight) {
  const double shift =
      0.5 * (1.0 - restriction_weight) * coarse.widths[static_cast<std::size_t>(parent)];
  return 1.0 - shift / coarse.distance(first ? parent : parent + 1);
}

AxisLevel axis_level(const Axis& axis, bool coarsened) {
  AxisLevel level{axis.cells(), axis.periodic, coarsened, {}, {}, {}, {}, axis.widths};
  const Axis coarse = coarsened ? merged(axis) : axis;
  for (std::int64_t n = 0; n < axis.cells(); ++n) {
    const double width = axis.widths[static_cast<std::size_t>(n)];
    // A single cell is its own neighbour: nothing flows there, as at a wall.
    const bool open_ends = axis.periodic && axis.cells() > 1;
    const bool closed_below = n == 0 && !open_ends;
    const bool closed_above = n + 1 == axis.cells() && !open_ends;
    level.lower.push_back(closed_below ? 0.0 : 1.0 / (width * axis.distance(n)));
    level.upper.push_back(closed_above ? 0.0 : 1.0 / (width * axis.distance(n + 1)));
    if (coarsened) {
      const double restriction_weight = width / coarse.widths[static_cast<std::size_t>(n / 2)];
      level.restriction_weight.push_back(restriction_weight);
      level.interpolation_weight.push_back(
          interpolation_weight_in(coarse, n / 2, n % 2 == 0, restriction_weight));
    } else {
      level.restriction_weight.push_back(1.0);
      level.interpolation_weight.push_back(1.0);
    }
  }
  return level;
}

/// The over-relaxation of each half-sweep, over the best single one: see Level.
struct Weights {
  std::array<double, 2> before = {1.0, 1.0};
  std::array<double, 4> after = {1.0, 1.0, 1.0, 1.0};
};

/// Half-sweeps with weights of their own reduce the residual faster. Found by search, for V(0, 2)
/// on the finest level and V(1, 2) below, with noise and waves as right sides, between walls and
/// without: for cubes, squares, and cells half as wide along one of three axes, which serves all
/// that are so narrow that it alone is coarsened. Where axes that are coarsened together differ by
/// a fifth they are of no use.
std::optional<Weights> weights_of(const std::array<double, 3>& spacings) {
  const double smallest = std::ranges::min(spacings);
  const auto count_below = [&](double bound) {
    return std::ranges::count_if(spacings, [&](double spacing) { return spacing < bound; });
  };
  constexpr double equal = 1.05;
  const auto axes = count_below(std::numeric_limits<double>::infinity());
  const auto equal_axes = count_below(equal * smallest);
  if (axes == 3 && equal_axes == 3) {
    return Weights{{1.055, 1.044}, {1.12, 0.993, 1.008, 0.919}};
  }
  if (axes == 3 && count_below(isotropy * smallest) == 1) {
    return Weights{{1.0, 1.0}, {0.859, 0.952, 1.07, 0.933}};
  }
  if (axes == 2 && equal_axes == 2) {
    return Weights{{1.344, 0.826}, {1.54, 1.008, 0.919, 0.742}};
  }
  return std::nullopt;
}

void set_weights(const Weights& weights, Level* level) {
  const auto times_omega = [&](double weight) { return weight * level->omega; };
  std::ranges::transform(weights.before, level->omega_before.begin(), times_omega);
  std::ranges::transform(weights.after, level->omega_after.begin(), times_omega);
}

Domain domain_of(const Level& level) {
  return {{level.i.widths, level.i.periodic},
          {level.j.widths, level.j.periodic},
          {level.k.widths, level.k.periodic}};
}

std::array<double, 3> smallest_spacings(const Domain& domain) {
  return {smallest_spacing(domain.i), smallest_spacing(domain.j), smallest_spacing(domain.k)};
}

bool has_one_shape(const Domain& domain) {
  return domain.i.uniform() && domain.j.uniform() && domain.k.uniform();
}

/// Sets what depends on all three axes together. An axis of lines, if there is one, is out of the
/// game: its couplings are solved for.
Level level_of(const Domain& domain, int line_axis) {
  std::array<double, 3> spacings = smallest_spacings(domain);
  if (line_axis >= 0) {
    spacings[static_cast<std::size_t>(line_axis)] = std::numeric_limits<double>::infinity();
  }
  const double smallest = *std::min_element(spacings.begin(), spacings.end());
  const auto coarsened = [&](double spacing) {
    return std::isfinite(spacing) && spacing < isotropy * smallest;
  };
  Level level{axis_level(domain.i, coarsened(spacings[0])),
              axis_level(domain.j, coarsened(spacings[1])),
              axis_level(domain.k, coarsened(spacings[2]))};
  double sum = 0.0;
  double weakest = std::numeric_limits<double>::infinity();
  for (const double spacing : spacings) {
    const double coupling = 1.0 / (spacing * spacing);
    sum += coupling;
    if (coarsened(spacing)) {
      weakest = std::min(weakest, coupling);
    }
  }
  level.line_axis = line_axis;
  level.omega = sum > 0.0 ? best_omega(weakest, sum) : 1.0;
  set_weights({}, &level);
  return level;
}

/// Sweeps that bring the residual down fastest for their time: for cubes one sweep each way on the
/// finest level and two on the coarser ones, which cost little, reduce it by 20 per cycle.
void set_sweeps(const Domain& domain, std::vector<Level>* levels) {
  constexpr int thorough = 2;
  for (Level& level : *levels) {
    level.sweeps_before = thorough;
    level.sweeps_after = thorough;
  }
  // Cells of many shapes smooth slowly, but for lines.
  const bool by_lines = levels->front().has_lines();
  if (by_lines || has_one_shape(domain)) {
    levels->front().sweeps_before = 1;
    levels->front().sweeps_after = 1;
  }
  // A single line is solved by one sweep.
  levels->back().sweeps_before = by_lines ? 1 : 0;
  levels->back().sweeps_after = 0;
}

Domain next_domain(const Domain& domain, const Level& level) {
  return {level.i.coarsened ? merged(domain.i) : domain.i,
          level.j.coarsened ? merged(domain.j) : domain.j,
          level.k.coarsened ? merged(domain.k) : domain.k};
}

}  // namespace

double best_omega(double smallest, double sum) {
  const double g = 1.0 - smallest / sum;
  return 2.0 / (1.0 + std::sqrt(1.0 - g * g));
}

void set_short_cycle(std::vector<Level>* levels, int sweeps_of_start) {
  Level& finest = levels->front();
  const Domain domain = domain_of(finest);
  if (finest.has_lines() || !has_one_shape(domain) || !weights_of(smallest_spacings(domain))) {
    return;
  }
  finest.sweeps_of_start = sweeps_of_start;
  for (std::size_t l = 0; l + 1 < levels->size(); ++l) {
    Level& level = (*levels)[l];
    level.sweeps_before = l == 0 ? 0 : 1;
    level.sweeps_after = 2;
    set_weights(weights_of(smallest_spacings(domain_of(level))).value_or(Weights{}), &level);
  }
}

std::vector<Level> make_levels(const Domain& domain, Smoother smoother) {
  return make_levels_along(domain,
                           smoother == Smoother::lines ? most_stretched(domain, 3, 1.0) : -1);
}

int line_axis_of_schedules(const Domain& domain) {
  return most_stretched(domain, 2, max_width_ratio_of_points);
}

std::vector<Level> make_levels_along(const Domain& domain, int line_axis) {
  require_cells(domain);  // an axis without cells would never be coarsened to one
  const std::int64_t fewest =
      line_axis < 0 ? 1 : (domain.*domain_axes[static_cast<std::size_t>(line_axis)]).cells();
  std::vector<Level> levels;
  Domain current = domain;
  while (true) {
    levels.push_back(level_of(current, line_axis));
    if (current.extents().count() == fewest) {
      if (line_axis >= 0 && levels.size() == 1) {
        levels.push_back(levels.front());
      }
      set_sweeps(domain, &levels);
      return levels;
    }
    current = next_domain(current, levels.back());
  }
}

}  // namespace bankfull::poisson::multigrid
