#include "bankfull/core/comm/grid_fields.hpp"
#include "tests/mpi_main.hpp"

#include <cstdint>
#include <gtest/gtest.h>

namespace bankfull {
namespace {

constexpr Extents cells{12, 10, 14};

/// A number of its own for each cell of the whole grid, of which axis i closes on itself.
double number(std::int64_t i, std::int64_t j, std::int64_t k) {
  return static_cast<double>(((i + cells.ni) % cells.ni * cells.nj + j) * cells.nk + k);
}

DecomposedGrid shared_grid() {
  return {test_ranks(), cells, {.periodic = {.i = true}, .halo = {.width = 2}}};
}

void number_cells(const DecomposedGrid& grid, const FieldView<double>& field) {
  const Box block = grid.block();
  for_each(Team(2), grid.interior(), [=](auto i, auto j, auto k) {
    field(i, j, k) = number(block.i0 + i, block.j0 + j, block.k0 + k);
  });
}

TEST(GridFieldsOnRanks, ExchangeFillsGhostsOfTheFieldsNamedAndLeavesOthers) {
  const DecomposedGrid grid = shared_grid();
  const Box block = grid.block();
  GridFields<double> fields(grid, 3, Team(2));
  for (int n = 0; n < 3; ++n) {
    number_cells(grid, fields[n]);
  }
  fields.exchange_halo({2, 0});
  fields.exchange_halo({0});
  for (std::int64_t i = -2; i < block.i1 - block.i0 + 2; ++i) {
    const double below = number(block.i0 + i, block.j0, block.k0);
    const bool is_ghost = i < 0 || i >= block.i1 - block.i0;
    EXPECT_EQ(fields[0](i, 0, 0), below);
    EXPECT_EQ(fields[2](i, 0, 0), below);
    EXPECT_EQ(fields[1](i, 0, 0), is_ghost ? 0.0 : below);
  }
  EXPECT_EQ(fields[0](0, -1, 0), block.j0 == 0 ? 0.0 : number(block.i0, block.j0 - 1, block.k0));
}

TEST(GridFieldsOnRanks, ValuesAreThoseOfTheInterior) {
  const DecomposedGrid grid = shared_grid();
  GridFields<double> fields(grid, 2, Team(1));
  number_cells(grid, fields[1]);
  const std::vector<double> values = fields.interior_values(1);
  ASSERT_EQ(values.size(), static_cast<std::size_t>(grid.interior().extents().count()));
  auto value = values.begin();
  for_cells(grid.block(), [&](auto i, auto j, auto k) { EXPECT_EQ(*value++, number(i, j, k)); });
}

}  // namespace
}  // namespace bankfull
