#include "bankfull/workloads/hpcg/check_problem.hpp"

#include "bankfull/workloads/hpcg/checks.hpp"
#include "tests/alone.hpp"
#include "tests/workloads/hpcg/comparison.hpp"
#include "tests/workloads/hpcg/recorded_outcome.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <gtest/gtest.h>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

namespace bankfull::hpcg {
namespace {

constexpr Grid3 checked_grid{9, 8, 10};

/// The benchmark's matrices of a rank, to be changed.
std::vector<HostCsr> benchmark_matrices(const Problem& problem, int ranks, int rank) {
  const CpuExecutor executor(1);
  std::vector<HostCsr> matrices;
  for (const Level& level : make_levels(executor, problem, ranks, rank)) {
    matrices.push_back(to_host(executor, level.matrix));
  }
  return matrices;
}

std::int64_t wrong_rows_of(const std::vector<HostCsr>& matrices) {
  return make_system(small_problem(checked_grid, 2), alone(), matrices)->wrong_rows();
}

TEST(CheckProblem, FindsNothingWrongWithTheBenchmarksOwn) {
  EXPECT_EQ(make_system(small_problem(checked_grid), alone())->wrong_rows(), 0);
  EXPECT_EQ(wrong_rows_of(benchmark_matrices(small_problem(checked_grid), 1, 0)), 0);
}

TEST(CheckProblem, TakesColumnsOfOtherRanksWhereTheyLie) {
  Problem problem = small_problem(checked_grid);
  for (const Grid3& grid : {Grid3{2, 1, 1}, Grid3{1, 3, 2}, Grid3{3, 3, 3}}) {
    problem.process_grid = grid;
    const auto ranks = static_cast<int>(grid.count());
    for (const int rank : {0, ranks / 2, ranks - 1}) {
      const auto levels = make_levels(CpuExecutor(1), problem, ranks, rank);
      EXPECT_EQ(wrong_rows(CpuExecutor(2), levels), 0);
      const LocalGrid& points = levels.front().geometry.grid;
      for (std::int64_t column = 0; column < levels.front().matrix.columns; ++column) {
        const Point at = points.point_of_column(column);
        EXPECT_EQ(points.column(at.x, at.y, at.z), column);
      }
    }
  }
}

TEST(CheckProblem, FindsOtherMatrices) {
  for (const TestMatrix& matrix : other_matrices()) {
    const Case c{small_problem({16, 16, 16}), alone(), matrix};
    const auto system = system_of(c);
    EXPECT_EQ(system->wrong_rows(), 16 * 16 * 16 + 8 * 8 * 8 + 4 * 4 * 4 + 2 * 2 * 2)
        << matrix.name;
    const auto backend = system->make_backend(Variant::tuned);
    EXPECT_GT(wrong_products(*backend, site_of(*system, alone())), 0) << matrix.name;
  }
}

/// One thing that is wrong in one row.
struct Fault {
  std::string name;
  void (*make)(HostCsr& matrix, std::size_t row);
};

void PrintTo(const Fault& fault, std::ostream* out) { *out << fault.name; }

std::size_t first(const HostCsr& matrix, std::size_t row) {
  return static_cast<std::size_t>(matrix.start[row]);
}

/// Where a row's diagonal is.
std::size_t middle(const HostCsr& matrix, std::size_t row) {
  std::size_t n = first(matrix, row);
  while (matrix.column[n] != static_cast<std::int32_t>(row)) {
    ++n;
  }
  return n;
}

void remove(HostCsr& matrix, std::size_t n) {
  matrix.column.erase(matrix.column.begin() + static_cast<std::ptrdiff_t>(n));
  matrix.value.erase(matrix.value.begin() + static_cast<std::ptrdiff_t>(n));
  for (std::int64_t& start : matrix.start) {
    start -= start > static_cast<std::int64_t>(n) ? 1 : 0;
  }
}

std::vector<Fault> faults() {
  return {
      {"diagonal", [](HostCsr& m, std::size_t row) { m.value[middle(m, row)] = 22.0; }},
      {"smallest", [](HostCsr& m, std::size_t row) { m.value[middle(m, row)] += 0x1p-40; }},
      {"value", [](HostCsr& m, std::size_t row) { m.value[first(m, row)] = -2.0; }},
      {"nan", [](HostCsr& m, std::size_t row) { m.value[first(m, row)] = std::nan(""); }},
      {"sameSum",
       [](HostCsr& m, std::size_t row) {
         m.value[first(m, row)] = -1.5;
         m.value[first(m, row) + 1] = -0.5;
       }},
      {"swappedValues",
       [](HostCsr& m, std::size_t row) {
         std::swap(m.value[middle(m, row)], m.value[middle(m, row) + 1]);
       }},
      {"swappedColumns",
       [](HostCsr& m, std::size_t row) {
         std::swap(m.column[first(m, row)], m.column[first(m, row) + 1]);
       }},
      {"repeatedColumn",
       [](HostCsr& m, std::size_t row) { m.column[first(m, row)] = m.column[first(m, row) + 1]; }},
      {"farColumn", [](HostCsr& m, std::size_t row) { m.column[middle(m, row) + 1] += 2; }},
      {"noColumn", [](HostCsr& m, std::size_t row) { m.column[first(m, row)] = -1; }},
      {"columnBeyond",
       [](HostCsr& m, std::size_t row) {
         m.column[middle(m, row) + 1] = static_cast<std::int32_t>(m.columns);
       }},
      {"missing", [](HostCsr& m, std::size_t row) { remove(m, first(m, row)); }},
  };
}

class CheckProblemFaults : public ::testing::TestWithParam<Fault> {};

TEST_P(CheckProblemFaults, AreFoundInOneRowOfAnyLevel) {
  for (std::size_t level = 0; level < level_count; ++level) {
    auto matrices = benchmark_matrices(small_problem(checked_grid), 1, 0);
    GetParam().make(matrices[level], level == 3 ? 2 : 7);
    EXPECT_EQ(wrong_rows_of(matrices), 1) << "level " << level;
  }
}

INSTANTIATE_TEST_SUITE_P(All, CheckProblemFaults, ::testing::ValuesIn(faults()),
                         [](const auto& parameter) { return parameter.param.name; });

TEST(CheckProblem, FindsAnotherRightHandSide) {
  const CpuExecutor executor(2);
  const auto levels = make_levels(executor, small_problem(checked_grid), 1, 0);
  EXPECT_EQ(wrong_rows(executor, levels), 0);
  levels.front().right_hand.data()[11] += 1.0;
  levels.front().right_hand.data()[12] = std::nan("");
  EXPECT_EQ(wrong_rows(executor, levels), 2);
}

TEST(CheckProblem, FindsAMatrixOfAnotherSize) {
  auto matrices = benchmark_matrices(small_problem(checked_grid), 1, 0);
  const std::int64_t rows = matrices.back().rows();
  ++matrices.back().columns;
  EXPECT_EQ(wrong_rows_of(matrices), rows);
}

/// Products in which a value of one column stands for another one's.
TEST(CheckProblem, FindsWrongProducts) {
  const Problem problem = small_problem(checked_grid);
  for (const Variant variant : {Variant::reference, Variant::tuned}) {
    const auto right = make_system(problem, alone());
    EXPECT_EQ(wrong_products(*right->make_backend(variant), site_of(*right, alone())), 0);
    auto matrices = benchmark_matrices(problem, 1, 0);
    matrices.front().column[1] = 700;
    matrices.front().value[40] = -1.0 - 0x1p-30;
    const auto wrong = make_system(problem, alone(), matrices);
    EXPECT_EQ(wrong_products(*wrong->make_backend(variant), site_of(*wrong, alone())), 2);
  }
}

TEST(CheckProblem, FailsTheRunThatItFindsWrong) {
  Outcome outcome = recorded_outcome();
  EXPECT_TRUE(outcome.valid());
  for (const ProblemCheck& found : {ProblemCheck{1, 0}, ProblemCheck{0, 1}, ProblemCheck{}}) {
    outcome.problem = found;
    EXPECT_FALSE(outcome.valid());
    RunResult result;
    result.checks = checks_of(found);
    EXPECT_FALSE(result.verified());
  }
  RunResult result;
  result.checks = checks_of(ProblemCheck{0, 0});
  EXPECT_TRUE(result.verified());
}

}  // namespace
}  // namespace bankfull::hpcg
