#include "bankfull/numerics/fft/line_powers.hpp"

#include "bankfull/numerics/random/counter.hpp"

#include <cmath>
#include <complex>
#include <cstdint>
#include <gtest/gtest.h>
#include <numbers>
#include <vector>

namespace bankfull {
namespace {

constexpr std::int64_t sequences = LinePowers::lanes;

std::vector<double> powers_of(const LinePowers& powers, const std::vector<double>& values) {
  std::vector<double> found(static_cast<std::size_t>(powers.wavenumbers() * sequences));
  std::vector<double> room;
  powers.find(values.data(), found.data(), room);
  return found;
}

std::vector<double> noise_of(std::int64_t n) {
  std::vector<double> values(static_cast<std::size_t>(n * sequences));
  for (std::size_t at = 0; at < values.size(); ++at) {
    values[at] = random_symmetric(11, at) + 0.3;
  }
  return values;
}

/// Powers of two, odd lengths, primes, and such as have both.
class LinePowersOfLength : public testing::TestWithParam<std::int64_t> {};

INSTANTIATE_TEST_SUITE_P(Lengths, LinePowersOfLength,
                         testing::Values(1, 2, 3, 4, 5, 6, 7, 8, 12, 15, 16, 17, 31, 48, 64, 97,
                                         128, 135, 384, 1000, 1021));

TEST_P(LinePowersOfLength, AreThoseOfTheDefinition) {
  const std::int64_t n = GetParam();
  const std::vector<double> values = noise_of(n);
  const std::vector<double> found = powers_of(LinePowers(n), values);
  for (std::int64_t k = 0; k <= n / 2; ++k) {
    for (const std::int64_t lane : {std::int64_t{0}, sequences - 1}) {
      std::complex<double> sum = 0.0;
      for (std::int64_t j = 0; j < n; ++j) {
        const double turns = static_cast<double>(j * k % n) / static_cast<double>(n);
        sum += values[static_cast<std::size_t>(j * sequences + lane)] *
               std::polar(1.0, -2.0 * std::numbers::pi * turns);
      }
      const double both = k == 0 || 2 * k == n ? 1.0 : 2.0;
      EXPECT_NEAR(found[static_cast<std::size_t>(k * sequences + lane)],
                  both * std::norm(sum / static_cast<double>(n)), 1e-14)
          << "wavenumber " << k;
    }
  }
}

TEST_P(LinePowersOfLength, AddUpToTheMeanSquare) {
  const std::int64_t n = GetParam();
  const std::vector<double> values = noise_of(n);
  const std::vector<double> found = powers_of(LinePowers(n), values);
  for (std::int64_t lane = 0; lane < sequences; ++lane) {
    double square = 0.0;
    for (std::int64_t j = 0; j < n; ++j) {
      const double value = values[static_cast<std::size_t>(j * sequences + lane)];
      square += value * value / static_cast<double>(n);
    }
    double sum = 0.0;
    for (std::int64_t k = 0; k <= n / 2; ++k) {
      sum += found[static_cast<std::size_t>(k * sequences + lane)];
    }
    EXPECT_NEAR(sum, square, 1e-14 * std::max(1.0, square));
  }
}

TEST(LinePowers, OfAWaveLieAtItsWavenumber) {
  const std::int64_t n = 45;
  std::vector<double> values(static_cast<std::size_t>(n * sequences));
  for (std::int64_t j = 0; j < n; ++j) {
    const double x = 2.0 * std::numbers::pi * static_cast<double>(j) / static_cast<double>(n);
    values[static_cast<std::size_t>(j * sequences)] = 3.0 * std::sin(7.0 * x + 0.4);
  }
  const std::vector<double> found = powers_of(LinePowers(n), values);
  for (std::int64_t k = 0; k <= n / 2; ++k) {
    EXPECT_NEAR(found[static_cast<std::size_t>(k * sequences)], k == 7 ? 4.5 : 0.0, 1e-14) << k;
    EXPECT_EQ(found[static_cast<std::size_t>(k * sequences + 1)], 0.0);
  }
}

}  // namespace
}  // namespace bankfull
