#include "bankfull/numerics/poisson/multigrid/cuda/line_tables.hpp"

#include "bankfull/numerics/poisson/multigrid/line.hpp"
#include "tests/numerics/poisson/domains.hpp"

#include <gtest/gtest.h>
#include <vector>

namespace bankfull::poisson::multigrid::cuda {
namespace {

std::vector<NamedDomain> domains_of_tables() {
  const Axis gathered = gathered_axis(13, false, 3.0);
  return {
      {"walls", {gathered, uniform_axis(6, false, 0.1), uniform_axis(5, false, 0.2)}},
      {"periodic", {gathered, uniform_axis(6, true, 0.1), uniform_axis(5, true, 0.2)}},
      {"around",
       {gathered_axis(12, true, 2.0), uniform_axis(4, false, 0.1), uniform_axis(6, true, 0.1)}},
      {"stretched", {gathered, gathered_axis(6, false, 0.9), gathered_axis(5, true, 0.8)}},
      {"line", {gathered, uniform_axis(1, false), uniform_axis(1, true)}},
  };
}

class LineTablesOf : public testing::TestWithParam<NamedDomain> {};

INSTANTIATE_TEST_SUITE_P(Domains, LineTablesOf, testing::ValuesIn(domains_of_tables()),
                         domain_name);

/// The solution of a line by the tables' numbers, for right sides as LineSystem has them.
std::vector<double> solved_by(const LineTables& tables, const std::vector<double>& side, int j,
                              int k, std::size_t rows) {
  const std::size_t cells = side.size();
  const auto number = [&](std::size_t n) { return static_cast<double>(tables.numbers()[n]); };
  const auto pivots = static_cast<std::size_t>(tables.classes_j() * tables.classes_k());
  const auto pivot =
      static_cast<std::size_t>(tables.classes()[static_cast<std::size_t>(j)] * tables.classes_k() +
                               tables.classes()[rows + static_cast<std::size_t>(k)]);
  const auto above = [&](std::size_t n) { return number(cells + n); };
  const auto inverse = [&](std::size_t n) { return number(2 * cells + n * pivots + pivot); };
  const auto around = [&](std::size_t n) {
    return tables.cyclic() ? number(2 * cells + (cells + n) * pivots + pivot) : 0.0;
  };
  std::vector<double> e(cells);
  double root_side = 0.0;
  for (std::size_t n = 0; n < cells; ++n) {
    double here = side[n] + (n > 0 ? above(n - 1) * e[n - 1] : 0.0);
    here += n + 1 == cells ? root_side : 0.0;
    root_side += around(n) * here;
    e[n] = inverse(n) * here;
  }
  for (std::size_t n = cells - 1; n-- > 0;) {
    e[n] = Elimination<true>::solution(line_pivot(inverse(n), above(n), around(n)), e[n], e[n + 1],
                                       e[cells - 1]);
  }
  return e;
}

TEST_P(LineTablesOf, SolveEachLineAsTheReferenceDoes) {
  const Domain& domain = GetParam().domain;
  const Level level = make_levels_along(domain, 0).front();
  const LineTables tables(level);
  const auto rows = static_cast<std::size_t>(level.j.cells);
  EXPECT_LE(tables.classes_j(), domain.j.uniform() ? 2 : level.j.cells);
  const LineSystem system(level.i);
  for (int j = 0; j < level.j.cells; ++j) {
    for (int k = 0; k < level.k.cells; ++k) {
      const auto diagonal = [](const AxisLevel& axis, int n) {
        return axis.lower[static_cast<std::size_t>(n)] + axis.upper[static_cast<std::size_t>(n)];
      };
      const double across = diagonal(level.j, j) + diagonal(level.k, k);
      std::vector<double> dominance;
      std::vector<double> side;
      for (const double width : level.i.widths) {
        dominance.push_back(width * across);
        side.push_back(width * random_symmetric(7, side.size()));
      }
      const std::vector<double> expected = system.solve(dominance, side);
      const std::vector<double> found = solved_by(tables, side, j, k, rows);
      EXPECT_LE(largest_difference(found, expected), 2e-6 * largest(expected)) << j << ' ' << k;
    }
  }
}

}  // namespace
}  // namespace bankfull::poisson::multigrid::cuda
