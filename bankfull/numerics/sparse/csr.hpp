#pragma once

#include "bankfull/core/memory/buffer.hpp"

#include <cstdint>

namespace bankfull {

/// A rank's rows of a sparse matrix, stored by rows; plain data that kernels take by value. Columns
/// [0, rows) are the rank's own, columns [rows, columns) are copies of other ranks' rows.
struct CsrView {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  const std::int64_t* start = nullptr;   ///< rows + 1 of them: where each row's entries begin
  const std::int32_t* column = nullptr;  ///< ascending in every row, those of other ranks apart
  const double* value = nullptr;
};

/// Owns what a CsrView shows, in the memory of one device.
struct Csr {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t entries = 0;
  Buffer<std::int64_t> start = {};
  Buffer<std::int32_t> column = {};
  Buffer<double> value = {};

  [[nodiscard]] CsrView view() const {
    return {rows, columns, start.data(), column.data(), value.data()};
  }
};

}  // namespace bankfull
