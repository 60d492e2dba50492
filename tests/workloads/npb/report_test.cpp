#include "bankfull/workloads/npb/report.hpp"

#include <gmock/gmock.h>

namespace bankfull::npb {
namespace {

using testing::HasSubstr;

TEST(NpbReport, HasTheKeysOfTheOfficialPrograms) {
  Problem problem;
  problem.size = Class::a;
  const Outcome outcome{.kernel = Kernel::cg,
                        .size = Class::a,
                        .facts = facts_of(Kernel::cg, problem),
                        .threads = 2,
                        .seconds = 0.5,
                        .verified = true};
  const std::string block = result_block(outcome);
  EXPECT_THAT(block, HasSubstr("\n CG Benchmark Completed.\n"));
  EXPECT_THAT(block, HasSubstr("\n Class           =                         A\n"));
  EXPECT_THAT(block, HasSubstr("\n Size            =                     14000\n"));
  EXPECT_THAT(block, HasSubstr("\n Iterations      =                        15\n"));
  EXPECT_THAT(block, HasSubstr("\n Time in seconds =                    0.5000\n"));
  EXPECT_THAT(block, HasSubstr("\n Mop/s total     =                   2992.92\n"));
  EXPECT_THAT(block, HasSubstr("\n Mop/s/thread    =                   1496.46\n"));
  EXPECT_THAT(block, HasSubstr("\n Verification    =                SUCCESSFUL\n"));
}

TEST(NpbReport, SaysWhatIsNotVerified) {
  Outcome outcome;
  outcome.seconds = 1.0;
  EXPECT_THAT(result_block(outcome), HasSubstr("=              UNSUCCESSFUL\n"));
}

/// Nominal operations of NPB 3.4 in units of 10^9.
TEST(NpbFacts, CountOperationsAsNpbDoes) {
  Problem problem;
  problem.size = Class::b;
  EXPECT_NEAR(facts_of(Kernel::cg, problem).operations, 54.709e9, 0.001e9);
  EXPECT_NEAR(facts_of(Kernel::ep, problem).operations, 2.147e9, 0.001e9);
  EXPECT_NEAR(facts_of(Kernel::ft, problem).operations, 92.054e9, 0.001e9);
  EXPECT_NEAR(facts_of(Kernel::is, problem).operations, 0.3355e9, 0.001e9);
  EXPECT_NEAR(facts_of(Kernel::mg, problem).operations, 19.462e9, 0.001e9);
}

}  // namespace
}  // namespace bankfull::npb
