#include "bankfull/numerics/fft/lane_fft.hpp"

#include "bankfull/core/base/expects.hpp"
#include "bankfull/core/base/host_device.hpp"

#include <bit>
#include <cmath>
#include <numbers>
#include <utility>

// Stockham's self-sorting algorithm in steps of four (C. Van Loan, Computational Frameworks for the
// Fast Fourier Transform, section 1.7): a step takes n-point transforms, of which there are
// `stride` side by side, to four times as many of n / 4 points.

namespace bankfull {
namespace {

constexpr std::int64_t block = LaneFft::block;

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

Factor factor_of(const std::complex<double>& root) { return {root.real(), root.imag()}; }

BANKFULL_ALWAYS_INLINE void butterfly4(const Parts& at, const double* from, std::int64_t apart,
                                       double* to, std::int64_t stride, const Factor& w1,
                                       const Factor& w2, const Factor& w3) {
  const double* __restrict const a = from;
  const double* __restrict const b = from + apart;
  const double* __restrict const c = from + 2 * apart;
  const double* __restrict const d = from + 3 * apart;
  double* __restrict const y0 = to;
  double* __restrict const y1 = to + stride;
  double* __restrict const y2 = to + 2 * stride;
  double* __restrict const y3 = to + 3 * stride;
#pragma omp simd
  for (std::int64_t l = 0; l < LaneFft::lanes; ++l) {
    const std::int64_t re = at.re + l;
    const std::int64_t im = at.im + l;
    const double sum_ac_re = a[re] + c[re];
    const double sum_ac_im = a[im] + c[im];
    const double difference_ac_re = a[re] - c[re];
    const double difference_ac_im = a[im] - c[im];
    const double sum_bd_re = b[re] + d[re];
    const double sum_bd_im = b[im] + d[im];
    const double difference_bd_re = b[re] - d[re];
    const double difference_bd_im = b[im] - d[im];
    y0[re] = sum_ac_re + sum_bd_re;
    y0[im] = sum_ac_im + sum_bd_im;
    const double t1_re = difference_ac_re + difference_bd_im;
    const double t1_im = difference_ac_im - difference_bd_re;
    y1[re] = std::fma(w1.re, t1_re, -(w1.im * t1_im));
    y1[im] = std::fma(w1.re, t1_im, w1.im * t1_re);
    const double t2_re = sum_ac_re - sum_bd_re;
    const double t2_im = sum_ac_im - sum_bd_im;
    y2[re] = std::fma(w2.re, t2_re, -(w2.im * t2_im));
    y2[im] = std::fma(w2.re, t2_im, w2.im * t2_re);
    const double t3_re = difference_ac_re - difference_bd_im;
    const double t3_im = difference_ac_im + difference_bd_re;
    y3[re] = std::fma(w3.re, t3_re, -(w3.im * t3_im));
    y3[im] = std::fma(w3.re, t3_im, w3.im * t3_re);
  }
}

void step4(const Parts& at, const std::complex<double>* roots, std::int64_t n, std::int64_t stride,
           const double* from, double* to) {
  const std::int64_t quarter = n / 4;
  for (std::int64_t p = 0; p < quarter; ++p) {
    const Factor w1 = factor_of(roots[p * stride]);
    const Factor w2 = factor_of(roots[2 * p * stride]);
    const Factor w3 = factor_of(roots[3 * p * stride]);
    for (std::int64_t q = 0; q < stride; ++q) {
      butterfly4(at, from + (q + stride * p) * block, stride * quarter * block,
                 to + (q + stride * 4 * p) * block, stride * block, w1, w2, w3);
    }
  }
}

/// The last step where the size is no power of four: transforms of two points.
void step2(std::int64_t stride, const double* from, double* to) {
  const std::int64_t half = stride * block;
  const double* __restrict const x = from;
  double* __restrict const y = to;
#pragma omp simd
  for (std::int64_t n = 0; n < half; ++n) {
    y[n] = x[n] + x[n + half];
    y[n + half] = x[n] - x[n + half];
  }
}

}  // namespace

LaneFft::LaneFft(std::int64_t n) : n_(n), roots_(static_cast<std::size_t>(n)) {
  expects(n >= 2 && std::has_single_bit(static_cast<std::uint64_t>(n)), "a power of two");
  for (std::int64_t k = 0; k < n; ++k) {
    const double angle = -2.0 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(n);
    roots_[static_cast<std::size_t>(k)] = {std::cos(angle), std::sin(angle)};
  }
}

double* LaneFft::transform(Sign sign, double* data, double* other) const {
  const Parts at = sign == Sign::minus ? Parts{0, lanes} : Parts{lanes, 0};
  std::int64_t n = n_;
  std::int64_t stride = 1;
  for (; n >= 4; n /= 4, stride *= 4) {
    step4(at, roots_.data(), n, stride, data, other);
    std::swap(data, other);
  }
  if (n == 2) {
    step2(stride, data, other);
    std::swap(data, other);
  }
  return data;
}

}  // namespace bankfull
