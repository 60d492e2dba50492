#include "bankfull/workloads/npb/mg/traffic.hpp"

#include "bankfull/workloads/npb/mg/rows.hpp"

namespace bankfull::npb::mg {
namespace {

/// Points of the next coarser grid, for each point.
constexpr double coarse_share = 1.0 / 8.0;
constexpr double word = sizeof(double);

/// Rows around a coarse row are summed at every fine point, of which each coarse one has two.
constexpr double restriction_flops = coarse_share * (2.0 * RowFlops::sums + RowFlops::restricted);

/// For each point of a grid.
Traffic of_points(std::int64_t points, double words_read, double words_written, double flops) {
  return static_cast<double>(points) * Traffic{.bytes_read = words_read * word,
                                               .bytes_written = words_written * word,
                                               .flops = flops};
}

}  // namespace

Traffic downward_traffic(std::int64_t points, Start start) {
  return start == Start::zero
             ? of_points(points, 1.0, coarse_share, restriction_flops)
             : of_points(points, 2.0, coarse_share, RowFlops::residual + restriction_flops);
}

Traffic upward_traffic(std::int64_t points, Start start) {
  const double flops = RowFlops::interpolated + RowFlops::residual + RowFlops::smoothed;
  return start == Start::zero
             ? of_points(points, 1.0 + coarse_share, 1.0, flops)
             : of_points(points, 2.0 + coarse_share, 1.0, flops + RowFlops::added_to_interpolated);
}

Traffic turn_traffic(std::int64_t points) {
  return upward_traffic(points, Start::u) +
         of_points(points, 0.0, coarse_share, RowFlops::residual + restriction_flops);
}

Traffic coarsest_traffic(std::int64_t points) {
  return of_points(points, 1.0, 1.0, RowFlops::smoothed);
}

Traffic residual_norm_traffic(std::int64_t points) {
  return of_points(points, 2.0, 0.0, RowFlops::residual + RowFlops::square);
}

Traffic cycle_traffic(std::int64_t points, int levels) {
  Traffic all = downward_traffic(points, Start::u) + upward_traffic(points, Start::u);
  double share = coarse_share;
  for (int level = levels - 1; level > 1; --level, share *= coarse_share) {
    all =
        all + share * (downward_traffic(points, Start::zero) + upward_traffic(points, Start::zero));
  }
  return all + share * coarsest_traffic(points);
}

}  // namespace bankfull::npb::mg
