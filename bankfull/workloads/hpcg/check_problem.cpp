#include "bankfull/workloads/hpcg/check_problem.hpp"

#include "bankfull/numerics/random/counter.hpp"
#include "bankfull/workloads/hpcg/cg_backend.hpp"

#include <algorithm>
#include <cstddef>

namespace bankfull::hpcg {
namespace {

/// A point's neighbours along an axis and itself, by the whole grid's numbers.
Range around(const Axis& axis, std::int64_t at) {
  const std::int64_t place = axis.begin + at;
  return {std::max<std::int64_t>(place - 1, 0), std::min(place + 2, axis.global)};
}

/// A whole number below 2^20 for a row of the whole system.
double number_of(std::int64_t global_row) {
  return static_cast<double>(random_bits(3, static_cast<std::uint64_t>(global_row)) >> 44U);
}

/// The operator times these numbers, at one row.
double product_with_numbers(const LocalGrid& grid, std::int64_t row) {
  const Point at = grid.point_of_row(row);
  const Range xs = around(grid.x, at.x);
  const Range ys = around(grid.y, at.y);
  const Range zs = around(grid.z, at.z);
  double sum = 0.0;
  for (std::int64_t z = zs.begin; z < zs.end; ++z) {
    for (std::int64_t y = ys.begin; y < ys.end; ++y) {
      for (std::int64_t x = xs.begin; x < xs.end; ++x) {
        sum += number_of((z * grid.y.global + y) * grid.x.global + x);
      }
    }
  }
  const double own = number_of(grid.global_row(row));
  return entry(true) * own + entry(false) * (sum - own);
}

}  // namespace

std::int64_t wrong_products(CgBackend& backend, const Level& finest, const Communicator& ranks) {
  const LocalGrid& grid = finest.geometry.grid;
  std::vector<double> numbers(static_cast<std::size_t>(grid.rows()));
  for (std::size_t n = 0; n < numbers.size(); ++n) {
    numbers[n] = number_of(grid.global_row(static_cast<std::int64_t>(n)));
  }
  const std::vector<double> product = backend.apply(Operation::spmv, numbers);
  std::int64_t wrong = 0;
  for (std::size_t n = 0; n < product.size(); ++n) {
    const bool right = product[n] == product_with_numbers(grid, static_cast<std::int64_t>(n));
    wrong += right ? 0 : 1;
  }
  return ranks.sum(wrong);
}

std::vector<Check> checks_of(const ProblemCheck& problem) {
  const auto none = [](const char* name, std::int64_t found) {
    return Check{.name = name,
                 .value = static_cast<double>(found),
                 .source =
                     "the official program's CheckProblem: 26 for a point, -1 for each of its "
                     "neighbours"};
  };
  return {
      none("hpcg rows of the matrices that are not the benchmark's", problem.wrong_rows),
      none("hpcg rows of a product of whole numbers that are not exact", problem.wrong_products)};
}

}  // namespace bankfull::hpcg
