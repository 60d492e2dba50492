#include "bankfull/core/base/register_tile.hpp"

#include <array>
#include <cstddef>
#include <gtest/gtest.h>

namespace bankfull {
namespace {

template <class T>
class RegisterTileTest : public ::testing::Test {
 protected:
  static T value(int n) { return static_cast<T>(n) + static_cast<T>(0.5); }
};

using Reals = ::testing::Types<float, double>;
TYPED_TEST_SUITE(RegisterTileTest, Reals);

TYPED_TEST(RegisterTileTest, RowsBecomeColumns) {
  constexpr int width = RegisterTile<TypeParam>::width;
  RegisterTile<TypeParam> tile;
  for (int row = 0; row < width; ++row) {
    for (int column = 0; column < width; ++column) {
      tile[row][column] = this->value(row * width + column);
    }
  }
  tile.transpose();
  for (int row = 0; row < width; ++row) {
    for (int column = 0; column < width; ++column) {
      EXPECT_EQ(tile[row][column], this->value(column * width + row)) << row << ", " << column;
    }
  }
}

TYPED_TEST(RegisterTileTest, AlternatingPartsComeApartAndTogether) {
  constexpr auto width = static_cast<std::size_t>(Pack<TypeParam>::width);
  // One before them, so that they are not aligned.
  std::array<TypeParam, 2 * width + 1> values{};
  for (std::size_t n = 0; n < 2 * width; ++n) {
    values[n + 1] = this->value(static_cast<int>(n));
  }
  const auto parts = ComplexPack<TypeParam>::load_alternating(values.data() + 1);
  std::array<TypeParam, width> re{};
  std::array<TypeParam, width> im{};
  parts.re.store(re.data());
  parts.im.store(im.data());
  for (std::size_t n = 0; n < width; ++n) {
    EXPECT_EQ(re[n], values[2 * n + 1]);
    EXPECT_EQ(im[n], values[2 * n + 2]);
  }
  auto copy = values;
  copy.fill(TypeParam{0});
  parts.store_alternating(copy.data() + 1);
  EXPECT_EQ(copy, values);
}

}  // namespace
}  // namespace bankfull
