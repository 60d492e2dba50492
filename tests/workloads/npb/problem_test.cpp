#include "bankfull/core/base/error.hpp"
#include "bankfull/workloads/npb/plan.hpp"
#include "tests/alone.hpp"

#include <gtest/gtest.h>

namespace bankfull::npb {
namespace {

Problem small_problem() {
  Problem problem;
  problem.size = Class::s;
  return problem;
}

TEST(NpbProblem, SmallOnesRun) { EXPECT_NO_THROW(make_plan(small_problem(), alone())); }

TEST(NpbProblem, BadSettingsAreRefused) {
  Problem problem = small_problem();
  problem.repeats = 0;
  EXPECT_THROW(make_plan(problem, alone()), UsageError);
  problem = small_problem();
  problem.threads = 0;
  EXPECT_THROW(make_plan(problem, alone()), UsageError);
  problem = small_problem();
  problem.schedule = Schedule::reference;
  problem.threads = 2;
  EXPECT_THROW(make_plan(problem, alone()), UsageError);
  EXPECT_THROW(parse_schedule("fast"), UsageError);
}

TEST(NpbProblem, ThereIsNothingToPerturbInTheReference) {
  Problem problem = small_problem();
  problem.perturbation = 1e-6;
  EXPECT_NO_THROW(make_plan(problem, alone()));
  problem.schedule = Schedule::reference;
  EXPECT_THROW(make_plan(problem, alone()), UsageError);
}

TEST(NpbProblem, OrdersOfCgHaveNames) {
  for (const CgOrder order : {CgOrder::automatic, CgOrder::nasa, CgOrder::chronopoulos_gear}) {
    EXPECT_EQ(parse_cg_order(to_string(order)), order);
  }
  EXPECT_THROW(parse_cg_order("merged"), UsageError);
}

TEST(NpbProblem, OrdersOfCgAreRefusedWhereTheyAreNot) {
  Problem problem = small_problem();
  problem.cg_order = CgOrder::nasa;
  EXPECT_NO_THROW(make_plan(problem, alone()));
  problem.kernels = {Kernel::ft};
  EXPECT_THROW(make_plan(problem, alone()), UsageError);
  problem = small_problem();
  problem.cg_order = CgOrder::chronopoulos_gear;
  EXPECT_THROW(make_plan(problem, alone()), UsageError);
}

TEST(NpbProblem, MemoryGrowsWithTheClass) {
  for (const Kernel kernel : {Kernel::cg, Kernel::ft, Kernel::is, Kernel::mg}) {
    Problem problem;
    std::int64_t before = 0;
    for (const Class size : all_classes) {
      problem.size = size;
      const std::int64_t bytes = work_bytes(kernel, problem, 1).device;
      // MG's class B is A with more iterations.
      EXPECT_GE(bytes, before) << to_string(kernel) << to_string(size);
      before = bytes;
    }
    EXPECT_GT(before, std::int64_t{64} << 30);
  }
}

}  // namespace
}  // namespace bankfull::npb
