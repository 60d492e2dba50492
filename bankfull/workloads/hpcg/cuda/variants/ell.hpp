#pragma once

#include "bankfull/core/base/host_device.hpp"
#include "bankfull/workloads/hpcg/cuda/variants/permuted.hpp"

#include <cstdint>

namespace bankfull::hpcg {

/// The column of an empty entry.
inline constexpr std::int32_t no_column = -1;

/// A matrix in ELLPACK: `max_entries` slots, of each of which all rows lie side by side; plain
/// data for kernels. Shorter rows end in empty entries, of value 0.
struct EllView {
  std::int64_t stride = 0;  ///< from one slot to the next, in elements
  const std::int32_t* column = nullptr;
  const double* value = nullptr;

  [[nodiscard]] BANKFULL_HOST_DEVICE std::int64_t at(int slot, std::int64_t row) const {
    return slot * stride + row;
  }
};

/// Owns what an EllView shows.
struct Ell {
  std::int64_t rows = 0;
  std::int64_t stride = 0;
  Buffer<std::int32_t> column = {};
  Buffer<double> value = {};

  [[nodiscard]] EllView view() const { return {stride, column.data(), value.data()}; }
  [[nodiscard]] std::int64_t bytes() const {
    return static_cast<std::int64_t>(column.bytes() + value.bytes());
  }
};

/// Which rows an ELLPACK matrix has: those of a list, or all.
struct ListedRows {
  const std::int32_t* row = nullptr;
  [[nodiscard]] BANKFULL_HOST_DEVICE std::int64_t at(std::int64_t n) const {
    return row == nullptr ? n : row[n];
  }
};

namespace detail {

struct FillEllRow {
  GatherRow gather = {};
  ListedRows rows = {};
  std::int64_t stride = {};
  std::int32_t* column = {};
  double* value = {};

  BANKFULL_HOST_DEVICE void operator()(std::int64_t n) const {
    const GatheredRow gathered = gather(rows.at(n));
    for (int slot = 0; slot < max_entries; ++slot) {
      const bool filled = slot < gathered.count;
      column[slot * stride + n] = filled ? gathered.column[slot] : no_column;
      value[slot * stride + n] = filled ? gathered.value[slot] : 0.0;
    }
  }
};

}  // namespace detail

/// `count` rows of a matrix in a new order, as ELLPACK.
template <class Executor>
Ell make_ell(const Executor& executor, const Csr& matrix, const PermutedLevel& order,
             std::int64_t count, ListedRows rows) {
  // Slots begin where a warp's loads do.
  constexpr std::int64_t alignment = 32;
  Ell ell = {};
  ell.rows = count;
  ell.stride = (count + alignment - 1) / alignment * alignment;
  ell.column = executor.template make<std::int32_t>(ell.stride * max_entries);
  ell.value = executor.template make<double>(ell.stride * max_entries);
  executor.each(count, detail::FillEllRow{gather_from(matrix, order, Columns::all), rows,
                                          ell.stride, ell.column.data(), ell.value.data()});
  return ell;
}

/// Writes a diagonal, by rows of the new order, into the entries of an ELLPACK matrix.
struct WriteEllDiagonal {
  EllView matrix = {};
  ListedRows rows = {};
  const double* diagonal = {};
  double* value = {};

  BANKFULL_HOST_DEVICE void operator()(std::int64_t n) const {
    const std::int64_t row = rows.at(n);
    for (int slot = 0; slot < max_entries; ++slot) {
      if (matrix.column[matrix.at(slot, n)] == row) {
        value[matrix.at(slot, n)] = diagonal[row];
      }
    }
  }
};

}  // namespace bankfull::hpcg
