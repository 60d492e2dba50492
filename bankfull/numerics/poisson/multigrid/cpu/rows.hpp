#pragma once

#include "bankfull/core/base/host_device.hpp"
#include "bankfull/core/base/pack.hpp"
#include "bankfull/numerics/poisson/multigrid/point.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace bankfull::poisson::multigrid {

// The steps of multigrid on a row of cells along k. Rows of the outer iterate are plain; those of
// the corrections are split into the cells of even k and the cells of odd k: one colour of a row
// is then one run of memory, and so are its neighbours.

/// What cells need beside themselves for the Laplacian: the values around and the coefficients.
template <class T>
struct Surroundings {
  const T* below_i;
  const T* above_i;
  const T* below_j;
  const T* above_j;
  const T* below_k;
  const T* above_k;
  T lower_i;
  T upper_i;
  T lower_j;
  T upper_j;
  const T* lower_k;
  const T* upper_k;
};

template <class T>
BANKFULL_ALWAYS_INLINE Faces<T> coefficients_at(const Surroundings<T>& around, std::int64_t k) {
  return {around.lower_i, around.upper_i,    around.lower_j,
          around.upper_j, around.lower_k[k], around.upper_k[k]};
}

template <class T>
BANKFULL_ALWAYS_INLINE Faces<T> values_at(const Surroundings<T>& around, std::int64_t k) {
  return {around.below_i[k], around.above_i[k], around.below_j[k],
          around.above_j[k], around.below_k[k], around.above_k[k]};
}

/// The same of a pack of cells.
template <class T>
BANKFULL_ALWAYS_INLINE Faces<Pack<T>> packs_of_coefficients(const Surroundings<T>& around,
                                                            std::int64_t k) {
  using P = Pack<T>;
  return {P::broadcast(around.lower_i), P::broadcast(around.upper_i), P::broadcast(around.lower_j),
          P::broadcast(around.upper_j), P::load(around.lower_k + k),  P::load(around.upper_k + k)};
}

template <class T>
BANKFULL_ALWAYS_INLINE Faces<Pack<T>> packs_of_values(const Surroundings<T>& around,
                                                      std::int64_t k) {
  using P = Pack<T>;
  return {P::load(around.below_i + k), P::load(around.above_i + k), P::load(around.below_j + k),
          P::load(around.above_j + k), P::load(around.below_k + k), P::load(around.above_k + k)};
}

/// Cell k of a row is even[k / 2] or odd[k / 2]. There is a ghost cell at both ends, odd[-1] and
/// beyond the last cell: across a periodic end the value beyond it, at a wall 0, which its
/// coefficient makes nothing of.
template <class T>
struct SplitRow {
  T* even;
  T* odd;

  [[nodiscard]] T* half(int parity) const { return parity == 0 ? even : odd; }
};

/// Cells of even k in a row of n, and of odd k.
constexpr std::int64_t half_count(std::int64_t n, int parity) { return (n + 1 - parity) / 2; }

template <class T>
BANKFULL_ALWAYS_INLINE void close_row(bool periodic, std::int64_t n, SplitRow<T> row) {
  const std::int64_t evens = half_count(n, 0);
  const std::int64_t odds = half_count(n, 1);
  const bool is_odd = n % 2 != 0;
  const T last = is_odd ? row.even[evens - 1] : row.odd[odds - 1];
  row.odd[-1] = periodic ? last : T{0};
  (is_odd ? row.odd[odds] : row.even[evens]) = periodic ? row.even[0] : T{0};
}

template <class T>
BANKFULL_ALWAYS_INLINE void close_row(bool periodic, std::int64_t n, T* row) {
  const T first = row[0];
  const T last = row[n - 1];
  row[-1] = periodic ? last : T{0};
  row[n] = periodic ? first : T{0};
}

template <class T>
inline void split_row(const T* __restrict plain, std::int64_t n, SplitRow<T> row) {
  T* __restrict const even = row.even;
  T* __restrict const odd = row.odd;
  const std::int64_t pairs = n / 2;
#pragma omp simd
  for (std::int64_t m = 0; m < pairs; ++m) {
    even[m] = plain[2 * m];
    odd[m] = plain[2 * m + 1];
  }
  if (n % 2 != 0) {
    even[pairs] = plain[2 * pairs];
  }
}

