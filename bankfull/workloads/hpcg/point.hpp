#pragma once

#include "bankfull/core/base/host_device.hpp"

#include <cstdint>

namespace bankfull::hpcg {

// The system of the benchmark: -Laplace u = f on a regular grid, discretised with 27 points. Row
// and column are neighbours if they differ by at most one along each axis; there are no entries
// beyond the ends of the grid. (M. Heroux, J. Dongarra and P. Luszczek, "HPCG Technical
// Specification", Sandia Report SAND2013-8752, section 3.)

/// The matrix entry for two neighbouring points.
BANKFULL_HOST_DEVICE constexpr double entry(bool diagonal) { return diagonal ? 26.0 : -1.0; }

/// The right-hand side whose solution is 1 everywhere, for a row with this many entries.
BANKFULL_HOST_DEVICE constexpr double right_hand_side(int entries) {
  return 26.0 - static_cast<double>(entries - 1);
}

/// The factor of the diagonal and the right-hand side in the spectral test, for a row in global
/// numbering.
BANKFULL_HOST_DEVICE constexpr double exaggeration(std::int64_t global_row) {
  return (global_row < 9 ? static_cast<double>(global_row + 2) : 1.0) * 1e6;
}

}  // namespace bankfull::hpcg
