#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

#include "bankfull/core/base/host_device.hpp"

namespace bankfull {

/// Width of the SIMD registers that this program was compiled for.
#if defined(__AVX512F__)
inline constexpr int register_bytes = 64;
#elif defined(__AVX__)
inline constexpr int register_bytes = 32;
#else
inline constexpr int register_bytes = 16;
#endif

inline constexpr int cache_line_bytes = 64;

inline bool is_line_aligned(const void* data) {
  return reinterpret_cast<std::uintptr_t>(data) % cache_line_bytes == 0;
}

namespace detail {

/// A SIMD register of T; `Unaligned` is the same in memory at any element.
template <class T>
struct Register {
  static constexpr int width = register_bytes / static_cast<int>(sizeof(T));
  using Native [[gnu::vector_size(register_bytes)]] = T;
  using Unaligned [[gnu::vector_size(register_bytes), gnu::aligned(alignof(T)), gnu::may_alias]] =
      T;
};

/// x y + z in one rounding, per lane. Compilers contract a vector expression only where they may
/// contract every expression, which would let schedules differ in their bits.
template <class T, class Native = typename Register<T>::Native>
BANKFULL_ALWAYS_INLINE Native fused_multiply_add(Native x, Native y, Native z) {
  constexpr bool single = std::is_same_v<T, float>;
#if defined(__AVX512F__)
  if constexpr (single) {
    return (Native)_mm512_fmadd_ps((__m512)x, (__m512)y, (__m512)z);
  } else {
    return (Native)_mm512_fmadd_pd((__m512d)x, (__m512d)y, (__m512d)z);
  }
#elif defined(__AVX__) && defined(__FMA__)
  if constexpr (single) {
    return (Native)_mm256_fmadd_ps((__m256)x, (__m256)y, (__m256)z);
  } else {
    return (Native)_mm256_fmadd_pd((__m256d)x, (__m256d)y, (__m256d)z);
  }
#else
  static_cast<void>(single);
  Native result{};
  for (int lane = 0; lane < Register<T>::width; ++lane) {
    result[lane] = std::fma(x[lane], y[lane], z[lane]);
  }
  return result;
#endif
}

/// Stores that bypass the caches; `to` is aligned to the register. See stream_store.hpp.
template <class T, class Native = typename Register<T>::Native>
BANKFULL_ALWAYS_INLINE void stream_register(T* to, Native x) {
#if defined(__AVX512F__)
  _mm512_stream_si512(reinterpret_cast<__m512i*>(to), (__m512i)x);
#elif defined(__AVX__)
  _mm256_stream_si256(reinterpret_cast<__m256i*>(to), (__m256i)x);
#elif defined(__SSE2__)
  _mm_stream_si128(reinterpret_cast<__m128i*>(to), (__m128i)x);
#else
  *reinterpret_cast<typename Register<T>::Unaligned*>(to) = x;
#endif
}

/// The lower (0) or upper (1) half of a register of floats as doubles.
template <int Half>
BANKFULL_ALWAYS_INLINE Register<double>::Native widened(Register<float>::Native x) {
  using Wide = Register<double>::Native;
#if defined(__AVX512F__)
  // Not the intrinsics, for which g++ 12 warns about uninitialised reads.
  constexpr int first = Half * Register<double>::width;
  return __builtin_convertvector(
      __builtin_shufflevector(x, x, first, first + 1, first + 2, first + 3, first + 4, first + 5,
                              first + 6, first + 7),
      Wide);
#elif defined(__AVX__)
  return (Wide)_mm256_cvtps_pd(_mm256_extractf128_ps((__m256)x, Half));
#else
  Wide result{};
  for (int lane = 0; lane < Register<double>::width; ++lane) {
    result[lane] = static_cast<double>(x[Half * Register<double>::width + lane]);
  }
  return result;
#endif
}

}  // namespace detail

/// One cache line of T in SIMD registers, with the arithmetic that stencils need.
///
/// Why not `omp simd`: compilers vectorise neither around streaming stores nor around prefetches,
/// and leave scalar tails. Why a whole line where the register is half of one: independent chains
/// of dependent multiply-adds hide their latency, and sums have the same order on every machine.
template <class T>
class Pack {
  using Native = typename detail::Register<T>::Native;
  using Unaligned = typename detail::Register<T>::Unaligned;

 public:
  static constexpr int width = cache_line_bytes / static_cast<int>(sizeof(T));
  static constexpr int parts = cache_line_bytes / register_bytes;

  BANKFULL_ALWAYS_INLINE static Pack load(const T* from) {
    return of_parts([from](int n) [[gnu::always_inline]] -> Native {
      return *reinterpret_cast<const Unaligned*>(from + n * detail::Register<T>::width);
    });
  }

  BANKFULL_ALWAYS_INLINE static Pack broadcast(T x) {
    return of_parts([x](int) [[gnu::always_inline]] -> Native { return x - Native{}; });
  }

  /// Lane n is value_of(n). Processors load lanes one by one about as fast as they gather them.
  template <class ValueOf>
  BANKFULL_ALWAYS_INLINE static Pack of_lanes(const ValueOf& value_of) {
    constexpr int register_width = detail::Register<T>::width;
    Pack result;
#pragma GCC unroll 4
    for (int n = 0; n < parts; ++n) {
#pragma GCC unroll 16
      for (int lane = 0; lane < register_width; ++lane) {
        result.part_[n][lane] = value_of(n * register_width + lane);
      }
    }
    return result;
  }