template <class T>
inline void join_row(const T* __restrict even, const T* __restrict odd, std::int64_t n,
                     T* __restrict plain) {
  const std::int64_t pairs = n / 2;
#pragma omp simd
  for (std::int64_t m = 0; m < pairs; ++m) {
    plain[2 * m] = even[m];
    plain[2 * m + 1] = odd[m];
  }
  if (n % 2 != 0) {
    plain[2 * pairs] = even[pairs];
  }
}

/// Asks the caches for n values. Half rows are too short for processors to notice that the next
/// ones will be wanted too.
template <class T>
inline void prefetch_values(const T* values, std::int64_t n) {
  constexpr std::int64_t line = 64 / sizeof(T);
  for (std::int64_t m = 0; m < n; m += line) {
    __builtin_prefetch(values + m);
  }
}

template <class T>
inline void prefetch_row(SplitRow<T> row, std::int64_t n) {
  prefetch_values(row.even, half_count(n, 0));
  prefetch_values(row.odd, half_count(n, 1));
}

// Operations on half a row: `n` counts the cells of one parity.

/// The inverse of the diagonal.
template <class T>
inline void form_inverses(Surroundings<T> around, std::int64_t n, T* __restrict inverse) {
#pragma omp simd
  for (std::int64_t m = 0; m < n; ++m) {
    inverse[m] = inverse_of(diagonal(coefficients_at(around, m)));
  }
}

/// Gauss-Seidel.
template <class T>
BANKFULL_ALWAYS_INLINE void relax_half(Surroundings<T> around, T omega, const T* inverse,
                                       const T* r, std::int64_t n, T* e) {
#pragma omp simd
  for (std::int64_t m = 0; m < n; ++m) {
    const T sum = neighbour_sum(coefficients_at(around, m), values_at(around, m));
    e[m] = relaxed(omega, inverse[m], e[m], sum, r[m]);
  }
}

/// The same where e was 0 everywhere.
template <class T>
BANKFULL_ALWAYS_INLINE void start_half(T omega, const T* __restrict inverse, const T* __restrict r,
                                       std::int64_t n, T* __restrict e) {
#pragma omp simd
  for (std::int64_t m = 0; m < n; ++m) {
    e[m] = relaxed(omega, inverse[m], T{0}, T{0}, r[m]);
  }
}

/// Whether a row is the first that a sum gets: what is there already does not count.
enum class Place { first, further };

/// sum += weight (r - L e)
template <Place At, class T>
BANKFULL_ALWAYS_INLINE void add_residual_half(Surroundings<T> around, const T* __restrict r,
                                              const T* __restrict e, T weight, std::int64_t n,
                                              T* __restrict sum) {
  using std::fma;
#pragma omp simd
  for (std::int64_t m = 0; m < n; ++m) {
    const Faces<T> coefficients = coefficients_at(around, m);
    const T residual = inner_residual(diagonal(coefficients), e[m],
                                      neighbour_sum(coefficients, values_at(around, m)), r[m]);
    sum[m] = fma(weight, residual, At == Place::first ? T{0} : sum[m]);
  }
}

/// sum += weight r
template <Place At, class T>
BANKFULL_ALWAYS_INLINE void add_half(const T* __restrict r, T weight, std::int64_t n,
                                     T* __restrict sum) {
  using std::fma;
#pragma omp simd
  for (std::int64_t m = 0; m < n; ++m) {
    sum[m] = fma(weight, r[m], At == Place::first ? T{0} : sum[m]);
  }
}

/// Weights or values of a row's even cells and of its odd ones.
template <class T>
struct Halves {
  const T* even;
  const T* odd;
};

/// Children to n parents.
template <class T>
inline void merge_halves(Halves<T> sums, Halves<T> restriction_weights, std::int64_t n,
                         T* __restrict coarse) {
  using std::fma;
#pragma omp simd
  for (std::int64_t c = 0; c < n; ++c) {
    coarse[c] =
        fma(restriction_weights.even[c], sums.even[c], restriction_weights.odd[c] * sums.odd[c]);
  }
}

/// The coarse rows between which a row lies: its parents along i and j.
template <class T>
struct CoarseRows {
  const T* own;      ///< the parent of both
  const T* other_j;  ///< the parent along i, the other parent along j
  const T* other_i;
  const T* other_both;
  T weight_i;
  T weight_j;
};

