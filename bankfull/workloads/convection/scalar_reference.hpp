#pragma once

#include "bankfull/workloads/convection/diagnosis.hpp"
#include "bankfull/workloads/convection/problem.hpp"

namespace bankfull::convection {

/// What a scalar is stored and stepped less of, so that rounding is that of its differences: walls
/// at 300 and 300.01 kelvin differ by a hundredth, of which fp32 would keep three digits.
///
/// The middle of the values that walls fix at time 0, wherever they are; where none does, of the
/// initial state, at the centres of 8 x 8 x 8 equal parts of the box. 0 unless all of these lie
/// further from 0 than from each other: then there is nothing to gain. Surroundings do not count:
/// fluid beside a wall that lets little through may never come near them.
///
/// With bounded advection it is the least value on those walls and in the initial state. There an
/// offset of all values changes more than the rounding, because what the bounds take away depends
/// on it: with this reference the stepped values are the same wherever 0 is.
///
/// It follows from the case alone, neither from its grid nor from how far a run has come.
double reference_value(const Problem& problem, const Scalar& scalar);

/// The problem as it is stepped: each scalar less its reference value, formed in fp64.
Problem stepped_problem(Problem problem);

/// Turns the diagnosis of a flow of the stepped problem into that of the scalars themselves.
///
/// Along an axis between walls no fluid moves in the mean, so that it carries nothing of the
/// reference: what divergence is left does not count.
void add_references(const Problem& stepped, Diagnosis& flow);

}  // namespace bankfull::convection
