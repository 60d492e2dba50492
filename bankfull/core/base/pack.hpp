#pragma once

#include "bankfull/core/base/cache_line.hpp"
#include "bankfull/core/base/host_device.hpp"
#include "bankfull/core/base/lane.hpp"
#include "bankfull/core/base/vector_register.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

namespace bankfull {

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
  /// Lanes: 8 of fp64, 16 of fp32.
  static constexpr int width = cache_line_bytes / static_cast<int>(sizeof(T));
  static constexpr int parts = cache_line_bytes / register_bytes;  ///< registers: 1 to 4

  /// Of register n for each n < parts.
  template <class PartOf>
  BANKFULL_ALWAYS_INLINE static Pack of_parts(const PartOf& part_of) {
    Pack result{};
    for (int n = 0; n < parts; ++n) {
      result.part_[n] = part_of(n);
    }
    return result;
  }

  /// `width` consecutive elements, which need no alignment beyond their own.
  BANKFULL_ALWAYS_INLINE static Pack load(const T* from) {
    return of_parts([from](int n) [[gnu::always_inline]] -> Native {
      return *reinterpret_cast<const Unaligned*>(from + n * detail::Register<T>::width);
    });
  }

  /// x in every lane.
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

  /// `width` consecutive elements; no alignment is needed.
  BANKFULL_ALWAYS_INLINE void store(T* to) const {
    for (int n = 0; n < parts; ++n) {
      *reinterpret_cast<Unaligned*>(to + n * detail::Register<T>::width) = part_[n];
    }
  }

  /// Bypasses the caches; `to` is aligned to a cache line.
  BANKFULL_ALWAYS_INLINE void stream(T* to) const {
    for (int n = 0; n < parts; ++n) {
      detail::stream_register(to + n * detail::Register<T>::width,
                              reinterpret_cast<detail::RegisterBits>(part_[n]));
    }
  }

  /// Register n < parts, with lanes from n width / parts on.
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

  /// The lanes of x from the second on, then the first of `next`.
  BANKFULL_ALWAYS_INLINE friend Pack one_lane_later(const Pack& x, const Pack& next) {
    return of_parts([&](int n) [[gnu::always_inline]] -> Native {
      return window<1>(x.part_[n], n + 1 < parts ? x.part_[n + 1] : next.part_[0], Lanes{});
    });
  }
  /// The last lane of `previous`, then those of x up to the last but one.
  BANKFULL_ALWAYS_INLINE friend Pack one_lane_earlier(const Pack& previous, const Pack& x) {
    return of_parts([&](int n) [[gnu::always_inline]] -> Native {
      constexpr int last = detail::Register<T>::width - 1;
      return window<last>(n > 0 ? x.part_[n - 1] : previous.part_[parts - 1], x.part_[n], Lanes{});
    });
  }

