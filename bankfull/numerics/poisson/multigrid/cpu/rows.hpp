#pragma once

#include "bankfull/core/base/host_device.hpp"
#include "bankfull/numerics/poisson/multigrid/point.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
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

/// Cell k of a row is even[k / 2] or odd[k / 2]. There is a ghost cell at both ends, odd[-1] and
/// beyond the last cell: across a periodic end the value beyond it, at a wall 0, which its
/// coefficient makes nothing of.
struct SplitRow {
  float* even;
  float* odd;

  [[nodiscard]] float* half(int parity) const { return parity == 0 ? even : odd; }
};

/// Cells of even k in a row of n, and of odd k.
constexpr std::int64_t half_count(std::int64_t n, int parity) { return (n + 1 - parity) / 2; }

inline void close_row(bool periodic, std::int64_t n, SplitRow row) {
  const std::int64_t evens = half_count(n, 0);
  const std::int64_t odds = half_count(n, 1);
  const bool is_odd = n % 2 != 0;
  const float last = is_odd ? row.even[evens - 1] : row.odd[odds - 1];
  row.odd[-1] = periodic ? last : 0.0F;
  (is_odd ? row.odd[odds] : row.even[evens]) = periodic ? row.even[0] : 0.0F;
}

template <class T>
void close_row(bool periodic, std::int64_t n, T* row) {
  const T first = row[0];
  const T last = row[n - 1];
  row[-1] = periodic ? last : T{0};
  row[n] = periodic ? first : T{0};
}

