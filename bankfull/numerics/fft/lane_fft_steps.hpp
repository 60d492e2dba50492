#pragma once

#include "bankfull/core/base/host_device.hpp"
#include "bankfull/core/base/register_tile.hpp"
#include "bankfull/core/base/vector_register.hpp"
#include "bankfull/numerics/fft/lane_fft.hpp"

#include <cmath>
#include <cstddef>
#include <numbers>
#include <type_traits>
#include <utility>

// Stockham's self-sorting algorithm (C. Van Loan, Computational Frameworks for the Fast Fourier
// Transform, section 1.7): a step of radix r takes n-point transforms, of which there are `stride`
// side by side, to r times as many of n / r points.

namespace bankfull {
namespace detail {

/// What steps do beside their own work: nothing.
struct NothingAside {
  BANKFULL_ALWAYS_INLINE void operator()() const {}
};

/// Where the real and the imaginary part of a block begin. Exchanging them on the way in and out
/// changes the sign in the exponent.
struct Parts {
  std::int64_t re;
  std::int64_t im;
};

template <class Real>
struct Factor {
  Real re;
  Real im;
};

template <class Real>
Factor<Real> factor_of(const std::complex<Real>& root) {
  return {root.real(), root.imag()};
}

/// As many lanes as a SIMD register has, or one where lanes are no numbers of the processor's.
template <class T>
struct LaneVector {
  using Type = T;
  static constexpr std::int64_t width = 1;

  static Type load(const T* from) { return *from; }
  static void store(const Type& x, T* to) { *to = x; }
  static Type multiply_add(double w, const Type& x, const Type& y) { return fma(w, x, y); }
};

template <class T>
requires std::is_floating_point_v<T>
struct LaneVector<T> {
  using Type = typename Register<T>::Native;
  static constexpr std::int64_t width = Register<T>::width;

  BANKFULL_ALWAYS_INLINE static Type load(const T* from) {
    return *reinterpret_cast<const typename Register<T>::Unaligned*>(from);
  }
  BANKFULL_ALWAYS_INLINE static void store(const Type& x, T* to) {
    *reinterpret_cast<typename Register<T>::Unaligned*>(to) = x;
  }
  BANKFULL_ALWAYS_INLINE static Type multiply_add(T w, const Type& x, const Type& y) {
    return fused_multiply_add(w - Type{}, x, y);
  }
};

/// Some lanes of a point.
template <class T>
struct LanePoint {
  using Lanes = typename LaneVector<T>::Type;

  Lanes re;
  Lanes im;

  BANKFULL_ALWAYS_INLINE friend LanePoint operator+(const LanePoint& x, const LanePoint& y) {
    return {x.re + y.re, x.im + y.im};
  }
  BANKFULL_ALWAYS_INLINE friend LanePoint operator-(const LanePoint& x, const LanePoint& y) {
    return {x.re - y.re, x.im - y.im};
  }
  template <class Real>
  BANKFULL_ALWAYS_INLINE friend LanePoint operator*(const Factor<Real>& w, const LanePoint& x) {
    return {LaneVector<T>::multiply_add(w.re, x.re, -(w.im * x.im)),
            LaneVector<T>::multiply_add(w.re, x.im, w.im * x.re)};
  }
};

/// x - i y and x + i y.
template <class T>
BANKFULL_ALWAYS_INLINE LanePoint<T> minus_i(const LanePoint<T>& x, const LanePoint<T>& y) {
  return {x.re + y.im, x.im - y.re};
}
template <class T>
BANKFULL_ALWAYS_INLINE LanePoint<T> plus_i(const LanePoint<T>& x, const LanePoint<T>& y) {
  return {x.re - y.im, x.im + y.re};
}

/// The transform of four points.
template <class T>
struct Four {
  LanePoint<T> of[4];

  BANKFULL_ALWAYS_INLINE Four(const LanePoint<T>& a, const LanePoint<T>& b, const LanePoint<T>& c,
                              const LanePoint<T>& d) {
    const LanePoint<T> sum_ac = a + c;
    const LanePoint<T> difference_ac = a - c;
    const LanePoint<T> sum_bd = b + d;
    const LanePoint<T> difference_bd = b - d;
    of[0] = sum_ac + sum_bd;
    of[1] = minus_i(difference_ac, difference_bd);
    of[2] = sum_ac - sum_bd;
    of[3] = plus_i(difference_ac, difference_bd);
  }
};

/// Points of a sequence, `apart` from each other in memory.
template <class T>
struct PointsIn {
  using Value = T;

