#include "bankfull/numerics/sparse/sliced.hpp"

#include "bankfull/core/exec/cpu_executor.hpp"
#include "tests/numerics/sparse/patterns.hpp"

#include <algorithm>
#include <array>
#include <gtest/gtest.h>
#include <utility>
#include <vector>

namespace bankfull {
namespace {

std::int64_t width_of(const CsrView& matrix, std::int64_t row) {
  return row < matrix.rows ? matrix.start[row + 1] - matrix.start[row] : 0;
}

/// The entries of a row fill its slots from the first one.
template <int Height>
void fill_row(const CsrView& matrix, std::int64_t row, const Sliced& sliced) {
  for (std::int64_t n = 0; n < width_of(matrix, row); ++n) {
    const std::int64_t slot = sliced.slot.data()[row / Height] + n;
    const std::int64_t at = slot * Height + row % Height;
    sliced.column.data()[at] = matrix.column[matrix.start[row] + n];
    sliced.value.data()[at] = matrix.value[matrix.start[row] + n];
  }
}

template <int Height>
Sliced sliced_of(const CpuExecutor& executor, const CsrView& matrix) {
  const std::int64_t slices = (matrix.rows + Height - 1) / Height;
  std::vector<std::int32_t> width(static_cast<std::size_t>(slices) + 1, 0);
  for (std::int64_t row = 0; row < matrix.rows; ++row) {
    std::int32_t& widest = width[static_cast<std::size_t>(row / Height)];
    widest = std::max(widest, static_cast<std::int32_t>(width_of(matrix, row)));
  }
  Sliced sliced = make_sliced<Height>(executor, width.data(), slices);
  // Two classes, or one and an empty one.
  fill_sliced<Height>(executor, std::array{&sliced}, {{0, slices / 3}, {slices / 3, slices}},
                      [&](std::int64_t row) { fill_row<Height>(matrix, row, sliced); });
  return sliced;
}

template <int Height, class Columns>
std::vector<double> product(const SlicedView<Columns>& matrix, std::int64_t rows,
                            const std::vector<double>& x) {
  std::vector<double> y(static_cast<std::size_t>(rows), 0.0);
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t slot = matrix.slot[row / Height]; slot < matrix.slot[row / Height + 1];
         ++slot) {
      const std::int64_t entry = slot * Height + row % Height;
      const std::int32_t column = matrix.columns.at(slot, entry);
      y[static_cast<std::size_t>(row)] +=
          matrix.value[entry] * x.at(static_cast<std::size_t>(column));
    }
  }
  return y;
}

std::vector<double> product(const CsrView& matrix, const std::vector<double>& x) {
  std::vector<double> y(static_cast<std::size_t>(matrix.rows), 0.0);
  for (std::int64_t row = 0; row < matrix.rows; ++row) {
    for (std::int64_t n = matrix.start[row]; n < matrix.start[row + 1]; ++n) {
      y[static_cast<std::size_t>(row)] +=
          matrix.value[n] * x[static_cast<std::size_t>(matrix.column[n])];
    }
  }
  return y;
}

template <int Height>
SlicedView<PackedColumns<Height>> packed_view(const Sliced& sliced) {
  return {sliced.slot.data(),
          {sliced.base.data(), sliced.code.data(), sliced.escaped.data()},
          sliced.value.data()};
}

/// In the same order of additions: the same bits, but for a zero's sign.
template <int Height>
void expect_products_of(const Pattern& pattern, int threads) {
  const Csr matrix = csr_of(pattern);
  const CpuExecutor executor(threads);
  std::vector<double> x(static_cast<std::size_t>(pattern.columns));
  for (std::size_t n = 0; n < x.size(); ++n) {
    x[n] = random_symmetric(8, n);
  }
  const std::vector<double> expected = product(matrix.view(), x);
  Sliced sliced = sliced_of<Height>(executor, matrix.view());
  EXPECT_FALSE(sliced.slim);
  EXPECT_EQ(product<Height>(sliced.full_view(), matrix.rows, x), expected);
  const std::int64_t full_bytes = sliced.bytes();
  ASSERT_TRUE(fits_slim(executor, sliced));
  make_slim<Height>(executor, sliced);
  EXPECT_TRUE(sliced.slim);
  EXPECT_EQ(product<Height>(sliced.slim_view(), matrix.rows, x), expected);
  EXPECT_EQ(full_bytes - sliced.bytes(), sliced.slots * (2 * Height - 4));
  Sliced packed = sliced_of<Height>(executor, matrix.view());
  pack<Height>(executor, packed);
  EXPECT_EQ(product<Height>(packed_view<Height>(packed), matrix.rows, x), expected);
}

TEST(Sliced, MultipliesLikeCsr) {
  for (unsigned seed = 0; seed < 6; ++seed) {
    SCOPED_TRACE(seed);
    const Pattern pattern = random_pattern({.seed = seed,
                                            .count = 61 + static_cast<std::int32_t>(seed),
                                            .connected = 0.1,
                                            .empty = 0.1 * (seed % 3),
                                            .outside = 0.2,
                                            .outer = 7});
    expect_products_of<4>(pattern, 1);
    expect_products_of<8>(pattern, 2);
    expect_products_of<32>(pattern, 1);
  }
  expect_products_of<8>(grid_pattern(7, 6, 5), 2);
}

