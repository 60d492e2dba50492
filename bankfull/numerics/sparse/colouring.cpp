#include "bankfull/numerics/sparse/colouring.hpp"

#include "bankfull/core/exec/cpu_executor.hpp"
#include "bankfull/numerics/sparse/greedy_step.hpp"
#include "bankfull/numerics/sparse/ordered_rows.hpp"

#include <cstddef>
#include <vector>

namespace bankfull {

int colour_greedily(const CpuExecutor& executor, const CsrView& matrix, Colour* colours) {
  const GreedyStep step{matrix, colours};
  OrderedRows(executor, matrix).ascending([=](std::int64_t row) {
    colours[row] = step.colour_of(row);
  });
  const std::vector<std::int64_t> rows_of = executor.histogram(colours, matrix.rows, no_colour + 1);
  std::size_t largest = no_colour;
  while (largest > 0 && rows_of[largest] == 0) {
    --largest;
  }
  return detail::checked_colour_count(static_cast<Colour>(largest));
}

}  // namespace bankfull
