#pragma once

#include "bankfull/workloads/convection/grid.hpp"
#include "bankfull/workloads/convection/integrator.hpp"
#include "bankfull/workloads/convection/problem.hpp"
#include "bankfull/workloads/convection/scheme.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace bankfull::convection {

/// Advances by steps of the given lengths, from rest of the scheme: the first has none before it.
inline void advance_steps(Integrator& flow, TimeScheme scheme, const std::vector<double>& steps) {
  double before = 0.0;
  for (const double dt : steps) {
    for (const Stage& stage : stages_of(scheme, dt, before)) {
      flow.advance(stage);
    }
    before = dt;
  }
}

/// `count` equal steps that end at `end`.
inline void advance_to(Integrator& flow, TimeScheme scheme, double end, std::int64_t count) {
  advance_steps(
      flow, scheme,
      std::vector<double>(static_cast<std::size_t>(count), end / static_cast<double>(count)));
}

inline double largest_magnitude(const std::vector<double>& values) {
  double most = 0.0;
  for (const double value : values) {
    most = std::max(most, std::abs(value));
  }
  return most;
}

/// The larger of both; NaN once there was one.
inline double worse_of(double most, double value) {
  return std::isnan(most) || value <= most ? most : value;
}

/// Largest |a - b|; NaN where one is NaN.
inline double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double most = 0.0;
  for (std::size_t n = 0; n < a.size(); ++n) {
    most = worse_of(most, std::abs(a[n] - b[n]));
  }
  return most;
}

/// Largest difference of any velocity, and of any scalar, relative to the largest magnitude of its
/// kind in b. Where that is hardly anything, all of it may be rounding of the terms that cancel:
/// they are not small in the problems of these tests.
inline double relative_difference(const FlowState& a, const FlowState& b) {
  constexpr double size_of_terms = 0.1;
  double speed = size_of_terms;
  double difference_of_velocity = 0.0;
  double worst = 0.0;
  for (std::size_t field = 0; field < b.fields.size(); ++field) {
    const double difference = largest_difference(a.fields[field], b.fields[field]);
    const double magnitude = largest_magnitude(b.fields[field]);
    if (field < 3) {
      speed = std::max(speed, magnitude);
      difference_of_velocity = worse_of(difference_of_velocity, difference);
    } else {
      worst = worse_of(worst, difference / std::max(magnitude, size_of_terms));
    }
  }
  return worse_of(worst, difference_of_velocity / speed);
}

}  // namespace bankfull::convection
