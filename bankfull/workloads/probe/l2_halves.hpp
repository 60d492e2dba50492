#pragma once

#include "bankfull/core/machine/latency_groups.hpp"
#include "bankfull/workloads/probe/l2_lines.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace bankfull::probe {

/// Which lines a multiprocessor accesses.
enum class LineChoice { near, far, all };

/// Lines and multiprocessors by the half of L2 that they belong to.
struct LinesByHalf {
  std::vector<int> group_of_multiprocessor;
  std::vector<int> group_of_line;
};

/// The lines of each multiprocessor: those of the choice are divided evenly among the
/// multiprocessors that have the same choice.
LineLists line_lists(const LinesByHalf& halves, LineChoice choice);

/// Clocks of accesses to lines of the multiprocessor's own half and of the other one.
struct HalfLatencies {
  double near = 0.0;
  double far = 0.0;
};

/// From the mean latencies of each line as the two groups see it.
HalfLatencies half_latencies(const LinesByHalf& halves,
                             const std::array<std::vector<double>, 2>& latencies);

}  // namespace bankfull::probe