  const T* data;
  std::int64_t apart;
  Parts at;

  BANKFULL_ALWAYS_INLINE LanePoint<T> operator()(std::int64_t n, std::int64_t lane) const {
    const T* const point = data + n * apart + lane;
    return {LaneVector<T>::load(point + at.re), LaneVector<T>::load(point + at.im)};
  }
};

template <class T>
struct PointsOut {
  T* data;
  std::int64_t apart;
  Parts at;

  BANKFULL_ALWAYS_INLINE void operator()(std::int64_t n, std::int64_t lane,
                                         const LanePoint<T>& x) const {
    T* const point = data + n * apart + lane;
    LaneVector<T>::store(x.re, point + at.re);
    LaneVector<T>::store(x.im, point + at.im);
  }
};

/// Sequences in blocks one after the other: a place that steps read points from and write them to.
template <class Real, class T>
struct Blocks {
  static constexpr std::int64_t block = LaneTransform<Real>::block;

  T* data;
  Parts at;

  /// Elements first, first + apart, ...
  [[nodiscard]] BANKFULL_ALWAYS_INLINE PointsIn<T> in(std::int64_t first,
                                                      std::int64_t apart) const {
    return {data + first * block, apart * block, at};
  }
  [[nodiscard]] BANKFULL_ALWAYS_INLINE PointsOut<T> out(std::int64_t first,
                                                        std::int64_t apart) const {
    return {data + first * block, apart * block, at};
  }
};

/// Elements of columns, as Blocks has those of blocks. Exchanged: real and imaginary parts, as
/// Parts does.
template <class T, bool Exchanged, class Rows>
struct ColumnsIn {
  Rows rows;

  struct Points {
    using Value = T;

    Rows rows;
    std::int64_t first;
    std::int64_t apart;

    BANKFULL_ALWAYS_INLINE LanePoint<T> operator()(std::int64_t n, std::int64_t lane) const {
      const LanePoint<T> x = rows.load(first + n * apart, 2 * lane);
      return Exchanged ? LanePoint<T>{x.im, x.re} : x;
    }
  };

  [[nodiscard]] BANKFULL_ALWAYS_INLINE Points in(std::int64_t first, std::int64_t apart) const {
    return {rows, first, apart};
  }
};

template <class T, bool Exchanged, class Rows>
struct ColumnsOut {
  Rows rows;

  struct Points {
    Rows rows;
    std::int64_t first;
    std::int64_t apart;

    BANKFULL_ALWAYS_INLINE void operator()(std::int64_t n, std::int64_t lane,
                                           const LanePoint<T>& x) const {
      rows.store(first + n * apart, 2 * lane, Exchanged ? LanePoint<T>{x.im, x.re} : x);
    }
  };

  [[nodiscard]] BANKFULL_ALWAYS_INLINE Points out(std::int64_t first, std::int64_t apart) const {
    return {rows, first, apart};
  }
};

/// By which a butterfly multiplies its results: w, w^2, ...
template <class Real, int Radix>
struct Twiddles {
  Factor<Real> of[static_cast<std::size_t>(Radix)];

  BANKFULL_ALWAYS_INLINE Twiddles(const std::complex<Real>* roots, std::int64_t step) {
    of[0] = {1, 0};
#pragma GCC unroll 8
    for (int n = 1; n < Radix; ++n) {
      of[n] = factor_of(roots[n * step]);
    }
  }
};

/// In the place of twiddles that are 1, as those of the last step.
template <int Radix>
struct NoTwiddles {
  struct One {
    template <class T>
    BANKFULL_ALWAYS_INLINE friend LanePoint<T> operator*(One /*one*/, const LanePoint<T>& x) {
      return x;
    }
  };

