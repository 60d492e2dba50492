#pragma once

#include <string>
#include <vector>

namespace bankfull {

/// A value on a scale, and how it is written there.
struct Tick {
  double value = 0.0;
  std::string label;
};

/// Multiples of 1, 2 or 5 times a power of ten from `least` to `most`: as many as there can be up
/// to `at_most`, each with the digits in which it differs from its neighbours. None where the
/// values are not finite, or do not differ by more than rounding. The same on every machine.
std::vector<Tick> ticks_within(double least, double most, int at_most);

}  // namespace bankfull
