#pragma once

#include "bankfull/core/base/host_device.hpp"

#include <cmath>
#include <cstdint>

namespace bankfull::poisson::multigrid {

// The mathematics of multigrid at one cell. With e the correction, r the residual it is for, and
// an axis' coefficients lower = 1 / (width distance(-)), upper = 1 / (width distance(+)), which are
// 0 at walls, the discrete Laplacian is
//
//   L e = sum over the axes of [ lower (e(-1) - e) + upper (e(+1) - e) ].

/// Operations of the functions below at one cell, coefficients included. Tests count them.
struct CellFlops {
  static constexpr int diagonal = 5;
  static constexpr int neighbour_sum = 11;
  static constexpr int laplacian = 6 + neighbour_sum;
  static constexpr int relaxed = 5;
  static constexpr int inner_residual = 3;
  static constexpr int interpolated = 3;
  static constexpr int defect = laplacian + 3;  ///< scale (f - mean - L p)
  static constexpr int correction = 2;          ///< p + factor e

  /// Gauss-Seidel with the inverse of the diagonal at hand, and r - L e.
  static constexpr int relaxation = neighbour_sum + relaxed;
  static constexpr int residual = diagonal + neighbour_sum + inner_residual;
};

/// One value for each face of a cell: its coefficient, or the value beyond it.
template <class T>
struct Faces {
  T lower_i;
  T upper_i;
  T lower_j;
  T upper_j;
  T lower_k;
  T upper_k;
};

/// The sum of the coefficients: -L's diagonal.
template <class T>
BANKFULL_HOST_DEVICE BANKFULL_ALWAYS_INLINE constexpr T diagonal(const Faces<T>& coefficients) {
  return (coefficients.lower_i + coefficients.upper_i) +
         (coefficients.lower_j + coefficients.upper_j) +
         (coefficients.lower_k + coefficients.upper_k);
}

/// The neighbours' part of L e.
template <class T>
BANKFULL_HOST_DEVICE BANKFULL_ALWAYS_INLINE T neighbour_sum(const Faces<T>& coefficients,
                                                            const Faces<T>& e) {
  using std::fma;
  const T i = fma(coefficients.upper_i, e.upper_i, coefficients.lower_i * e.lower_i);
  const T j = fma(coefficients.upper_j, e.upper_j, coefficients.lower_j * e.lower_j);
  const T k = fma(coefficients.upper_k, e.upper_k, coefficients.lower_k * e.lower_k);
  return (i + j) + k;
}

/// L p from differences, which round less where p is large and smooth: for the outer residual.
template <class T>
BANKFULL_HOST_DEVICE BANKFULL_ALWAYS_INLINE T laplacian(const Faces<T>& coefficients, T centre,
                                                        const Faces<T>& p) {
  return neighbour_sum(coefficients,
                       Faces<T>{p.lower_i - centre, p.upper_i - centre, p.lower_j - centre,
                                p.upper_j - centre, p.lower_k - centre, p.upper_k - centre});
}

/// 1 / diagonal, for `relaxed`; 0 for a cell without neighbours.
template <class T>
BANKFULL_HOST_DEVICE BANKFULL_ALWAYS_INLINE constexpr T inverse_of(T diagonal) {
  return diagonal > T{0} ? T{1} / diagonal : T{0};
}

/// e after one over-relaxed Gauss-Seidel step: e + omega ((sum - r) / diagonal - e).
template <class T>
BANKFULL_HOST_DEVICE BANKFULL_ALWAYS_INLINE T relaxed(T omega, T inverse, T e, T sum, T r) {
  using std::fma;
  return fma(omega, fma(inverse, sum - r, -e), e);
}

/// r - L e
template <class T>
BANKFULL_HOST_DEVICE BANKFULL_ALWAYS_INLINE T inner_residual(T diagonal, T e, T sum, T r) {
  using std::fma;
  return fma(diagonal, e, r - sum);
}

/// Red cells are relaxed first.
BANKFULL_HOST_DEVICE constexpr bool is_red(std::int64_t i, std::int64_t j, std::int64_t k) {
  return ((i + j + k) & 1) == 0;
}

// Between levels. Cell n of a coarsened axis belongs to cell n / 2 of the coarse one; the last cell
// of an odd axis has no sibling.

BANKFULL_HOST_DEVICE constexpr std::int64_t parent_of(std::int64_t cell, bool coarsened) {
  return coarsened ? cell / 2 : cell;
}

/// The coarse cell on the other side of a cell from its parent's centre, which takes the rest of
/// the weight in linear interpolation; at walls the parent itself, its own mirror image.
BANKFULL_HOST_DEVICE constexpr std::int64_t other_parent_of(std::int64_t cell, bool coarsened,
                                                            std::int64_t coarse_cells,
                                                            bool periodic) {
  if (!coarsened) {
    return cell;
  }
  const std::int64_t parent = cell / 2;
  const std::int64_t other = cell % 2 == 0 ? parent - 1 : parent + 1;
  if (other < 0) {
    return periodic ? coarse_cells - 1 : parent;
  }
  if (other == coarse_cells) {
    return periodic ? 0 : parent;
  }
  return other;
}

/// Linear interpolation between a cell's parent and its other parent along one axis.
template <class T>
BANKFULL_HOST_DEVICE BANKFULL_ALWAYS_INLINE T interpolated(T interpolation_weight, T parent,
                                                           T other) {
  using std::fma;
  return fma(interpolation_weight, parent - other, other);
}

}  // namespace bankfull::poisson::multigrid
