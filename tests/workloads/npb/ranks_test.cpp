#include "bankfull/core/base/error.hpp"
#include "bankfull/workloads/npb/cg/block_vectors.hpp"
#include "bankfull/workloads/npb/cg/panels.hpp"
#include "bankfull/workloads/npb/ep/ep.hpp"
#include "bankfull/workloads/npb/is/is.hpp"
#include "bankfull/workloads/npb/run.hpp"
#include "tests/alone.hpp"
#include "tests/mpi_main.hpp"
#include "tests/workloads/npb/is_keys.hpp"
#include "tests/workloads/npb/verification.hpp"
#include "tests/workloads/npb/whole_matrix.hpp"

#include <cmath>
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

/// Two where that takes seconds: threads that spin at barriers, of which CG has thousands, take
/// minutes where they are more than the cores.
int threads_for(Kernel kernel, Class size) {
  const int max_ranks = kernel == Kernel::cg ? 1 : 2;
  return size == Class::s && test_ranks().size() <= max_ranks ? 2 : 1;
}

TEST(NpbOnRanks, KernelsAreVerifiedInEveryRun) {
  for (const Class size : {Class::s, Class::w}) {
    Problem problem;
    problem.size = size;
    for (const Kernel kernel : kernels_on(problem, test_ranks().size())) {
      problem.threads = threads_for(kernel, size);
      SCOPED_TRACE(to_string(kernel) + to_string(size));
      const auto benchmark = make_benchmark(kernel, problem, test_ranks());
      benchmark->rewind();
      benchmark->warm_up();
      expect_verified(*benchmark);
      expect_verified(*benchmark);
      expect_same_on_all_ranks(essence(benchmark->checks()));
    }
  }
}

class PerturbedOnRanks : public testing::TestWithParam<Kernel> {};

TEST_P(PerturbedOnRanks, FailsItsVerification) {
  Problem problem;
  problem.size = Class::s;
  problem.perturbation = small_perturbation;
  const std::string refusal = refusal_of_ranks(GetParam(), problem, test_ranks().size());
  if (!refusal.empty()) {
    GTEST_SKIP() << to_string(GetParam()) << ' ' << refusal;
  }
  expect_refuted(*make_benchmark(GetParam(), problem, test_ranks()));
}

INSTANTIATE_TEST_SUITE_P(Npb, PerturbedOnRanks, testing::ValuesIn(all_kernels), kernel_name);

TEST(EpOnRanks, HasTheBitsOfOneRank) {
  const ep::Tally one = ep::tally_on_teams(Class::s, Team(2), alone());
  const ep::Tally all = ep::tally_on_teams(Class::s, Team(1), test_ranks());
  EXPECT_EQ(all.counts, one.counts);
  EXPECT_EQ(all.sums, one.sums);
  EXPECT_EQ(all.absolute_sums, one.absolute_sums);
}

/// Blocks of all numbers of ranks up to `most` have each kept entry once.
void expect_cover(cg::Kept kept, int most) {
  constexpr std::int64_t rows = 61;
  for (int ranks = 1; ranks <= most; ++ranks) {
    std::vector<int> times(rows * rows, 0);
    for (int rank = 0; rank < ranks; ++rank) {
      const cg::Block block = cg::block_of(rows, kept, rank, ranks);
      for (std::int64_t row = block.rows.begin; row < block.rows.end; ++row) {
        for (std::int64_t column = block.columns.begin; column < block.columns.end; ++column) {
          ++times[static_cast<std::size_t>(row * rows + column)];
        }
      }
    }
    for (std::int64_t n = 0; n < rows * rows; ++n) {
      if (kept == cg::Kept::all || n % rows > n / rows) {
        ASSERT_EQ(times[static_cast<std::size_t>(n)], 1) << ranks << " ranks, entry " << n;
      }
    }
  }
}

TEST(CgBlocks, HaveEachEntryOnce) {
  constexpr int max_ranks = 18;
  expect_cover(cg::Kept::all, max_ranks);
  expect_cover(cg::Kept::upper, max_ranks);
}

TEST(CgBlocks, NeedFewerElementsTheMoreRanksThereAre) {
  constexpr std::int64_t rows = 14000;
  EXPECT_EQ(cg::block_of(rows, cg::Kept::all, 3, 4).input_count(), rows / 2);
  EXPECT_EQ(cg::block_of(rows, cg::Kept::all, 5, 16).input_count(), rows / 4);
  EXPECT_EQ(cg::block_of(rows, cg::Kept::upper, 1, 4).input_count(), rows / 4 * 3);
}

