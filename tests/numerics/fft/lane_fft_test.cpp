#include "bankfull/numerics/fft/lane_fft.hpp"

#include "bankfull/numerics/random/counter.hpp"

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
  for (const std::int64_t n : {2, 4, 8, 16, 32, 128, 512}) {
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
