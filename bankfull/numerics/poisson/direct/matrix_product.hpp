#pragma once

#include "bankfull/core/base/pack.hpp"
#include "bankfull/core/base/unrolled.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace bankfull::poisson {

/// The rows of a matrix, `pitch` apart.
template <class Real>
struct MatrixRows {
  Real* data = nullptr;
  std::int64_t pitch = 0;

  BANKFULL_ALWAYS_INLINE Real* operator()(std::int64_t n) const { return data + n * pitch; }
};

/// The shape of a product of matrices: `rows` x `depth` times `depth` x `columns`.
struct ProductShape {
  std::int64_t rows = 0;
  std::int64_t depth = 0;
  std::int64_t columns = 0;
};

constexpr double product_flops(const ProductShape& shape) {
  return 2.0 * static_cast<double>(shape.rows) * static_cast<double>(shape.depth) *
         static_cast<double>(shape.columns);
}

namespace detail {

/// Rows [row, row + Rows) of a product, in one cache line of columns. Sums stay in registers, and
/// each value that is loaded serves all rows.
template <int Rows, class Real>
BANKFULL_ALWAYS_INLINE void multiply_lines(std::int64_t depth, std::int64_t row,
                                           std::int64_t column, const MatrixRows<const Real>& a,
                                           const MatrixRows<const Real>& b,
                                           const MatrixRows<Real>& to) {
  constexpr auto count = static_cast<std::size_t>(Rows);
  std::array<const Real*, count> factors{};
  std::array<Pack<Real>, count> sums;
  unrolled<Rows>([&](int n) { factors[static_cast<std::size_t>(n)] = a(row + n); });
  for (std::int64_t d = 0; d < depth; ++d) {
    const Pack<Real> line = Pack<Real>::load(b(d) + column);
    unrolled<Rows>([&](int n) [[gnu::always_inline]] {
      const auto at = static_cast<std::size_t>(n);
      sums[at] = fma(factors[at][d], line, sums[at]);
    });
  }
  unrolled<Rows>([&](int n) { sums[static_cast<std::size_t>(n)].store(to(row + n) + column); });
}

}  // namespace detail

/// to = a b. Columns are rounded up to cache lines, for which rows of b and `to` have room; the
/// sums are in the same order on every machine. `to` overlaps neither a nor b.
template <class Real>
void multiply(const ProductShape& shape, const MatrixRows<const Real>& a,
              const MatrixRows<const Real>& b, const MatrixRows<Real>& to) {
  constexpr int rows_at_once = 4;
  for (std::int64_t column = 0; column < shape.columns; column += Pack<Real>::width) {
    std::int64_t row = 0;
    for (; row + rows_at_once <= shape.rows; row += rows_at_once) {
      detail::multiply_lines<rows_at_once>(shape.depth, row, column, a, b, to);
    }
    for (; row < shape.rows; ++row) {
      detail::multiply_lines<1>(shape.depth, row, column, a, b, to);
    }
  }
}

}  // namespace bankfull::poisson
