#pragma once

#include "bankfull/core/base/host_device.hpp"
#include "bankfull/core/base/pack.hpp"
#include "bankfull/workloads/hpcg/cpu/slices.hpp"
#include "bankfull/workloads/hpcg/smoother.hpp"

#include <cstdint>

// Loop bodies of an iteration, each for one slice of rows or one element. Their traffic and flops
// are modelled in coloured_traffic.cpp; tests run them with counting types.
namespace bankfull::hpcg::cpu {

/// Arguments of the half sweeps of one level. `Part`s hold the matrix; `Slots` and `Row` number
/// slots and rows.
template <class Part, class OuterPart, class Slots, class Row, class Value>
struct LevelView {
  Part lower;
  Part upper;
  Part coarse;  ///< the slots of `upper` with coarse columns, once more
  OuterPart outer;
  const Value* diagonal = nullptr;
  const Value* r = nullptr;
  Value* x = nullptr;
  Value* u = nullptr;  ///< what a sweep keeps of U x; see smoother.hpp
  const Slots* coarse_slots = nullptr;

  std::int64_t coarse_begin = 0;    ///< the first row that may have a coarse row
  const Row* coarse_row = nullptr;  ///< of the rows from there on
  Value* coarse_r = nullptr;
  const Value* coarse_x = nullptr;
};

/// The elements of a slice that begins with this row.
template <class Value>
BANKFULL_ALWAYS_INLINE Pack<Value> slice_of(const Value* vector, std::int64_t row) {
  return Pack<Value>::load(vector + row);
}

template <class View>
BANKFULL_ALWAYS_INLINE void forward_slice_from_zero(const View& a, std::int64_t slice) {
  const std::int64_t row = slice * slice_height;
  forward_from_zero(slice_of(a.r, row), times(a.lower, slice, a.x), slice_of(a.diagonal, row))
      .store(a.x + row);
}

template <class View>
BANKFULL_ALWAYS_INLINE void backward_slice_after_zero(const View& a, std::int64_t slice) {
  const std::int64_t row = slice * slice_height;
  const auto coarse = a.coarse_slots[slice];
  const auto others = times_slots(a.upper, a.upper.slot[slice], coarse.begin, a.x) +
                      times_slots(a.upper, coarse.end, a.upper.slot[slice + 1], a.x);
  others.store(a.u + row);
  const auto all = others + times_slots(a.upper, coarse.begin, coarse.end, a.x);
  backward_after_zero(slice_of(a.x, row), all, slice_of(a.diagonal, row)).store(a.x + row);
}

template <class Value, class Part, class OuterPart, class Slots, class Row>
BANKFULL_ALWAYS_INLINE void restrict_slice(const LevelView<Part, OuterPart, Slots, Row, Value>& a,
                                           std::int64_t slice) {
  const std::int64_t row = slice * slice_height;
  Value left[slice_height];
  residual(slice_of(a.r, row), times(a.lower, slice, a.x), slice_of(a.diagonal, row),
           slice_of(a.x, row), times(a.upper, slice, a.x), times(a.outer, slice, a.x))
      .store(left);
  for (int lane = 0; lane < slice_height; ++lane) {
    const std::int32_t coarse = a.coarse_row[row - a.coarse_begin + lane];
    if (coarse >= 0) {
      a.coarse_r[coarse] = left[lane];
    }
  }
}

/// x += P e, of the n-th row that may have a coarse row.
template <class View>
BANKFULL_ALWAYS_INLINE void prolong_row(const View& a, std::int64_t n) {
  const std::int32_t coarse = a.coarse_row[n];
  a.x[a.coarse_begin + n] += coarse >= 0 ? a.coarse_x[coarse] : 0.0;
}

template <class View>
BANKFULL_ALWAYS_INLINE void forward_slice_again(const View& a, std::int64_t slice) {
  const std::int64_t row = slice * slice_height;
  const auto ux = slice_of(a.u, row) + times(a.coarse, slice, a.x);
  if (a.coarse.slot[slice] < a.coarse.slot[slice + 1]) {
    ux.store(a.u + row);
  }
  forward_again(slice_of(a.r, row), times(a.lower, slice, a.x), ux, times(a.outer, slice, a.x),
                slice_of(a.diagonal, row))
      .store(a.x + row);
}

/// Returns x.
template <class View>
BANKFULL_ALWAYS_INLINE auto backward_slice_again(const View& a, std::int64_t slice) {
  const std::int64_t row = slice * slice_height;
  const auto now = backward_again(slice_of(a.x, row), slice_of(a.u, row),
                                  times(a.upper, slice, a.x), slice_of(a.diagonal, row));
  now.store(a.x + row);
  return now;
}

/// The same; returns the rows' terms of r.x.
template <class View>
BANKFULL_ALWAYS_INLINE auto backward_slice_again_with_product(const View& a, std::int64_t slice) {
  return backward_slice_again(a, slice) * slice_of(a.r, slice * slice_height);
}

/// y = A x; returns the rows' terms of x.y.
template <class View, class Value>
BANKFULL_ALWAYS_INLINE Pack<Value> multiply_slice(const View& a, std::int64_t slice, Value* y) {
  const std::int64_t row = slice * slice_height;
  const auto own = slice_of(a.x, row);
  const auto sum = fma(slice_of(a.diagonal, row), own, times(a.lower, slice, a.x)) +
                   times(a.upper, slice, a.x) + times(a.outer, slice, a.x);
  sum.store(y + row);
  return sum * own;
}

/// r += factor ap; returns the rows' terms of r.r.
template <class Value>
BANKFULL_ALWAYS_INLINE Pack<Value> update_residual_slice(const Pack<Value>& factor, const Value* ap,
                                                         Value* r, std::int64_t slice) {
  const std::int64_t row = slice * slice_height;
  const auto now = fma(factor, slice_of(ap, row), slice_of(r, row));
  now.store(r + row);
  return now * now;
}

/// x += alpha p; p = z + beta p.
template <class Value>
BANKFULL_ALWAYS_INLINE void update_direction_row(Value alpha, Value beta, const Value* z, Value* x,
                                                 Value* p, std::int64_t n) {
  x[n] += alpha * p[n];
  p[n] = z[n] + beta * p[n];
}

}  // namespace bankfull::hpcg::cpu
