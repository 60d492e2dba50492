#include "bankfull/app/ticks.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <fmt/format.h>

namespace bankfull {
namespace {

/// mantissa times 10^exponent, rounded once: pow() may differ from machine to machine.
double decimal(std::int64_t mantissa, int exponent) {
  const std::string text = fmt::format("{}e{}", mantissa, exponent);
  double value = 0.0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

/// Those multiples of a step that lie within a range.
struct Multiples {
  std::int64_t first = 0;
  std::int64_t last = -1;

  [[nodiscard]] std::int64_t count() const { return last - first + 1; }
};

Multiples multiples_within(double least, double most, double step) {
  constexpr double rounding = 1e-9;
  return {static_cast<std::int64_t>(std::ceil(least / step - rounding)),
          static_cast<std::int64_t>(std::floor(most / step + rounding))};
}

/// The exponent of ten of the leading digit of number * 10^exponent.
int leading_exponent(std::int64_t number, int exponent) {
  return static_cast<int>(std::to_string(std::abs(number)).size()) - 1 + exponent;
}

std::string label_of(std::int64_t mantissa, int exponent, bool in_powers) {
  if (mantissa == 0) {
    return "0";
  }
  const double value = decimal(mantissa, exponent);
  return in_powers ? fmt::format("{:.{}e}", value, leading_exponent(mantissa, exponent) - exponent)
                   : fmt::format("{:.{}f}", value, std::max(0, -exponent));
}

std::vector<Tick> ticks_of(const Multiples& found, std::int64_t mantissa, int exponent) {
  // Beyond these numbers have more zeros than other digits.
  constexpr int max_digits = 6;
  constexpr int max_zeros = 4;
  const std::int64_t furthest = std::max(std::abs(found.first), std::abs(found.last)) * mantissa;
  const int leading = leading_exponent(furthest, exponent);
  const bool in_powers = leading >= max_digits || leading < -max_zeros;
  std::vector<Tick> ticks;
  for (std::int64_t n = found.first; n <= found.last; ++n) {
    ticks.push_back({decimal(n * mantissa, exponent), label_of(n * mantissa, exponent, in_powers)});
  }
  return ticks;
}

}  // namespace

std::vector<Tick> ticks_within(double least, double most, int at_most) {
  constexpr double rounding = 1e-12;
  const double range = most - least;
  if (!std::isfinite(range) || !(range > rounding * std::max(std::abs(least), std::abs(most))) ||
      at_most < 1) {
    return {};
  }
  // Far more than anybody asks for lie within at the first of these, so that it does not matter
  // how a machine rounds its logarithm.
  const int finest = static_cast<int>(std::floor(std::log10(range))) - 4;
  const int coarsest = static_cast<int>(std::ceil(std::log10(range))) + 1;
  for (int exponent = finest; exponent <= coarsest; ++exponent) {
    for (const std::int64_t mantissa : {1, 2, 5}) {
      const double step = decimal(mantissa, exponent);
      const Multiples found =
          step > 0.0 ? multiples_within(least, most, step) : Multiples{.last = at_most};
      if (found.count() <= at_most) {
        return ticks_of(found, mantissa, exponent);
      }
    }
  }
  return {};
}

}  // namespace bankfull
