#pragma once

#include <cmath>

namespace bankfull::hpcg::cuda {

/// Into how many parts, a power of two up to `ranges`, to divide the ranges of a product side by
/// side, each of which takes `blocks`: whole blocks share more of the x that they read, but a last
/// round of few blocks leaves most of the GPU idle, which runs `at_once` of them. A tenth of the
/// product's time is more than that sharing is worth.
inline unsigned product_parts(unsigned blocks, unsigned ranges, unsigned at_once) {
  constexpr double worth_it = 1.1;
  const auto waste = [&](unsigned parts) {
    const double rounds = static_cast<double>(blocks) * parts / at_once;
    return std::ceil(rounds) / rounds;
  };
  unsigned best = 1;
  for (unsigned parts = 2; parts <= ranges && waste(best) > worth_it; parts *= 2) {
    best = waste(parts) < waste(best) ? parts : best;
  }
  return best;
}

}  // namespace bankfull::hpcg::cuda
