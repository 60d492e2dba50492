#pragma once

#include "bankfull/core/base/host_device.hpp"
#include "bankfull/core/exec/team.hpp"
#include "bankfull/core/memory/buffer.hpp"
#include "bankfull/numerics/sparse/colouring.hpp"
#include "bankfull/numerics/sparse/csr.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace bankfull {

/// Rows of one colour in the new order: first those without columns of other ranks, then the
/// boundary, both in the matrix's own order; see Boundary. Both ranges begin on a multiple of an
/// alignment; rows between the end of one and the beginning of the next are empty.
struct RowClass {
  Range interior = {};  ///< new rows that need nothing of other ranks
  Range boundary = {};  ///< new rows that may

  /// Both, with the empty rows between them.
  [[nodiscard]] Range all() const { return {interior.begin, boundary.end}; }
};

/// Where rows with columns of other ranks go.
enum class Boundary {
  among,  ///< all rows are in the boundary
  /// Apart where they follow each other in long runs, else among the others: a range of scattered
  /// rows would be connected to rows everywhere, and what is left of the classes without them would
  /// no longer run side by side.
  apart,
};

/// Twice the number of a row's class, and 1 more at the boundary.
using Side = std::uint16_t;

/// A new order of rows, by classes of rows that are not connected.
struct RowClasses {
  std::vector<RowClass> classes = {};  ///< one for each colour, in the order asked for
  std::int64_t rows = 0;               ///< empty ones included; a multiple of the alignment
  Buffer<std::int32_t> new_of = {};    ///< new row of a row
  Buffer<std::int32_t> old_of = {};    ///< row of a new row; -1 for an empty one
  Buffer<Side> side_of = {};           ///< of a row

  /// A class with the empty rows after it, up to the next one.
  [[nodiscard]] Range padded(std::size_t number) const {
    return {classes[number].interior.begin,
            number + 1 < classes.size() ? classes[number + 1].interior.begin : rows};
  }
};

namespace detail {

/// Marks rows with columns of other ranks.
struct MarkBoundary {
  CsrView matrix = {};
  std::int32_t* boundary = {};

  BANKFULL_HOST_DEVICE void operator()(std::int64_t row) const {
    bool touches = false;
    for (std::int64_t n = matrix.start[row]; n < matrix.start[row + 1]; ++n) {
      touches = touches || matrix.column[n] >= matrix.rows;
    }
    boundary[row] = touches ? 1 : 0;
  }
};

/// Marks the first of consecutive boundary rows.
struct MarkBoundaryStarts {
  const std::int32_t* boundary = {};
  std::int32_t* start = {};

  BANKFULL_HOST_DEVICE void operator()(std::int64_t row) const {
    start[row] = boundary[row] != 0 && (row == 0 || boundary[row - 1] == 0) ? 1 : 0;
  }
};

struct FindSides {
  const std::int32_t* boundary = {};  ///< null where all rows belong to it, or none
  int outside_of_all = 0;             ///< where it is null: 1 if they do
  const Colour* colours = {};
  Colour place[no_colour] = {};  ///< of each colour in the order
  Side* side_of = {};

  BANKFULL_HOST_DEVICE void operator()(std::int64_t row) const {
    const int outside = boundary == nullptr ? outside_of_all : boundary[row];
    side_of[row] = static_cast<Side>(2 * place[colours[row]] + outside);
  }
};

/// Whether on the average so many boundary rows follow each other.
template <class Executor>
bool boundary_is_compact(const Executor& executor, const std::int32_t* boundary, std::int64_t rows,
                         std::int64_t compact) {
  const auto start = executor.template make<std::int32_t>(rows + 1);
  const auto sums = executor.template make<std::int64_t>(rows + 1);
  executor.each(rows, MarkBoundaryStarts{boundary, start.data()});
  const std::int64_t runs = executor.exclusive_sum(start.data(), rows, sums.data());
  return executor.exclusive_sum(boundary, rows, sums.data()) >= compact * runs;
}

constexpr std::int64_t round_up(std::int64_t count, std::int64_t unit) {
  return (count + unit - 1) / unit * unit;
}

/// Gives the rows of so many sides their places, side after side; returns the sides' ranges.
std::vector<Range> place_sides(const CpuExecutor& executor, int sides, std::int64_t alignment,
                               RowClasses& result);
/// The same on a GPU.
std::vector<Range> place_sides(const CudaExecutor& executor, int sides, std::int64_t alignment,
                               RowClasses& result);

}  // namespace detail

/// Orders the rows by `order`, a list of all colours; classes and their boundaries begin with
/// multiples of `alignment`. Without other ranks there is no boundary.
template <class Executor>
RowClasses order_by_colour(const Executor& executor, const CsrView& matrix, const Colour* colours,
                           const std::vector<Colour>& order, std::int64_t alignment,
                           Boundary boundary) {
  const int sides = 2 * static_cast<int>(order.size());
  // Every side may leave a part of a unit empty.
  const std::int64_t most = matrix.rows + sides * alignment;
  RowClasses result = {};
  result.new_of = executor.template make<std::int32_t>(matrix.rows);
  result.old_of = executor.template make<std::int32_t>(most);
  result.side_of = executor.template make<Side>(matrix.rows);
  executor.fill(result.old_of.data(), most, std::int32_t{-1});
  const bool alone = matrix.columns == matrix.rows;
  const auto mark = executor.template make<std::int32_t>(alone ? 0 : matrix.rows + 1);
  if (!alone) {
    executor.each(matrix.rows, detail::MarkBoundary{matrix, mark.data()});
  }
  // So many rows would fill a unit of each class if all colours were among them.
  const std::int64_t compact =
      std::max<std::int64_t>(8, alignment * static_cast<std::int64_t>(order.size()));
  const bool divided = !alone && boundary == Boundary::apart &&
                       detail::boundary_is_compact(executor, mark.data(), matrix.rows, compact);
  detail::FindSides find{
      divided ? mark.data() : nullptr, alone ? 0 : 1, colours, {}, result.side_of.data()};
  for (std::size_t n = 0; n < order.size(); ++n) {
    find.place[order[n]] = static_cast<Colour>(n);
  }
  executor.each(matrix.rows, find);
  const std::vector<Range> ranges = detail::place_sides(executor, sides, alignment, result);
  for (std::size_t n = 0; n < order.size(); ++n) {
    result.classes.push_back({ranges[2 * n], ranges[2 * n + 1]});
  }
  return result;
}

}  // namespace bankfull
