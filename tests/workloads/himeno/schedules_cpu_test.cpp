#include "tests/alone.hpp"
#include "tests/workloads/himeno/schedules.hpp"

#include <gtest/gtest.h>

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

TEST(CpuSchedules, ZeroIterationsChangeNothing) {
  Problem problem;
  problem.grid = {5, 6, 7};
  const auto solver = make_solver(problem, alone());
  solver->load({});
  const std::vector<double> before = solver->pressure();
  solver->iterate(Schedule::fused, 0);
  EXPECT_EQ(solver->pressure(), before);
}

}  // namespace
}  // namespace bankfull::himeno