  One of[static_cast<std::size_t>(Radix)];
};

/// All points are read before the first result is stored.
template <int Radix, class Real, class In, class Out, class Roots>
requires(Radix == 2) BANKFULL_ALWAYS_INLINE
    void butterfly(const In& x, const Out& store, std::int64_t lane, const Roots& w) {
  const LanePoint<typename In::Value> sum = x(0, lane) + x(1, lane);
  const LanePoint<typename In::Value> difference = x(0, lane) - x(1, lane);
  store(0, lane, sum);
  store(1, lane, w.of[1] * difference);
}

template <int Radix, class Real, class In, class Out, class Roots>
requires(Radix == 4) BANKFULL_ALWAYS_INLINE
    void butterfly(const In& x, const Out& store, std::int64_t lane, const Roots& w) {
  const Four<typename In::Value> y(x(0, lane), x(1, lane), x(2, lane), x(3, lane));
  store(0, lane, y.of[0]);
  store(1, lane, w.of[1] * y.of[1]);
  store(2, lane, w.of[2] * y.of[2]);
  store(3, lane, w.of[3] * y.of[3]);
}

/// From the transforms of the even and of the odd points.
template <int Radix, class Real, class In, class Out, class Roots>
requires(Radix == 8) BANKFULL_ALWAYS_INLINE
    void butterfly(const In& x, const Out& store, std::int64_t lane, const Roots& w) {
  using T = typename In::Value;
  constexpr Real root_half = std::numbers::sqrt2_v<Real> / 2;
  const Four<T> even(x(0, lane), x(2, lane), x(4, lane), x(6, lane));
  const Four<T> odd(x(1, lane), x(3, lane), x(5, lane), x(7, lane));
  const LanePoint<T> odd_1{root_half * (odd.of[1].re + odd.of[1].im),
                           root_half * (odd.of[1].im - odd.of[1].re)};
  const LanePoint<T> odd_3{root_half * (odd.of[3].im - odd.of[3].re),
                           -(root_half * (odd.of[3].re + odd.of[3].im))};
  store(0, lane, even.of[0] + odd.of[0]);
  store(1, lane, w.of[1] * (even.of[1] + odd_1));
  store(2, lane, w.of[2] * minus_i(even.of[2], odd.of[2]));
  store(3, lane, w.of[3] * (even.of[3] + odd_3));
  store(4, lane, w.of[4] * (even.of[0] - odd.of[0]));
  store(5, lane, w.of[5] * (even.of[1] - odd_1));
  store(6, lane, w.of[6] * plus_i(even.of[2], odd.of[2]));
  store(7, lane, w.of[7] * (even.of[3] - odd_3));
}

template <int Radix, class Real, class From, class To, class Aside>
void step_of_twos(const std::complex<Real>* roots, std::int64_t n, std::int64_t stride, From from,
                  To to, Aside& aside) {
  using In = decltype(from.in(0, 0));
  const std::int64_t part = n / Radix;
  for (std::int64_t p = 0; p < part; ++p) {
    const Twiddles<Real, Radix> w(roots, p * stride);
    for (std::int64_t q = 0; q < stride; ++q) {
      aside();
      const auto in = from.in(q + stride * p, stride * part);
      const auto out = to.out(q + stride * Radix * p, stride);
      for (std::int64_t l = 0; l < LaneTransform<Real>::lanes;
           l += LaneVector<typename In::Value>::width) {
        butterfly<Radix, Real>(in, out, l, w);
      }
    }
  }
}

/// The last step, of as many points as its radix: multiplies by no roots. It may be in place. All
/// steps take places by value: registers are stored through types that may alias those of members.
template <int Radix, class Real, class From, class To, class Aside>
void last_step_of_twos(std::int64_t stride, From from, To to, Aside& aside) {
  using In = decltype(from.in(0, 0));
  for (std::int64_t q = 0; q < stride; ++q) {
    aside();
    const auto in = from.in(q, stride);
    const auto out = to.out(q, stride);
    for (std::int64_t l = 0; l < LaneTransform<Real>::lanes;
         l += LaneVector<typename In::Value>::width) {
      butterfly<Radix, Real>(in, out, l, NoTwiddles<Radix>{});
    }
  }
}

/// Result 0 of an odd number of points: their sum.
template <class T>
BANKFULL_ALWAYS_INLINE LanePoint<T> sum_of(int radix, const PointsIn<T>& x, std::int64_t lane) {
  LanePoint<T> sum = x(0, lane);
  for (int m = 1; 2 * m < radix; ++m) {
    sum = sum + (x(m, lane) + x(radix - m, lane));
  }
  return sum;
}

/// Results j and radix - j of an odd number of points: points m and radix - m have the same
/// products in both. Roots of `radix` are `turn` apart.
template <class Real, class T>
struct OddResults {
  using Lanes = LaneVector<T>;

