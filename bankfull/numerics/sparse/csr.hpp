#pragma once

#include "bankfull/core/memory/buffer.hpp"

#include <cstdint>
#include <vector>

namespace bankfull {

/// A rank's rows of a sparse matrix, stored by rows; plain data that kernels take by value. Columns
/// [0, rows) are the rank's own, columns [rows, columns) are copies of other ranks' rows.
struct CsrView {
  std::int64_t rows = 0;                 ///< this rank's
  std::int64_t columns = 0;              ///< copies of other ranks' rows included
  const std::int64_t* start = nullptr;   ///< rows + 1 of them: where each row's entries begin
  const std::int32_t* column = nullptr;  ///< ascending in every row, those of other ranks apart
  const double* value = nullptr;         ///< one for each element of `column`
};

/// Owns what a CsrView shows, in the memory of one device.
struct Csr {
  std::int64_t rows = 0;             ///< see CsrView
  std::int64_t columns = 0;          ///< see CsrView
  std::int64_t entries = 0;          ///< that are stored, zeros included
  Buffer<std::int64_t> start = {};   ///< rows + 1
  Buffer<std::int32_t> column = {};  ///< `entries` of them
  Buffer<double> value = {};         ///< `entries` of them

  /// Valid as long as the buffers.
  [[nodiscard]] CsrView view() const {
    return {rows, columns, start.data(), column.data(), value.data()};
  }
};

/// The same as values of the host, from wherever they come.
struct HostCsr {
  std::int64_t columns = 0;               ///< see CsrView
  std::vector<std::int64_t> start = {0};  ///< rows() + 1, the last of them the number of entries
  std::vector<std::int32_t> column = {};  ///< one for each entry
  std::vector<double> value = {};         ///< one for each entry

  /// By the length of `start`, which is never empty.
  [[nodiscard]] std::int64_t rows() const { return static_cast<std::int64_t>(start.size()) - 1; }
};

/// A matrix of the host in the memory of an executor's device.
template <class Executor>
Csr load_csr(const Executor& executor, const HostCsr& host) {
  Csr matrix;
  matrix.rows = host.rows();
  matrix.columns = host.columns;
  matrix.entries = host.start.back();
  matrix.start = executor.template make<std::int64_t>(matrix.rows + 1);
  matrix.column = executor.template make<std::int32_t>(matrix.entries);
  matrix.value = executor.template make<double>(matrix.entries);
  executor.from_host(host.start, matrix.start.data());
  executor.from_host(host.column, matrix.column.data());
  executor.from_host(host.value, matrix.value.data());
  return matrix;
}

/// What `load_csr` would make this matrix from.
template <class Executor>
HostCsr to_host(const Executor& executor, const Csr& matrix) {
  return {.columns = matrix.columns,
          .start = executor.to_host(matrix.start.data(), matrix.rows + 1),
          .column = executor.to_host(matrix.column.data(), matrix.entries),
          .value = executor.to_host(matrix.value.data(), matrix.entries)};
}

}  // namespace bankfull
