#pragma once

#include "bankfull/core/base/pack.hpp"
#include "bankfull/core/field/view.hpp"
#include "bankfull/workloads/himeno/point.hpp"
#include "bankfull/workloads/himeno/problem.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace bankfull::himeno {

enum class StoreKind { ordinary, streaming };

/// What a sweep reads and writes. Cell (0, 0, 0) of the views is the first that is updated.
template <class T>
struct SweepView {
  Extents updated;
  FieldSetView<const T> coefficients;
  FieldView<const T> pressure;
  FieldView<T> next;  ///< its boundary equals that of `pressure`
  /// No other rank has cells beyond the ends of rows: the boundary is there.
  bool whole_rows = false;
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

namespace detail {

/// The coefficients of one pack of cells after the other. Three fields share a pointer, from which
/// the others lie one and two strides away: a pointer for each field does not fit into registers.
template <class T>
class PackedCoefficients {
 public:
  BANKFULL_ALWAYS_INLINE explicit PackedCoefficients(const CoefficientRows<T>& q)
      : stride_(q.stride) {
    for (int n = 0; n < groups; ++n) {
      group_[n] = q.row(n * in_group);
    }
  }

  BANKFULL_ALWAYS_INLINE Pack<T> operator()(Coefficient n) const { return Pack<T>::load(at(n)); }

  template <int Elements>
  BANKFULL_ALWAYS_INLINE void fetch_ahead() const {
    for (int n = 0; n < coefficient_count; ++n) {
      __builtin_prefetch(at(n) + Elements, 0, 3);
    }
  }

  BANKFULL_ALWAYS_INLINE void advance() {
    for (int n = 0; n < groups; ++n) {
      group_[n] += Pack<T>::width;
    }
  }

 private:
  static constexpr int in_group = 3;
  static constexpr int groups = coefficient_count / in_group;

  BANKFULL_ALWAYS_INLINE const T* at(int n) const {
    return group_[n / in_group] + n % in_group * stride_;
  }

  const T* group_[groups];
  std::int64_t stride_;
};

/// The pressures around the pack of cells from k on. Pointers in a local array: read through a
/// structure in memory, g++ reloads them per pack.
template <class T>
class LoadedPressures {
 public:
  BANKFULL_ALWAYS_INLINE explicit LoadedPressures(const PressureRows<T>& p, std::int64_t k = 0)
      : k_(k) {
    for (std::size_t di = 0; di < 3; ++di) {
      for (std::size_t dj = 0; dj < 3; ++dj) {
        row_[di][dj] = p.row[di][dj];
      }
    }
  }

  BANKFULL_ALWAYS_INLINE void advance() { k_ += Pack<T>::width; }

  BANKFULL_ALWAYS_INLINE Pack<T> operator()(int di, int dj, int dk) const {
    return Pack<T>::load(row_[1 + di][1 + dj] + k_ + dk);
  }
  BANKFULL_ALWAYS_INLINE Pack<T> d_j(int di) const {
    return (*this)(di, +1, 0) - (*this)(di, -1, 0);
  }
  BANKFULL_ALWAYS_INLINE Pack<T> d_k(int di, int dj) const {
    return (*this)(di, dj, +1) - (*this)(di, dj, -1);
  }

 private:
  const T* row_[3][3];
  std::int64_t k_;
};

/// The same with loads of whole cache lines only: of the five rows whose neighbours along k are
/// needed, the packs before and after stay in registers.
template <class T>
class ShiftedPressures {
 public:
  BANKFULL_ALWAYS_INLINE explicit ShiftedPressures(const PressureRows<T>& p) : loaded_(p) {
    for_rows([&](int n, int di, int dj) [[gnu::always_inline]] {
      before_[n] = loaded_(di, dj, -Pack<T>::width);
      here_[n] = loaded_(di, dj, 0);
      after_[n] = loaded_(di, dj, Pack<T>::width);
    });
  }

  BANKFULL_ALWAYS_INLINE void advance() {
    loaded_.advance();
    for_rows([&](int n, int di, int dj) [[gnu::always_inline]] {
      before_[n] = here_[n];
      here_[n] = after_[n];
      after_[n] = loaded_(di, dj, Pack<T>::width);
    });
  }

  BANKFULL_ALWAYS_INLINE Pack<T> operator()(int di, int dj, int dk) const {
    const int n = number(di, dj);
    return dk > 0   ? one_lane_later(here_[n], after_[n])
           : dk < 0 ? one_lane_earlier(before_[n], here_[n])
                    : here_[n];
  }
  BANKFULL_ALWAYS_INLINE Pack<T> d_j(int di) const {
    return di == 0 ? (*this)(0, +1, 0) - (*this)(0, -1, 0) : loaded_.d_j(di);
  }
  BANKFULL_ALWAYS_INLINE Pack<T> d_k(int di, int dj) const {
    return (*this)(di, dj, +1) - (*this)(di, dj, -1);
  }

 private:
  static constexpr int rows = 5;

  static constexpr int number(int di, int dj) { return 2 + 2 * di + dj; }

  template <class Body>
  BANKFULL_ALWAYS_INLINE static void for_rows(const Body& body) {
    body(number(-1, 0), -1, 0);
    body(number(0, -1), 0, -1);
    body(number(0, 0), 0, 0);
    body(number(0, +1), 0, +1);
    body(number(+1, 0), +1, 0);
  }

