#pragma once

#include "bankfull/core/base/host_device.hpp"
#include "bankfull/core/exec/team.hpp"
#include "bankfull/core/memory/buffer.hpp"
#include "bankfull/numerics/sparse/colouring.hpp"
#include "bankfull/numerics/sparse/csr.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace bankfull {

/// Rows of one colour in the new order: first those without columns of other ranks, then the
/// boundary, both in the matrix's own order. Both ranges begin on a multiple of an alignment;
/// rows between the end of one and the beginning of the next are empty.
struct RowClass {
  Range interior = {};
  Range boundary = {};

  [[nodiscard]] Range all() const { return {interior.begin, boundary.end}; }
};

/// A new order of rows, by classes of rows that are not connected.
struct RowClasses {
  std::vector<RowClass> classes = {};
  std::int64_t rows = 0;             ///< empty ones included; a multiple of the alignment
  Buffer<std::int32_t> new_of = {};  ///< new row of a row
  Buffer<std::int32_t> old_of = {};  ///< row of a new row; -1 for an empty one
};

namespace detail {

/// Marks the rows of one colour on one side of the boundary, for counting.
struct MarkRows {
  CsrView matrix = {};
  const Colour* colours = {};
  Colour colour = {};
  bool boundary = {};
  std::int32_t* mark = {};

  BANKFULL_HOST_DEVICE void operator()(std::int64_t row) const {
    bool touches = false;
    if (matrix.columns > matrix.rows && colours[row] == colour) {
      for (std::int64_t n = matrix.start[row]; n < matrix.start[row + 1]; ++n) {
        touches = touches || matrix.column[n] >= matrix.rows;
      }
    }
    mark[row] = colours[row] == colour && touches == boundary ? 1 : 0;
  }
};

/// Puts marked rows at their places.
struct PlaceRows {
  const std::int32_t* mark = {};
  const std::int64_t* place = {};
  std::int64_t begin = {};
  std::int32_t* new_of = {};
  std::int32_t* old_of = {};

  BANKFULL_HOST_DEVICE void operator()(std::int64_t row) const {
    if (mark[row] != 0) {
      new_of[row] = static_cast<std::int32_t>(begin + place[row]);
      old_of[begin + place[row]] = static_cast<std::int32_t>(row);
    }
  }
};

constexpr std::int64_t round_up(std::int64_t count, std::int64_t unit) {
  return (count + unit - 1) / unit * unit;
}

}  // namespace detail

/// Orders the rows by `order`, a list of all colours; classes and their boundaries begin with
/// multiples of `alignment`.
template <class Executor>
RowClasses order_by_colour(const Executor& executor, const CsrView& matrix, const Colour* colours,
                           const std::vector<Colour>& order, std::int64_t alignment) {
  const auto mark = executor.template make<std::int32_t>(matrix.rows + 1);
  const auto place = executor.template make<std::int64_t>(matrix.rows + 1);
  RowClasses result = {};
  // Every class may leave a part of two units empty.
  const std::int64_t most = matrix.rows + 2 * alignment * static_cast<std::int64_t>(order.size());
  result.new_of = executor.template make<std::int32_t>(matrix.rows);
  result.old_of = executor.template make<std::int32_t>(most);
  executor.fill(result.old_of.data(), most, std::int32_t{-1});
  const auto place_rows = [&](Colour colour, bool boundary) {
    const std::int64_t begin = result.rows;
    executor.each(matrix.rows, detail::MarkRows{matrix, colours, colour, boundary, mark.data()});
    const std::int64_t count = executor.exclusive_sum(mark.data(), matrix.rows, place.data());
    executor.each(matrix.rows, detail::PlaceRows{mark.data(), place.data(), begin,
                                                 result.new_of.data(), result.old_of.data()});
    result.rows = detail::round_up(begin + count, alignment);
    return Range{begin, begin + count};
  };
  for (const Colour colour : order) {
    const Range interior = place_rows(colour, false);
    const Range boundary =
        matrix.columns > matrix.rows ? place_rows(colour, true) : Range{result.rows, result.rows};
    result.classes.push_back({interior, boundary});
  }
  return result;
}

}  // namespace bankfull
