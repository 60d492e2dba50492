#pragma once

#include "bankfull/core/base/expects.hpp"
#include "bankfull/core/base/host_device.hpp"
#include "bankfull/numerics/sparse/csr.hpp"
#include "bankfull/numerics/sparse/row_classes.hpp"
#include "bankfull/workloads/hpcg/level.hpp"
#include "bankfull/workloads/hpcg/problem.hpp"
#include "bankfull/workloads/hpcg/rows.hpp"

#include <cstdint>
#include <numeric>
#include <vector>

namespace bankfull::hpcg {

/// One level's rows in a new order. Columns of other ranks keep their numbers.
struct PermutedLevel {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::vector<Range> colours = {};     ///< rows of each colour; none is empty
  Buffer<std::int32_t> new_of = {};    ///< new row of a row
  Buffer<std::int32_t> old_of = {};    ///< row of a new row
  Buffer<std::int32_t> fine_row = {};  ///< of each new row, in the finer level's new order
  std::vector<ListNeighbour> neighbours = {};
};

/// A row's entries in a new order of rows, by ascending columns.
struct GatheredRow {
  int count = 0;
  std::int32_t column[max_entries] = {};
  double value[max_entries] = {};
};

/// Which entries of a row to take.
enum class Columns { all, own };

/// Reads rows of a matrix in their natural order as rows of a new order.
struct GatherRow {
  CsrView matrix = {};
  const std::int32_t* new_of = {};
  const std::int32_t* old_of = {};
  Columns columns = {};

  [[nodiscard]] BANKFULL_HOST_DEVICE bool takes(std::int32_t column) const {
    return columns == Columns::all || column < matrix.rows;
  }

  [[nodiscard]] BANKFULL_HOST_DEVICE int count(std::int64_t new_row) const {
    const std::int64_t row = old_of[new_row];
    int entries = 0;
    for (std::int64_t n = matrix.start[row]; n < matrix.start[row + 1]; ++n) {
      entries += takes(matrix.column[n]) ? 1 : 0;
    }
    return entries;
  }

  [[nodiscard]] BANKFULL_HOST_DEVICE GatheredRow operator()(std::int64_t new_row) const {
    GatheredRow gathered;
    const std::int64_t row = old_of[new_row];
    for (std::int64_t n = matrix.start[row]; n < matrix.start[row + 1]; ++n) {
      const std::int32_t column = matrix.column[n];
      if (takes(column)) {
        insert(gathered, column < matrix.rows ? new_of[column] : column, matrix.value[n]);
      }
    }
    return gathered;
  }

