#include "bankfull/workloads/hpcg/coloured_traffic.hpp"

namespace bankfull::hpcg {
namespace {

constexpr double double_bytes = sizeof(double);

double count_of(std::int64_t n) { return static_cast<double>(n); }

double bytes_of(const Sliced& part) { return count_of(part.bytes()); }

double entries_of(const Sliced& part) { return static_cast<double>(part.entries()); }

/// Bytes of the values and columns of so many slots, if these are like all of the part's.
double slot_bytes(const Sliced& part, std::int64_t slots) {
  const std::int64_t all =
      part.bytes() - static_cast<std::int64_t>(part.slot.bytes() + part.place.bytes());
  return part.slots > 0 ? count_of(all) / count_of(part.slots) * count_of(slots) : 0.0;
}

/// Bytes of a part's slots in so many slices, with where these begin and end.
double slice_bytes(const Sliced& part, std::int64_t slots, std::int64_t slices) {
  const std::int64_t places = part.place.size() > 0 ? slices : 0;
  return slot_bytes(part, slots) + count_of(slices + 1) * sizeof(std::int64_t) +
         count_of(places) * sizeof(ValuePlace);
}

/// The residual where the restriction takes it. Coarse rows are connected to all others: all of x.
Traffic restriction(const ColouredLevel& level, const CoarseSlots& coarse, int height) {
  const Range range = level.coarse_range();
  if (range.size() == 0) {
    return {};
  }
  const std::int64_t slices = range.size() / height;
  const double rows = count_of(range.size());
  const double matrix = slice_bytes(level.lower, coarse.lower, slices) +
                        slice_bytes(level.upper, coarse.upper, slices) +
                        slice_bytes(level.outer, coarse.outer, slices);
  const double entries = count_of((coarse.lower + coarse.upper + coarse.outer) * height);
  const double right_side_and_diagonal = 2.0 * rows * double_bytes;
  return {.bytes_read = matrix + right_side_and_diagonal + count_of(level.rows()) * double_bytes +
                        rows * sizeof(std::int32_t),
          .bytes_written = rows * double_bytes,
          .flops = 2.0 * entries + 5.0 * rows};
}

double matrix_bytes(const ColouredLevel& level) {
  return static_cast<double>(level.lower.bytes() + level.upper.bytes() + level.outer.bytes() +
                             level.coarse_upper.bytes()) +
         static_cast<double>(level.diagonal.bytes() + level.coarse_row.bytes() +
                             level.coarse_slots.bytes());
}

}  // namespace

SweepTraffic sweep_traffic(const ColouredLevel& level, const CoarseSlots& coarse, int height,
                           bool finest) {
  const double rows = count_of(level.rows());
  const double vector = rows * double_bytes;
  const double lower = bytes_of(level.lower);
  const double upper = bytes_of(level.upper);
  const auto coarse_ranges = static_cast<double>(level.coarse_slots.bytes());
  const double coarse_rows = count_of(level.coarse_range().size());
  const double coarse_columns = count_of(coarse.of_columns * height);
  const bool has_copy = level.coarse_upper.slices > 0;
  const double coarse_places =
      has_copy ? static_cast<double>(level.coarse_upper.slot.bytes()) : coarse_ranges;
  SweepTraffic traffic;
  // lower, r, D; x.
  traffic.forward_from_zero = {.bytes_read = lower + 2.0 * vector,
                               .bytes_written = vector,
                               .flops = 2.0 * entries_of(level.lower) + 2.0 * rows};
  // upper, D, x; what it keeps of U x, x.
  traffic.backward_after_zero = {.bytes_read = upper + coarse_ranges + 2.0 * vector,
                                 .bytes_written = 2.0 * vector,
                                 .flops = 2.0 * entries_of(level.upper) + 4.0 * rows};
  traffic.restrict_residual = restriction(level, coarse, height);
  // The coarse row, its x, x; x.
  traffic.prolong = {.bytes_read = coarse_rows * (sizeof(std::int32_t) + 2.0 * double_bytes),
                     .bytes_written = coarse_rows * double_bytes,
                     .flops = coarse_rows};
  // lower, outer, the coarse columns of upper, r, D, U x, x of coarse rows; x, and U x where it
  // has coarse columns: not in the classes of coarse rows, which come last.
  traffic.forward_again = {
      .bytes_read = lower + bytes_of(level.outer) + coarse_places +
                    slot_bytes(level.upper, coarse.of_columns) + 3.0 * vector +
                    coarse_rows * double_bytes,
      .bytes_written = 2.0 * vector - coarse_rows * double_bytes,
      .flops =
          2.0 * (entries_of(level.lower) + entries_of(level.outer) + coarse_columns) + 5.0 * rows};
  // upper, D, U x, x; x. For r.z also r.
  traffic.backward_again = {.bytes_read = upper + (finest ? 4.0 : 3.0) * vector,
                            .bytes_written = vector,
                            .flops = 2.0 * entries_of(level.upper) + (finest ? 5.0 : 3.0) * rows};
  return traffic;
}

void sum_cycles(std::vector<SweepTraffic>& levels) {
  Traffic coarser;
  for (std::size_t n = levels.size(); n-- > 0;) {
    SweepTraffic& level = levels[n];
    std::vector<Traffic> steps{coarser, level.forward_from_zero, level.backward_after_zero};
    if (n + 1 < levels.size()) {
      steps.insert(steps.end(), {level.restrict_residual, level.prolong, level.forward_again,
                                 level.backward_again});
    }
    coarser = {};
    for (const Traffic& step : steps) {
      coarser = coarser + step;
    }
    level.cycle = n > 0 ? coarser + levels[n - 1].prolong : coarser;
  }
}

Traffic multiply_traffic(const ColouredLevel& level) {
  const double rows = count_of(level.rows());
  return {
      .bytes_read = bytes_of(level.lower) + bytes_of(level.upper) + bytes_of(level.outer) +
                    2.0 * rows * double_bytes,
      .bytes_written = rows * double_bytes,
      .flops = 2.0 * (entries_of(level.lower) + entries_of(level.upper) + entries_of(level.outer)) +
               6.0 * rows};
}

Traffic with_kept_products(const Traffic& last_sweep, const ColouredLevel& level) {
  const double rows = count_of(level.rows());
  return {.bytes_read = last_sweep.bytes_read,
          .bytes_written = last_sweep.bytes_written + rows * double_bytes,
          .flops = last_sweep.flops + 2.0 * rows};
}

Traffic recurrence_traffic(const ColouredLevel& level) {
  const double rows = count_of(level.rows());
  // lower, outer, z, (D + U) z, p, A p, x; p, A p, x.
  return {.bytes_read = bytes_of(level.lower) + bytes_of(level.outer) + 5.0 * rows * double_bytes,
          .bytes_written = 3.0 * rows * double_bytes,
          .flops = 2.0 * (entries_of(level.lower) + entries_of(level.outer)) + 10.0 * rows};
}

Traffic update_direction_traffic(const ColouredLevel& level) {
  const double rows = count_of(level.rows());
  return {.bytes_read = 3.0 * rows * double_bytes,
          .bytes_written = 2.0 * rows * double_bytes,
          .flops = 4.0 * rows};
}

Traffic with_update_of_r(const Traffic& first_sweep, const ColouredLevel& level) {
  Traffic both = first_sweep + update_solution_traffic(level);
  both.bytes_read -= count_of(level.rows()) * double_bytes;
  return both;
}

Traffic update_solution_traffic(const ColouredLevel& level) {
  const double rows = count_of(level.rows());
  return {.bytes_read = 2.0 * rows * double_bytes,
          .bytes_written = rows * double_bytes,
          .flops = 4.0 * rows};
}

std::vector<double> working_sets(const std::vector<ColouredLevel>& levels) {
  constexpr double finest_vectors = 6.0;  // x, r, z, p, A p, and what sweeps keep of U z
  constexpr double coarse_vectors = 3.0;  // x, r, and what sweeps keep of U x
  std::vector<double> sets(levels.size());
  double coarser = 0.0;
  for (std::size_t n = levels.size(); n-- > 0;) {
    const double vectors = n == 0 ? finest_vectors : coarse_vectors;
    const double vector_bytes = sizeof(double) * static_cast<double>(levels[n].vector_size());
    coarser += matrix_bytes(levels[n]) + vectors * vector_bytes;
    sets[n] = coarser;
  }
  return sets;
}

Work step_work(const Traffic& traffic, double working_set_bytes) {
  return {.traffic = traffic,
          .model = traffic.bytes() > 0.0 ? "each matrix entry, index and vector element once" : "",
          .working_set_bytes = working_set_bytes};
}

}  // namespace bankfull::hpcg
