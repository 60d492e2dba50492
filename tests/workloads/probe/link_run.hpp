#pragma once

#include "bankfull/workloads/probe/link.hpp"
#include "bankfull/workloads/probe/run.hpp"
#include "tests/mpi_main.hpp"

#include <gtest/gtest.h>

namespace bankfull::probe {

/// Probes links with few small messages: 8, 16, 64, 256 and 1024 bytes.
inline RunResult run_small_links(Device device) {
  Problem problem;
  problem.part = Part::link;
  problem.device = device;
  problem.repeats = 2;
  problem.working_set_from = 8;
  problem.working_set_to = 1024;
  NoProgress progress;
  return run(make_plan(problem, test_ranks()), {.ranks = test_ranks(), .progress = progress});
}

/// What a result has for every pattern: two series, two measurements (the ends) and a check over
/// each of `transports`, on all ranks alike.
inline void expect_whole(const RunResult& result, std::size_t transports) {
  const std::size_t links = link_patterns(test_ranks().size()).size() * transports;
  EXPECT_TRUE(result.verified());
  EXPECT_EQ(result.checks.size(), links);
  EXPECT_EQ(result.measurements.size(), 2 * links);
  ASSERT_EQ(result.series.size(), 2 * links);
  for (const Series& series : result.series) {
    ASSERT_EQ(series.points.size(), 5U) << series.name;
    EXPECT_EQ(series.points.front().first, 8.0);
    EXPECT_EQ(series.points.back().first, 1024.0);
    for (const auto& [size, value] : series.points) {
      EXPECT_GT(value, 0.0) << series.name << " at " << size;
      const auto all = test_ranks().all_gather(value);
      EXPECT_EQ(all.front(), value) << series.name << " at " << size;
    }
  }
}

}  // namespace bankfull::probe
