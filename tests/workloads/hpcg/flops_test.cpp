#include "bankfull/workloads/hpcg/flops.hpp"

#include "tests/workloads/hpcg/recorded_outcome.hpp"

#include <gtest/gtest.h>

namespace bankfull::hpcg {
namespace {

/// Entries of the matrix of a whole grid, counted.
std::int64_t counted_entries(const Extents& n) {
  std::int64_t entries = 0;
  const auto neighbours = [](std::int64_t at, std::int64_t count) {
    return std::int64_t{1} + (at > 0 ? 1 : 0) + (at + 1 < count ? 1 : 0);
  };
  for (std::int64_t z = 0; z < n.ni; ++z) {
    for (std::int64_t y = 0; y < n.nj; ++y) {
      for (std::int64_t x = 0; x < n.nk; ++x) {
        entries += neighbours(z, n.ni) * neighbours(y, n.nj) * neighbours(x, n.nk);
      }
    }
  }
  return entries;
}

TEST(LevelSizes, AreThoseOfTheOfficialProgram) {
  Problem problem;
  problem.local = {16, 16, 16};
  const LevelSizes sizes = level_sizes(problem, 1);
  const std::vector<std::int64_t> equations{4096, 512, 64, 8};
  const std::vector<std::int64_t> nonzeros{97336, 10648, 1000, 64};
  for (std::size_t n = 0; n < sizes.size(); ++n) {
    EXPECT_EQ(sizes[n].equations, equations[n]);
    EXPECT_EQ(sizes[n].nonzeros, nonzeros[n]);
    EXPECT_EQ(sizes[n].local_columns, equations[n]);
    EXPECT_EQ(sizes[n].sent_elements, 0);
    EXPECT_EQ(sizes[n].neighbours, 0);
  }
}

TEST(LevelSizes, CountOddGridsOnSeveralRanks) {
  Problem problem;
  problem.local = {9, 11, 13};
  problem.process_grid = Grid3{1, 2, 3};
  const LevelSizes sizes = level_sizes(problem, 6);
  for (int level = 0; level < level_count; ++level) {
    const LevelSize& size = sizes[static_cast<std::size_t>(level)];
    const Extents cells = decompose(problem, 6, level).cells();
    EXPECT_EQ(size.equations, cells.count());
    EXPECT_EQ(size.nonzeros, counted_entries(cells));
    EXPECT_EQ(size.neighbours, 3);
  }
  EXPECT_EQ(sizes[0].local_columns, 9 * 12 * 14);
  EXPECT_EQ(sizes[0].sent_elements, 9 * 11 + 9 * 13 + 9);
}

TEST(OfficialFlops, AreThoseOfTheOfficialProgram) {
  const OfficialFlops flops = official_flops(recorded_outcome());
  EXPECT_NEAR(flops.ddot, 7.42195e+06, 5e0);
  EXPECT_EQ(flops.waxpby, flops.ddot);
  EXPECT_NEAR(flops.spmv, 6.24036e+07, 5e1);
  EXPECT_NEAR(flops.mg, 3.44859e+08, 5e2);
  EXPECT_NEAR(flops.total(), 4.22107e+08, 5e2);
}

TEST(OfficialFlops, OfSetsAddUp) {
  Outcome outcome = recorded_outcome();
  const double one = official_flops(outcome).total();
  outcome.sets = 1'000'000'000;
  EXPECT_NEAR(official_flops(outcome).total(), 1e9 * one, 1e-6 * one);
  const OfficialFlops step = official_flops(outcome.levels, 1, 0);
  const OfficialFlops start = official_flops(outcome.levels, 0, 1);
  EXPECT_EQ(start.mg, 0.0);
  EXPECT_NEAR(50.0 * step.total() + start.total(), one, 1e-9 * one);
}

TEST(OfficialBytes, AreThoseOfTheOfficialProgram) {
  const Outcome outcome = recorded_outcome();
  const OfficialBytes bytes = official_bytes(outcome);
  EXPECT_NEAR(bytes.read / outcome.times.total, 0.911869e9, 1e4);
  EXPECT_NEAR(bytes.written / outcome.times.total, 0.21083e9, 1e4);
}

TEST(OfficialMemory, IsThatOfTheOfficialProgram) {
  const OfficialMemory memory = official_memory(recorded_outcome());
  const std::vector<double> recorded{0.0154707e9, 0.00185101e9, 0.000232352e9, 2.9624e-05 * 1e9};
  for (std::size_t n = 0; n < recorded.size(); ++n) {
    EXPECT_NEAR(memory.levels[n], recorded[n], 5e-6 * recorded[n]);
  }
  EXPECT_NEAR(memory.total(), 0.0175837e9, 100.0);
}

TEST(OfficialMemory, CountsWhatTheOptimisationAdds) {
  Outcome outcome = recorded_outcome();
  const double before = official_memory(outcome).total();
  outcome.optimised_bytes = 1000.0;
  EXPECT_EQ(official_memory(outcome).total(), before + 1000.0);
}

TEST(Rating, IsThatOfTheOfficialProgram) {
  const Outcome outcome = recorded_outcome();
  EXPECT_NEAR(rating(outcome), 0.147411e9, 1e3);
  EXPECT_NEAR(rating_2_4(outcome), 0.147699e9, 1e3);
}

TEST(Rating, LeavesOutIterationsBeyondTheReference) {
  Outcome outcome = recorded_outcome();
  outcome.setup_seconds = 0.0;
  outcome.optimise_seconds = 0.0;
  outcome.convergence.iterations = 55;
  const double flops = official_flops(outcome).total();
  EXPECT_DOUBLE_EQ(rating(outcome), flops * 50.0 / 55.0 / outcome.times.total);
}

TEST(Rating, ChargesATenthOfPreparationToEachSet) {
  Outcome outcome = recorded_outcome();
  outcome.sets = 4;
  outcome.setup_seconds = 3.0;
  outcome.optimise_seconds = 2.0;
  EXPECT_DOUBLE_EQ(rated_seconds(outcome), outcome.times.total + 2.0);
}

TEST(Flops, PartsWithoutTimeHaveNoRate) {
  EXPECT_EQ(rate_of(6.0, 2.0), 3.0);
  EXPECT_EQ(rate_of(6.0, 0.0), 0.0);
}

}  // namespace
}  // namespace bankfull::hpcg
