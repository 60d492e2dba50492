#pragma once

#include "bankfull/workloads/npb/benchmark.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace bankfull::npb {

inline void expect_passed(const std::vector<Check>& checks) {
  EXPECT_FALSE(checks.empty());
  for (const Check& check : checks) {
    EXPECT_TRUE(check.passed()) << check.name << ": " << check.value << " instead of "
                                << check.reference << ", deviation " << check.deviation();
  }
}

/// Runs it from the start and returns NPB's verdict.
inline void expect_verified(Benchmark& benchmark) {
  benchmark.rewind();
  benchmark.run();
  expect_passed(benchmark.checks());
}

/// The smallest perturbation that `--perturb-operator` must detect.
inline constexpr double small_perturbation = 1e-6;

inline std::string kernel_name(const testing::TestParamInfo<Kernel>& info) {
  return to_string(info.param);
}

/// Runs it from the start, which NPB's criteria must not accept.
inline void expect_refuted(Benchmark& benchmark) {
  benchmark.rewind();
  benchmark.run();
  const std::vector<Check> checks = benchmark.checks();
  EXPECT_FALSE(
      std::all_of(checks.begin(), checks.end(), [](const Check& check) { return check.passed(); }));
}

}  // namespace bankfull::npb
