#pragma once

#include <string>

#include "bankfull/core/measure/run_result.hpp"

namespace bankfull {

/// A figure's value with its unit as people write it: bytes in GiB, whole numbers whole.
std::string display(const Figure& figure);

/// Checks with their values, one line each.
std::string report_checks(const RunResult& result);

/// The measurements of a run as a table, its ceiling, and its notes.
std::string report_measurements(const RunResult& result);

/// One line a measurement, stable and greppable:
/// "RESULT himeno size=XL ... gflops=2701.3 gbs=4449.1 percent=101.2 verdict=verified".
std::string result_lines(const RunResult& result);

}  // namespace bankfull