  /// Per lane, x + y. Where a product is added, `fma` rounds once.
  BANKFULL_ALWAYS_INLINE friend Pack operator+(const Pack& x, const Pack& y) {
    return of_parts([&](int n)
                        [[gnu::always_inline]] -> Native { return x.part_[n] + y.part_[n]; });
  }
  /// Per lane, x - y.
  BANKFULL_ALWAYS_INLINE friend Pack operator-(const Pack& x, const Pack& y) {
    return of_parts([&](int n)
                        [[gnu::always_inline]] -> Native { return x.part_[n] - y.part_[n]; });
  }
  /// Per lane, x times y.
  BANKFULL_ALWAYS_INLINE friend Pack operator*(const Pack& x, const Pack& y) {
    return of_parts([&](int n)
                        [[gnu::always_inline]] -> Native { return x.part_[n] * y.part_[n]; });
  }
  /// x times each lane.
  BANKFULL_ALWAYS_INLINE friend Pack operator*(T x, const Pack& y) {
    return of_parts([&](int n) [[gnu::always_inline]] -> Native { return x * y.part_[n]; });
  }
  /// Per lane, x / y, correctly rounded.
  BANKFULL_ALWAYS_INLINE friend Pack operator/(const Pack& x, const Pack& y) {
    return of_parts([&](int n)
                        [[gnu::always_inline]] -> Native { return x.part_[n] / y.part_[n]; });
  }
  /// x divided by each lane.
  BANKFULL_ALWAYS_INLINE friend Pack operator/(T x, const Pack& y) {
    return of_parts([&](int n) [[gnu::always_inline]] -> Native { return x / y.part_[n]; });
  }
  /// Per lane, -x.
  BANKFULL_ALWAYS_INLINE friend Pack operator-(const Pack& x) {
    return of_parts([&](int n) [[gnu::always_inline]] -> Native { return -x.part_[n]; });
  }
  /// Per lane, -x where x < 0, else x: -0 and NaN stay as they are.
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
  /// Per lane, x where `of` is larger than `limit`, else 0.
  BANKFULL_ALWAYS_INLINE friend Pack where_above(T limit, const Pack& of, const Pack& x) {
    return of_parts([&](int n) [[gnu::always_inline]] -> Native {
      return of.part_[n] > limit ? x.part_[n] : Native{};
    });
  }
  /// Per lane, x times y plus z, rounded once on every machine.
  BANKFULL_ALWAYS_INLINE friend Pack fma(const Pack& x, const Pack& y, const Pack& z) {
    return of_parts([&](int n) [[gnu::always_inline]] -> Native {
      return detail::fused_multiply_add(x.part_[n], y.part_[n], z.part_[n]);
    });
  }
  /// The same with one x for all lanes.
  BANKFULL_ALWAYS_INLINE friend Pack fma(T x, const Pack& y, const Pack& z) {
    return fma(broadcast(x), y, z);
  }

 private:
  using Lanes = std::make_integer_sequence<int, detail::Register<T>::width>;

  /// As many lanes as a register has, from lane First of x and y in a row.
  template <int First, int... Lane>
  BANKFULL_ALWAYS_INLINE static Native window(const Native& x, const Native& y,
                                              std::integer_sequence<int, Lane...> /*lanes*/) {
    return __builtin_shufflevector(x, y, (First + Lane)...);
  }

  Native part_[parts] = {};
};

/// The largest magnitude of all lanes, by its bits as an integer: they order alike, NaN above all.
template <class T>
class LargestMagnitude {
 public:
  /// An integer as wide as a T.
  using Bits = std::conditional_t<sizeof(T) == 8, std::int64_t, std::int32_t>;

  /// Takes account of the lanes of `x`.
  BANKFULL_ALWAYS_INLINE void add(const Pack<T>& x) {
    for (int n = 0; n < Pack<T>::parts; ++n) {
      const Register magnitude = reinterpret_cast<Register>(x.part(n)) & without_sign;
      largest_[n] = magnitude > largest_[n] ? magnitude : largest_[n];
    }
  }

  /// Of the largest magnitude so far, 0 at first.
  [[nodiscard]] Bits bits() const {
    Bits result = 0;
    for (int n = 0; n < Pack<T>::parts; ++n) {
      for (int lane = 0; lane < detail::Register<T>::width; ++lane) {
        result = result < largest_[n][lane] ? largest_[n][lane] : result;
      }
    }
    return result;
  }

 private:
  using Register [[gnu::vector_size(register_bytes)]] = Bits;
  static constexpr Bits without_sign = std::numeric_limits<Bits>::max();

  Register largest_[Pack<T>::parts] = {};
};

/// Sum of squares in fp64 with one accumulator per lane of a pack: a long fp32 sum would saturate.
template <class T>
class SquareSum {
  using Wide = detail::Register<double>::Native;

 public:
  /// Adds the square of each lane, taken in fp64, by a fused multiply-add.
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
    sums_[n] = detail::fused_multiply_add(x, x, sums_[n]);
  }

  static constexpr std::size_t registers =
      static_cast<std::size_t>(Pack<T>::width / detail::Register<double>::width);

  Wide sums_[registers] = {};
};

}  // namespace bankfull
