#include "bankfull/workloads/convection/drive.hpp"

#include <algorithm>

namespace bankfull::convection {
namespace {

/// What the wall at one end of an axis adds with time to a field; null: nothing.
const TimeFunction& varying_part(const Problem& problem, const Grid& grid, int field, int axis,
                                 int side) {
  const auto physical = static_cast<std::size_t>(grid.physical(axis));
  const auto at = static_cast<std::size_t>(side);
  if (field < 3) {
    return problem.walls[physical][at].varying[static_cast<std::size_t>(grid.physical(field))];
  }
  return problem.scalars[static_cast<std::size_t>(field - 3)].walls[physical][at].varying;
}

const TimeFunction& factor_of(const Problem& problem, const Grid& grid, int field) {
  return field < 3 ? problem.force_factor[static_cast<std::size_t>(grid.physical(field))]
                   : problem.scalars[static_cast<std::size_t>(field - 3)].source_factor;
}

}  // namespace

Drive drive_of(const Problem& problem, const Grid& grid) {
  Drive drive;
  const std::vector<Continuations> rules = continuations_of(problem, grid);
  for (int field = 0; field < static_cast<int>(rules.size()); ++field) {
    for (const int axis : storage_axes) {
      for (int side = 0; side < 2; ++side) {
        const Continuation& rule = rules[static_cast<std::size_t>(field)].at[axis][side];
        const TimeFunction& value = varying_part(problem, grid, field, axis, side);
        if (value && !rule.wraps) {
          drive.walls.push_back({field, axis, side, rule.share, *value});
        }
      }
    }
    if (const TimeFunction& factor = factor_of(problem, grid, field)) {
      drive.sources.push_back({field, *factor});
    }
  }
  return drive;
}

SourceFactors source_factors_at(const Drive& drive, double time) {
  SourceFactors factors{};
  std::ranges::fill(factors.of, 1.0);
  for (const VaryingSource& source : drive.sources) {
    factors.of[source.field] = source.factor.at(time);
  }
  return factors;
}

}  // namespace bankfull::convection
