#include "tests/alone.hpp"
#include "tests/workloads/himeno/exact_iterations.hpp"
#include "tests/workloads/himeno/own_grid.hpp"
#include "tests/workloads/himeno/schedules.hpp"

#include <gtest/gtest.h>

namespace bankfull::himeno {
namespace {

std::vector<ScheduleCase> cuda_cases() {
  std::vector<ScheduleCase> cases;
  std::vector<GridSize> grids = awkward_grids();
  grids.push_back({21, 150, 300});  // several tiles of every schedule both ways
  grids.push_back({140, 40, 72});
  // fused: tiles for all blocks, and others in parts; the last rows in strips, 3 or 2 of a tile
  grids.push_back({15, 245, 332});
  grids.push_back({15, 323, 332});  // fused: the same with short parts for some blocks
  for (const Schedule schedule :
       {Schedule::direct, Schedule::marching, Schedule::tuned, Schedule::fused}) {
    for (const Precision precision : {Precision::fp32, Precision::fp64}) {
      for (const GridSize& grid : grids) {
        cases.push_back({schedule, precision, grid, 1, 1});
        cases.push_back({schedule, precision, grid, 1, 8});
        cases.push_back({schedule, precision, grid, 1, 11});
      }
      // Many iterations go through recorded graphs, which begin with either pressure.
      cases.push_back({schedule, precision, {12, 20, 40}, 1, 131});
    }
  }
  // More planes than CUDA allows blocks in a grid's third dimension.
  for (const Schedule schedule : {Schedule::direct, Schedule::tuned, Schedule::fused}) {
    cases.push_back({schedule, Precision::fp32, {140000, 4, 3}, 1, 4});
  }
  return cases;
}

class CudaSchedule : public testing::TestWithParam<ScheduleCase> {};

TEST_P(CudaSchedule, GivesTheBitsOfTheReferenceOnTheCpu) {
  expect_same_as_reference(GetParam(), Device::cuda(0));
}

INSTANTIATE_TEST_SUITE_P(Cases, CudaSchedule, ::testing::ValuesIn(cuda_cases()));

std::vector<Schedule> schedules_on_gpus() {
  return {Schedule::direct, Schedule::marching, Schedule::tuned, Schedule::fused};
}

class CudaExactIterations : public testing::TestWithParam<ExactCase> {};

TEST_P(CudaExactIterations, GosaDependsOnNothingElse) {
  Problem problem;
  problem.device = Device::cuda(0);
  expect_exact_gosa(GetParam(), problem, alone());
}

INSTANTIATE_TEST_SUITE_P(Cases, CudaExactIterations,
                         testing::ValuesIn(exact_cases(schedules_on_gpus())));

class CudaPerturbed : public testing::TestWithParam<PerturbedCase> {};

TEST_P(CudaPerturbed, OperatorIsFoundOnALargeOddGrid) {
  expect_perturbation_found(GetParam(), large_odd_grid, Device::cuda(0));
}

INSTANTIATE_TEST_SUITE_P(Schedules, CudaPerturbed,
                         testing::ValuesIn(perturbed_cases(schedules_on_gpus())));

TEST(CudaSchedules, ReturnPartsOfThePressure) { expect_parts_of_the_pressure(Device::cuda(0)); }

TEST(CudaSchedules, ReportTheTimeByBothClocks) {
  Problem problem;
  problem.grid = {66, 66, 130};
  problem.device = Device::cuda(0);
  const auto solver = make_solver(make_plan(problem, alone()), alone());
  solver->load({});
  const Sweeps sweeps = solver->iterate(Schedule::tuned, 40);
  EXPECT_GT(sweeps.seconds, 0.0);
  EXPECT_GT(solver->event_seconds().value_or(0.0), 0.0);
}

TEST(CudaSchedules, SolversOfDifferentSizesCanBeAliveTogether) {
  Problem problem;
  problem.device = Device::cuda(0);
  problem.grid = {130, 130, 260};
  const auto large = make_solver(make_plan(problem, alone()), alone());
  problem.grid = {5, 5, 5};
  const auto small = make_solver(make_plan(problem, alone()), alone());
  const int pass = large->facts(Schedule::fused).iterations_per_pass;
  const auto gosa = [&](Schedule schedule) {
    small->load({});
    large->load({});
    small->iterate(schedule, pass);
    return large->iterate(schedule, pass).gosa;
  };
  EXPECT_NEAR(gosa(Schedule::fused) / gosa(Schedule::tuned), 1.0, 1e-12);
}

TEST(CudaSchedules, GosaOfEveryIterationOfAPass) {
  const InitialState random{.kind = InitialState::Kind::random, .seed = 9};
  for (const GridSize& grid : {GridSize{7, 5, 4}, {21, 150, 300}, {15, 245, 332}, {15, 322, 332}}) {
    for (const Precision precision : {Precision::fp32, Precision::fp64}) {
      Problem problem;
      problem.device = Device::cuda(0);
      problem.grid = grid;
      problem.precision = precision;
      const auto solver = make_solver(make_plan(problem, alone()), alone());
      const int pass = solver->facts(Schedule::fused).iterations_per_pass;
      solver->load(random);
      solver->iterate(Schedule::fused, pass);
      const std::vector<double> found = solver->gosa_of_last_pass();
      ASSERT_EQ(found.size(), static_cast<std::size_t>(pass));
      solver->load(random);
      for (const double gosa : found) {
        const double expected = solver->iterate(Schedule::tuned, 1).gosa;
        EXPECT_NEAR(gosa / expected, 1.0, 1e-12) << name_of(grid) << ' ' << to_string(precision);
      }
    }
  }
}

TEST(CudaSchedules, GosaIsTheSameInEveryRun) {
  const ScheduleCase c{Schedule::tuned, Precision::fp32, {33, 99, 167}, 1, 6};
  const InitialState random{.kind = InitialState::Kind::random, .seed = 3};
  for (const Schedule schedule :
       {Schedule::direct, Schedule::marching, Schedule::tuned, Schedule::fused}) {
    const double first = outcome_of(c, schedule, Device::cuda(0), 1, random).gosa;
    for (int repeat = 0; repeat < 5; ++repeat) {
      EXPECT_EQ(outcome_of(c, schedule, Device::cuda(0), 1, random).gosa, first);
    }
  }
}

}  // namespace
}  // namespace bankfull::himeno
