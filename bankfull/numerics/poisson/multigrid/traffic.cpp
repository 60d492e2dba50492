#include "bankfull/numerics/poisson/multigrid/traffic.hpp"

#include "bankfull/numerics/poisson/multigrid/line.hpp"
#include "bankfull/numerics/poisson/multigrid/point.hpp"

#include <cmath>
#include <cstdint>

namespace bankfull::poisson::multigrid {
namespace {

constexpr double inner_bytes = sizeof(float);

std::int64_t coarse_cells(const AxisLevel& axis) {
  return axis.coarsened ? (axis.cells + 1) / 2 : axis.cells;
}

double rows_of(const Level& level) { return static_cast<double>(level.i.cells * level.j.cells); }

/// What the half-sweeps do on each row: they look for its diagonals by a sum of coefficients.
double row_flops(const Level& level, int sweeps) { return 3.0 * 2.0 * sweeps * rows_of(level); }

bool has_cyclic_lines(const Level& level) {
  return level.along_lines().periodic && level.along_lines().cells > 1;
}

/// The same on each plane, for its pivots.
double plane_flops(const Level& level, int sweeps) {
  return 2.0 * sweeps * static_cast<double>(level.i.cells);
}

double flops_of_line_sweeps(const Level& level, int sweeps) {
  return LineFlops::relaxation(has_cyclic_lines(level)) * sweeps * cells_of(level) +
         plane_flops(level, sweeps);
}

double flops_of_line_sweeps_from_zero(const Level& level, int sweeps) {
  const auto length = static_cast<double>(level.along_lines().cells);
  const double red = length * std::ceil(0.5 * cells_of(level) / length);
  const bool cyclic = has_cyclic_lines(level);
  return flops_of_line_sweeps(level, sweeps) -
         (LineFlops::relaxation(cyclic) - LineFlops::relaxation_from_zero(cyclic)) * red;
}

/// Bytes of e, unless no sweep before the correction leaves one.
double bytes_of_way_down(const Level& level) {
  return level.sweeps_before > 0 ? inner_bytes * cells_of(level) : 0.0;
}

/// From r alone where there is no sweep.
double flops_of_way_down(const Level& level) {
  const double restriction = restriction_flops(level);
  return level.sweeps_before > 0
             ? flops_of_sweeps_from_zero(level, level.sweeps_before) + restriction
             : restriction - CellFlops::residual * cells_of(level);
}

}  // namespace

double cells_of(const Level& level) { return static_cast<double>(level.extents().count()); }

/// The number of cells of the next, coarser level.
double parents_of(const Level& level) {
  return static_cast<double>(coarse_cells(level.i) * coarse_cells(level.j) * coarse_cells(level.k));
}

/// Red-black sweeps of which the first finds 0 everywhere.
double flops_of_sweeps_from_zero(const Level& level, int sweeps) {
  if (level.has_lines()) {
    return flops_of_line_sweeps_from_zero(level, sweeps);
  }
  const double red = std::ceil(0.5 * cells_of(level));
  return CellFlops::relaxation * (sweeps * cells_of(level) - red) + CellFlops::relaxed * red +
         row_flops(level, sweeps);
}

double flops_of_sweeps(const Level& level, int sweeps) {
  if (level.has_lines()) {
    return flops_of_line_sweeps(level, sweeps);
  }
  return CellFlops::relaxation * sweeps * cells_of(level) + row_flops(level, sweeps);
}

/// The residual of each cell times a weight, of which both halves of a row form their own, is added
/// to the sums of row pairs; then the pairs of these are merged.
double restriction_flops(const Level& level) {
  const double merging = level.k.coarsened ? 3.0 * parents_of(level) : 0.0;
  return (CellFlops::residual + 2.0) * cells_of(level) + 2.0 * rows_of(level) + merging;
}

/// Each row blends four coarse rows and adds the blend, interpolated where k is coarsened.
double interpolation_flops(const Level& level) {
  const double spreading = level.k.coarsened ? CellFlops::interpolated + 1.0 : 1.0;
  return 3.0 * CellFlops::interpolated * rows_of(level) *
             static_cast<double>(coarse_cells(level.k)) +
         spreading * cells_of(level);
}

Traffic inner_way_down_traffic(const Level& level) {
  return {.bytes_read = inner_bytes * cells_of(level),
          .bytes_written = bytes_of_way_down(level) + inner_bytes * parents_of(level),
          .flops = flops_of_way_down(level)};
}

Traffic way_down_traffic(const Level& finest, std::size_t element_bytes) {
  const auto outer_bytes = static_cast<double>(element_bytes);
  const double cells = cells_of(finest);
  return {.bytes_read = (2.0 * outer_bytes + inner_bytes) * cells,
          .bytes_written = outer_bytes * cells + inner_bytes * (cells + parents_of(finest)) +
                           bytes_of_way_down(finest),
          .flops = (CellFlops::correction + CellFlops::defect) * cells + flops_of_way_down(finest)};
}

Traffic way_up_traffic(const Level& level) {
  const double cells = cells_of(level);
  return {.bytes_read = inner_bytes * (cells + parents_of(level)) + bytes_of_way_down(level),
          .bytes_written = inner_bytes * cells,
          .flops = interpolation_flops(level) + flops_of_sweeps(level, level.sweeps_after)};
}

/// The correction finds e in the cache, where the next way down overwrites it.
Traffic turn_traffic(const Level& finest, std::size_t element_bytes) {
  Traffic sum = way_up_traffic(finest) + way_down_traffic(finest, element_bytes);
  sum.bytes_read -= inner_bytes * cells_of(finest);
  sum.bytes_written -= bytes_of_way_down(finest);
  return sum;
}

Traffic coarsest_traffic(const Level& line) {
  const double cells = cells_of(line);
  return {.bytes_read = inner_bytes * cells,
          .bytes_written = inner_bytes * cells,
          .flops = LineFlops::relaxation_from_zero(has_cyclic_lines(line)) * cells + 1.0};
}

Traffic cycle_traffic(const std::vector<Level>& levels, std::size_t element_bytes, Turn turn) {
  const Level& finest = levels.front();
  Traffic sum = turn == Turn::in_one_pass
                    ? turn_traffic(finest, element_bytes)
                    : way_down_traffic(finest, element_bytes) + way_up_traffic(finest);
  for (std::size_t l = 1; l + 1 < levels.size(); ++l) {
    sum = sum + inner_way_down_traffic(levels[l]) + way_up_traffic(levels[l]);
  }
  return levels.back().has_lines() ? sum + coarsest_traffic(levels.back()) : sum;
}

}  // namespace bankfull::poisson::multigrid