/// Products of all blocks, gathered and reduced, are those of the whole matrix.
void expect_product(cg::Kept kept) {
  const cg::Matrix whole = whole_matrix(Class::s);
  const int rank = test_ranks().rank();
  const Range piece = cg::piece_of(whole.rows(), rank, test_ranks().size());
  const cg::Block block = cg::block_of(whole.rows(), kept, rank, test_ranks().size());
  const cg::Panels panels(Class::s, block, Team(1));
  cg::BlockVectors vectors(whole.rows(), kept, test_ranks());
  std::vector<double> v;
  for (std::int64_t n = piece.begin; n < piece.end; ++n) {
    v.push_back(std::sin(static_cast<double>(n)));
  }
  vectors.put(v.data(), {0, piece.size()});
  vectors.gather();
  if (kept == cg::Kept::all) {
    cg::multiply_all(panels.part(0), cg::PanelOrder::ascending, vectors.inputs(),
                     vectors.outputs());
  } else {
    const std::int64_t inputs = block.input_count();
    std::vector<cg::Pair> pairs(static_cast<std::size_t>(inputs));
    cg::multiply_upper(panels.part(0), cg::PanelOrder::ascending, vectors.inputs(), pairs.data());
    std::fill_n(vectors.outputs(), inputs, 0.0);
    cg::add_sums(panels.part(0), pairs.data(), {0, inputs}, vectors.outputs());
  }
  vectors.reduce();
  std::vector<double> q(v.size());
  vectors.take(q.data(), {0, piece.size()});
  const std::vector<double> diagonal = cg::diagonal_of(Class::s, piece);
  for (std::size_t n = 0; n < q.size(); ++n) {
    const auto row = static_cast<std::size_t>(piece.begin) + n;
    double expected = 0.0;
    for (auto m = static_cast<std::size_t>(whole.starts[row]);
         m < static_cast<std::size_t>(whole.starts[row + 1]); ++m) {
      expected += whole.values[m] * std::sin(static_cast<double>(whole.columns[m]));
    }
    ASSERT_NEAR(q[n] + diagonal[n] * v[n], expected, 1e-12) << row;
  }
}

TEST(CgOnRanks, MultiplyAsTheWholeMatrixDoes) {
  expect_product(cg::Kept::all);
  expect_product(cg::Kept::upper);
}

TEST(CgOnRanks, HasTheZetaOfOneRank) {
  const auto one = cg::make_cpu({.size = Class::s}, alone());
  const auto all = cg::make_cpu({.size = Class::s}, test_ranks());
  for (Benchmark* const benchmark : {one.get(), all.get()}) {
    benchmark->rewind();
    benchmark->run();
  }
  EXPECT_NEAR(all->checks().front().value / one->checks().front().value, 1.0, 1e-13);
}

TEST(IsOnRanks, OneRankMayDoItAlone) {
  for (const Class size : {Class::s, Class::w}) {
    const auto benchmark = is::make_on_ranks(size, 2, alone());
    expect_verified(*benchmark);
    expect_verified(*benchmark);
  }
}

class IsRankingsOnRanks : public testing::TestWithParam<is::KeySet> {};

TEST_P(IsRankingsOnRanks, AreRightForAnyKeys) {
  const auto ranking = is::make_on_ranks(Class::s, 1, test_ranks());
  is::expect_ranked(*ranking, Class::s, is::keys_of(GetParam(), Class::s));
}

INSTANTIATE_TEST_SUITE_P(Keys, IsRankingsOnRanks, testing::ValuesIn(is::key_sets), is::name_of_set);

TEST(IsOnRanks, PerturbedFailsVerification) {
  is::expect_all_wrong(*is::make_on_ranks(Class::s, 1, test_ranks(), 1e-6));
  is::expect_all_wrong(*is::make_on_ranks(Class::s, 1, test_ranks(), -1e-6));
}

TEST(NpbOnRanks, MemoryFallsWithTheirNumber) {
  Problem problem;
  problem.size = Class::c;
  for (const Kernel kernel : {Kernel::cg, Kernel::is}) {
    const auto bytes = [&](int ranks) {
      return static_cast<double>(work_bytes(kernel, problem, ranks).device);
    };
    // Each rank of IS has room for keys of others, and lists that it sends.
    EXPECT_LT(bytes(4), (kernel == Kernel::is ? 0.75 : 0.55) * bytes(1));
    EXPECT_LT(bytes(16), 0.5 * bytes(4));
  }
}

TEST(NpbOnRanks, RunsReportAllRanks) {
  const int ranks = test_ranks().size();
  Problem problem;
  problem.size = Class::s;
  problem.repeats = 1;
  problem.kernels = kernels_on(problem, ranks);
  NoProgress progress;
  const RunResult result =
      run(make_plan(problem, test_ranks()), {.ranks = test_ranks(), .progress = progress});
  const auto& outcomes = result.attached<std::vector<Outcome>>();
  EXPECT_TRUE(result.verified());
  ASSERT_EQ(outcomes.size(), problem.kernels.size());
  for (const Outcome& outcome : outcomes) {
    EXPECT_EQ(outcome.ranks, ranks);
    EXPECT_EQ(outcome.threads, ranks);
    EXPECT_EQ(test_ranks().max(outcome.seconds), outcome.seconds);
  }
  for (const Measurement& m : result.measurements) {
    EXPECT_EQ(test_ranks().max(m.work.traffic.bytes()), m.work.traffic.bytes()) << m.name;
  }
}

TEST(NpbOnRanks, WhatCannotBeSpreadIsRefusedOnAllRanks) {
  if (test_ranks().size() == 1) {
    return;
  }
  Problem problem;
  problem.size = Class::s;
  problem.schedule = Schedule::reference;
  EXPECT_THROW(make_plan(problem, test_ranks()), UsageError);
}

}  // namespace
}  // namespace bankfull::npb
