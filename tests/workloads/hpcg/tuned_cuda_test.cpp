#include "bankfull/workloads/hpcg/run.hpp"
#include "tests/core/comm/gpu_transports.hpp"
#include "tests/workloads/hpcg/gpus.hpp"

#include <cstdint>
#include <gtest/gtest.h>

namespace bankfull::hpcg {
namespace {

/// Of classes on a GPU.
constexpr std::int64_t alignment = 256;

class HpcgTunedOnGpus : public HpcgOnGpus {};

TEST_P(HpcgTunedOnGpus, IsGaussSeidelInTheOrderOfColours) {
  for_cases([](const Case& full) {
    const textbook::System expected = coloured_textbook_of(full, alignment);
    const auto history = history_of(full, expected);
    for (const ColumnIndices columns : {ColumnIndices::full, ColumnIndices::slim}) {
      Case c = full;
      c.problem.columns = columns;
      SCOPED_TRACE(describe(c));
      const auto system = make_system(c.problem, c.ranks);
      const auto path = system->make_path(Variant::tuned);
      expect_operations(c, *path, expected, 1e-12);
      expect_same_residuals(history_of(*path), history);
      expect_same_solution(c, *path, expected);
    }
  });
}

TEST_P(HpcgTunedOnGpus, DoesTheOperationsOfTheTextbookOnMoreRows) {
  const Case c{problem_of({40, 56, 48}), test_ranks()};
  const auto system = make_system(c.problem, c.ranks);
  const auto path = system->make_path(Variant::tuned);
  expect_operations(c, *path, coloured_textbook_of(c, alignment), 1e-12);
}

TEST_P(HpcgTunedOnGpus, PassesTheTestsOfTheBenchmark) {
  for (const ColumnIndices columns : {ColumnIndices::full, ColumnIndices::slim}) {
    Case c{problem_of({32, 32, 32}), test_ranks()};
    c.problem.columns = columns;
    SCOPED_TRACE(describe(c));
    const auto system = make_system(c.problem, c.ranks);
    const auto path = system->make_path(Variant::tuned);
    expect_valid(c, *system, *path);
    expect_reaches_reference(*system, *path);
  }
}

TEST_P(HpcgTunedOnGpus, RepeatsItsBits) {
  for (const Grid3& local : {Grid3{24, 16, 8}, Grid3{40, 56, 48}}) {
    const Case c{problem_of(local), test_ranks()};
    SCOPED_TRACE(describe(c));
    expect_same_bits(c, Variant::tuned);
  }
}

TEST_P(HpcgTunedOnGpus, RunsAreValid) {
  NoProgress progress;
  Outcome outcome;
  const RunResult result = run(problem_of({16, 16, 16}), test_ranks(), progress, outcome);
  EXPECT_TRUE(outcome.valid());
  EXPECT_TRUE(result.verified());
}

INSTANTIATE_TEST_SUITE_P(Transports, HpcgTunedOnGpus, gpu_transports(), plain_name);

}  // namespace
}  // namespace bankfull::hpcg
