#pragma once

#include "bankfull/core/base/host_device.hpp"

namespace bankfull::hpcg {

// The symmetric Gauss-Seidel smoother in half sweeps.
//
// With A = L + D + U + E in the order of colours, E being the entries to other ranks, the benchmark
// smooths A x = r by a forward sweep, D x' = r - L x' - U x - E x, and a backward one, D x'' = r -
// L x' - U x'' - E x. Terms that a sweep has computed need no second pass over the matrix:
//
// - From x = 0 the forward sweep is D x' = r - L x'. Then r - L x' = D x', and the backward sweep
//   becomes x'' = x' - U x'' / D: it reads only U. It keeps U x''.
// - The residual r - A x'' = r - L x'' - D x'' - U x'' - E x'' is needed at coarse rows only.
// - The coarse correction changes x at coarse rows only, so of U x only the terms of these columns
//   change: the backward sweep keeps the others, u, and the next forward sweep,
//   D x' = r - L x' - U x - E x, reads L and the coarse columns of U.
// - After it r - L x' - E x = D x' + U x, so the backward sweep is x'' = x' + (U x - U x'') / D.
//
// It is the same preconditioner: only rounding errors differ. One cycle reads each level's
// matrix 2.2 times, not 5 times.

/// D x' = r - L x', from x = 0.
template <class T>
BANKFULL_HOST_DEVICE BANKFULL_ALWAYS_INLINE T forward_from_zero(T r, T lower, T diagonal) {
  return (r - lower) / diagonal;
}

/// x'' = x' - U x'' / D.
template <class T>
BANKFULL_HOST_DEVICE BANKFULL_ALWAYS_INLINE T backward_after_zero(T x, T upper, T diagonal) {
  return x - upper / diagonal;
}

/// r - (L + D + U + E) x.
template <class T>
BANKFULL_HOST_DEVICE BANKFULL_ALWAYS_INLINE T residual(T r, T lower, T diagonal, T x, T upper,
                                                       T outer) {
  return r - lower - diagonal * x - upper - outer;
}

/// D x' = r - L x' - U x - E x.
template <class T>
BANKFULL_HOST_DEVICE BANKFULL_ALWAYS_INLINE T forward_again(T r, T lower, T upper, T outer,
                                                            T diagonal) {
  return (r - lower - upper - outer) / diagonal;
}

/// x'' = x' + (U x - U x'') / D, `before` being the U x of the forward sweep.
template <class T>
BANKFULL_HOST_DEVICE BANKFULL_ALWAYS_INLINE T backward_again(T x, T before, T upper, T diagonal) {
  return x + (before - upper) / diagonal;
}

/// (D + U) x'' of the same sweep, from which A x'' needs only L x'' and E x''.
template <class T>
BANKFULL_HOST_DEVICE BANKFULL_ALWAYS_INLINE T diagonal_and_upper(T diagonal, T x, T upper) {
  return diagonal * x + upper;
}

}  // namespace bankfull::hpcg
