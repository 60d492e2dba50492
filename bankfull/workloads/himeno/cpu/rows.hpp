#pragma once

#include "bankfull/core/base/pack.hpp"
#include "bankfull/core/field/view.hpp"
#include "bankfull/workloads/himeno/point.hpp"

#include <array>
#include <cstdint>

namespace bankfull::himeno {

enum class StoreKind { ordinary, streaming };

/// What a sweep reads and writes. Cell (0, 0, 0) of the views is the first that is updated.
template <class T>
struct SweepView {
  Extents updated;
  FieldSetView<const T> coefficients;
  FieldView<const T> pressure;
  FieldView<T> next;  ///< its boundary equals that of `pressure`
};

/// The twelve coefficient rows of one row of cells.
template <class T>
struct CoefficientRows {
  const T* first;
  std::int64_t stride;

  [[nodiscard]] const T* row(int field) const { return first + field * stride; }
};

/// The rows of pressure around the swept one: row[1 + di][1 + dj].
template <class T>
struct PressureRows {
  std::array<std::array<const T*, 3>, 3> row;
};

/// Rows that are fetched into cache while another row is computed.
template <class T, int Count>
struct RowsAhead {
  std::array<const T*, static_cast<std::size_t>(Count)> row;
};

namespace detail {

// Row pointers in local arrays: read through a structure in memory, g++ reloads them per element.
template <class T>
struct HoistedRows {
  const T* __restrict coefficient[coefficient_count];
  const T* __restrict pressure[3][3];

  BANKFULL_ALWAYS_INLINE HoistedRows(const CoefficientRows<T>& q, const PressureRows<T>& p) {
    for (int n = 0; n < coefficient_count; ++n) {
      coefficient[n] = q.row(n);
    }
    for (std::size_t di = 0; di < 3; ++di) {
      for (std::size_t dj = 0; dj < 3; ++dj) {
        pressure[di][dj] = p.row[di][dj];
      }
    }
  }
};

template <class T>
struct PackedCoefficients {
  const HoistedRows<T>& rows;
  std::int64_t k;

  BANKFULL_ALWAYS_INLINE Pack<T> operator()(Coefficient n) const {
    return Pack<T>::load(rows.coefficient[n] + k);
  }
};

template <class T>
struct PackedPressures {
  const HoistedRows<T>& rows;
  std::int64_t k;

  BANKFULL_ALWAYS_INLINE Pack<T> operator()(int di, int dj, int dk) const {
    return Pack<T>::load(rows.pressure[1 + di][1 + dj] + k + dk);
  }
  BANKFULL_ALWAYS_INLINE Pack<T> d_j(int di) const {
    return (*this)(di, +1, 0) - (*this)(di, -1, 0);
  }
  BANKFULL_ALWAYS_INLINE Pack<T> d_k(int di, int dj) const {
    return (*this)(di, dj, +1) - (*this)(di, dj, -1);
  }
};

}  // namespace detail

/// Sweeps the cells [0, nk) of one row into `next` and returns the sum of their squared residuals.
/// `next` overlaps none of the rows read. The only hot loop of the CPU schedules.
///
/// Traffic: 13 rows read (12 coefficients and the one row of pressure that is not in cache yet) and
/// one written, 14 sizeof(T) bytes per cell; an ordinary store reads the line it writes besides.
template <StoreKind Kind, int AheadRows, class T>
[[gnu::noinline]] double sweep_row(const CoefficientRows<T>& coefficients,
                                   const PressureRows<T>& pressures, T* __restrict next,
                                   std::int64_t nk, T relaxation,
                                   const RowsAhead<T, AheadRows>& ahead = {}) {
  using P = Pack<T>;
  const detail::HoistedRows<T> rows(coefficients, pressures);
  const P factor = P::broadcast(relaxation);
  SquareSum<T> squares;
  std::int64_t k = 0;
  for (; k + P::width <= nk; k += P::width) {
    for (int n = 0; n < AheadRows; ++n) {
      __builtin_prefetch(ahead.row[static_cast<std::size_t>(n)] + k, 0, 3);
    }
    const detail::PackedPressures<T> p{rows, k};
    const P ss = residual(detail::PackedCoefficients<T>{rows, k}, p);
    const P updated = relaxed(p(0, 0, 0), ss, factor);
    if constexpr (Kind == StoreKind::streaming) {
      updated.stream(next + k);
    } else {
      updated.store(next + k);
    }
    squares.add(ss);
  }
  double sum = squares.total();
  if (k < nk) {
    // A whole pack again: lanes beyond the row read the padding that every row ends with, and are
    // dropped. Stored through the cache: a partly filled streaming line costs a read and a write.
    const detail::PackedPressures<T> p{rows, k};
    const P ss = residual(detail::PackedCoefficients<T>{rows, k}, p);
    alignas(cache_line_bytes) T residuals[P::width];
    alignas(cache_line_bytes) T values[P::width];
    ss.store(residuals);
    relaxed(p(0, 0, 0), ss, factor).store(values);
    for (std::int64_t lane = 0; lane < nk - k; ++lane) {
      next[k + lane] = values[lane];
      sum += static_cast<double>(residuals[lane]) * static_cast<double>(residuals[lane]);
    }
  }
  return sum;
}

template <class T>
CoefficientRows<T> coefficient_rows(const SweepView<T>& view, std::int64_t i, std::int64_t j) {
  return {view.coefficients.first.row(i, j), view.coefficients.stride};
}

template <class T>
PressureRows<T> pressure_rows(const SweepView<T>& view, std::int64_t i, std::int64_t j) {
  PressureRows<T> rows{};
  for (std::int64_t di = -1; di <= 1; ++di) {
    for (std::int64_t dj = -1; dj <= 1; ++dj) {
      rows.row[static_cast<std::size_t>(1 + di)][static_cast<std::size_t>(1 + dj)] =
          view.pressure.row(i + di, j + dj);
    }
  }
  return rows;
}

/// How a row is stored, and how far ahead its streams from memory are fetched.
struct RowAccess {
  StoreKind store = StoreKind::streaming;
  std::int64_t prefetch_elements = 0;  ///< 0: leave it to the hardware
};

template <class T>
double sweep_row_with(const RowAccess& access, const CoefficientRows<T>& q,
                      const PressureRows<T>& p, T* next, std::int64_t nk, T relaxation) {
  const bool streaming = access.store == StoreKind::streaming;
  if (access.prefetch_elements == 0) {
    return streaming ? sweep_row<StoreKind::streaming, 0>(q, p, next, nk, relaxation)
                     : sweep_row<StoreKind::ordinary, 0>(q, p, next, nk, relaxation);
  }
  constexpr int streams = coefficient_count + 1;
  RowsAhead<T, streams> ahead{};
  for (int n = 0; n < coefficient_count; ++n) {
    ahead.row[static_cast<std::size_t>(n)] = q.row(n) + access.prefetch_elements;
  }
  ahead.row[coefficient_count] = p.row[2][2] + access.prefetch_elements;
  return streaming ? sweep_row<StoreKind::streaming, streams>(q, p, next, nk, relaxation, ahead)
                   : sweep_row<StoreKind::ordinary, streams>(q, p, next, nk, relaxation, ahead);
}

}  // namespace bankfull::himeno