  LanePoint<T> even;
  LanePoint<T> odd{};

  BANKFULL_ALWAYS_INLINE OddResults(int radix, int j, const PointsIn<T>& x, std::int64_t lane,
                                    const std::complex<Real>* roots, std::int64_t turn)
      : even(x(0, lane)) {
    for (int m = 1; 2 * m < radix; ++m) {
      const Factor<Real> root = factor_of(roots[j * m % radix * turn]);
      const LanePoint<T> sum = x(m, lane) + x(radix - m, lane);
      const LanePoint<T> difference = x(m, lane) - x(radix - m, lane);
      even = {Lanes::multiply_add(root.re, sum.re, even.re),
              Lanes::multiply_add(root.re, sum.im, even.im)};
      odd = {Lanes::multiply_add(root.im, difference.re, odd.re),
             Lanes::multiply_add(root.im, difference.im, odd.im)};
    }
  }

  [[nodiscard]] BANKFULL_ALWAYS_INLINE LanePoint<T> j() const { return plus_i(even, odd); }
  [[nodiscard]] BANKFULL_ALWAYS_INLINE LanePoint<T> mirror() const { return minus_i(even, odd); }
};

/// `Radix`: known to the compiler, or 0 for any.
template <int Radix, class Real, class T, class Aside>
void step_of_odd(int any_radix, const std::complex<Real>* roots, std::int64_t n,
                 std::int64_t stride, Blocks<Real, T> from, Blocks<Real, T> to, Aside& aside) {
  const int radix = Radix > 0 ? Radix : any_radix;
  const std::int64_t part = n / radix;
  for (std::int64_t p = 0; p < part; ++p) {
    for (std::int64_t q = 0; q < stride; ++q) {
      aside();
      const PointsIn<T> in = from.in(q + stride * p, stride * part);
      const PointsOut<T> out = to.out(q + stride * radix * p, stride);
      for (std::int64_t l = 0; l < LaneTransform<Real>::lanes; l += LaneVector<T>::width) {
        out(0, l, sum_of(radix, in, l));
        for (int j = 1; 2 * j < radix; ++j) {
          const OddResults<Real, T> both(radix, j, in, l, roots, stride * part);
          out(j, l, factor_of(roots[p * j * stride]) * both.j());
          out(radix - j, l, factor_of(roots[p * (radix - j) * stride]) * both.mirror());
        }
      }
    }
  }
}

template <class Real, class T, class Aside>
void step(int radix, const std::complex<Real>* roots, std::int64_t n, std::int64_t stride,
          Blocks<Real, T> from, Blocks<Real, T> to, Aside& aside) {
  switch (radix) {
    case 3:
      return step_of_odd<3>(radix, roots, n, stride, from, to, aside);
    case 4:
      return step_of_twos<4>(roots, n, stride, from, to, aside);
    case 5:
      return step_of_odd<5>(radix, roots, n, stride, from, to, aside);
    case 7:
      return step_of_odd<7>(radix, roots, n, stride, from, to, aside);
    case 8:
      return step_of_twos<8>(roots, n, stride, from, to, aside);
    default:
      return step_of_odd<0>(radix, roots, n, stride, from, to, aside);
  }
}

/// The first of several steps, of radix 4 or 8.
template <class Real, class From, class To>
void first_step(int radix, const std::complex<Real>* roots, std::int64_t n, From from, To to) {
  NothingAside aside;
  radix == 8 ? step_of_twos<8>(roots, n, 1, from, to, aside)
             : step_of_twos<4>(roots, n, 1, from, to, aside);
}

/// The last step, of radix 2, 4 or 8.
template <class Real, class From, class To, class Aside>
void last_step(int radix, std::int64_t stride, From from, To to, Aside& aside) {
  switch (radix) {
    case 2:
      return last_step_of_twos<2, Real>(stride, from, to, aside);
    case 4:
      return last_step_of_twos<4, Real>(stride, from, to, aside);
    default:
      return last_step_of_twos<8, Real>(stride, from, to, aside);
  }
}

/// Where the parts of blocks begin for a transform of this direction.
template <class Real>
constexpr Parts parts_of(FftSign sign) {
  constexpr std::int64_t lanes = LaneTransform<Real>::lanes;
  return sign == FftSign::minus ? Parts{0, lanes} : Parts{lanes, 0};
}

/// Elements in their order.
template <class Real, class From, class To>
void copy_elements(std::int64_t n, From from, To to) {
  using In = decltype(from.in(0, 0));
  const In in = from.in(0, 1);
  const auto out = to.out(0, 1);
  for (std::int64_t k = 0; k < n; ++k) {
    for (std::int64_t l = 0; l < LaneTransform<Real>::lanes;
         l += LaneVector<typename In::Value>::width) {
      out(k, l, in(k, l));
    }
  }
}

}  // namespace detail

using detail::LanePoint;
using detail::LaneVector;

template <class Real>
template <class T>
T* LaneTransform<Real>::transform(Sign sign, T* data, T* other) const {
  detail::NothingAside aside;
  return transform_beside(sign, data, other, aside);
}

template <class Real>
template <class T, class Aside>
T* LaneTransform<Real>::transform_beside(Sign sign, T* data, T* other, Aside& aside) const {
  return steps_from(0, n_, 1, sign, data, other, aside);
}

template <class Real>
template <class In, class T, class Aside>
T* LaneTransform<Real>::transform_from(const In& in, T* data, T* other, Aside& aside) const {
  const int radix = radices_.front();
  const detail::Blocks<Real, T> to{data, detail::parts_of<Real>(Sign::minus)};
  radix == 8 ? detail::step_of_twos<8>(roots_.data(), n_, 1, in, to, aside)
             : detail::step_of_twos<4>(roots_.data(), n_, 1, in, to, aside);
  return steps_from(1, n_ / radix, radix, Sign::minus, data, other, aside);
}

template <class Real>
template <class T, class Aside>
T* LaneTransform<Real>::steps_from(std::size_t step, std::int64_t n, std::int64_t stride, Sign sign,
                                   T* data, T* other, Aside& aside) const {
  const detail::Parts at = detail::parts_of<Real>(sign);
  using Blocks = detail::Blocks<Real, T>;
  // With the 16 registers of AVX2 that measured slower.
  constexpr bool in_place = register_count >= 32;
  for (; step < radices_.size(); ++step) {
    const int radix = radices_[step];
    if (radix % 2 == 0 && n == radix) {
      T* const last = in_place ? data : other;
      detail::last_step<Real>(radix, stride, Blocks{data, at}, Blocks{last, at}, aside);
      return last;
    }
    detail::step(radix, roots_.data(), n, stride, Blocks{data, at}, Blocks{other, at}, aside);
    std::swap(data, other);
    n /= radix;
    stride *= radix;
  }
  return data;
}

template <class Real>
template <FftSign Direction, class RowsFrom, class RowsTo, class T>
void LaneTransform<Real>::transform_columns(const RowsFrom& from, const RowsTo& to, T* work) const {
  constexpr bool exchanged = Direction == Sign::plus;
  const detail::ColumnsIn<T, exchanged, RowsFrom> in{from};
  const detail::ColumnsOut<T, exchanged, RowsTo> out{to};
  detail::Blocks<Real, T> data{work, {0, lanes}};
  detail::Blocks<Real, T> other{work + n_ * block, {0, lanes}};
  detail::NothingAside aside;
  auto radix = radices_.begin();
  std::int64_t n = n_;
  std::int64_t stride = 1;
  const auto pass = [&] {
    n /= *radix;
    stride *= *radix;
    ++radix;
  };
  if (radices_.size() > 1 && radices_.front() % 4 == 0) {
    detail::first_step(radices_.front(), roots_.data(), n, in, data);
    pass();
  } else {
    detail::copy_elements<Real>(n, in, data);
  }
  while (radix != radices_.end() && (n > *radix || *radix % 2 != 0)) {
    detail::step(*radix, roots_.data(), n, stride, data, other, aside);
    std::swap(data, other);
    pass();
  }
  if (radix != radices_.end()) {
    detail::last_step<Real>(*radix, stride, data, out, aside);
  } else {
    detail::copy_elements<Real>(n_, data, out);
  }
}

}  // namespace bankfull
