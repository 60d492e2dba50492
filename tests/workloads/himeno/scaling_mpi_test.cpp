#include "bankfull/core/base/bytes.hpp"
#include "bankfull/core/base/error.hpp"
#include "bankfull/workloads/himeno/scaling.hpp"
#include "tests/mpi_main.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <string>
#include <variant>

namespace bankfull::himeno {
namespace {

ScalingProblem problem_of(Scaling mode) {
  ScalingProblem scaling;
  scaling.problem.grid = {15, 14, 13};
  scaling.problem.iterations = 6;
  scaling.problem.repeats = 2;
  scaling.mode = mode;
  for (int ranks = 1; ranks <= test_ranks().size(); ++ranks) {
    scaling.rank_counts.push_back(ranks);
  }
  return scaling;
}

double figure_of(const Measurement& m, const std::string& name) {
  for (const Figure& figure : m.figures) {
    if (figure.name == name) {
      return std::get<double>(figure.value);
    }
  }
  ADD_FAILURE() << m.name << " has no " << name;
  return 0.0;
}

RunResult result_of(const ScalingProblem& scaling, CeilingRule ceiling) {
  NoProgress progress;
  return run_scaling(make_plan(scaling, test_ranks(), ceiling),
                     {.ranks = test_ranks(),
                      .progress = progress,
                      .policy = {.ceiling = ceiling, .ceiling_bytes = 64 * mib}});
}

void expect_verified(const ScalingProblem& scaling, CeilingRule ceiling = CeilingRule::none) {
  const RunResult result = result_of(scaling, ceiling);
  EXPECT_TRUE(result.verified());
  EXPECT_FALSE(result.checks.empty());
  if (!test_ranks().is_root()) {
    return;
  }
  ASSERT_EQ(result.measurements.size(), scaling.rank_counts.size());
  EXPECT_DOUBLE_EQ(figure_of(result.measurements.front(), "efficiency"), 100.0);
  EXPECT_DOUBLE_EQ(figure_of(result.measurements.front(), "speedup"), 1.0);
  for (const Measurement& m : result.measurements) {
    EXPECT_EQ(m.seconds.samples.size(), 2U);
    EXPECT_GT(figure_of(m, "efficiency"), 0.0);
    EXPECT_EQ(m.percent_of_bankfull().has_value(), ceiling == CeilingRule::always) << m.name;
    EXPECT_GT(m.bytes_per_second().value_or(0.0), 0.0);
  }
}

TEST(HimenoScaling, StrongIsVerifiedOnEveryNumberOfRanks) {
  expect_verified(problem_of(Scaling::strong), CeilingRule::always);
}

TEST(HimenoScaling, WeakIsVerifiedOnEveryNumberOfRanks) {
  ScalingProblem scaling = problem_of(Scaling::weak);
  scaling.problem.schedules = {Schedule::fused};
  expect_verified(scaling);
}

/// No case is verified, on any rank, though its own checks cannot detect so small a perturbation.
TEST(HimenoScaling, APerturbedRunIsNotVerified) {
  ScalingProblem scaling = problem_of(Scaling::strong);
  scaling.problem.perturbation = 1e-20;
  const RunResult result = result_of(scaling, CeilingRule::none);
  EXPECT_FALSE(result.verified());
  EXPECT_EQ(result.problem.back().name, "perturbation");
  for (const Measurement& m : result.measurements) {
    const auto verified =
        std::find_if(m.figures.begin(), m.figures.end(),
                     [](const Figure& figure) { return figure.name == "verified"; });
    ASSERT_NE(verified, m.figures.end());
    EXPECT_FALSE(std::get<bool>(verified->value)) << m.name;
  }
}

TEST(HimenoScaling, SameCoresGiveFewerRanksMoreThreads) {
  ScalingProblem scaling = problem_of(Scaling::strong);
  scaling.rank_counts = {1, test_ranks().size()};
  scaling.total_threads = test_ranks().size();
  expect_verified(scaling);
}

TEST(HimenoScaling, WhatCannotBeCutIsRefusedOnAllRanksOfTheCase) {
  ScalingProblem scaling = problem_of(Scaling::strong);
  scaling.rank_counts = {test_ranks().size()};
  scaling.problem.grid = {3, 3, 3};
  EXPECT_THROW(make_plan(scaling, test_ranks()), UsageError);
}

}  // namespace
}  // namespace bankfull::himeno