template <class T>
BANKFULL_ALWAYS_INLINE void blend_halves(CoarseRows<T> rows, std::int64_t n, T* __restrict blend) {
#pragma omp simd
  for (std::int64_t c = 0; c < n; ++c) {
    const T own = interpolated(rows.weight_j, rows.own[c], rows.other_j[c]);
    const T other = interpolated(rows.weight_j, rows.other_i[c], rows.other_both[c]);
    blend[c] = interpolated(rows.weight_i, own, other);
  }
}

/// Half of e = `parent` and `other` interpolated, plus e where it is kept.
template <class T>
inline void spread_half(const T* __restrict parent, const T* __restrict other,
                        const T* __restrict interpolation_weight, std::int64_t n, bool keeps,
                        T* __restrict e) {
#pragma omp simd
  for (std::int64_t m = 0; m < n; ++m) {
    e[m] = interpolated(interpolation_weight[m], parent[m], other[m]) + (keeps ? e[m] : T{0});
  }
}

template <class T>
inline void copy_half(const T* __restrict values, std::int64_t n, bool keeps, T* __restrict e) {
#pragma omp simd
  for (std::int64_t m = 0; m < n; ++m) {
    e[m] = values[m] + (keeps ? e[m] : T{0});
  }
}

// Operations on a whole row.

/// Whether rows of these are done in packs: what tests count with is done cell by cell.
template <class Real, class T>
constexpr bool has_packs = std::is_floating_point_v<Real>&& std::is_same_v<T, float>;

/// How many cells of a row are in whole packs of T.
template <class Real, class T>
constexpr std::int64_t cells_in_packs(std::int64_t n) {
  if constexpr (has_packs<Real, T>) {
    return n - n % Pack<T>::width;
  } else {
    return 0;
  }
}

/// Rows that will be wanted from memory, which the caches are asked for bit by bit while another
/// row is done: asked for at once they fill the queue that all other misses of the first cache have
/// to go through.
template <std::size_t Plain, class Real, class T>
struct RowsAhead {
  std::array<const Real*, Plain> plain;
  SplitRow<T> split;

  /// What as many cells as a pack of T has, from k on, take of each row.
  BANKFULL_ALWAYS_INLINE void prefetch(std::int64_t k) const {
    for (const Real* row : plain) {
      prefetch_values(row + k, Pack<T>::width);
    }
    // Two such packs of cells share a line of either half.
    const bool is_first = k % (2 * Pack<T>::width) == 0;
    __builtin_prefetch((is_first ? split.even : split.odd) + k / 2);
  }
};

/// p = factor e, plus p where it is kept, for a pack of cells.
template <bool Keeps, int Half, class Real>
BANKFULL_ALWAYS_INLINE void correct_pack(const Pack<float>& e, Real factor, Real* p) {
  using P = Pack<Real>;
  const P kept = Keeps ? P::load(p) : P::broadcast(Real{0});
  if constexpr (std::is_same_v<Real, double>) {
    fma(factor, widened_half<Half>(e), kept).store(p);
  } else {
    fma(factor, e, kept).store(p);
  }
}

/// The same for the packs of a row. e is plain.
template <bool Keeps, class Real, class T>
BANKFULL_ALWAYS_INLINE void correct_packs(const T* e, Real factor, std::int64_t n,
                                          const RowsAhead<1, Real, T>& ahead, Real* p) {
  for (std::int64_t k = 0; k < n; k += Pack<T>::width) {
    ahead.prefetch(k);
    const Pack<T> correction = Pack<T>::load(e + k);
    correct_pack<Keeps, 0>(correction, factor, p + k);
    if constexpr (std::is_same_v<Real, double>) {
      correct_pack<Keeps, 1>(correction, factor, p + k + Pack<Real>::width);
    }
  }
}

/// p = factor e, plus p where it is kept
template <class Real, class T>
void correct_row(const T* __restrict e, bool keeps, Real factor, std::int64_t n,
                 const RowsAhead<1, Real, T>& ahead, Real* __restrict p) {
  using std::fma;
  const std::int64_t in_packs = cells_in_packs<Real, T>(n);
  if constexpr (has_packs<Real, T>) {
    keeps ? correct_packs<true>(e, factor, in_packs, ahead, p)
          : correct_packs<false>(e, factor, in_packs, ahead, p);
  }
#pragma omp simd
  for (std::int64_t k = in_packs; k < n; ++k) {
    p[k] = fma(factor, static_cast<Real>(e[k]), keeps ? p[k] : Real{0});
  }
}

