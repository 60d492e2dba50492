#include "bankfull/numerics/fft/lane_fft.hpp"

#include "bankfull/core/base/expects.hpp"
#include "bankfull/numerics/fft/lane_fft_steps.hpp"

#include <bit>
#include <cmath>
#include <numbers>

namespace bankfull {
namespace {

/// The odd primes, then the powers of two: by eights, if there are registers for eight points and
/// as many results, by fours so far as needed to leave no two, and where there is no other way by
/// a two at the end, for there is no other step of two.
std::vector<int> radices_of(std::int64_t n) {
  std::vector<int> radices;
  auto twos = std::countr_zero(static_cast<std::uint64_t>(n));
  n >>= twos;
  for (int radix = 3; n > 1; radix += 2) {
    for (; n % radix == 0; n /= radix) {
      radices.push_back(radix);
    }
  }
  constexpr bool eights = register_count >= 32;
  for (; eights && (twos >= 5 || twos == 3); twos -= 3) {
    radices.push_back(8);
  }
  for (; twos >= 2; twos -= 2) {
    radices.push_back(4);
  }
  if (twos == 1) {
    radices.push_back(2);
  }
  return radices;
}

/// Operations on the points that a step takes together. `last`: by no roots but those of i.
std::int64_t flops_of_butterfly(int radix, bool last) {
  constexpr std::int64_t sum = 2;
  const std::int64_t by_root = last && radix % 2 == 0 ? 0 : 6;
  constexpr std::int64_t by_root_of_i = 4;
  constexpr std::int64_t four = 8 * sum;
  switch (radix) {
    case 2:
      return 2 * sum + by_root;
    case 4:
      return four + 3 * by_root;
    // Two odd results are multiplied by a root of i.
    case 8:
      return 2 * four + 2 * by_root_of_i + 8 * sum + 7 * by_root;
    default:
      break;
  }
  // For each pair of points: two sums for result 0; for each pair of results two sums and 8
  // operations of multiply-adds. For each pair of results also two sums and two roots.
  const std::int64_t pairs = (radix - 1) / 2;
  return pairs * (2 * sum + pairs * (2 * sum + 8) + 2 * sum + 2 * by_root);
}

}  // namespace

template <class Real>
LaneTransform<Real>::LaneTransform(std::int64_t n)
    : n_(n), radices_(radices_of(n)), roots_(static_cast<std::size_t>(n)) {
  expects(n >= 1, "a sequence has an element");
  for (std::int64_t k = 0; k < n; ++k) {
    const double angle = -2.0 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(n);
    roots_[static_cast<std::size_t>(k)] = {static_cast<Real>(std::cos(angle)),
                                           static_cast<Real>(std::sin(angle))};
  }
}

template <class Real>
double LaneTransform<Real>::flops() const {
  std::int64_t flops = 0;
  std::int64_t n = n_;
  for (const int radix : radices_) {
    flops += n_ / radix * flops_of_butterfly(radix, n == radix);
    n /= radix;
  }
  return static_cast<double>(flops);
}

template float* LaneTransform<float>::transform(Sign, float*, float*) const;
template double* LaneTransform<double>::transform(Sign, double*, double*) const;
template class LaneTransform<float>;
template class LaneTransform<double>;

}  // namespace bankfull
