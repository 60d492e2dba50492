#include "bankfull/workloads/npb/ep/ep.hpp"
#include "bankfull/workloads/npb/generator.hpp"

#include <algorithm>
#include <cmath>

namespace bankfull::npb::ep {

Tally tally_serially(Class size, const Pauses& pauses) {
  constexpr std::int64_t unit_pairs = std::int64_t{1} << 20;
  Tally tally;
  Generator generator(seed);
  const std::int64_t pairs = std::int64_t{1} << ep_parameters(size).log2_pairs;
  const auto next_pair = [&] {
    const double x = 2.0 * generator.draw() - 1.0;
    const double y = 2.0 * generator.draw() - 1.0;
    const double t = x * x + y * y;
    if (t > 1.0) {
      return;
    }
    const double factor = std::sqrt(-2.0 * std::log(t) / t);
    const double deviate_x = x * factor;
    const double deviate_y = y * factor;
    tally.sums[0] += deviate_x;
    tally.sums[1] += deviate_y;
    tally.absolute_sums[0] += std::abs(deviate_x);
    tally.absolute_sums[1] += std::abs(deviate_y);
    ++tally.counts[static_cast<std::size_t>(std::max(std::abs(deviate_x), std::abs(deviate_y)))];
  };
  in_units(pauses, pairs / unit_pairs, [&](std::int64_t /*n*/) {
    for (std::int64_t n = 0; n < unit_pairs; ++n) {
      next_pair();
    }
  });
  return tally;
}

}  // namespace bankfull::npb::ep
