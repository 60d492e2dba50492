#pragma once

#include "bankfull/workloads/convection/flow.hpp"

#include <vector>

namespace bankfull::convection {

/// Integral of a b over the volume that belongs to the elements of a field: the inner product in
/// which the operators are symmetric or skew.
double inner_product(const Grid& grid, int field, const std::vector<double>& a,
                     const std::vector<double>& b);

/// The same of two velocities.
double velocity_product(const Grid& grid, const FlowState& a, const FlowState& b);

/// a - b, all fields.
FlowState difference(const FlowState& a, const FlowState& b);

/// Root of the integral of |a - b|^2: of the velocities, and of the first scalar.
double velocity_distance(const Grid& grid, const FlowState& a, const FlowState& b);
double scalar_distance(const Grid& grid, const FlowState& a, const FlowState& b);

/// Largest |a - b| of any element over the largest |b|, of all velocities or of one scalar,
/// whichever is most; NaN where there is one.
double largest_relative_difference(const FlowState& a, const FlowState& b);

}  // namespace bankfull::convection
