#pragma once

#include "bankfull/core/base/host_device.hpp"
#include "bankfull/numerics/poisson/multigrid/point.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <type_traits>

namespace bankfull::poisson::multigrid {

// The steps of multigrid on a row of cells along k. Rows have a ghost cell at both ends: across a
// periodic end the value beyond it, at a wall 0, which its coefficient makes nothing of.

/// What a row's Laplacian needs beside the row itself: the rows around it and the coefficients.
template <class T>
struct Surroundings {
  const T* below_i;
  const T* above_i;
  const T* below_j;
  const T* above_j;
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
BANKFULL_ALWAYS_INLINE Faces<T> values_at(const Surroundings<T>& around, const T* row,
                                          std::int64_t k) {
  return {around.below_i[k], around.above_i[k], around.below_j[k],
          around.above_j[k], row[k - 1],        row[k + 1]};
}

template <class T>
void close_row(bool periodic, std::int64_t n, T* row) {
  const T first = row[0];
  const T last = row[n - 1];
  row[-1] = periodic ? last : T{0};
  row[n] = periodic ? first : T{0};
}

/// The factors of one colour's relaxation; 0 for the cells of the other, which thereby stay.
struct ColourFactors {
  const float* omega;
  const float* gain;
};

/// Gauss-Seidel on one colour of a row. The result goes to a row of its own first: written in
/// place, its last values would still be on their way to the cache when the next vector of cells
/// wants them as its neighbours, and processors wait for such loads.
inline void relax_row(Surroundings<float> around, ColourFactors colour, const float* __restrict r,
                      const float* __restrict e, std::int64_t n, float* __restrict result) {
#pragma omp simd
  for (std::int64_t k = 0; k < n; ++k) {
    const float sum = neighbour_sum(coefficients_at(around, k), values_at(around, e, k));
    result[k] = relaxed(colour.omega[k], colour.gain[k], e[k], sum, r[k]);
  }
}

/// The same where e was 0 everywhere.
inline void start_row(ColourFactors colour, const float* r, std::int64_t n, float* e) {
#pragma omp simd
  for (std::int64_t k = 0; k < n; ++k) {
    e[k] = relaxed(colour.omega[k], colour.gain[k], 0.0F, 0.0F, r[k]);
  }
}

/// Whether a row is the first that a sum gets: what is there already does not count.
enum class Place { first, further };

/// sum += weight (r - L e)
template <Place place>
void add_residual_row(Surroundings<float> around, const float* __restrict r,
                      const float* __restrict e, float weight, std::int64_t n,
                      float* __restrict sum) {
#pragma omp simd
  for (std::int64_t k = 0; k < n; ++k) {
    const Faces<float> coefficients = coefficients_at(around, k);
    const float residual = inner_residual(
        diagonal(coefficients), e[k], neighbour_sum(coefficients, values_at(around, e, k)), r[k]);
    sum[k] = std::fma(weight, residual, place == Place::first ? 0.0F : sum[k]);
  }
}

/// sum += weight r
template <Place place>
void add_row(const float* __restrict r, float weight, std::int64_t n, float* __restrict sum) {
#pragma omp simd
  for (std::int64_t k = 0; k < n; ++k) {
    sum[k] = std::fma(weight, r[k], place == Place::first ? 0.0F : sum[k]);
  }
}

/// Children to `coarse_n` parents; an odd row has a zero at its end, and a portion for it.
inline void merge_pairs(const float* __restrict sum, const float* __restrict portion,
                        std::int64_t coarse_n, float* __restrict coarse) {
#pragma omp simd
  for (std::int64_t c = 0; c < coarse_n; ++c) {
    coarse[c] = std::fma(portion[2 * c], sum[2 * c], portion[2 * c + 1] * sum[2 * c + 1]);
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

inline void blend_rows(CoarseRows rows, std::int64_t n, float* __restrict blend) {
#pragma omp simd
  for (std::int64_t c = 0; c < n; ++c) {
    const float own = interpolated(rows.nearness_j, rows.own[c], rows.other_j[c]);
    const float other = interpolated(rows.nearness_j, rows.other_i[c], rows.other_both[c]);
    blend[c] = interpolated(rows.nearness_i, own, other);
  }
}

/// e = blend interpolated to pairs of cells, plus e where it is kept; an odd row's pairs reach into
/// its ghost.
inline void spread_pairs(const float* __restrict blend, const float* __restrict nearness,
                         std::int64_t coarse_n, bool keeps, float* __restrict e) {
#pragma omp simd
  for (std::int64_t c = 0; c < coarse_n; ++c) {
    const float first = interpolated(nearness[2 * c], blend[c], blend[c - 1]);
    const float second = interpolated(nearness[2 * c + 1], blend[c], blend[c + 1]);
    e[2 * c] = first + (keeps ? e[2 * c] : 0.0F);
    e[2 * c + 1] = second + (keeps ? e[2 * c + 1] : 0.0F);
  }
}

inline void spread_row(const float* __restrict blend, std::int64_t n, bool keeps,
                       float* __restrict e) {
#pragma omp simd
  for (std::int64_t k = 0; k < n; ++k) {
    e[k] = blend[k] + (keeps ? e[k] : 0.0F);
  }
}

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
        (f[k] - outer.mean) - laplacian(coefficients_at(around, k), p[k], values_at(around, p, k));
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
