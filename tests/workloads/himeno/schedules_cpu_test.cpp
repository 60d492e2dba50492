#include "tests/alone.hpp"
#include "tests/workloads/himeno/exact_iterations.hpp"
#include "tests/workloads/himeno/schedules.hpp"

#include <gtest/gtest.h>
#include <string>

namespace bankfull::himeno {
namespace {

std::vector<ScheduleCase> cpu_cases() {
  std::vector<ScheduleCase> cases;
  for (const Schedule schedule :
       {Schedule::direct, Schedule::marching, Schedule::tuned, Schedule::fused}) {
    for (const Precision precision : {Precision::fp32, Precision::fp64}) {
      for (const GridSize& grid : awkward_grids()) {
        for (const int threads : {1, 2, 5}) {
          cases.push_back({schedule, precision, grid, threads, 1});
          cases.push_back({schedule, precision, grid, threads, 7});
        }
      }
    }
  }
  return cases;
}

class CpuSchedule : public ::testing::TestWithParam<ScheduleCase> {};

TEST_P(CpuSchedule, GivesTheBitsOfTheReference) {
  expect_same_as_reference(GetParam(), Device::cpu());
}

INSTANTIATE_TEST_SUITE_P(Cases, CpuSchedule, ::testing::ValuesIn(cpu_cases()));

TEST(CpuSchedules, GosaIsTheSameInEveryRun) {
  const ScheduleCase c{Schedule::tuned, Precision::fp32, {33, 19, 67}, 3, 5};
  const InitialState random{.kind = InitialState::Kind::random, .seed = 3};
  for (const Schedule schedule : {Schedule::direct, Schedule::tuned, Schedule::fused}) {
    const double first = outcome_of(c, schedule, Device::cpu(), 3, random).gosa;
    for (int repeat = 0; repeat < 5; ++repeat) {
      EXPECT_EQ(outcome_of(c, schedule, Device::cpu(), 3, random).gosa, first);
    }
  }
}

TEST(CpuSchedules, ReturnPartsOfThePressure) { expect_parts_of_the_pressure(Device::cpu()); }

class CpuExactIterations : public ::testing::TestWithParam<ExactCase> {};

TEST_P(CpuExactIterations, GosaDependsOnNothingElse) {
  Problem problem;
  problem.threads = 2;
  expect_exact_gosa(GetParam(), problem, alone());
}

INSTANTIATE_TEST_SUITE_P(Cases, CpuExactIterations,
                         ::testing::ValuesIn(exact_cases(all_schedules())));

TEST(CpuSchedules, FilledTimeSaysAfterHowManyIterationsGosaIs) {
  Problem problem;
  problem.grid = {9, 9, 9};
  problem.precision = Precision::fp64;
  problem.target_seconds = 1e-5;
  problem.repeats = 3;
  const auto solver = make_solver(make_plan(problem, alone()), alone());
  solver->load({});
  ScheduleBenchmark benchmark(*solver, problem, Schedule::tuned);
  benchmark.warm_up();
  for (int n = 0; n < problem.repeats; ++n) {
    benchmark.rewind();
    benchmark.run();
  }
  const auto iteration = figure_of<std::int64_t>(benchmark, "gosa_iteration");
  EXPECT_EQ(iteration, 3 + 3 * benchmark.iterations());
  const double expected = reference_gosa(problem.grid, iteration);
  EXPECT_NEAR(figure_of<double>(benchmark, "gosa"), expected, 1e-12 * expected);
}

TEST(CpuSchedules, FusedWorkMovesTheFieldsOncePerPass) {
  Problem problem;
  problem.grid = {40, 41, 42};
  problem.precision = Precision::fp64;
  const auto solver = make_solver(make_plan(problem, alone()), alone());
  const Traffic iteration = iteration_traffic(problem.grid, problem.precision);
  const int per_pass = solver->facts(Schedule::fused).iterations_per_pass;
  ASSERT_GT(per_pass, 1);
  const Work fused = solver->work(Schedule::fused, 3 * per_pass + 1);
  EXPECT_EQ(fused.traffic.bytes(), 4.0 * iteration.bytes());
  EXPECT_EQ(fused.traffic.flops, (3.0 * per_pass + 1.0) * iteration.flops);
  EXPECT_EQ(fused.model, "112 B per point and pass of " + std::to_string(per_pass) +
                             " iterations: 13 fields read, 1 written");
  const Work tuned = solver->work(Schedule::tuned, 7);
  EXPECT_EQ(tuned.traffic.bytes(), 7.0 * iteration.bytes());
  EXPECT_EQ(tuned.model, "112 B per point and iteration: 13 fields read, 1 written");
  EXPECT_EQ(tuned.working_set_bytes,
            static_cast<double>(memory_bytes(problem.grid, problem.precision)));
  EXPECT_EQ(tuned.precision, Precision::fp64);
}

TEST(CpuSchedules, ZeroIterationsChangeNothing) {
  Problem problem;
  problem.grid = {5, 6, 7};
  const auto solver = make_solver(make_plan(problem, alone()), alone());
  solver->load({});
  const std::vector<double> before = solver->pressure();
  solver->iterate(Schedule::fused, 0);
  EXPECT_EQ(solver->pressure(), before);
}

}  // namespace
}  // namespace bankfull::himeno
