#pragma once

#include "bankfull/core/base/host_device.hpp"
#include "bankfull/numerics/fft/lane_fft.hpp"

#include <cmath>
#include <utility>

// Stockham's self-sorting algorithm in steps of four (C. Van Loan, Computational Frameworks for the
// Fast Fourier Transform, section 1.7): a step takes n-point transforms, of which there are
// `stride` side by side, to four times as many of n / 4 points.

namespace bankfull {
namespace detail {

/// Where the real and the imaginary part of a block begin. Exchanging them on the way in and out
/// changes the sign in the exponent.
struct Parts {
  std::int64_t re;
  std::int64_t im;
};

struct Factor {
  double re;
  double im;
};

inline Factor factor_of(const std::complex<double>& root) { return {root.real(), root.imag()}; }

template <class T>
BANKFULL_ALWAYS_INLINE void butterfly4(const Parts& at, const T* from, std::int64_t apart, T* to,
                                       std::int64_t stride, const Factor& w1, const Factor& w2,
                                       const Factor& w3) {
  using std::fma;
  const T* __restrict const a = from;
  const T* __restrict const b = from + apart;
  const T* __restrict const c = from + 2 * apart;
  const T* __restrict const d = from + 3 * apart;
  T* __restrict const y0 = to;
  T* __restrict const y1 = to + stride;
  T* __restrict const y2 = to + 2 * stride;
  T* __restrict const y3 = to + 3 * stride;
#pragma omp simd
  for (std::int64_t l = 0; l < LaneFft::lanes; ++l) {
    const std::int64_t re = at.re + l;
    const std::int64_t im = at.im + l;
    const T sum_ac_re = a[re] + c[re];
    const T sum_ac_im = a[im] + c[im];
    const T difference_ac_re = a[re] - c[re];
    const T difference_ac_im = a[im] - c[im];
    const T sum_bd_re = b[re] + d[re];
    const T sum_bd_im = b[im] + d[im];
    const T difference_bd_re = b[re] - d[re];
    const T difference_bd_im = b[im] - d[im];
    y0[re] = sum_ac_re + sum_bd_re;
    y0[im] = sum_ac_im + sum_bd_im;
    const T t1_re = difference_ac_re + difference_bd_im;
    const T t1_im = difference_ac_im - difference_bd_re;
    y1[re] = fma(w1.re, t1_re, -(w1.im * t1_im));
    y1[im] = fma(w1.re, t1_im, w1.im * t1_re);
    const T t2_re = sum_ac_re - sum_bd_re;
    const T t2_im = sum_ac_im - sum_bd_im;
    y2[re] = fma(w2.re, t2_re, -(w2.im * t2_im));
    y2[im] = fma(w2.re, t2_im, w2.im * t2_re);
    const T t3_re = difference_ac_re - difference_bd_im;
    const T t3_im = difference_ac_im + difference_bd_re;
    y3[re] = fma(w3.re, t3_re, -(w3.im * t3_im));
    y3[im] = fma(w3.re, t3_im, w3.im * t3_re);
  }
}

template <class T>
void step4(const Parts& at, const std::complex<double>* roots, std::int64_t n, std::int64_t stride,
           const T* from, T* to) {
  const std::int64_t quarter = n / 4;
  for (std::int64_t p = 0; p < quarter; ++p) {
    const Factor w1 = factor_of(roots[p * stride]);
    const Factor w2 = factor_of(roots[2 * p * stride]);
    const Factor w3 = factor_of(roots[3 * p * stride]);
    for (std::int64_t q = 0; q < stride; ++q) {
      butterfly4(at, from + (q + stride * p) * LaneFft::block, stride * quarter * LaneFft::block,
                 to + (q + stride * 4 * p) * LaneFft::block, stride * LaneFft::block, w1, w2, w3);
    }
  }
}

/// The last step where the size is no power of four: transforms of two points.
template <class T>
void step2(std::int64_t stride, const T* from, T* to) {
  const std::int64_t half = stride * LaneFft::block;
  const T* __restrict const x = from;
  T* __restrict const y = to;
#pragma omp simd
  for (std::int64_t n = 0; n < half; ++n) {
    y[n] = x[n] + x[n + half];
    y[n + half] = x[n] - x[n + half];
  }
}

}  // namespace detail

template <class T>
T* LaneFft::transform(Sign sign, T* data, T* other) const {
  const detail::Parts at = sign == Sign::minus ? detail::Parts{0, lanes} : detail::Parts{lanes, 0};
  std::int64_t n = n_;
  std::int64_t stride = 1;
  for (; n >= 4; n /= 4, stride *= 4) {
    detail::step4(at, roots_.data(), n, stride, data, other);
    std::swap(data, other);
  }
  if (n == 2) {
    detail::step2(stride, data, other);
    std::swap(data, other);
  }
  return data;
}

}  // namespace bankfull
