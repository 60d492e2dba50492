#include "bankfull/workloads/npb/cg/panels.hpp"
#include "tests/alone.hpp"
#include "tests/workloads/npb/verification.hpp"
#include "tests/workloads/npb/whole_matrix.hpp"

#include <cmath>
#include <string>

namespace bankfull::npb::cg {
namespace {

/// A x by the assembled rows.
std::vector<double> product(const Matrix& matrix, const std::vector<double>& x) {
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
std::vector<double> product(const Panels& panels, int threads, PanelOrder order,
                            const std::vector<double>& x) {
  std::vector<double> y(x.size(), 0.0);
  for (int thread = 0; thread < threads; ++thread) {
    const Part& part = panels.part(thread);
    if (panels.block().kept == Kept::all) {
      multiply_all(part, order, x.data(), y.data());
      continue;
    }
    std::vector<Pair> pairs(static_cast<std::size_t>(part.tile.input_count()));
    multiply_upper(part, order, x.data(), pairs.data());
    // In two parts, as threads add up their shares.
    const auto count = static_cast<std::int64_t>(x.size());
    add_sums(part, pairs.data(), {0, count / 3}, y.data());
    add_sums(part, pairs.data(), {count / 3, count}, y.data());
  }
  return y;
}

/// What is kept, by how many threads.
struct PanelsCase {
  Kept kept;
  int threads;
};

std::string name_of_panels(const testing::TestParamInfo<PanelsCase>& info) {
  return std::string(info.param.kept == Kept::upper ? "Upper" : "All") +
         std::to_string(info.param.threads);
}

std::vector<PanelsCase> panels_cases(const std::vector<int>& threads) {
  std::vector<PanelsCase> all;
  for (const Kept kept : {Kept::upper, Kept::all}) {
    for (const int number : threads) {
      all.push_back({kept, number});
    }
  }
  return all;
}

class CgPanels : public testing::TestWithParam<PanelsCase> {};

TEST_P(CgPanels, MultiplyAsTheMatrixDoesInBothOrders) {
  // Class A has more columns than a panel.
  const Matrix matrix = whole_matrix(Class::a, 2);
  ASSERT_GT(matrix.rows(), min_panel_columns);
  std::vector<double> x(static_cast<std::size_t>(matrix.rows()));
  for (std::size_t n = 0; n < x.size(); ++n) {
    x[n] = std::sin(static_cast<double>(n));
  }
  const std::vector<double> expected = product(matrix, x);
  const std::vector<double> diagonal = diagonal_of(Class::a, {0, matrix.rows()});
  const int threads = GetParam().threads;
  const Panels panels(Class::a, block_of(matrix.rows(), GetParam().kept, 0, 1), Team(threads));
  for (const PanelOrder order : {PanelOrder::ascending, PanelOrder::descending}) {
    const std::vector<double> y = product(panels, threads, order, x);
    for (std::size_t n = 0; n < x.size(); ++n) {
      ASSERT_NEAR(y[n] + diagonal[n] * x[n], expected[n], 1e-12) << n;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Npb, CgPanels, testing::ValuesIn(panels_cases({1, 3, 7, 16, 64})),
                         name_of_panels);

/// A row of class A has 38 entries in 4096 columns, one of class C less than seven.
TEST(CgPanelsWidth, GivesPiecesEnoughEntries) {
  EXPECT_EQ(panel_columns(14000, 14000, 1853104), min_panel_columns);
  EXPECT_EQ(panel_columns(1000, 100000, 1000 * 300), 2 * min_panel_columns);
  EXPECT_EQ(panel_columns(150000, 150000, 36121058), max_panel_columns);
  EXPECT_EQ(panel_columns(0, 0, 0), min_panel_columns) << "an empty tile";
}

class CgOnTeams : public testing::TestWithParam<PanelsCase> {
 protected:
  static std::unique_ptr<bankfull::npb::Benchmark> solver() {
    return make_cpu(
        {.size = Class::s,
         .cg_entries = GetParam().kept == Kept::upper ? CgEntries::upper : CgEntries::all,
         .threads = GetParam().threads},
        alone());
  }

  static double zeta_of(bankfull::npb::Benchmark& benchmark) {
    benchmark.rewind();
    benchmark.run();
    return benchmark.checks().front().value;
  }
};

TEST_P(CgOnTeams, IsVerifiedWithTheSameBitsInEveryRun) {
  const auto first = solver();
  first->warm_up();
  expect_verified(*first);
  const double zeta = zeta_of(*first);
  EXPECT_EQ(zeta_of(*first), zeta);
  EXPECT_EQ(zeta_of(*solver()), zeta);
}

INSTANTIATE_TEST_SUITE_P(Npb, CgOnTeams, testing::ValuesIn(panels_cases({1, 2, 3, 7, 16})),
                         name_of_panels);

}  // namespace
}  // namespace bankfull::npb::cg
