#include "bankfull/numerics/fft/lane_fft.hpp"

#include "bankfull/core/base/register_tile.hpp"
#include "bankfull/numerics/fft/lane_fft_steps.hpp"
#include "bankfull/numerics/random/counter.hpp"
#include "tests/counting.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <numbers>

namespace bankfull {
namespace {

using Complex = std::complex<double>;

constexpr std::int64_t lanes = LaneFft::lanes;
constexpr std::int64_t block = LaneFft::block;

std::vector<double> random_blocks(std::int64_t n) {
  std::vector<double> blocks(static_cast<std::size_t>(n * block));
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    blocks[i] = random_symmetric(7, i);
  }
  return blocks;
}

Complex element(const double* blocks, std::int64_t k, std::int64_t lane) {
  return {blocks[k * block + lane], blocks[k * block + lanes + lane]};
}

/// By the definition.
Complex transformed(const std::vector<double>& x, std::int64_t n, std::int64_t k, std::int64_t lane,
                    double sign) {
  Complex sum = 0.0;
  for (std::int64_t j = 0; j < n; ++j) {
    const double turns = static_cast<double>(j * k % n) / static_cast<double>(n);
    sum += element(x.data(), j, lane) * std::polar(1.0, sign * 2.0 * std::numbers::pi * turns);
  }
  return sum;
}

TEST(LaneFft, IsTheTransformOfEachLane) {
  for (const std::int64_t n : {1,  2,  3,  4,  5,  6,  7,  8,   11,  12,  13,  15,
                               16, 18, 25, 30, 32, 77, 84, 121, 128, 210, 384, 512}) {
    for (const auto sign : {LaneFft::Sign::minus, LaneFft::Sign::plus}) {
      const std::vector<double> x = random_blocks(n);
      std::vector<double> data = x;
      std::vector<double> other(data.size());
      const double* const y = LaneFft(n).transform(sign, data.data(), other.data());
      for (std::int64_t lane = 0; lane < lanes; ++lane) {
        for (std::int64_t k = 0; k<n; k += n> 32 ? 7 : 1) {
          const Complex expected =
              transformed(x, n, k, lane, sign == LaneFft::Sign::minus ? -1.0 : 1.0);
          ASSERT_LT(std::abs(element(y, k, lane) - expected), 1e-13 * static_cast<double>(n))
              << "n " << n << " k " << k << " lane " << lane;
        }
      }
    }
  }
}

TEST(LaneFft, OfFloatsIsThatOfDoubles) {
  constexpr std::int64_t n = 60;
  using Floats = LaneTransform<float>;
  std::vector<float> data(static_cast<std::size_t>(n * Floats::block));
  std::vector<float> other(data.size());
  std::vector<double> doubles(static_cast<std::size_t>(n * block));
  for (std::int64_t k = 0; k < n; ++k) {
    for (std::int64_t lane = 0; lane < Floats::lanes; ++lane) {
      const auto at = static_cast<std::size_t>(k * Floats::block + lane);
      const auto number = static_cast<std::uint64_t>(k * Floats::lanes + lane);
      data[at] = static_cast<float>(random_symmetric(5, number));
      data[at + Floats::lanes] = static_cast<float>(random_symmetric(6, number));
      if (lane >= lanes) {  // the last eight, which follow each other in doubles
        const auto of_doubles = static_cast<std::size_t>(k * block + lane - lanes);
        doubles[of_doubles] = static_cast<double>(data[at]);
        doubles[of_doubles + lanes] = static_cast<double>(data[at + Floats::lanes]);
      }
    }
  }
  const float* const found = Floats(n).transform(FftSign::minus, data.data(), other.data());
  for (std::int64_t k = 0; k < n; ++k) {
    for (std::int64_t lane = 0; lane < lanes; ++lane) {
      const float* const at = found + k * Floats::block + lanes + lane;
      const Complex value(static_cast<double>(at[0]), static_cast<double>(at[Floats::lanes]));
      ASSERT_LT(std::abs(value - transformed(doubles, n, k, lane, -1.0)), 1e-5)
          << k << ", " << lane;
    }
  }
}

TEST(LaneFft, CountsItsFlops) {
  using counting::Counted;
  for (const std::int64_t n : {1, 3, 4, 6, 8, 11, 35, 48}) {
    using Value = Counted<double, lanes>;
    std::vector<Value> data(static_cast<std::size_t>(n * block), Value(1.0));
    std::vector<Value> other(data.size());
    counting::Ledger::mine().restart();
    const LaneFft fft(n);
    fft.transform(FftSign::minus, data.data(), other.data());
    EXPECT_EQ(counting::Ledger::mine().traffic().flops, fft.flops() * static_cast<double>(lanes))
        << n;
  }
}

TEST(LaneFft, DoesSomethingAsideWithEachButterflyAndTheSame) {
  struct Step {
    std::int64_t n;
    int butterflies;
  };
  for (const Step& each : {Step{1, 0}, Step{4, 1}, Step{12, 3 + 4}, Step{35, 5 + 7}}) {
    const auto reals = static_cast<std::size_t>(each.n * block);
    std::vector<double> data(reals);
    for (std::size_t n = 0; n < reals; ++n) {
      data[n] = random_symmetric(8, n);
    }
    std::vector<double> same = data;
    std::vector<double> other(reals);
    std::vector<double> same_other(reals);
    const LaneFft fft(each.n);
    int calls = 0;
    auto aside = [&calls] { ++calls; };
    const double* const found =
        fft.transform_beside(FftSign::minus, data.data(), other.data(), aside);
    const double* const expected = fft.transform(FftSign::minus, same.data(), same_other.data());
    EXPECT_EQ(calls, each.butterflies) << each.n;
    EXPECT_EQ(std::vector<double>(found, found + reals),
              std::vector<double>(expected, expected + reals))
        << each.n;
  }
}

template <class Real>
void expect_same_from_elsewhere(std::int64_t n) {
  constexpr std::int64_t reals_of_element = LaneTransform<Real>::block;
  const auto reals = static_cast<std::size_t>(n * reals_of_element);
  std::vector<Real> data(reals);
  for (std::size_t at = 0; at < reals; ++at) {
    data[at] = static_cast<Real>(random_symmetric(9, at));
  }
  std::vector<Real> elsewhere = data;
  std::vector<Real> room(reals);
  std::vector<Real> other(reals);
  const LaneTransform<Real> fft(n);
  ASSERT_EQ(fft.first_radix() % 4, 0) << n;
  const detail::Blocks<Real, Real> in{elsewhere.data(), detail::parts_of<Real>(FftSign::minus)};
  detail::NothingAside aside;
  const Real* const found = fft.transform_from(in, room.data(), other.data(), aside);
  const std::vector<Real> result(found, found + reals);
  const Real* const expected = fft.transform(FftSign::minus, data.data(), other.data());
  EXPECT_EQ(result, std::vector<Real>(expected, expected + reals)) << n;
}

TEST(LaneFft, GivesTheSameWhereTheFirstStepReadsElsewhere) {
  for (const std::int64_t n : {8, 16, 32, 64, 128, 256, 512}) {
    if (LaneFft(n).first_radix() < n) {
      expect_same_from_elsewhere<double>(n);
      expect_same_from_elsewhere<float>(n);
    }
  }
}

/// Rows of complex numbers with more between them than the columns that are transformed; element n
/// of a column stands in row n or, turned over, in row last - n.
template <class Real>
struct TestRows {
  Real* data;
  std::int64_t pitch;
  std::int64_t last = -1;

