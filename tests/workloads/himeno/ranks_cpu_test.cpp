#include "bankfull/workloads/himeno/run.hpp"
#include "bankfull/workloads/himeno/verify.hpp"
#include "tests/workloads/himeno/exact_iterations.hpp"
#include "tests/workloads/himeno/on_ranks.hpp"
#include "tests/workloads/himeno/spoilt_solver.hpp"

#include <algorithm>
#include <gtest/gtest.h>

namespace bankfull::himeno {
namespace {

Problem problem_of(Schedule schedule, Precision precision, Overlap overlap) {
  Problem problem;
  problem.grid = {27, 33, 83};  // odd and unequal; eight ranks have three planes at least
  problem.precision = precision;
  problem.schedules = {schedule};
  problem.threads = test_ranks().size() <= 2 ? 2 : 1;
  problem.overlap = overlap;
  problem.split = 0.4;
  return problem;
}

/// With every overlap and every way to cut.
void expect_the_bits_of_one_rank(Schedule schedule, Precision precision) {
  constexpr int iterations = 23;
  const Outcome one =
      outcome_on(alone(), problem_of(schedule, precision, Overlap::none), iterations);
  for (const Overlap overlap : all_overlaps) {
    const Problem problem = problem_of(schedule, precision, overlap);
    for (const RankGrid& cuts : runnable_cuts(problem, test_ranks().size())) {
      expect_same({problem, cuts, iterations}, one);
    }
  }
}

TEST(HimenoOnRanks, GivesTheBitsOfOneRank) {
  for (const Schedule schedule : {Schedule::reference, Schedule::direct, Schedule::marching,
                                  Schedule::tuned, Schedule::fused}) {
    for (const Precision precision : {Precision::fp32, Precision::fp64}) {
      expect_the_bits_of_one_rank(schedule, precision);
    }
  }
}

TEST(HimenoOnRanks, ThinBlocksWork) {
  Problem problem = problem_of(Schedule::tuned, Precision::fp32, Overlap::boundary);
  problem.grid = {2 + test_ranks().size(), 5, 9};
  expect_same_as_one_rank({problem, {test_ranks().size(), 1, 1}, 9});
}

TEST(HimenoOnRanks, GosaIsTheSameInEveryRun) {
  const Problem problem = problem_of(Schedule::tuned, Precision::fp32, Overlap::boundary);
  const auto gosa = [&] {
    const auto solver = make_solver(make_plan(problem, test_ranks()), test_ranks());
    solver->load({.kind = InitialState::Kind::random, .seed = 5});
    return solver->iterate(Schedule::tuned, 6).gosa;
  };
  const double first = gosa();
  EXPECT_EQ(gosa(), first);
  EXPECT_EQ(test_ranks().max(first), first);
}

TEST(HimenoOnRanks, StaleHalosShow) {
  if (test_ranks().size() == 1) {
    GTEST_SKIP() << "one rank has no halos";
  }
  const Problem problem = problem_of(Schedule::tuned, Precision::fp64, Overlap::boundary);
  const auto gosa = [&](Halos halos) {
    const auto solver = make_solver(make_plan(problem, test_ranks()), test_ranks());
    solver->load({.kind = InitialState::Kind::random, .seed = 5});
    solver->prepare(Schedule::tuned, 6, halos);
    return test_ranks().sum(solver->run(Schedule::tuned, 6, halos));
  };
  EXPECT_NE(gosa(Halos::stale), gosa(Halos::exchanged));
}

TEST(HimenoOnRanks, RunsAreVerifiedAndTheSameOnAllRanks) {
  Problem problem = problem_of(Schedule::tuned, Precision::fp32, Overlap::boundary);
  problem.grid = parse_size("XS");
  problem.schedules = {Schedule::tuned, Schedule::fused};
  problem.threads = 1;
  problem.iterations = 8;
  problem.repeats = 2;
  NoProgress progress;
  const RunResult result =
      run(make_plan(problem, test_ranks()), {.ranks = test_ranks(), .progress = progress});
  EXPECT_TRUE(result.verified());
  ASSERT_EQ(result.measurements.size(), 2U);
  const double seconds = result.measurements.front().seconds.median;
  EXPECT_EQ(test_ranks().max(seconds), seconds);
  const Traffic expected = 8.0 * iteration_traffic(problem.grid, problem.precision);
  EXPECT_EQ(result.measurements.front().work.traffic.bytes(), expected.bytes());
  EXPECT_EQ(result.measurements.back().work.traffic.flops, expected.flops);
}

TEST(HimenoOnRanks, SayWhatCommunicationAdds) {
  Problem problem = problem_of(Schedule::tuned, Precision::fp32, Overlap::none);
  problem.iterations = 8;
  problem.repeats = 2;
  NoProgress progress;
  const RunResult result =
      run(make_plan(problem, test_ranks()), {.ranks = test_ranks(), .progress = progress});
  ASSERT_EQ(result.measurements.size(), 1U);
  const std::vector<Figure>& figures = result.measurements.front().figures;
  for (const char* name : {"sent_bytes", "exposed_communication", "exposed_percent"}) {
    EXPECT_EQ(std::any_of(figures.begin(), figures.end(),
                          [&](const Figure& figure) { return figure.name == name; }),
              test_ranks().size() > 1)
        << name;
  }
}

TEST(HimenoOnRanks, APlanCutsTheGridAndCountsTheBytesOfTheBusiestRank) {
  const Problem problem = problem_of(Schedule::tuned, Precision::fp64, Overlap::boundary);
  const Plan plan = make_plan(problem, test_ranks());
  EXPECT_EQ(plan.domain.rank, test_ranks().rank());
  EXPECT_EQ(test_ranks().sum(plan.domain.interior().count()), problem.grid.updated_points());
  EXPECT_EQ(plan.field_bytes, memory_bytes(plan.domain.interior(), 1, problem.precision));
  const std::int64_t most = test_ranks().max(plan.field_bytes);
  EXPECT_GT(plan.footprint.host, test_ranks().size() * most);
  EXPECT_EQ(plan.footprint.device, 0);
}

class ExactIterationsOnRanks : public ::testing::TestWithParam<ExactCase> {};

TEST_P(ExactIterationsOnRanks, GosaDependsOnNothingElse) {
  expect_exact_gosa(GetParam(), Problem{}, test_ranks());
}

INSTANTIATE_TEST_SUITE_P(Cases, ExactIterationsOnRanks,
                         ::testing::Values(ExactCase{Schedule::tuned, 1, 0, 1},
                                           ExactCase{Schedule::tuned, 7, 1, 3},
                                           ExactCase{Schedule::fused, 1, 1, 2},
                                           ExactCase{Schedule::fused, 7, 2, 2}));

/// Returns one wrong pressure, on the last rank.
class WrongOnLastRank final : public SpoiltSolver {
 public:
  using SpoiltSolver::SpoiltSolver;
  [[nodiscard]] std::vector<double> pressure_in(const Box& part) const override {
    std::vector<double> values = SpoiltSolver::pressure_in(part);
    const bool first = part.i0 == 0 && part.j0 == 0 && part.k0 == 0;
    if (first && domain().rank == test_ranks().size() - 1) {
      values.front() *= 1.0 + 1e-7;
    }
    return values;
  }
};

TEST(HimenoOnRanks, OneWrongPressureOnOneRankFailsOnAll) {
  const Problem problem = problem_of(Schedule::tuned, Precision::fp32, Overlap::boundary);
  const auto good = make_solver(make_plan(problem, test_ranks()), test_ranks());
  EXPECT_TRUE(check_own_grid(*good, problem, Schedule::tuned, test_ranks()).passed());
  WrongOnLastRank wrong(make_solver(make_plan(problem, test_ranks()), test_ranks()));
  EXPECT_EQ(check_own_grid(wrong, problem, Schedule::tuned, test_ranks()).value, 1.0);
}

TEST(HimenoOnRanks, RefusesWhatCannotBeCut) {
  const int size = test_ranks().size();
  Problem problem = problem_of(Schedule::tuned, Precision::fp32, Overlap::boundary);
  problem.rank_grid = RankGrid{size + 1, 1, 1};
  EXPECT_THROW(make_plan(problem, test_ranks()), UsageError);
  problem.rank_grid.reset();
  problem.grid = {3, 3, 3};
  if (size > 1) {
    EXPECT_THROW(make_plan(problem, test_ranks()), UsageError);
  }
  problem = problem_of(Schedule::fused, Precision::fp32, Overlap::boundary);
  problem.rank_grid = RankGrid{1, 1, size};
  if (size > 1) {
    EXPECT_THROW(make_plan(problem, test_ranks()), UsageError);
  }
}

}  // namespace
}  // namespace bankfull::himeno
