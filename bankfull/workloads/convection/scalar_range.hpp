#pragma once

#include "bankfull/workloads/convection/problem.hpp"

namespace bankfull::convection {

/// Between which values a scalar lies.
struct ScalarRange {
  double least = 0.0;
  double most = 0.0;
};

/// What it comes to where walls, or their surroundings, fix a scalar that lies within a range: with
/// the values at all corners of such walls, at any time of the run.
ScalarRange with_walls(const Problem& problem, const Scalar& scalar, ScalarRange range);

}  // namespace bankfull::convection