TEST(Sliced, EmptySlicesTakeNoRoom) {
  Pattern pattern;
  pattern.rows.resize(12);
  pattern.columns = 12;
  pattern.rows[9] = {3};
  const CpuExecutor executor(1);
  const Csr matrix = csr_of(pattern);
  const Sliced sliced = sliced_of<4>(executor, matrix.view());
  EXPECT_EQ(sliced.slices, 3);
  EXPECT_EQ(sliced.slots, 1);
  EXPECT_EQ(executor.to_host(sliced.slot.data(), 4), (std::vector<std::int64_t>{0, 0, 0, 1}));
  // Other rows of the slice repeat the column, with values of 0.
  EXPECT_EQ(executor.to_host(sliced.column.data(), 4), (std::vector<std::int32_t>{3, 3, 3, 3}));
}

TEST(Sliced, EmptyEntriesRepeatTheNearestColumn) {
  Pattern pattern;
  pattern.rows = {{}, {5}, {}, {}, {9}, {}, {7}, {}};
  pattern.columns = 12;
  const CpuExecutor executor(1);
  const Csr matrix = csr_of(pattern);
  const Sliced sliced = sliced_of<8>(executor, matrix.view());
  EXPECT_EQ(executor.to_host(sliced.column.data(), 8),
            (std::vector<std::int32_t>{5, 5, 5, 5, 9, 9, 7, 7}));
}

/// Two rows of a slice with a column each.
Pattern two_columns(std::int32_t first, std::int32_t second) {
  Pattern pattern;
  pattern.rows.resize(4);
  pattern.columns = 100000;
  pattern.rows[1] = {first};
  pattern.rows[2] = {second};
  return pattern;
}

TEST(Sliced, SlimColumnsHold16Bits) {
  expect_products_of<4>(two_columns(20000, 20000 + 65535), 1);
  expect_products_of<4>(two_columns(20000 + 65535, 20000), 1);
  const CpuExecutor executor(1);
  for (const auto& [first, second] :
       {std::pair{20000, 20000 + 65536}, std::pair{99999, 0}, std::pair{0, 65536}}) {
    const Csr matrix = csr_of(two_columns(first, second));
    EXPECT_FALSE(fits_slim(executor, sliced_of<4>(executor, matrix.view())));
  }
}

/// Rows of a slice whose columns are those of their lanes and so many more.
template <std::size_t Rows>
Pattern beyond_lanes(const std::array<std::int32_t, Rows>& beyond) {
  Pattern pattern;
  pattern.columns = 1000;
  for (std::size_t lane = 0; lane < Rows; ++lane) {
    pattern.rows.push_back({beyond[lane] + static_cast<std::int32_t>(lane)});
  }
  return pattern;
}

std::int64_t escaped_of(const Pattern& pattern) {
  const CpuExecutor executor(1);
  const Csr matrix = csr_of(pattern);
  Sliced sliced = sliced_of<4>(executor, matrix.view());
  pack<4>(executor, sliced);
  return static_cast<std::int64_t>(sliced.escaped.size());
}

TEST(Sliced, CodesHoldWhatTheirBitsHold) {
  constexpr auto mask = static_cast<std::int32_t>(PackedColumns<4>::mask);
  for (const std::int32_t first : {0, 500}) {
    const Pattern held = beyond_lanes(std::array{first, first + mask, first + 1, first});
    EXPECT_EQ(escaped_of(held), 0);
    expect_products_of<4>(held, 1);
    const Pattern escaping = beyond_lanes(std::array{first, first + mask + 1, first + 1, first});
    EXPECT_EQ(escaped_of(escaping), 4);
    expect_products_of<4>(escaping, 1);
  }
  // Less than their lanes.
  const Pattern falling = beyond_lanes(std::array{1, 0, -1, -2});
  EXPECT_EQ(escaped_of(falling), 0);
  expect_products_of<4>(falling, 1);
}

/// A slice with one slot that codes do not hold escapes with all of its slots, no other does.
TEST(Sliced, WholeSlicesEscape) {
  Pattern pattern;
  pattern.columns = 1000;
  for (std::int32_t row = 0; row < 40; ++row) {
    pattern.rows.push_back({row, row + 100, row == 21 ? 999 : row + 200});
  }
  EXPECT_EQ(escaped_of(pattern), 3 * 4);
  expect_products_of<4>(pattern, 2);
  expect_products_of<8>(pattern, 1);
  expect_products_of<32>(pattern, 1);
}

/// Lines of a grid in the order of their rows: most slices have columns side by side.
TEST(Sliced, FewSlicesOfAGridEscape) {
  const CpuExecutor executor(1);
  const Csr matrix = csr_of(grid_pattern(40, 6, 5));
  Sliced sliced = sliced_of<8>(executor, matrix.view());
  pack<8>(executor, sliced);
  const auto escaped = static_cast<std::int64_t>(sliced.escaped.size());
  EXPECT_LT(escaped, sliced.slots * 8 / 2);
  EXPECT_EQ(sliced.bytes(), 8 * (sliced.slices + 1) + 64 * sliced.slots + 4 * (sliced.slots + 3) +
                                (sliced.slots / PackedColumns<8>::per_word + 2) * 32 + 4 * escaped);
}

}  // namespace
}  // namespace bankfull
