#include "tests/alone.hpp"
#include "tests/workloads/hpcg/comparison.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <tuple>

namespace bankfull::hpcg {
namespace {

/// Properties of the textbook implementation itself, with which the others are compared.
TEST(Textbook, SolvesTheSystem) {
  const textbook::System system({9, 10, 12}, {1, 2, 1});
  EXPECT_EQ(system.level(0).entries.front().size(), 8U);
  EXPECT_EQ(system.level(3).global, (Grid3{2, 4, 2}));
  EXPECT_EQ(system.right_hand_side().front(), 26.0 - 7.0);
  const auto solution = system.solve(40);
  EXPECT_LE(distance(solution.x, std::vector<double>(solution.x.size(), 1.0)), 1e-12);
  EXPECT_LT(solution.history.back(), 1e-12);
}

TEST(Textbook, RanksAndOrdersMatter) {
  const textbook::System one({8, 8, 16}, {1, 1, 1});
  const textbook::System two({8, 8, 8}, {1, 1, 2});
  const std::vector<double> x = random_rows(one, 3);
  EXPECT_EQ(one.multiply(x), two.multiply(x));
  EXPECT_GT(distance(one.precondition(x), two.precondition(x)), 1e-4);
  textbook::System turned = one;
  textbook::Rows rows(one.level(0).entries.size());
  for (std::size_t n = 0; n < rows.size(); ++n) {
    rows[n] = (n + rows.size() / 2) % rows.size();
  }
  turned.visit(0, 0, rows);
  EXPECT_GT(distance(one.precondition(x), turned.precondition(x)), 1e-4);
}

class CpuReference : public ::testing::TestWithParam<std::tuple<Grid3, int>> {
 protected:
  static Case the_case() {
    const auto& [local, threads] = GetParam();
    return {small_problem(local, threads), alone()};
  }
};

TEST_P(CpuReference, DoesTheOperationsOfTheTextbook) {
  const Case c = the_case();
  const auto system = make_system(c.problem, c.ranks);
  const auto backend = system->make_backend(Variant::reference);
  expect_operations(c, *backend, textbook_of(c), 1e-13);
}

TEST_P(CpuReference, HasTheResidualsOfTheTextbook) {
  const Case c = the_case();
  const auto system = make_system(c.problem, c.ranks);
  const auto backend = system->make_backend(Variant::reference);
  const textbook::System expected = textbook_of(c);
  expect_same_residuals(history_of(*backend), history_of(c, expected));
  expect_same_solution(c, *backend, expected);
}

TEST_P(CpuReference, PassesTheTestsOfTheBenchmark) {
  const Case c = the_case();
  const auto system = make_system(c.problem, c.ranks);
  const auto backend = system->make_backend(Variant::reference);
  expect_valid(c, *system, *backend);
  // The spectral test leaves the benchmark's own matrix.
  expect_operations(c, *backend, textbook_of(c), 1e-13);
}

INSTANTIATE_TEST_SUITE_P(Grids, CpuReference,
                         ::testing::Combine(::testing::ValuesIn(awkward_grids()),
                                            ::testing::Values(1, 2)));

TEST(ConjugateGradients, StopAtTheTolerance) {
  const Case c{small_problem({16, 16, 16}), alone()};
  const auto system = make_system(c.problem, c.ranks);
  const auto backend = system->make_backend(Variant::reference);
  const CgResult all = conjugate_gradients(*backend, {.iterations = 20}, History::kept);
  EXPECT_EQ(all.iterations, 20);
  ASSERT_EQ(all.history.size(), 20U);
  const CgResult some =
      conjugate_gradients(*backend, {.iterations = 20, .tolerance = all.history[6]}, History::kept);
  EXPECT_EQ(some.iterations, 7);
  EXPECT_EQ(some.scaled(), all.history[6]);
  const CgResult plain = conjugate_gradients(
      *backend, {.iterations = 100, .tolerance = all.history[6], .preconditioned = false});
  EXPECT_GT(plain.iterations, 7);
  EXPECT_LT(plain.scaled(), all.history[6] * (1.0 + 1e-6));
}

}  // namespace
}  // namespace bankfull::hpcg
