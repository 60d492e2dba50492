#pragma once

// Transforms of a few points in the registers of one thread, decimated in time. A twiddle factor is
// multiplied on the way into the sums: a pair of points takes six fused operations, twiddle
// factor included (E. Linzer, E. Feig, "Implementation of efficient FFT algorithms on fused
// multiply-add architectures", IEEE Transactions on Signal Processing 41, 1993).

namespace bankfull {

/// Complex numbers in registers: index them by what is known when compiled.
template <int Count>
struct Points {
  double2 value[static_cast<unsigned>(Count)];

  __device__ __forceinline__ double2& operator[](int i) { return value[i]; }
  __device__ __forceinline__ const double2& operator[](int i) const { return value[i]; }
};

}  // namespace bankfull

namespace bankfull::detail {

__device__ __forceinline__ constexpr int log2_of(int n) {
  int log2 = 0;
  for (; n > 1; n /= 2) {
    ++log2;
  }
  return log2;
}

/// k < 2^bits <= 16 with its bits in reverse.
__device__ __forceinline__ constexpr int reversed(int k, int bits) {
  return (((k & 1) << 3) | ((k & 2) << 1) | ((k & 4) >> 1) | ((k & 8) >> 3)) >> (4 - bits);
}

/// cos(pi k / 8) for k from 0 to 4.
__device__ __forceinline__ constexpr double cosine_of_sixteenths(int k) {
  return k == 0   ? 1.0
         : k == 1 ? 0.92387953251128675613
         : k == 2 ? 0.70710678118654752440
         : k == 3 ? 0.38268343236508977173
                  : 0.0;
}

__device__ __forceinline__ double2 times_minus_i(double2 x) { return {x.y, -x.x}; }

__device__ __forceinline__ double2 square(double2 x) {
  return {fma(x.x, x.x, -(x.y * x.y)), (x.x + x.x) * x.y};
}

/// x exp(-2 pi i k / 16) for k from 0 to 3.
__device__ __forceinline__ double2 turned_by_sixteenths(double2 x, int k) {
  const double c = cosine_of_sixteenths(k);
  if (k == 0) {
    return x;
  }
  if (k == 2) {
    return {c * (x.x + x.y), c * (x.y - x.x)};
  }
  const double s = cosine_of_sixteenths(4 - k);
  return {fma(c, x.x, s * x.y), fma(c, x.y, -(s * x.x))};
}

/// (a, b) to (a + w b, a - w b).
__device__ __forceinline__ void add_and_subtract(double2& a, double2& b, double2 w) {
  const double2 sum{fma(w.x, b.x, fma(-w.y, b.y, a.x)), fma(w.x, b.y, fma(w.y, b.x, a.y))};
  b = {fma(2.0, a.x, -sum.x), fma(2.0, a.y, -sum.y)};
  a = sum;
}

/// (a, b) to (a + w b, a - w b) for w = exp(-2 pi i k / 16), k from 0 to 3.
__device__ __forceinline__ void add_and_subtract_turned(double2& a, double2& b, int k) {
  const double c = cosine_of_sixteenths(k);
  if (k == 0) {
    const double2 difference{a.x - b.x, a.y - b.y};
    a = {a.x + b.x, a.y + b.y};
    b = difference;
  } else if (k == 2) {
    const double2 sums{b.x + b.y, b.y - b.x};
    b = {fma(-c, sums.x, a.x), fma(-c, sums.y, a.y)};
    a = {fma(c, sums.x, a.x), fma(c, sums.y, a.y)};
  } else {
    add_and_subtract(a, b, {c, -cosine_of_sixteenths(4 - k)});
  }
}

template <bool Twiddled>
__device__ __forceinline__ void join(double2& even, double2& odd, double2 factor, int sixteenths) {
  if constexpr (Twiddled) {
    add_and_subtract(even, odd, factor);
  } else {
    add_and_subtract_turned(even, odd, sixteenths);
  }
}

/// Joins transforms of Half points to such of twice as many, and so on to the end. `powers` are
/// the powers of the twiddle factor, from the one that this step needs down.
template <bool Twiddled, int Half, int Radix>
__device__ __forceinline__ void join_halves(Points<Radix>& x, const double2* powers) {
  constexpr int level = log2_of(Half);
  constexpr int apart = Radix / 2 / Half;
#pragma unroll
  for (int k = 0; k < (Half + 1) / 2; ++k) {
    const int sixteenths = 8 * k / Half;
    const double2 factor = turned_by_sixteenths(*powers, sixteenths);
#pragma unroll
    for (int j = 0; j < apart; ++j) {
      const int even = j + reversed(k, level) * 2 * apart;
      join<Twiddled>(x[even], x[even + apart], factor, sixteenths);
      if constexpr (Half > 1) {
        const int later = j + reversed(k + Half / 2, level) * 2 * apart;
        if constexpr (!Twiddled) {
          x[later + apart] = times_minus_i(x[later + apart]);
        }
        join<Twiddled>(x[later], x[later + apart], times_minus_i(factor), sixteenths);
      }
    }
  }
  if constexpr (2 * Half < Radix) {
    join_halves<Twiddled, 2 * Half>(x, powers - 1);
  }
}

/// Transform of the Radix points x_j w^j; its k-th value comes to stand at
/// `reversed(k, log2_of(Radix))`. `Twiddled` is false where w is 1.
template <bool Twiddled, int Radix>
__device__ __forceinline__ void transform_few(Points<Radix>& x, double2 w) {
  constexpr int levels = log2_of(Radix);
  static_assert(Radix == 1 << levels && levels >= 1 && levels <= 4);
  double2 powers[4] = {w};  // w, w^2, w^4, w^8
#pragma unroll
  for (int n = 1; n < levels; ++n) {
    powers[n] = Twiddled ? square(powers[n - 1]) : w;
  }
  join_halves<Twiddled, 1>(x, powers + levels - 1);
}

}  // namespace bankfull::detail