inline void split_row(const float* __restrict plain, std::int64_t n, SplitRow row) {
  float* __restrict const even = row.even;
  float* __restrict const odd = row.odd;
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

inline void join_row(const float* __restrict even, const float* __restrict odd, std::int64_t n,
                     float* __restrict plain) {
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
void prefetch_values(const T* values, std::int64_t n) {
  constexpr std::int64_t line = 64 / sizeof(T);
  for (std::int64_t m = 0; m < n; m += line) {
    __builtin_prefetch(values + m);
  }
}

inline void prefetch_row(SplitRow row, std::int64_t n) {
  prefetch_values(row.even, half_count(n, 0));
  prefetch_values(row.odd, half_count(n, 1));
}

// Of half a row: `n` counts the cells of one parity.

/// The factors of relaxation.
inline void form_gains(Surroundings<float> around, float omega, std::int64_t n,
                       float* __restrict gain) {
#pragma omp simd
  for (std::int64_t m = 0; m < n; ++m) {
    gain[m] = relaxation_gain(omega, diagonal(coefficients_at(around, m)));
  }
}

/// Gauss-Seidel.
BANKFULL_ALWAYS_INLINE void relax_half(Surroundings<float> around, float omega, const float* gain,
                                       const float* r, std::int64_t n, float* e) {
#pragma omp simd
  for (std::int64_t m = 0; m < n; ++m) {
    const float sum = neighbour_sum(coefficients_at(around, m), values_at(around, m));
    e[m] = relaxed(omega, gain[m], e[m], sum, r[m]);
  }
}

/// The same where e was 0 everywhere.
BANKFULL_ALWAYS_INLINE void start_half(float omega, const float* __restrict gain,
                                       const float* __restrict r, std::int64_t n,
                                       float* __restrict e) {
#pragma omp simd
  for (std::int64_t m = 0; m < n; ++m) {
    e[m] = relaxed(omega, gain[m], 0.0F, 0.0F, r[m]);
  }
}

/// Whether a row is the first that a sum gets: what is there already does not count.
enum class Place { first, further };

/// sum += weight (r - L e)
template <Place At>
BANKFULL_ALWAYS_INLINE void add_residual_half(Surroundings<float> around, const float* __restrict r,
                                              const float* __restrict e, float weight,
                                              std::int64_t n, float* __restrict sum) {
#pragma omp simd
  for (std::int64_t m = 0; m < n; ++m) {
    const Faces<float> coefficients = coefficients_at(around, m);
    const float residual = inner_residual(diagonal(coefficients), e[m],
                                          neighbour_sum(coefficients, values_at(around, m)), r[m]);
    sum[m] = std::fma(weight, residual, At == Place::first ? 0.0F : sum[m]);
  }
}

/// sum += weight r
template <Place At>
BANKFULL_ALWAYS_INLINE void add_half(const float* __restrict r, float weight, std::int64_t n,
                                     float* __restrict sum) {
#pragma omp simd
  for (std::int64_t m = 0; m < n; ++m) {
    sum[m] = std::fma(weight, r[m], At == Place::first ? 0.0F : sum[m]);
  }
}

/// Weights or values of a row's even cells and of its odd ones.
struct Halves {
  const float* even;
  const float* odd;
};

/// Children to n parents.
inline void merge_halves(Halves sums, Halves portions, std::int64_t n, float* __restrict coarse) {
#pragma omp simd
  for (std::int64_t c = 0; c < n; ++c) {
    coarse[c] = std::fma(portions.even[c], sums.even[c], portions.odd[c] * sums.odd[c]);
  }
}

/// The coarse rows between which a row lies: its parents along i and j.
struct CoarseRows {
  const float* own;      ///< the parent of both
  const float* other_j;  ///< the parent along i, the other parent along j
  const float* other_i;
  const float* other_both;
  float nearness_i;
  float nearness_j;
};

BANKFULL_ALWAYS_INLINE void blend_halves(CoarseRows rows, std::int64_t n, float* __restrict blend) {
#pragma omp simd
  for (std::int64_t c = 0; c < n; ++c) {
    const float own = interpolated(rows.nearness_j, rows.own[c], rows.other_j[c]);
    const float other = interpolated(rows.nearness_j, rows.other_i[c], rows.other_both[c]);
    blend[c] = interpolated(rows.nearness_i, own, other);
  }
}

/// Half of e = `parent` and `other` interpolated, plus e where it is kept.
inline void spread_half(const float* __restrict parent, const float* __restrict other,
                        const float* __restrict nearness, std::int64_t n, bool keeps,
                        float* __restrict e) {
#pragma omp simd
  for (std::int64_t m = 0; m < n; ++m) {
    e[m] = interpolated(nearness[m], parent[m], other[m]) + (keeps ? e[m] : 0.0F);
  }
}

inline void copy_half(const float* __restrict values, std::int64_t n, bool keeps,
                      float* __restrict e) {
#pragma omp simd
  for (std::int64_t m = 0; m < n; ++m) {
    e[m] = values[m] + (keeps ? e[m] : 0.0F);
  }
}

// Of a plain row.

/// p = factor e, plus p where it is kept
template <class Real>
void correct_row(const float* __restrict e, bool keeps, Real factor, std::int64_t n,
                 Real* __restrict p) {
#pragma omp simd
  for (std::int64_t k = 0; k < n; ++k) {
    p[k] = std::fma(factor, static_cast<Real>(e[k]), keeps ? p[k] : Real{0});
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

/// r = scale (f - mean - L p); returns the largest |f - mean - L p|.
template <class Real>
MagnitudeBits<Real> defect_row(Surroundings<Real> around, const Real* __restrict f,
                               const Real* __restrict p, Outer<Real> outer, std::int64_t n,
                               float* __restrict r) {
  MagnitudeBits<Real> largest = 0;
#pragma omp simd reduction(max : largest)
  for (std::int64_t k = 0; k < n; ++k) {
    const Real defect =
        (f[k] - outer.mean) - laplacian(coefficients_at(around, k), p[k], values_at(around, k));
    largest = std::max(largest, magnitude_bits(defect));
    r[k] = static_cast<float>(outer.scale * defect);
  }
  return largest;
}

/// The same for p = 0.
template <class Real>
MagnitudeBits<Real> right_side_row(const Real* __restrict f, Outer<Real> outer, std::int64_t n,
                                   float* __restrict r) {
  MagnitudeBits<Real> largest = 0;
#pragma omp simd reduction(max : largest)
  for (std::int64_t k = 0; k < n; ++k) {
    const Real defect = f[k] - outer.mean;
    largest = std::max(largest, magnitude_bits(defect));
    r[k] = static_cast<float>(outer.scale * defect);
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