  LoadedPressures<T> loaded_;
  Pack<T> before_[rows];
  Pack<T> here_[rows];
  Pack<T> after_[rows];
};

/// A load across two cache lines costs as much as two. Fewer loads of shorter registers cross
/// lines, and the packs before and after would take several registers each.
template <class T>
using PackedPressures =
    std::conditional_t<std::is_floating_point_v<T> && register_bytes == cache_line_bytes,
                       ShiftedPressures<T>, LoadedPressures<T>>;

}  // namespace detail

/// Sweeps the cells [0, nk) of one row into `next` and returns the sum of their squared residuals.
/// `next` overlaps none of the rows read. The only hot loop of the CPU schedules. `Ahead` is how
/// many elements ahead rows are fetched, to their ends; 0: not at all.
///
/// Nothing may read `next`, or the hardware begins to fetch it ahead of streaming stores that
/// overwrite it. A row that ends within a cache line is therefore streamed to the end of the line,
/// with the values that `boundary` has there: a row of the present pressure, which beyond the
/// boundary along k equals the next one. Null where other ranks have the cells there: their values
/// may be in `next` already. Then, and with ordinary stores, no cell beyond the row is written.
///
/// Traffic: 13 rows read (12 coefficients and the one row of pressure that is not in cache yet) and
/// one written, 14 sizeof(T) bytes per cell; an ordinary store reads the line it writes besides.
template <StoreKind Kind, int Ahead, class T>
[[gnu::noinline]] double sweep_row(const CoefficientRows<T>& coefficients,
                                   const PressureRows<T>& pressures, T* __restrict next,
                                   const T* boundary, std::int64_t nk, T relaxation) {
  using P = Pack<T>;
  detail::PackedCoefficients<T> q(coefficients);
  detail::PackedPressures<T> p(pressures);
  const T* pressure_ahead = pressures.row[2][2] + Ahead;
  const auto fetch_ahead = [&](std::int64_t k) [[gnu::always_inline]] {
    if constexpr (Ahead > 0) {
      q.template fetch_ahead<Ahead>();
      __builtin_prefetch(pressure_ahead + k, 0, 3);
    }
  };
  const P factor = P::broadcast(relaxation);
  SquareSum<T> squares;
  std::int64_t k = 0;
  for (; k + P::width <= nk; k += P::width) {
    fetch_ahead(k);
    const P ss = residual(q, p);
    const P updated = relaxed(p(0, 0, 0), ss, factor);
    if constexpr (Kind == StoreKind::streaming) {
      updated.stream(next + k);
    } else {
      updated.store(next + k);
    }
    squares.add(ss);
    q.advance();
    p.advance();
  }
  double sum = squares.total();
  if (k < nk) {
    // A whole pack again: lanes beyond the row read the padding that every row ends with, and are
    // dropped.
    fetch_ahead(k);
    const detail::LoadedPressures<T> last(pressures, k);
    const P ss = residual(q, last);
    alignas(cache_line_bytes) T residuals[P::width];
    alignas(cache_line_bytes) T values[P::width];
    ss.store(residuals);
    relaxed(last(0, 0, 0), ss, factor).store(values);
    for (std::int64_t lane = 0; lane < nk - k; ++lane) {
      sum += static_cast<double>(residuals[lane]) * static_cast<double>(residuals[lane]);
    }
    if (Kind == StoreKind::streaming && boundary != nullptr) {
      std::copy(boundary + nk, boundary + k + P::width, values + (nk - k));
      P::load(values).stream(next + k);
    } else {
      std::copy_n(values, nk - k, next + k);
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

/// How a row is stored, and whether its streams from memory are fetched ahead of their use or left
/// to the hardware.
struct RowAccess {
  StoreKind store = StoreKind::streaming;
  bool prefetch = false;
};

/// Eight cache lines.
template <class T>
inline constexpr int prefetch_elements = 8 * Pack<T>::width;

template <class T>
double sweep_row_with(const RowAccess& access, const CoefficientRows<T>& q,
                      const PressureRows<T>& p, T* next, const T* boundary, std::int64_t nk,
                      T relaxation) {
  constexpr int ahead = prefetch_elements<T>;
  if (access.store == StoreKind::streaming) {
    return access.prefetch
               ? sweep_row<StoreKind::streaming, ahead>(q, p, next, boundary, nk, relaxation)
               : sweep_row<StoreKind::streaming, 0>(q, p, next, boundary, nk, relaxation);
  }
  return access.prefetch
             ? sweep_row<StoreKind::ordinary, ahead>(q, p, next, boundary, nk, relaxation)
             : sweep_row<StoreKind::ordinary, 0>(q, p, next, boundary, nk, relaxation);
}

/// One row of a single sweep.
template <class T>
double sweep_row_of(const SweepView<T>& view, std::int64_t i, std::int64_t j,
                    const RowAccess& access) {
  return sweep_row_with(access, coefficient_rows(view, i, j), pressure_rows(view, i, j),
                        view.next.row(i, j), view.whole_rows ? view.pressure.row(i, j) : nullptr,
                        view.updated.nk, static_cast<T>(omega));
}

}  // namespace bankfull::himeno
