#pragma once

#include "bankfull/workloads/convection/integrator.hpp"
#include "tests/workloads/convection/cases.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <vector>

namespace bankfull::convection {

/// The planes across all axes of a flow after a step.
inline std::vector<ProfileSample> samples_of(const Problem& problem) {
  const std::unique_ptr<Integrator> flow = make_integrator(Plan(problem));
  flow->load(initial_state(problem, Grid(problem.axes)));
  flow->set_rule(step_rule(flow->plan().problem(), flow->plan().grid(), flow->diagnose()));
  flow->step();
  std::vector<ProfileSample> samples;
  for (const int axis : storage_axes) {
    samples.push_back(flow->sample(axis));
  }
  return samples;
}

inline double largest_of(const std::vector<double>& values, double least) {
  for (const double value : values) {
    least = std::max(least, std::abs(value));
  }
  return least;
}

/// Compares each sum by itself: their sizes differ, as powers of different quantities do.
inline void expect_same_samples(const std::vector<ProfileSample>& found,
                                const std::vector<ProfileSample>& expected, double tolerance) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const auto planes = static_cast<std::ptrdiff_t>(expected[axis].planes);
    ASSERT_EQ(found[axis].planes, expected[axis].planes);
    ASSERT_EQ(found[axis].means.size(), expected[axis].means.size());
    for (auto first = expected[axis].means.begin(); first != expected[axis].means.end();
         first += planes) {
      const std::vector<double> sum(first, first + planes);
      const double size = largest_of(sum, 0.05);
      const auto at = first - expected[axis].means.begin();
      for (std::ptrdiff_t n = 0; n < planes; ++n) {
        ASSERT_NEAR(found[axis].means[static_cast<std::size_t>(at + n)],
                    sum[static_cast<std::size_t>(n)], tolerance * size)
            << "sum " << at / planes << " in plane " << n << " across storage axis " << axis;
      }
    }
    for (std::size_t n = 0; n < expected[axis].beyond.size(); ++n) {
      ASSERT_NEAR(found[axis].beyond[n], expected[axis].beyond[n],
                  tolerance * std::max(1.0, std::abs(expected[axis].beyond[n])));
    }
  }
}

inline Problem by_reference(Problem problem) {
  problem.schedule = Schedule::reference;
  problem.device = Device::cpu();
  problem.precision = Precision::fp64;
  return problem;
}

}  // namespace bankfull::convection
