#include "bankfull/core/base/pack.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <gtest/gtest.h>
#include <limits>

namespace bankfull {
namespace {

template <class T>
class PackTest : public ::testing::Test {
 protected:
  static constexpr int width = Pack<T>::width;
  using Lanes = std::array<T, static_cast<std::size_t>(width)>;

  static Lanes lanes_of(const Pack<T>& pack) {
    Lanes lanes{};
    pack.store(lanes.data());
    return lanes;
  }

  /// Different in every lane; of both signs.
  static T x(int lane) { return static_cast<T>(1.5) - static_cast<T>(lane); }
  static T y(int lane) { return static_cast<T>(0.25) + static_cast<T>(lane * lane); }

  template <class Expected>
  static void expect_lanes(const Pack<T>& got, const Expected& expected) {
    const Lanes lanes = lanes_of(got);
    for (int lane = 0; lane < width; ++lane) {
      EXPECT_EQ(lanes[static_cast<std::size_t>(lane)], expected(lane)) << "lane " << lane;
    }
  }
};

using Reals = ::testing::Types<float, double>;
TYPED_TEST_SUITE(PackTest, Reals);

TYPED_TEST(PackTest, LanesComeFromAFunction) {
  TestFixture::expect_lanes(Pack<TypeParam>::of_lanes(TestFixture::x), TestFixture::x);
}

TYPED_TEST(PackTest, OperatorsWorkOnEachLane) {
  const auto x = Pack<TypeParam>::of_lanes(TestFixture::x);
  const auto y = Pack<TypeParam>::of_lanes(TestFixture::y);
  const auto of = [](const auto& combine) {
    return [=](int lane) { return combine(TestFixture::x(lane), TestFixture::y(lane)); };
  };
  TestFixture::expect_lanes(x + y, of([](auto a, auto b) { return a + b; }));
  TestFixture::expect_lanes(x - y, of([](auto a, auto b) { return a - b; }));
  TestFixture::expect_lanes(x * y, of([](auto a, auto b) { return a * b; }));
  TestFixture::expect_lanes(x / y, of([](auto a, auto b) { return a / b; }));
  TestFixture::expect_lanes(-x, of([](auto a, auto) { return -a; }));
  TestFixture::expect_lanes(fma(x, y, x), of([](auto a, auto b) { return std::fma(a, b, a); }));
}

TYPED_TEST(PackTest, TotalAddsLanesInTheirOrder) {
  // Any other order loses the small ones in other places.
  const auto value = [](int lane) {
    return lane % 2 == 0 ? static_cast<TypeParam>(1.0) / static_cast<TypeParam>(lane + 3)
                         : std::ldexp(static_cast<TypeParam>(lane), 8 - lane);
  };
  TypeParam expected = 0;
  for (int lane = 0; lane < TestFixture::width; ++lane) {
    expected += value(lane);
  }
  EXPECT_EQ(Pack<TypeParam>::of_lanes(value).total(), expected);
  EXPECT_EQ(Pack<TypeParam>::broadcast(2).total(), 2 * TestFixture::width);
}

TYPED_TEST(PackTest, MagnitudesAndLargestLanes) {
  using P = Pack<TypeParam>;
  const auto falling = [](int n) { return static_cast<TypeParam>(2 - n); };
  const P x = P::of_lanes(falling);
  TestFixture::expect_lanes(abs(x), [&](int n) { return std::abs(falling(n)); });
  TestFixture::expect_lanes(raised(x, P::broadcast(0)),
                            [&](int n) { return std::max(falling(n), TypeParam(0)); });
  EXPECT_EQ(x.largest(1), 2);
  EXPECT_EQ(x.largest(3), 3);
  EXPECT_EQ(abs(x).largest(0), std::max(2, TestFixture::width - 3));
}

TYPED_TEST(PackTest, LoadsFromAnyElement) {
  std::array<TypeParam, 2 * Pack<TypeParam>::width> memory{};
  for (std::size_t n = 0; n < memory.size(); ++n) {
    memory[n] = static_cast<TypeParam>(n);
  }
  TestFixture::expect_lanes(Pack<TypeParam>::load(memory.data() + 1),
                            [](int lane) { return static_cast<TypeParam>(lane + 1); });
}

TYPED_TEST(PackTest, LanesMoveInFromTheNeighbouringPacks) {
  using P = Pack<TypeParam>;
  const auto beside = [](int by) { return [by](int lane) { return TestFixture::y(lane + by); }; };
  const P x = P::of_lanes(beside(0));
  TestFixture::expect_lanes(one_lane_later(x, P::of_lanes(beside(TestFixture::width))), beside(1));
  TestFixture::expect_lanes(one_lane_earlier(P::of_lanes(beside(-TestFixture::width)), x),
                            beside(-1));
}

TYPED_TEST(PackTest, SquaresOfAllLanesAreAdded) {
  SquareSum<TypeParam> squares;
  double expected = 0.0;
  for (int n = 0; n < 3; ++n) {
    squares.add(Pack<TypeParam>::of_lanes([n](int lane) { return TestFixture::x(lane + n); }));
    for (int lane = 0; lane < TestFixture::width; ++lane) {
      expected += static_cast<double>(TestFixture::x(lane + n) * TestFixture::x(lane + n));
    }
  }
  EXPECT_EQ(squares.total(), expected);
}

TYPED_TEST(PackTest, LargestMagnitudeIsOfAnyLaneAndKeepsNaN) {
  using Bits = typename LargestMagnitude<TypeParam>::Bits;
  LargestMagnitude<TypeParam> largest;
  EXPECT_EQ(largest.bits(), 0);
  for (int place = 0; place < TestFixture::width; ++place) {
    const auto value = static_cast<TypeParam>(-2 - place);
    largest.add(
        Pack<TypeParam>::of_lanes([&](int n) { return n == place ? value : TypeParam(1); }));
    EXPECT_EQ(largest.bits(), std::bit_cast<Bits>(-value));
  }
  largest.add(Pack<TypeParam>::broadcast(-std::numeric_limits<TypeParam>::quiet_NaN()));
  largest.add(Pack<TypeParam>::broadcast(std::numeric_limits<TypeParam>::infinity()));
  EXPECT_TRUE(std::isnan(std::bit_cast<TypeParam>(largest.bits())));
}

}  // namespace
}  // namespace bankfull