/// A magnitude as an integer that orders alike, NaN above all: the largest of them does not hide a
/// field that blew up.
template <class Real>
using MagnitudeBits = std::conditional_t<sizeof(Real) == 8, std::int64_t, std::int32_t>;

template <class Real>
BANKFULL_ALWAYS_INLINE MagnitudeBits<Real> magnitude_bits(Real value) {
  return std::bit_cast<MagnitudeBits<Real>>(std::abs(value));
}

/// What turns a right side into a residual for the correction.
template <class Real>
struct Outer {
  Real mean;   ///< of f, subtracted
  Real scale;  ///< what the correction's residual is multiplied by
};

/// r = scale (f - mean - L p) for the packs of a row; returns the largest |f - mean - L p|.
template <class Real, class T>
BANKFULL_ALWAYS_INLINE MagnitudeBits<Real> defect_packs(const Surroundings<Real>& around,
                                                        const Real* f, const Real* p,
                                                        const Outer<Real>& outer, std::int64_t n,
                                                        const RowsAhead<2, Real, T>& ahead, T* r) {
  using P = Pack<Real>;
  const P mean = P::broadcast(outer.mean);
  LargestMagnitude<Real> largest;
  for (std::int64_t first = 0; first < n; first += Pack<T>::width) {
    ahead.prefetch(first);
    for (std::int64_t k = first; k < first + Pack<T>::width; k += P::width) {
      const P defect =
          (P::load(f + k) - mean) -
          laplacian(packs_of_coefficients(around, k), P::load(p + k), packs_of_values(around, k));
      largest.add(defect);
      store_rounded(outer.scale * defect, r + k);
    }
  }
  return largest.bits();
}

/// The same for a whole row.
template <class Real, class T>
MagnitudeBits<Real> defect_row(const Surroundings<Real>& around, const Real* __restrict f,
                               const Real* __restrict p, const Outer<Real>& outer, std::int64_t n,
                               const RowsAhead<2, Real, T>& ahead, T* __restrict r) {
  const std::int64_t in_packs = cells_in_packs<Real, T>(n);
  MagnitudeBits<Real> largest = 0;
  if constexpr (has_packs<Real, T>) {
    largest = defect_packs(around, f, p, outer, in_packs, ahead, r);
  }
#pragma omp simd reduction(max : largest)
  for (std::int64_t k = in_packs; k < n; ++k) {
    const Real defect =
        (f[k] - outer.mean) - laplacian(coefficients_at(around, k), p[k], values_at(around, k));
    largest = std::max(largest, magnitude_bits(defect));
    r[k] = static_cast<T>(outer.scale * defect);
  }
  return largest;
}

/// The same for p = 0.
template <class Real, class T>
MagnitudeBits<Real> right_side_row(const Real* __restrict f, Outer<Real> outer, std::int64_t n,
                                   T* __restrict r) {
  MagnitudeBits<Real> largest = 0;
#pragma omp simd reduction(max : largest)
  for (std::int64_t k = 0; k < n; ++k) {
    const Real defect = f[k] - outer.mean;
    largest = std::max(largest, magnitude_bits(defect));
    r[k] = static_cast<T>(outer.scale * defect);
  }
  return largest;
}

/// What is to be known of a right side before it is solved for.
template <class Real>
struct RowSurvey {
  double sum = 0.0;  ///< weighted
  MagnitudeBits<Real> largest = 0;
};

template <class Real>
RowSurvey<Real> survey_row(const Real* f, const double* weight, std::int64_t n) {
  using std::fma;
  double sum = 0.0;
  MagnitudeBits<Real> largest = 0;
#pragma omp simd reduction(+ : sum) reduction(max : largest)
  for (std::int64_t k = 0; k < n; ++k) {
    sum = std::fma(weight[k], static_cast<double>(f[k]), sum);
    largest = std::max(largest, magnitude_bits(f[k]));
  }
  return {sum, largest};
}

}  // namespace bankfull::poisson::multigrid
