#include "bankfull/workloads/hpcg/check_problem.hpp"

#include "bankfull/core/field/for_cells.hpp"
#include "bankfull/numerics/random/counter.hpp"
#include "bankfull/workloads/hpcg/cg_backend.hpp"
#include "bankfull/workloads/hpcg/grid_rows.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace bankfull::hpcg {
namespace {

/// A point and its neighbours, by the whole grid's numbers; i = z, j = y, k = x.
Box around(const LocalGrid& grid, const Point& at) {
  const auto along = [](const Axis& axis, std::int64_t here) {
    const std::int64_t place = axis.begin + here;
    return Range{std::max<std::int64_t>(place - 1, 0), std::min(place + 2, axis.global)};
  };
  const Range xs = along(grid.x, at.x);
  const Range ys = along(grid.y, at.y);
  const Range zs = along(grid.z, at.z);
  return {zs.begin, zs.end, ys.begin, ys.end, xs.begin, xs.end};
}

/// A whole number below 2^20 for a row of the whole system.
double number_of(std::int64_t global_row) {
  return static_cast<double>(random_bits(3, static_cast<std::uint64_t>(global_row)) >> 44U);
}

/// The operator times these numbers, at one row.
double product_with_numbers(const LocalGrid& grid, std::int64_t row) {
  double sum = 0.0;
  for_cells(around(grid, grid.point_of_row(row)),
            [&](std::int64_t z, std::int64_t y, std::int64_t x) {
              sum += number_of((z * grid.y.global + y) * grid.x.global + x);
            });
  const double own = number_of(grid.global_row(row));
  return entry(true) * own + entry(false) * (sum - own);
}

}  // namespace

std::int64_t wrong_products(CgBackend& backend, const RankSite& site) {
  const LocalGrid& grid = site.grid;
  const std::vector<double> product =
      backend.apply(Operation::spmv, vector_of_rows(site.team, grid, [&](std::int64_t row) {
                      return number_of(grid.global_row(row));
                    }));
  const auto is_wrong = [&](std::int64_t row) {
    const bool right = product[static_cast<std::size_t>(row)] == product_with_numbers(grid, row);
    return std::int64_t{right ? 0 : 1};
  };
  return site.ranks.sum(merge_rows(site.team, grid, std::int64_t{0}, is_wrong, std::plus<>()));
}

}  // namespace bankfull::hpcg