  [[nodiscard]] Real* row(std::int64_t n) const { return data + (last < 0 ? n : last - n) * pitch; }
  [[nodiscard]] LanePoint<Real> load(std::int64_t n, std::int64_t at) const {
    const auto x = ComplexRegister<Real>::load_alternating(row(n) + at);
    return {x.re, x.im};
  }
  void store(std::int64_t n, std::int64_t at, const LanePoint<Real>& x) const {
    ComplexRegister<Real>{x.re, x.im}.store_alternating(row(n) + at);
  }
};

/// The columns from the blocks of x on, transformed from rows to others or in place, have the very
/// values of the transform of these blocks.
template <class Real, FftSign Direction>
void expect_columns_as_blocks(std::int64_t n, bool in_place, bool turned) {
  using Lanes = LaneTransform<Real>;
  constexpr std::int64_t pitch = Lanes::block + 4;
  constexpr Real untouched{17};
  std::vector<Real> blocks(static_cast<std::size_t>(n * Lanes::block));
  std::vector<Real> other(blocks.size());
  std::vector<Real> work(2 * blocks.size());
  std::vector<Real> from(static_cast<std::size_t>(n * pitch), untouched);
  std::vector<Real> to = from;
  const std::int64_t last = turned ? n - 1 : -1;
  const TestRows<Real> source{from.data(), pitch, in_place ? -1 : last};
  const TestRows<Real> target{in_place ? from.data() : to.data(), pitch, last};
  for (std::int64_t k = 0; k < n; ++k) {
    for (std::int64_t lane = 0; lane < Lanes::lanes; ++lane) {
      const auto number = static_cast<std::uint64_t>(2 * (k * Lanes::lanes + lane));
      Real* const at = blocks.data() + k * Lanes::block + lane;
      at[0] = source.row(k)[2 * lane] = static_cast<Real>(random_symmetric(11, number));
      at[Lanes::lanes] = source.row(k)[2 * lane + 1] =
          static_cast<Real>(random_symmetric(11, number + 1));
    }
  }
  const Lanes fft(n);
  const Real* const expected = fft.transform(Direction, blocks.data(), other.data());
  fft.template transform_columns<Direction>(source, target, work.data());
  for (std::int64_t k = 0; k < n; ++k) {
    const Real* const found = target.row(k);
    for (std::int64_t lane = 0; lane < Lanes::lanes; ++lane) {
      const Real* const at = expected + k * Lanes::block + lane;
      ASSERT_EQ(found[2 * lane], at[0]) << "n " << n << " k " << k << " lane " << lane;
      ASSERT_EQ(found[2 * lane + 1], at[Lanes::lanes]) << "n " << n << " k " << k;
    }
    for (std::int64_t beyond = Lanes::block; beyond < pitch; ++beyond) {
      ASSERT_EQ(found[beyond], untouched) << "n " << n << " k " << k;
    }
  }
}

TEST(LaneFft, OfColumnsIsThatOfBlocks) {
  for (const std::int64_t n :
       {1,  2,  3,  4,  5,  6,  7,  8,   9,   10,  11,  12,  13,  14,  15,  16,  20,   24,
        25, 28, 32, 49, 64, 77, 96, 100, 121, 127, 128, 192, 210, 256, 384, 512, 1024, 2048}) {
    for (const bool in_place : {false, true}) {
      for (const bool turned : {false, true}) {
        expect_columns_as_blocks<double, FftSign::minus>(n, in_place, turned);
        expect_columns_as_blocks<double, FftSign::plus>(n, in_place, turned);
        expect_columns_as_blocks<float, FftSign::minus>(n, in_place, turned);
        expect_columns_as_blocks<float, FftSign::plus>(n, in_place, turned);
      }
    }
  }
}

TEST(LaneFft, BothSignsTakeEachOtherBack) {
  constexpr std::int64_t n = 2048;
  const std::vector<double> x = random_blocks(n);
  std::vector<double> data = x;
  std::vector<double> other(data.size());
  const LaneFft fft(n);
  double* const there = fft.transform(LaneFft::Sign::plus, data.data(), other.data());
  double* const spare = there == data.data() ? other.data() : data.data();
  const double* const back = fft.transform(LaneFft::Sign::minus, there, spare);
  for (std::size_t i = 0; i < x.size(); ++i) {
    ASSERT_NEAR(back[i] / n, x[i], 1e-14);
  }
}

}  // namespace
}  // namespace bankfull