  BANKFULL_ALWAYS_INLINE void store(T* to) const {
    for (int n = 0; n < parts; ++n) {
      *reinterpret_cast<Unaligned*>(to + n * detail::Register<T>::width) = part_[n];
    }
  }

  /// Bypasses the caches; `to` is aligned to a cache line.
  BANKFULL_ALWAYS_INLINE void stream(T* to) const {
    for (int n = 0; n < parts; ++n) {
      detail::stream_register<T>(to + n * detail::Register<T>::width, part_[n]);
    }
  }

  BANKFULL_ALWAYS_INLINE Native part(int n) const { return part_[n]; }

  /// Sum over the lanes, in their order.
  [[nodiscard]] T total() const {
    T sum = 0;
#pragma GCC unroll 4
    for (int n = 0; n < parts; ++n) {
#pragma GCC unroll 16
      for (int lane = 0; lane < detail::Register<T>::width; ++lane) {
        sum += part_[n][lane];
      }
    }
    return sum;
  }

  /// The largest lane, or `floor` where none is larger.
  [[nodiscard]] T largest(T floor) const {
    for (int n = 0; n < parts; ++n) {
      for (int lane = 0; lane < detail::Register<T>::width; ++lane) {
        floor = floor < part_[n][lane] ? part_[n][lane] : floor;
      }
    }
    return floor;
  }

  BANKFULL_ALWAYS_INLINE friend Pack operator+(const Pack& x, const Pack& y) {
    return of_parts([&](int n)
                        [[gnu::always_inline]] -> Native { return x.part_[n] + y.part_[n]; });
  }
  BANKFULL_ALWAYS_INLINE friend Pack operator-(const Pack& x, const Pack& y) {
    return of_parts([&](int n)
                        [[gnu::always_inline]] -> Native { return x.part_[n] - y.part_[n]; });
  }
  BANKFULL_ALWAYS_INLINE friend Pack operator*(const Pack& x, const Pack& y) {
    return of_parts([&](int n)
                        [[gnu::always_inline]] -> Native { return x.part_[n] * y.part_[n]; });
  }
  BANKFULL_ALWAYS_INLINE friend Pack operator*(T x, const Pack& y) {
    return of_parts([&](int n) [[gnu::always_inline]] -> Native { return x * y.part_[n]; });
  }
  BANKFULL_ALWAYS_INLINE friend Pack operator/(const Pack& x, const Pack& y) {
    return of_parts([&](int n)
                        [[gnu::always_inline]] -> Native { return x.part_[n] / y.part_[n]; });
  }
  BANKFULL_ALWAYS_INLINE friend Pack operator-(const Pack& x) {
    return of_parts([&](int n) [[gnu::always_inline]] -> Native { return -x.part_[n]; });
  }
  BANKFULL_ALWAYS_INLINE friend Pack abs(const Pack& x) {
    return of_parts([&](int n) [[gnu::always_inline]] -> Native {
      return x.part_[n] < Native{} ? -x.part_[n] : x.part_[n];
    });
  }
  /// Per lane, y where x < y, else x.
  BANKFULL_ALWAYS_INLINE friend Pack raised(const Pack& x, const Pack& y) {
    return of_parts([&](int n) [[gnu::always_inline]] -> Native {
      return x.part_[n] < y.part_[n] ? y.part_[n] : x.part_[n];
    });
  }
  BANKFULL_ALWAYS_INLINE friend Pack fma(const Pack& x, const Pack& y, const Pack& z) {
    return of_parts([&](int n) [[gnu::always_inline]] -> Native {
      return detail::fused_multiply_add<T>(x.part_[n], y.part_[n], z.part_[n]);
    });
  }
  BANKFULL_ALWAYS_INLINE friend Pack fma(T x, const Pack& y, const Pack& z) {
    return fma(broadcast(x), y, z);
  }

 private:
  template <class PartOf>
  BANKFULL_ALWAYS_INLINE static Pack of_parts(const PartOf& part_of) {
    Pack result{};
    for (int n = 0; n < parts; ++n) {
      result.part_[n] = part_of(n);
    }
    return result;
  }

  Native part_[parts] = {};
};

/// Sum of squares in fp64 with one accumulator per lane of a pack: a long fp32 sum would saturate.
template <class T>
class SquareSum {
  using Wide = detail::Register<double>::Native;

 public:
  BANKFULL_ALWAYS_INLINE void add(const Pack<T>& x) {
    for (int n = 0; n < Pack<T>::parts; ++n) {
      if constexpr (std::is_same_v<T, double>) {
        add(n, x.part(n));
      } else {
        add(2 * n, detail::widened<0>(x.part(n)));
        add(2 * n + 1, detail::widened<1>(x.part(n)));
      }
    }
  }

  /// Adds the lanes in the same order whatever the register's width.
  [[nodiscard]] double total() const {
    double sum = 0.0;
    // Unrolled, or the compiler keeps the accumulators in memory to index them.
#pragma GCC unroll 8
    for (std::size_t n = 0; n < registers; ++n) {
#pragma GCC unroll 8
      for (int lane = 0; lane < detail::Register<double>::width; ++lane) {
        sum += sums_[n][lane];
      }
    }
    return sum;
  }

 private:
  BANKFULL_ALWAYS_INLINE void add(int n, Wide x) {
    sums_[n] = detail::fused_multiply_add<double>(x, x, sums_[n]);
  }

  static constexpr std::size_t registers =
      static_cast<std::size_t>(Pack<T>::width / detail::Register<double>::width);

  Wide sums_[registers] = {};
};

}  // namespace bankfull
