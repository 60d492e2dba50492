#include "bankfull/core/base/error.hpp"
#include "bankfull/workloads/npb/run.hpp"
#include "tests/mpi_main.hpp"
#include "tests/workloads/npb/verification.hpp"

#include <string>
#include <vector>

namespace bankfull::npb {
namespace {

std::vector<Kernel> kernels_on(const Problem& problem, int ranks) {
  std::vector<Kernel> kernels;
  for (const Kernel kernel : all_kernels) {
    if (refusal_of_ranks(kernel, problem, ranks).empty()) {
      kernels.push_back(kernel);
    }
  }
  return kernels;
}

/// What must not differ between ranks, as text.
std::string essence(const std::vector<Check>& checks) {
  std::string text;
  for (const Check& check : checks) {
    text += check.name + ' ' + std::to_string(check.value) + '\n';
  }
  return text;
}

void expect_same_on_all_ranks(const std::string& text) {
  const std::vector<char> mine(text.begin(), text.end());
  for (const std::vector<char>& other : test_ranks().all_gather(mine)) {
    EXPECT_EQ(other, mine);
  }
}

TEST(NpbOnRanks, KernelsAreVerifiedInEveryRun) {
  for (const Class size : {Class::s, Class::w}) {
    for (const int threads : {1, 2}) {
      Problem problem;
      problem.size = size;
      problem.threads = threads;
      for (const Kernel kernel : kernels_on(problem, test_ranks().size())) {
        SCOPED_TRACE(to_string(kernel) + to_string(size) + std::to_string(threads));
        const auto benchmark = make_benchmark(kernel, problem, test_ranks());
        expect_verified(*benchmark);
        benchmark->rewind();
        benchmark->warm_up();
        expect_verified(*benchmark);
        expect_same_on_all_ranks(essence(benchmark->checks()));
      }
    }
  }
}

TEST(NpbOnRanks, RunsTellOfAllRanks) {
  const int ranks = test_ranks().size();
  Problem problem;
  problem.size = Class::s;
  problem.repeats = 1;
  problem.kernels = kernels_on(problem, ranks);
  NoProgress progress;
  std::vector<Outcome> outcomes;
  const RunResult result = run(problem, test_ranks(), progress, outcomes);
  EXPECT_TRUE(result.verified());
  ASSERT_EQ(outcomes.size(), problem.kernels.size());
  for (const Outcome& outcome : outcomes) {
    EXPECT_EQ(outcome.ranks, ranks);
    EXPECT_EQ(outcome.threads, ranks);
    EXPECT_EQ(test_ranks().max(outcome.seconds), outcome.seconds);
  }
  for (const Measurement& m : result.measurements) {
    EXPECT_EQ(test_ranks().max(m.traffic.bytes()), m.traffic.bytes()) << m.name;
  }
}

TEST(NpbOnRanks, WhatCannotBeSpreadIsRefusedOnAllRanks) {
  if (test_ranks().size() == 1) {
    return;
  }
  Problem problem;
  problem.size = Class::s;
  problem.schedule = Schedule::reference;
  EXPECT_THROW(validate(problem, test_ranks()), UsageError);
}

}  // namespace
}  // namespace bankfull::npb
