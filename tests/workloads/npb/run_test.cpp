#include "bankfull/workloads/npb/run.hpp"

#include "bankfull/core/base/bytes.hpp"
#include "tests/alone.hpp"

#include <gtest/gtest.h>

namespace bankfull::npb {
namespace {

TEST(NpbRun, MeasuresAndVerifiesEachKernel) {
  Problem problem;
  // Measuring the ceiling takes longest: one kernel that has a traffic and the one that has none.
  problem.kernels = {Kernel::ep, Kernel::mg};
  problem.size = Class::s;
  problem.threads = 2;
  problem.repeats = 2;
  NoProgress progress;
  const RunContext context{.ranks = alone(),
                           .progress = progress,
                           .policy = {.ceiling = CeilingRule::always, .ceiling_bytes = 64 * mib}};
  const RunResult result = run(make_plan(problem, alone()), context);
  const auto& outcomes = result.attached<std::vector<Outcome>>();
  EXPECT_EQ(result.workload, "npb");
  EXPECT_TRUE(result.verified());
  ASSERT_EQ(result.measurements.size(), problem.kernels.size());
  ASSERT_EQ(outcomes.size(), problem.kernels.size());
  for (std::size_t n = 0; n < problem.kernels.size(); ++n) {
    const Measurement& m = result.measurements[n];
    EXPECT_EQ(m.name, "npb " + to_string(problem.kernels[n]) + " S");
    EXPECT_EQ(m.seconds.samples.size(), 2U);
    EXPECT_EQ(outcomes[n].kernel, problem.kernels[n]);
    EXPECT_TRUE(outcomes[n].verified);
    EXPECT_GT(outcomes[n].mops(), 0.0);
    EXPECT_EQ(m.parameters.front().name, "kernel");
    // EP needs no memory, so nothing is said of it.
    EXPECT_EQ(m.percent_of_bankfull().has_value(), problem.kernels[n] != Kernel::ep);
    EXPECT_EQ(m.work.traffic.bytes() > 0.0, problem.kernels[n] != Kernel::ep);
  }
}

}  // namespace
}  // namespace bankfull::npb
