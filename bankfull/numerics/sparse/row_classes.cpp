#include "bankfull/numerics/sparse/row_classes.hpp"

#include "bankfull/core/exec/cpu_executor.hpp"

namespace bankfull {

std::vector<Range> detail::place_sides(const CpuExecutor& executor, int sides,
                                       std::int64_t alignment, RowClasses& result) {
  const auto rows = static_cast<std::int64_t>(result.side_of.size());
  const int members = executor.team().threads();
  const Side* const side_of = result.side_of.data();
  // Per team member: first the rows of each side in its share, then the place of the next one.
  std::vector<std::vector<std::int64_t>> next(
      static_cast<std::size_t>(members),
      std::vector<std::int64_t>(static_cast<std::size_t>(sides), 0));
  const auto visit = [&](const auto& body) {
    executor.each(members, [&](std::int64_t member) {
      std::int64_t* const mine = next[static_cast<std::size_t>(member)].data();
      const Range share_of_rows = share(rows, static_cast<int>(member), members);
      for (std::int64_t row = share_of_rows.begin; row < share_of_rows.end; ++row) {
        body(row, mine[side_of[row]]++);
      }
    });
  };
  visit([](std::int64_t /*row*/, std::int64_t /*rows_before*/) {});
  std::vector<Range> ranges;
  for (std::size_t side = 0; side < static_cast<std::size_t>(sides); ++side) {
    const std::int64_t begin = result.rows;
    std::int64_t end = begin;
    for (std::vector<std::int64_t>& of_member : next) {
      const std::int64_t count = of_member[side];
      of_member[side] = end;
      end += count;
    }
    ranges.push_back({begin, end});
    result.rows = round_up(end, alignment);
  }
  visit([new_of = result.new_of.data(), old_of = result.old_of.data()](std::int64_t row,
                                                                       std::int64_t place) {
    new_of[row] = static_cast<std::int32_t>(place);
    old_of[place] = static_cast<std::int32_t>(row);
  });
  return ranges;
}

}  // namespace bankfull
