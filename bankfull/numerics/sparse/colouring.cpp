#include "bankfull/numerics/sparse/colouring.hpp"

#include "bankfull/numerics/sparse/greedy_step.hpp"

#include <algorithm>

namespace bankfull {

int colour_greedily(const CpuExecutor& /*executor*/, const CsrView& matrix, Colour* colours) {
  // Each row needs the ones before it: serial.
  const GreedyStep step{matrix, colours};
  Colour largest = 0;
  for (std::int64_t row = 0; row < matrix.rows; ++row) {
    colours[row] = step.colour_of(row);
    largest = std::max(largest, colours[row]);
  }
  return detail::checked_colour_count(largest);
}

}  // namespace bankfull
