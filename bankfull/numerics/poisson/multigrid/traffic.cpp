#include "bankfull/numerics/poisson/multigrid/traffic.hpp"

#include <cstdint>

namespace bankfull::poisson::multigrid {
namespace {

constexpr double inner_bytes = sizeof(float);

// 7-point sums with multiplications and additions counted apart.
constexpr double sum_flops = 11.0;
constexpr double half_sweep_flops = 0.5 * (sum_flops + 4.0);
constexpr double residual_flops = sum_flops + 8.0;
constexpr double interpolation_flops = 8.0;

double cells_of(const Level& level) { return static_cast<double>(level.extents().count()); }

/// Parents for each cell.
double parents(const Level& level) {
  double result = 1.0;
  for (const AxisLevel* axis : {&level.i, &level.j, &level.k}) {
    if (axis->coarsened) {
      const std::int64_t coarse_cells = (axis->cells + 1) / 2;
      result *= static_cast<double>(coarse_cells) / static_cast<double>(axis->cells);
    }
  }
  return result;
}

double sweep_flops(int sweeps) { return 2.0 * sweeps * half_sweep_flops; }

/// From e = 0.
Traffic inner_way_down_traffic(const Level& level) {
  return cells_of(level) * Traffic{inner_bytes, inner_bytes * (1.0 + parents(level)),
                                   sweep_flops(level.sweeps_before) + residual_flops};
}

}  // namespace

Traffic way_down_traffic(const Level& finest, std::size_t element_bytes) {
  const auto outer_bytes = static_cast<double>(element_bytes);
  const double flops = sum_flops + 10.0 + sweep_flops(finest.sweeps_before) + residual_flops;
  return cells_of(finest) * Traffic{2.0 * outer_bytes + inner_bytes,
                                    outer_bytes + inner_bytes * (2.0 + parents(finest)), flops};
}

Traffic way_up_traffic(const Level& level) {
  return cells_of(level) * Traffic{inner_bytes * (2.0 + parents(level)), inner_bytes,
                                   interpolation_flops + sweep_flops(level.sweeps_after)};
}

Traffic cycle_traffic(const std::vector<Level>& levels, std::size_t element_bytes) {
  Traffic sum = way_down_traffic(levels.front(), element_bytes) + way_up_traffic(levels.front());
  for (std::size_t l = 1; l + 1 < levels.size(); ++l) {
    sum = sum + inner_way_down_traffic(levels[l]) + way_up_traffic(levels[l]);
  }
  return sum;
}

}  // namespace bankfull::poisson::multigrid
