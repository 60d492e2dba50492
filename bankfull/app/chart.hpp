#pragma once

#include "bankfull/core/measure/run_result.hpp"

#include <string>

namespace bankfull {

struct ChartShape {
  int width = 64;           ///< columns of the plot, without its axis
  int height = 8;           ///< lines of the plot, without its axis
  bool log_values = false;  ///< logarithmic vertical axis, from the smallest value; else from zero
};

/// A series as a bar chart of UTF-8 text for terminals: logarithmic horizontal axis with labels at
/// powers of two, vertical axis with SI units, a heading. Ends with a newline.
///
/// A column shows the value of the point nearest to it on the axis; points outside finite positive
/// numbers are left out. A series without any gives the heading and a line that says so.
std::string text_chart(const Series& series, const ChartShape& shape = {});

}  // namespace bankfull
