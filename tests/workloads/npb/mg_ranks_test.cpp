#include "bankfull/workloads/npb/mg/blocks.hpp"
#include "bankfull/workloads/npb/mg/mg.hpp"
#include "tests/alone.hpp"
#include "tests/mpi_main.hpp"
#include "tests/workloads/npb/verification.hpp"

#include <bit>
#include <vector>

namespace bankfull::npb::mg {
namespace {

bool runs_on_these_ranks() {
  return std::has_single_bit(static_cast<unsigned>(test_ranks().size()));
}

/// All splits of so many ranks along three axes.
std::vector<RankGrid> cuts_of(int ranks) {
  std::vector<RankGrid> cuts;
  for (int i = 1; i <= ranks; i *= 2) {
    for (int j = 1; i * j <= ranks; j *= 2) {
      cuts.push_back({i, j, ranks / (i * j)});
    }
  }
  return cuts;
}

double norm_of(Benchmark& benchmark) {
  benchmark.rewind();
  benchmark.run();
  return benchmark.checks().front().value;
}

/// The same bits in every grid; the norm's sums have their own order.
void expect_norm_of_one_rank(Class size, const std::vector<RankGrid>& splits) {
  const double expected = norm_of(*make_cpu({.size = size}, alone()));
  for (const RankGrid& cuts : splits) {
    SCOPED_TRACE(to_string(size) + " on " + to_string(cuts));
    const int threads = cuts.count() <= 2 ? 2 : 1;
    const auto benchmark =
        make_cpu({.size = size, .threads = threads}, test_ranks(), Blocks(level_count(size), cuts));
    EXPECT_NEAR(norm_of(*benchmark) / expected, 1.0, 1e-13);
    // From whatever state it was left in.
    EXPECT_NEAR(norm_of(*benchmark) / expected, 1.0, 1e-13);
  }
}

TEST(MgOnRanks, HasTheNormOfOneRankHoweverItsGridIsCut) {
  if (!runs_on_these_ranks()) {
    GTEST_SKIP() << "no power of two";
  }
  expect_norm_of_one_rank(Class::s, cuts_of(test_ranks().size()));
}

TEST(MgOnRanks, HasTheNormOfOneRankWithSeveralGridsThatAreCut) {
  if (!runs_on_these_ranks()) {
    GTEST_SKIP() << "no power of two";
  }
  const int ranks = test_ranks().size();
  std::vector<RankGrid> splits{Blocks(Class::w, ranks).cuts(), {1, 1, ranks}};
  if (ranks == 8) {
    splits.push_back({2, 2, 2});
  }
  expect_norm_of_one_rank(Class::w, splits);
}

TEST(MgOnRanks, FindsTheSameChargesTogether) {
  for (const Class size : {Class::s, Class::w}) {
    const Charges expected = find_charges(size, 1, alone());
    const Charges found = find_charges(size, 2, test_ranks());
    EXPECT_EQ(found.positive, expected.positive);
    EXPECT_EQ(found.negative, expected.negative);
  }
}

TEST(MgBlocks, OfACoarserGridLieOnThoseOfTheFiner) {
  for (const int ranks : {1, 2, 8, 32, 4096}) {
    const Blocks blocks(Class::s, ranks);
    EXPECT_LT(blocks.coarsest(), blocks.finest());
    for (int level = blocks.coarsest(); level < blocks.finest(); ++level) {
      for (const int rank : {0, ranks / 2, ranks - 1}) {
        const Box fine = blocks.at(level + 1).block(rank);
        const Box coarse = blocks.at(level).block(rank);
        EXPECT_EQ(fine, (Box{2 * coarse.i0, 2 * coarse.i1, 2 * coarse.j0, 2 * coarse.j1,
                             2 * coarse.k0, 2 * coarse.k1}));
      }
    }
  }
}

TEST(MgBlocks, RefuseWhatCannotBeCut) {
  for (const int ranks : {1, 2, 64, 4096}) {
    EXPECT_EQ(Blocks::refusal_of(Class::s, ranks), "");
  }
  EXPECT_NE(Blocks::refusal_of(Class::s, 3).find("power of two"), std::string::npos);
  EXPECT_NE(Blocks::refusal_of(Class::s, 8192).find("planes"), std::string::npos);
}

TEST(MgMemory, FallsWithTheRanks) {
  for (const Class size : {Class::a, Class::d}) {
    const auto one = static_cast<double>(cpu_memory_bytes(size, 1, 1));
    const auto eight = static_cast<double>(cpu_memory_bytes(size, 1, 8));
    const double whole_pages =
        size == Class::a ? 0.05 : 0.0;  // that arrays of a few MiB round up to
    EXPECT_LT(eight, (1.25 + whole_pages) * one / 8.0);
    EXPECT_GT(eight, one / 8.0);
  }
}

}  // namespace
}  // namespace bankfull::npb::mg
