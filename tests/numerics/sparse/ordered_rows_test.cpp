#include "bankfull/numerics/sparse/ordered_rows.hpp"

#include "tests/numerics/sparse/patterns.hpp"

#include <cstddef>
#include <cstdint>
#include <gtest/gtest.h>
#include <string>
#include <tuple>
#include <vector>

namespace bankfull {
namespace {

/// Every point of a grid with the six next to it and itself.
Pattern seven_point_pattern(int nx, int ny, int nz) {
  Pattern pattern;
  pattern.columns = std::int64_t{nx} * ny * nz;
  const int plane = nx * ny;
  for (int row = 0; row < plane * nz; ++row) {
    std::vector<std::int32_t> columns;
    const auto add = [&](bool is_inside, int column) {
      if (is_inside) {
        columns.push_back(column);
      }
    };
    add(row / plane > 0, row - plane);
    add(row / nx % ny > 0, row - nx);
    add(row % nx > 0, row - 1);
    columns.push_back(row);
    add(row % nx < nx - 1, row + 1);
    add(row / nx % ny < ny - 1, row + nx);
    add(row / plane < nz - 1, row + plane);
    pattern.rows.push_back(columns);
  }
  return pattern;
}

struct NamedPattern {
  std::string name;
  Pattern pattern;
};

void PrintTo(const NamedPattern& pattern, std::ostream* out) { *out << pattern.name; }

std::vector<NamedPattern> patterns() {
  return {{"grid_27_points", grid_pattern(33, 7, 9)},
          {"long_lines", grid_pattern(100, 3, 2)},
          {"plane", grid_pattern(13, 11, 1)},
          {"line", grid_pattern(1, 1, 70)},
          {"grid_7_points", seven_point_pattern(11, 12, 7)},
          {"sparse_graph", random_pattern({.seed = 2, .count = 400, .connected = 0.01})},
          {"graph_of_ranks", random_pattern({.seed = 5,
                                             .count = 300,
                                             .connected = 0.06,
                                             .empty = 0.2,
                                             .outside = 0.3,
                                             .outer = 20})},
          {"complete", complete_pattern(40)},
          {"one_row", complete_pattern(1)},
          {"unconnected", random_pattern({.count = 50, .connected = 0.0})}};
}

/// A step of Gauss-Seidel, with roundings that show the order.
struct Relax {
  CsrView matrix = {};
  double* x = {};

  void operator()(std::int64_t row) const {
    double sum = 1.0;
    for (std::int64_t n = matrix.start[row]; n < matrix.start[row + 1]; ++n) {
      sum -= 0.1 * matrix.value[n] * x[matrix.column[n]];
    }
    x[row] = sum;
  }
};

using SweepCase = std::tuple<NamedPattern, int>;

class OrderedSweeps : public ::testing::TestWithParam<SweepCase> {
 protected:
  OrderedSweeps()
      : matrix_(csr_of(std::get<0>(GetParam()).pattern)),
        expected_(static_cast<std::size_t>(matrix_.columns), 0.5),
        x_(expected_),
        rows_(CpuExecutor(std::get<1>(GetParam())), matrix_.view()) {}

  Csr matrix_;
  std::vector<double> expected_;
  std::vector<double> x_;
  OrderedRows rows_;
};

TEST_P(OrderedSweeps, HaveTheBitsOfOneThread) {
  const Relax serial{matrix_.view(), expected_.data()};
  const Relax parallel{matrix_.view(), x_.data()};
  // Often: a row that comes too early need not do so each time.
  for (int sweep = 0; sweep < 20; ++sweep) {
    for (std::int64_t row = 0; row < matrix_.rows; ++row) {
      serial(row);
    }
    rows_.ascending(parallel);
    ASSERT_EQ(x_, expected_) << "ascending sweep " << sweep;
    for (std::int64_t row = matrix_.rows - 1; row >= 0; --row) {
      serial(row);
    }
    rows_.descending(parallel);
    ASSERT_EQ(x_, expected_) << "descending sweep " << sweep;
  }
}

TEST_P(OrderedSweeps, VisitEveryRowOnce) {
  std::vector<int> visits(static_cast<std::size_t>(matrix_.rows), 0);
  const auto visit = [&](std::int64_t row) { ++visits[static_cast<std::size_t>(row)]; };
  rows_.ascending(visit);
  EXPECT_EQ(visits, std::vector<int>(visits.size(), 1));
  rows_.descending(visit);
  EXPECT_EQ(visits, std::vector<int>(visits.size(), 2));
}

std::string sweep_name(const ::testing::TestParamInfo<SweepCase>& parameter) {
  const auto& [pattern, threads] = parameter.param;
  return pattern.name + "_" + std::to_string(threads);
}

INSTANTIATE_TEST_SUITE_P(Patterns, OrderedSweeps,
                         ::testing::Combine(::testing::ValuesIn(patterns()),
                                            ::testing::Values(1, 2, 3, 7, 16)),
                         sweep_name);

}  // namespace
}  // namespace bankfull
