#include "bankfull/numerics/fft/line_powers.hpp"

#include "bankfull/core/base/expects.hpp"

#include <algorithm>
#include <bit>
#include <numbers>

namespace bankfull {
namespace {

constexpr std::int64_t block_reals = LaneFft::block;
constexpr std::int64_t lane_count = LaneFft::lanes;

/// A transform of n elements itself or, where n is no power of two, one that has room for a
/// convolution of n elements with 2 n - 1.
std::int64_t transformed_length(std::int64_t n) {
  const auto length = static_cast<std::uint64_t>(n);
  const std::uint64_t least = std::has_single_bit(length) ? length : 2 * length - 1;
  return static_cast<std::int64_t>(std::max<std::uint64_t>(2, std::bit_ceil(least)));
}

/// The angle is that of j^2 modulo 2 n: exact for any j.
std::complex<double> chirp_at(std::int64_t j, std::int64_t n) {
  const auto turns = static_cast<double>(j * j % (2 * n)) / static_cast<double>(n);
  return std::polar(1.0, -std::numbers::pi * turns);
}

/// Multiplies a block by a number.
void multiply_block(const std::complex<double>& by, double* values) {
  const double re = by.real();
  const double im = by.imag();
#pragma omp simd
  for (std::int64_t l = 0; l < lane_count; ++l) {
    const double a = values[l];
    const double b = values[lane_count + l];
    values[l] = re * a - im * b;
    values[lane_count + l] = re * b + im * a;
  }
}

}  // namespace

LinePowers::LinePowers(std::int64_t n) : n_(n), transform_(transformed_length(n)) {
  expects(n >= 1, "a sequence has elements");
  if (is_direct()) {
    return;
  }
  const std::int64_t size = transform_.size();
  std::vector<double> kernel(static_cast<std::size_t>(size * block_reals), 0.0);
  std::vector<double> other(kernel.size());
  for (std::int64_t j = 0; j < n; ++j) {
    chirp_.push_back(chirp_at(j, n));
    for (const std::int64_t at : {j, (size - j) % size}) {
      kernel[static_cast<std::size_t>(at * block_reals)] = chirp_.back().real();
      kernel[static_cast<std::size_t>(at * block_reals + lane_count)] = -chirp_.back().imag();
    }
  }
  const double* const found = transform_.transform(FftSign::minus, kernel.data(), other.data());
  for (std::int64_t k = 0; k < size; ++k) {
    const std::complex<double> factor(found[k * block_reals], found[k * block_reals + lane_count]);
    kernel_spectrum_.push_back(factor / static_cast<double>(size));
  }
}

void LinePowers::find(const double* values, double* powers, std::vector<double>& room) const {
  const std::int64_t size = transform_.size();
  const auto half = static_cast<std::size_t>(size * block_reals);
  room.resize(2 * half);
  double* data = room.data();
  double* other = data + half;
  std::fill_n(data, half, 0.0);
  for (std::int64_t j = 0; j < n_; ++j) {
    std::copy_n(values + j * lane_count, lane_count, data + j * block_reals);
    if (!is_direct()) {
      multiply_block(chirp_[static_cast<std::size_t>(j)], data + j * block_reals);
    }
  }
  double* found = transform_.transform(FftSign::minus, data, other);
  if (!is_direct()) {
    for (std::int64_t k = 0; k < size; ++k) {
      multiply_block(kernel_spectrum_[static_cast<std::size_t>(k)], found + k * block_reals);
    }
    found = transform_.transform(FftSign::plus, found, found == data ? other : data);
  }
  // The product with the chirp that is left has no part in the absolute value.
  const double per_square = 1.0 / (static_cast<double>(n_) * static_cast<double>(n_));
  for (std::int64_t k = 0; k < wavenumbers(); ++k) {
    const double weight = k == 0 || 2 * k == n_ ? per_square : 2.0 * per_square;
    const double* const at = found + k * block_reals;
#pragma omp simd
    for (std::int64_t l = 0; l < lane_count; ++l) {
      powers[k * lane_count + l] =
          weight * (at[l] * at[l] + at[lane_count + l] * at[lane_count + l]);
    }
  }
}

}  // namespace bankfull
