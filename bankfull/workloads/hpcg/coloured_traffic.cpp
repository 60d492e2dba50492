#include "bankfull/workloads/hpcg/coloured_traffic.hpp"

namespace bankfull::hpcg {
namespace {

double vector_bytes(const ColouredLevel& level) {
  return static_cast<double>(level.rows()) * sizeof(double);
}

/// Reads a part of the matrix and so many vectors, writes so many; two flops an entry.
Traffic pass(const ColouredLevel& level, double matrix_bytes, double entries, double vectors_read,
             double vectors_written) {
  return {.bytes_read = matrix_bytes + vectors_read * vector_bytes(level),
          .bytes_written = vectors_written * vector_bytes(level),
          .flops = 2.0 * entries};
}

double bytes_of(const Sliced& part) { return static_cast<double>(part.bytes()); }

double entries_of(const Sliced& part) { return static_cast<double>(part.value.size()); }

}  // namespace

SweepTraffic sweep_traffic(const ColouredLevel& level, std::int64_t coarse_slots, int height) {
  const double lower = bytes_of(level.lower);
  const double upper = bytes_of(level.upper);
  const double lower_entries = entries_of(level.lower);
  const double upper_entries = entries_of(level.upper);
  const auto coarse_entries = static_cast<double>(coarse_slots * height);
  const double entry_bytes = upper_entries > 0.0 ? upper / upper_entries : 0.0;
  const double coarse_share =
      static_cast<double>(level.coarse_range().size()) / static_cast<double>(level.rows());
  // Rows that come last have all their entries in `lower`.
  const auto coarse_rows = static_cast<double>(level.coarse_range().size());
  const double row_entries = (lower_entries + upper_entries) / static_cast<double>(level.rows());
  SweepTraffic traffic;
  traffic.forward_from_zero = pass(level, lower, lower_entries, 2.0, 1.0);
  traffic.backward_after_zero = pass(level, upper, upper_entries, 2.0, 2.0);
  traffic.restrict_residual = pass(level, coarse_rows * row_entries * entry_bytes,
                                   coarse_rows * row_entries, 3.5 * coarse_share, coarse_share);
  traffic.prolong = pass(level, 0.0, 0.5 * coarse_rows, 2.5 * coarse_share, coarse_share);
  traffic.forward_again = pass(level, lower + coarse_entries * entry_bytes,
                               lower_entries + coarse_entries, 3.0, 2.0 - coarse_share);
  traffic.backward_again = pass(level, upper, upper_entries, 3.0, 1.0);
  return traffic;
}

Traffic multiply_traffic(const ColouredLevel& level) {
  return pass(level, bytes_of(level.lower) + bytes_of(level.upper) + bytes_of(level.outer),
              entries_of(level.lower) + entries_of(level.upper) + entries_of(level.outer), 2.0,
              1.0);
}

Traffic turn_traffic(const ColouredLevel& level) {
  return pass(level, 0.0, 2.0 * static_cast<double>(level.rows()), 3.0, 2.0);
}

Traffic advance_traffic(const ColouredLevel& level) {
  return pass(level, 0.0, 2.0 * static_cast<double>(level.rows()), 2.0, 1.0);
}

}  // namespace bankfull::hpcg
