#include "bankfull/core/comm/grid_fields.hpp"
#include "bankfull/numerics/poisson/field_solver.hpp"
#include "tests/mpi_main.hpp"
#include "tests/refusal_text.hpp"

#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <numbers>
#include <string>
#include <vector>

namespace bankfull::poisson {
namespace {

using ::testing::HasSubstr;

constexpr std::int64_t cells = 16;

Axis walls(std::int64_t count) {
  return {std::vector<double>(static_cast<std::size_t>(count), 1.0 / static_cast<double>(count))};
}

/// Widths that grow by this factor from each cell to the next.
Axis stretched(std::int64_t count, double factor) {
  Axis axis{std::vector<double>(static_cast<std::size_t>(count), 1.0)};
  for (std::size_t n = 1; n < axis.widths.size(); ++n) {
    axis.widths[n] = factor * axis.widths[n - 1];
  }
  return axis;
}

const Domain cube{walls(cells), walls(cells), walls(cells)};

double wave(std::int64_t n) {
  return std::cos(std::numbers::pi * (static_cast<double>(n) + 0.5) / cells);
}

/// The largest error but for a constant of a solution that is made of waves.
double error_of(FieldSolver<double>& solver, const DecomposedGrid& grid,
                GridFields<double>& fields) {
  const double eigenvalue = 2.0 * (std::cos(std::numbers::pi / cells) - 1.0) * cells * cells;
  const Box block = grid.block();
  const auto exact = [block](auto i, auto j, auto k) {
    return wave(block.i0 + i) + wave(block.j0 + j) * wave(block.k0 + k);
  };
  const auto f = fields[0];
  const auto p = fields[1];
  for_cells(grid.interior(), [&](auto i, auto j, auto k) {
    f(i, j, k) = eigenvalue * (wave(block.i0 + i) + 2.0 * wave(block.j0 + j) * wave(block.k0 + k));
  });
  EXPECT_TRUE(solver.solve(f, p).converged);
  double sum = 0.0;
  for_cells(grid.interior(), [&](auto i, auto j, auto k) { sum += p(i, j, k); });
  const double mean = test_ranks().sum(sum) / (cells * cells * cells);
  double largest = 0.0;
  for_cells(grid.interior(), [&](auto i, auto j, auto k) {
    largest = std::max(largest, std::abs(p(i, j, k) - mean - exact(i, j, k)));
  });
  return test_ranks().max(largest);
}

class FieldSolvers : public ::testing::TestWithParam<Method> {};

TEST_P(FieldSolvers, SolveWithTheFieldsOfTheCaller) {
  const DecomposedGrid grid = make_grid(test_ranks(), cube, Device::cpu(), GetParam());
  GridFields<double> fields(grid, 2, Team(2));
  FieldSolver<double> solver(cube, grid, Team(2), {.tolerance = 1e-10}, GetParam());
  EXPECT_EQ(solver.method(), GetParam() == Method::automatic ? Method::direct : GetParam());
  EXPECT_LT(error_of(solver, grid, fields), 1e-10);
  EXPECT_LT(error_of(solver, grid, fields), 1e-10);  // again
}

std::string name_of(const ::testing::TestParamInfo<Method>& info) {
  return info.param == Method::direct      ? "direct"
         : info.param == Method::multigrid ? "multigrid"
                                           : "automatic";
}

INSTANTIATE_TEST_SUITE_P(Methods, FieldSolvers,
                         ::testing::Values(Method::automatic, Method::direct, Method::multigrid),
                         name_of);

TEST(FieldSolver, RefusesOnAllRanksWithTheReason) {
  const DecomposedGrid grid = make_grid(test_ranks(), cube, Device::cpu());
  const auto asking = [&](const Domain& domain, const DecomposedGrid& on, Method method) {
    return refusal_text([&] { const FieldSolver<float> solver(domain, on, Team(1), {}, method); });
  };
  const Domain other{walls(cells), walls(cells), walls(cells + 1)};
  EXPECT_THAT(asking(other, grid, Method::automatic), HasSubstr("other numbers of cells"));
  const Domain steep{stretched(cells, 1.6), stretched(cells, 1.6), walls(cells)};
  const DecomposedGrid of_steep(test_ranks(), steep.extents(), {.max_grid = {1, 1 << 20, 1}});
  EXPECT_THAT(asking(steep, of_steep, Method::multigrid),
              HasSubstr("multigrid does not serve this Poisson equation: it does not converge"));
  if (const int ranks = test_ranks().size(); ranks > 1) {
    const DecomposedGrid rows(test_ranks(), cube.extents(), {.rank_grid = RankGrid{1, 1, ranks}});
    EXPECT_THAT(asking(cube, rows, Method::automatic), HasSubstr("it cannot cut axis k"));
    EXPECT_THAT(asking(cube, rows, Method::automatic), HasSubstr("along i only"));
  }
}

TEST(FieldSolver, RefusesViewsOfOtherGrids) {
  const DecomposedGrid grid = make_grid(test_ranks(), cube, Device::cpu());
  const DecomposedGrid smaller(test_ranks(), {cells, cells, cells - 2},
                               {.rank_grid = grid.decomposition().grid()});
  FieldSolver<double> solver(cube, grid, Team(1));
  GridFields<double> fields(grid, 1, Team(1));
  GridFields<double> others(smaller, 1, Team(1));
  EXPECT_THAT(refusal_text([&] { solver.solve(others[0], fields[0]); }), HasSubstr("a view"));
  EXPECT_THAT(refusal_text([&] { solver.solve(fields[0], others[0]); }), HasSubstr("a view"));
  EXPECT_THAT(refusal_text([&] { solver.solve({}, fields[0]); }), HasSubstr("a view"));
}

TEST(FieldSolver, MultigridDoesNotCutItsLines) {
  const Domain lines{stretched(cells, 1.3), walls(cells), walls(cells)};
  const DecomposedGrid grid = make_grid(test_ranks(), lines, Device::cpu(), Method::multigrid);
  EXPECT_EQ(grid.decomposition().grid().i, 1);
  EXPECT_EQ(obstacle(Method::multigrid, lines, grid, Device::cpu()), "");
}

}  // namespace
}  // namespace bankfull::poisson
