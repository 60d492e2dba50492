#include "bankfull/core/memory/memory.hpp"
#include "bankfull/workloads/npb/cg/cg.hpp"
#include "bankfull/workloads/npb/cg/cuda/step_solver.hpp"
#include "tests/alone.hpp"
#include "tests/workloads/npb/verification.hpp"

#include <string>
#include <variant>

namespace bankfull::npb::cg {
namespace {

Problem problem_of(Class size, CgOrder order) {
  Problem problem;
  problem.size = size;
  problem.cg_order = order;
  problem.device = Device::cuda(0);
  return problem;
}

double zeta_of(Benchmark& benchmark) {
  benchmark.rewind();
  benchmark.run();
  return benchmark.checks().front().value;
}

std::string order_of(const Benchmark& benchmark) {
  return std::get<std::string>(benchmark.parameters().front().value);
}

/// Steps as several GPUs take them, on one: with one tile a block in these classes.
class CgStepsOnOneGpu : public testing::TestWithParam<CgOrder> {};

TEST_P(CgStepsOnOneGpu, HaveTheZetaOfOneKernelInEveryRun) {
  for (const Class size : {Class::s, Class::a, Class::b}) {
    SCOPED_TRACE(to_string(size));
    const auto one_kernel = make_cuda(problem_of(size, CgOrder::nasa), alone());
    EXPECT_EQ(order_of(*one_kernel), "nasa");
    const double zeta = zeta_of(*one_kernel);
    const auto steps = cuda::make_step_solver(problem_of(size, GetParam()), alone());
    EXPECT_EQ(order_of(*steps), to_string(GetParam()));
    const double found = zeta_of(*steps);
    EXPECT_NEAR(found, zeta, 1e-13 * zeta);
    steps->rewind();
    steps->warm_up();
    EXPECT_EQ(zeta_of(*steps), found);
    expect_passed(steps->checks());
  }
}

TEST_P(CgStepsOnOneGpu, TakeTheMemoryThatIsTold) {
  const Problem problem = problem_of(Class::b, GetParam());
  const MemoryWatch memory(MemorySpace::device);
  const auto steps = cuda::make_step_solver(problem, alone());
  expect_verified(*steps);
  constexpr std::int64_t small = 16 << 20;
  EXPECT_LE(memory.max_bytes(), cuda::step_solver_bytes(problem, 1) + small);
}

TEST_P(CgStepsOnOneGpu, FailTheirVerificationWhereTheyArePerturbed) {
  Problem problem = problem_of(Class::s, GetParam());
  problem.perturbation = small_perturbation;
  expect_refuted(*cuda::make_step_solver(problem, alone()));
}

std::string name_of(const testing::TestParamInfo<CgOrder>& tested) {
  return tested.param == CgOrder::nasa ? "Nasa" : "ChronopoulosGear";
}

INSTANTIATE_TEST_SUITE_P(Npb, CgStepsOnOneGpu,
                         testing::Values(CgOrder::nasa, CgOrder::chronopoulos_gear), name_of);

TEST(CgOnOneGpu, HasStepsWhereTheOrderOfChronopoulosAndGearIsAskedFor) {
  const auto benchmark = make_cuda(problem_of(Class::s, CgOrder::chronopoulos_gear), alone());
  EXPECT_EQ(order_of(*benchmark), "chronopoulos-gear");
  expect_verified(*benchmark);
}

TEST(CgTrafficOnGpu, IsThatOfTheNonzerosWithoutPadding) {
  // Class C is larger than the last cache of any GPU so far; a part of it may be kept there.
  const auto benchmark = make_cuda(problem_of(Class::c, CgOrder::automatic), alone());
  const CgParameters& cg = cg_parameters(Class::c);
  const double entries = 26.0 * cg.iterations * 10.0 * static_cast<double>(cg.nonzeros);
  const double read = benchmark->work().traffic.bytes_read;
  EXPECT_LE(read, 1.02 * entries);
  EXPECT_GE(read, 0.7 * entries);
}

}  // namespace
}  // namespace bankfull::npb::cg
