#include "bankfull/workloads/npb/cg/panels.hpp"
#include "bankfull/workloads/npb/ep/ep.hpp"
#include "bankfull/workloads/npb/ft/ft.hpp"
#include "bankfull/workloads/npb/is/is.hpp"
#include "tests/alone.hpp"
#include "tests/workloads/npb/verification.hpp"
#include "tests/workloads/npb/whole_matrix.hpp"

#include <cmath>

namespace bankfull::npb {
namespace {

/// A kernel, a number of threads.
struct Case {
  Kernel kernel;
  int threads;
};

std::string name_of(const testing::TestParamInfo<Case>& info) {
  return to_string(info.param.kernel) + std::to_string(info.param.threads);
}

std::vector<Case> small_cases() {
  std::vector<Case> cases;
  for (const Kernel kernel : all_kernels) {
    for (const int threads : {1, 2, 3, 5}) {
      cases.push_back({kernel, threads});
    }
  }
  return cases;
}

class Tuned : public testing::TestWithParam<Case> {};

TEST_P(Tuned, IsVerifiedInEveryRun) {
  Problem problem;
  problem.size = Class::s;
  problem.threads = GetParam().threads;
  const auto benchmark = make_benchmark(GetParam().kernel, problem, alone());
  expect_verified(*benchmark);
  benchmark->rewind();
  benchmark->warm_up();
  expect_verified(*benchmark);
  expect_verified(*benchmark);
}

INSTANTIATE_TEST_SUITE_P(Npb, Tuned, testing::ValuesIn(small_cases()), name_of);

TEST(TunedEp, HasTheReferencesCountsAndTheSameBitsOnAnyThreads) {
  const ep::Tally serial = ep::tally_serially(Class::s);
  const ep::Tally one = ep::tally_on_teams(Class::s, Team(1), alone());
  const ep::Tally three = ep::tally_on_teams(Class::s, Team(3), alone());
  EXPECT_EQ(one.counts, serial.counts);
  EXPECT_EQ(one.counts, three.counts);
  EXPECT_EQ(one.sums, three.sums);
  EXPECT_EQ(one.absolute_sums, three.absolute_sums);
  for (std::size_t n = 0; n < 2; ++n) {
    // The serial sum of 13 million terms has roundings of its own.
    EXPECT_NEAR(one.absolute_sums[n] / serial.absolute_sums[n], 1.0, 1e-12);
  }
}

/// A x by the assembled rows.
std::vector<double> product(const cg::Matrix& matrix, const std::vector<double>& x) {
  std::vector<double> y(x.size(), 0.0);
  for (std::size_t row = 0; row < x.size(); ++row) {
    for (std::int64_t n = matrix.starts[row]; n < matrix.starts[row + 1]; ++n) {
      const auto entry = static_cast<std::size_t>(n);
      y[row] += matrix.values[entry] * x[static_cast<std::size_t>(matrix.columns[entry])];
    }
  }
  return y;
}

/// The same without the diagonal, by the panels of all threads.
std::vector<double> product(const cg::Panels& panels, int threads, const std::vector<double>& x) {
  std::vector<double> y(x.size(), 0.0);
  for (int thread = 0; thread < threads; ++thread) {
    if (panels.block().kept == cg::Kept::all) {
      cg::multiply_all(panels.part(thread), x.data(), y.data());
      continue;
    }
    std::vector<cg::Pair> pairs;
    for (const double element : x) {
      pairs.push_back({element, 0.0});
    }
    cg::multiply_upper(panels, panels.part(thread), pairs.data());
    for (std::size_t n = 0; n < y.size(); ++n) {
      y[n] += pairs[n].sum;
    }
  }
  return y;
}

TEST(CgPanels, MultiplyAsTheMatrixDoesInBothWays) {
  // Class A has more columns than a panel.
  const cg::Matrix matrix = whole_matrix(Class::a, 2);
  ASSERT_GT(matrix.rows(), cg::panel_columns);
  std::vector<double> x(static_cast<std::size_t>(matrix.rows()));
  for (std::size_t n = 0; n < x.size(); ++n) {
    x[n] = std::sin(static_cast<double>(n));
  }
  const std::vector<double> expected = product(matrix, x);
  const std::vector<double> diagonal = cg::diagonal_of(Class::a, {0, matrix.rows()});
  for (const cg::Kept kept : {cg::Kept::upper, cg::Kept::all}) {
    for (const int threads : {1, 3}) {
      const cg::Block block = cg::block_of(matrix.rows(), kept, 0, 1);
      const cg::Panels panels(cg::assemble(Class::a, block, Team(1)), block, Team(threads));
      const std::vector<double> y = product(panels, threads, x);
      for (std::size_t n = 0; n < x.size(); ++n) {
        ASSERT_NEAR(y[n] + diagonal[n] * x[n], expected[n], 1e-12) << n;
      }
    }
  }
}

TEST(CgPanels, KeepAllWhereManyThreadsWouldAddUpTheirSums) {
  EXPECT_EQ(cg::better_kept(Class::s, 1, 2), cg::Kept::upper);
  EXPECT_EQ(cg::better_kept(Class::s, 1, 64), cg::Kept::all);
  EXPECT_EQ(cg::better_kept(Class::s, 4, 16), cg::Kept::all);
}

TEST(IsVerification, FindsRanksThatAreWrong) {
  std::vector<is::Key> keys(std::size_t{1} << is_parameters(Class::s).log2_keys);
  is::generate(Class::s, 0, keys);
  const Range values{0, std::int64_t{1} << is_parameters(Class::s).log2_values};
  EXPECT_FALSE(is::ascend_by_rank(values, 0, keys, [](is::Key) { return 0; }));
  EXPECT_FALSE(is::ascend_by_rank(values, 0, keys, [](is::Key) { return -1; }));
}

TEST(IsKeys, AreTheSameFromAnyPlaceOn) {
  std::vector<is::Key> all(1000);
  is::generate(Class::w, 0, all);
  std::vector<is::Key> part(100);
  is::generate(Class::w, 321, part);
  EXPECT_TRUE(std::equal(part.begin(), part.end(), all.begin() + 321));
}

TEST(Verification, FailsChecksumsThatAreMissing) {
  EXPECT_FALSE(ft::checks_of({}, Class::s).front().passed());
}

}  // namespace
}  // namespace bankfull::npb
