#include "bankfull/numerics/fft/lane_fft.hpp"

#include "bankfull/core/base/expects.hpp"
#include "bankfull/numerics/fft/lane_fft_steps.hpp"

#include <bit>
#include <cmath>
#include <numbers>

namespace bankfull {

LaneFft::LaneFft(std::int64_t n) : n_(n), roots_(static_cast<std::size_t>(n)) {
  expects(n >= 2 && std::has_single_bit(static_cast<std::uint64_t>(n)), "a power of two");
  for (std::int64_t k = 0; k < n; ++k) {
    const double angle = -2.0 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(n);
    roots_[static_cast<std::size_t>(k)] = {std::cos(angle), std::sin(angle)};
  }
}

double LaneFft::flops() const {
  // A step of four takes 8 additions to sums and differences of pairs, then 2 for each of four
  // results, of which three are multiplied by a root in 6.
  constexpr double step_of_four = 34.0 / 4.0;
  constexpr double step_of_two = 2.0;
  const int doublings = std::countr_zero(static_cast<std::uint64_t>(n_));
  const int steps_of_four = doublings / 2;
  const int steps_of_two = doublings % 2;
  const double per_point = steps_of_four * step_of_four + steps_of_two * step_of_two;
  return per_point * static_cast<double>(n_);
}

template double* LaneFft::transform(Sign sign, double* data, double* other) const;

}  // namespace bankfull
