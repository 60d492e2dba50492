#pragma once

#include <string>
#include <utility>
#include <vector>

#include "bankfull/core/machine/cpu.hpp"

namespace bankfull::probe {

/// A stretch of a curve over sizes on which the value does not change: one level of the memory
/// system serves it.
struct Plateau {
  int level = 1;       ///< 1 for the smallest sizes
  double from = 0.0;   ///< smallest size on it
  double to = 0.0;     ///< largest size on it
  double value = 0.0;  ///< median
};

/// Finds the plateaus of a curve of positive (size, value) points in ascending order of size.
///
/// The logarithms of the values are divided into segments of constant value, such that squared
/// deviations in units of the curve's own noise plus a price for each segment are least (optimal
/// partitioning). A segment counts as a plateau if it has three points, spans 0.6 octaves and does
/// not climb; neighbours of nearly equal value become one. Slopes between levels, outliers and
/// curves without plateaus yield none.
std::vector<Plateau> find_plateaus(const std::vector<std::pair<double, double>>& points);

/// The smallest cache whose capacity covers most of a range of sizes: "L2", or "memory" where none
/// does. `caches` in ascending order, sizes as one traversal of all threads sees them.
std::string level_name(const std::vector<CacheLevel>& caches, double from, double to);

}  // namespace bankfull::probe
