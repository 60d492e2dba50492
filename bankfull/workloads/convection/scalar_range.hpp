#pragma once

#include "bankfull/workloads/convection/problem.hpp"

#include <optional>

namespace bankfull::convection {

/// Between which values a scalar lies.
struct ScalarRange {
  double least = 0.0;
  double most = 0.0;
};

/// What is known of a scalar's values beforehand: those that a run began with, and those that walls
/// and their surroundings prescribe at any time of it.
struct KnownRange {
  ScalarRange range;
  bool holds = false;  ///< nothing leads beyond: no source and no heated wall
};

/// The range of a formula's values at the centres of 8 x 8 x 8 equal parts of the box; 0 without a
/// formula. Values that are not finite are refused where a flow is loaded.
ScalarRange sampled_range(const Problem& problem, const PointFunction& function);

/// What it comes to where walls, or their surroundings, fix a scalar that lies within a range: with
/// the values at all corners of such walls, at any time of the run.
ScalarRange with_walls(const Problem& problem, const Scalar& scalar, ScalarRange range);

/// The range of the values at the corners of walls that fix the scalar itself, at time 0; nothing
/// where there are no such walls.
std::optional<ScalarRange> range_on_fixed_walls_at_start(const Problem& problem,
                                                         const Scalar& scalar);

/// What a range comes to with those values.
ScalarRange with_fixed_walls_at_start(const Problem& problem, const Scalar& scalar,
                                      ScalarRange range);

}  // namespace bankfull::convection
