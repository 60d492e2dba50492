#include "bankfull/workloads/probe/l2_halves.hpp"

#include "bankfull/core/exec/team.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace bankfull::probe {
namespace {

/// Indices at which the values are (or are not) equal to `value`.
std::vector<std::uint32_t> where(const std::vector<int>& values, int value, bool equal) {
  std::vector<std::uint32_t> indices;
  for (std::size_t n = 0; n < values.size(); ++n) {
    if ((values[n] == value) == equal) {
      indices.push_back(static_cast<std::uint32_t>(n));
    }
  }
  return indices;
}

/// Divides lines among members.
void deal(const std::vector<std::uint32_t>& lines, const std::vector<std::uint32_t>& members,
          LineLists& lists) {
  for (std::size_t n = 0; n < members.size(); ++n) {
    const Range range = share(static_cast<std::int64_t>(lines.size()), static_cast<int>(n),
                              static_cast<int>(members.size()));
    lists[members[n]].assign(lines.begin() + range.begin, lines.begin() + range.end);
  }
}

}  // namespace

LineLists line_lists(const LinesByHalf& halves, LineChoice choice) {
  LineLists lists(halves.group_of_multiprocessor.size());
  if (choice == LineChoice::all) {
    std::vector<std::uint32_t> lines(halves.group_of_line.size());
    std::vector<std::uint32_t> members(lists.size());
    std::iota(lines.begin(), lines.end(), 0U);
    std::iota(members.begin(), members.end(), 0U);
    deal(lines, members, lists);
    return lists;
  }
  for (const int group : {0, 1}) {
    deal(where(halves.group_of_line, group, choice == LineChoice::near),
         where(halves.group_of_multiprocessor, group, true), lists);
  }
  return lists;
}

HalfLatencies half_latencies(const LinesByHalf& halves,
                             const std::array<std::vector<double>, 2>& latencies) {
  const auto lines = static_cast<double>(halves.group_of_line.size());
  HalfLatencies mean;
  for (std::size_t line = 0; line < halves.group_of_line.size(); ++line) {
    const int group = halves.group_of_line[line];
    mean.near += latencies[group == 0 ? 0 : 1][line] / lines;
    mean.far += latencies[group == 0 ? 1 : 0][line] / lines;
  }
  return mean;
}

}  // namespace bankfull::probe