 private:
  static BANKFULL_HOST_DEVICE void insert(GatheredRow& row, std::int32_t column, double value) {
    int at = row.count++;
    for (; at > 0 && row.column[at - 1] > column; --at) {
      row.column[at] = row.column[at - 1];
      row.value[at] = row.value[at - 1];
    }
    row.column[at] = column;
    row.value[at] = value;
  }
};

namespace detail {

struct Identity {
  std::int32_t* first = {};
  std::int32_t* second = {};
  BANKFULL_HOST_DEVICE void operator()(std::int64_t n) const {
    first[n] = static_cast<std::int32_t>(n);
    second[n] = static_cast<std::int32_t>(n);
  }
};

struct NewFineRow {
  const std::int32_t* old_of = {};
  const std::int32_t* fine_row = {};     ///< in natural orders
  const std::int32_t* fine_new_of = {};  ///< of the finer level
  std::int32_t* new_fine_row = {};
  BANKFULL_HOST_DEVICE void operator()(std::int64_t n) const {
    new_fine_row[n] = fine_new_of[fine_row[old_of[n]]];
  }
};

struct CountGathered {
  GatherRow gather = {};
  std::int32_t* count = {};
  BANKFULL_HOST_DEVICE void operator()(std::int64_t row) const { count[row] = gather.count(row); }
};

struct FillGathered {
  GatherRow gather = {};
  const std::int64_t* start = {};
  std::int32_t* column = {};
  double* value = {};
  BANKFULL_HOST_DEVICE void operator()(std::int64_t row) const {
    const GatheredRow gathered = gather(row);
    for (int n = 0; n < gathered.count; ++n) {
      column[start[row] + n] = gathered.column[n];
      value[start[row] + n] = gathered.value[n];
    }
  }
};

}  // namespace detail

/// A level in its natural order, all rows of one "colour".
template <class Executor>
PermutedLevel keep_order(const Executor& executor, const Level& level) {
  PermutedLevel kept{.rows = level.matrix.rows, .columns = level.matrix.columns};
  kept.colours = {{0, kept.rows}};
  kept.new_of = executor.template make<std::int32_t>(kept.rows);
  kept.old_of = executor.template make<std::int32_t>(kept.rows);
  executor.each(kept.rows, detail::Identity{kept.new_of.data(), kept.old_of.data()});
  return kept;
}

/// A level in the order of its colours, which `colouring(executor, matrix, colours)` finds; it
/// returns their number. Within a colour rows keep their order, but those that need other ranks
/// come last.
template <class Executor, class Colouring>
PermutedLevel order_by_colours(const Executor& executor, const Level& level,
                               const Colouring& colouring) {
  const CsrView matrix = level.matrix.view();
  const auto colours = executor.template make<Colour>(matrix.rows);
  std::vector<Colour> order(static_cast<std::size_t>(colouring(executor, matrix, colours.data())));
  std::iota(order.begin(), order.end(), Colour{0});
  RowClasses classes = order_by_colour(executor, matrix, colours.data(), order, 1, Boundary::apart);
  expects(classes.rows == matrix.rows, "rows in the order of colours leave no gaps");
  PermutedLevel permuted{.rows = matrix.rows, .columns = matrix.columns};
  for (const RowClass& rows : classes.classes) {
    if (rows.all().size() > 0) {
      permuted.colours.push_back(rows.all());
    }
  }
  permuted.new_of = std::move(classes.new_of);
  permuted.old_of = std::move(classes.old_of);
  return permuted;
}

/// All levels in new orders; `order(executor, level)` gives each level's.
template <class Executor, class Order>
std::vector<PermutedLevel> permute_levels(const Executor& executor,
                                          const std::vector<Level>& levels, const Order& order) {
  std::vector<PermutedLevel> permuted = {};
  permuted.reserve(levels.size());
  for (const Level& level : levels) {
    PermutedLevel now = order(executor, level);
    now.neighbours = renumbered(executor, level.geometry.neighbours, now.new_of.data());
    if (!permuted.empty()) {
      now.fine_row = executor.template make<std::int32_t>(now.rows);
      executor.each(now.rows,
                    detail::NewFineRow{now.old_of.data(), level.fine_row.data(),
                                       permuted.back().new_of.data(), now.fine_row.data()});
    }
    permuted.push_back(std::move(now));
  }
  executor.synchronize();
  return permuted;
}

inline GatherRow gather_from(const Csr& matrix, const PermutedLevel& order, Columns columns) {
  return {matrix.view(), order.new_of.data(), order.old_of.data(), columns};
}

/// A matrix with its rows in a new order, columns ascending in every row; with `Columns::own` the
/// square part of it.
template <class Executor>
Csr permuted_csr(const Executor& executor, const Csr& matrix, const PermutedLevel& order,
                 Columns columns) {
  const GatherRow gather = gather_from(matrix, order, columns);
  Csr permuted = {};
  permuted.rows = matrix.rows;
  permuted.columns = columns == Columns::all ? matrix.columns : matrix.rows;
  permuted.start = executor.template make<std::int64_t>(matrix.rows + 1);
  {
    const auto count = executor.template make<std::int32_t>(matrix.rows + 1);
    executor.each(matrix.rows, detail::CountGathered{gather, count.data()});
    permuted.entries = executor.exclusive_sum(count.data(), matrix.rows, permuted.start.data());
  }
  permuted.column = executor.template make<std::int32_t>(permuted.entries);
  permuted.value = executor.template make<double>(permuted.entries);
  executor.each(matrix.rows, detail::FillGathered{gather, permuted.start.data(),
                                                  permuted.column.data(), permuted.value.data()});
  return permuted;
}

/// A diagonal into the entries of a matrix; a body for an executor's `each`.
struct WriteDiagonal {
  CsrView matrix = {};
  const double* diagonal = {};
  double* value = {};
  BANKFULL_HOST_DEVICE void operator()(std::int64_t row) const {
    for (std::int64_t n = matrix.start[row]; n < matrix.start[row + 1]; ++n) {
      if (matrix.column[n] == row) {
        value[n] = diagonal[row];
      }
    }
  }
};

}  // namespace bankfull::hpcg
