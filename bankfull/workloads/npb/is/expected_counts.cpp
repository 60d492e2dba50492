#include "bankfull/workloads/npb/is/expected_counts.hpp"

#include "bankfull/workloads/npb/classes.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace bankfull::npb::is {
namespace {

/// The part of all keys below the part x of all values.
double part_of_keys_below(double x) {
  constexpr std::array binomials{1.0, -4.0, 6.0, -4.0};
  double sum = 0.0;
  for (std::size_t k = 0; k < binomials.size(); ++k) {
    const double above = std::max(4.0 * x - static_cast<double>(k), 0.0);
    sum += binomials[k] * above * above * above * above;
  }
  return sum / 24.0;
}

}  // namespace

Counts expected_counts(std::int64_t keys, std::size_t buckets) {
  Counts counts(buckets);
  std::int64_t before = 0;
  for (std::size_t bucket = 0; bucket < buckets; ++bucket) {
    const double part = static_cast<double>(bucket + 1) / static_cast<double>(buckets);
    const std::int64_t below = std::llround(static_cast<double>(keys) * part_of_keys_below(part));
    const std::int64_t own = std::max(below - before, std::int64_t{0});
    counts[bucket] = static_cast<std::uint32_t>(own);
    before += own;
  }
  return counts;
}

std::int64_t room_for(std::int64_t expected) {
  constexpr double deviations = 8.0;
  constexpr std::int64_t few = 16;  // where hardly any are expected, deviations are not Gaussian
  constexpr std::int64_t changes = std::int64_t{2} * is_iterations;
  const double spread = deviations * std::sqrt(static_cast<double>(expected));
  return expected + static_cast<std::int64_t>(std::ceil(spread)) + few + changes;
}

}  // namespace bankfull::npb::is
