#pragma once

#include "bankfull/core/machine/cpu.hpp"
#include "bankfull/core/machine/device.hpp"
#include "bankfull/core/measure/run_result.hpp"

#include <functional>
#include <string>
#include <utility>
#include <vector>

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

/// The smallest cache that a plateau up to `to` bytes fits, with half as much again allowed for the
/// parts that still hit: "L2". Where none is that large, "memory" if the last cache holds no useful
/// part of it, else "L3 and memory". "unknown level" without caches. `caches` in ascending order.
std::string level_name(const std::vector<CacheLevel>& caches, double to);

/// Adds the plateaus of a curve to its measurement: figures, and a note if there are any.
/// `described` says what serves a plateau, and its value in words.
void add_plateaus(
    const Series& series,
    const std::function<std::pair<std::string, std::string>(const Plateau&)>& described,
    Measurement& measurement);

/// The data caches as one thread sees them: the bytes of one cache of each level.
std::vector<CacheLevel> caches_of_one_thread(Device device);

/// The data caches as a team or a whole GPU sees them: the bytes of all caches of each level that
/// it can fill.
std::vector<CacheLevel> caches_of_all(Device device, int threads);

}  // namespace bankfull::probe
