#pragma once

#include "bankfull/workloads/npb/benchmark.hpp"

#include <gtest/gtest.h>
#include <vector>

namespace bankfull::npb {

inline void expect_passed(const std::vector<Check>& checks) {
  EXPECT_FALSE(checks.empty());
  for (const Check& check : checks) {
    EXPECT_TRUE(check.passed()) << check.name << ": " << check.value << " instead of "
                                << check.reference << ", deviation " << check.deviation();
  }
}

/// Runs it from the start and asks for NPB's verdict.
inline void expect_verified(Benchmark& benchmark) {
  benchmark.rewind();
  benchmark.run();
  expect_passed(benchmark.checks());
}

}  // namespace bankfull::npb
