#pragma once

#include "bankfull/core/base/host_device.hpp"
#include "bankfull/core/base/pack.hpp"
#include "bankfull/core/base/vector_register.hpp"

#include <cstddef>
#include <utility>

namespace bankfull {

/// As many SIMD registers as each has lanes: a square of values, one row in each. Its elements move
/// by shuffles of two registers, which all architectures have.
template <class T>
class RegisterTile {
  using Native = typename detail::Register<T>::Native;
  using Unaligned = typename detail::Register<T>::Unaligned;

 public:
  static constexpr int width = detail::Register<T>::width;  ///< rows, and lanes of each

  /// The register of a row, 0 to width - 1; unchecked.
  BANKFULL_ALWAYS_INLINE Native& operator[](int row) { return rows_[row]; }
  /// The same, to read.
  BANKFULL_ALWAYS_INLINE const Native& operator[](int row) const { return rows_[row]; }

  /// `width` consecutive elements, which need no alignment beyond their own.
  BANKFULL_ALWAYS_INLINE static Native load(const T* from) {
    return *reinterpret_cast<const Unaligned*>(from);
  }
  /// Writes a row to `width` consecutive elements; no alignment is needed.
  BANKFULL_ALWAYS_INLINE static void store(Native row, T* to) {
    *reinterpret_cast<Unaligned*>(to) = row;
  }

  /// The same, past the caches; `to` is aligned to a register (see stream_store.hpp).
  BANKFULL_ALWAYS_INLINE static void stream(Native row, T* to) {
    detail::stream_register(to, reinterpret_cast<detail::RegisterBits>(row));
  }

  /// Row n of the tile becomes what column n was, block by block from the largest on (J. O.
  /// Eklundh, "A fast computer method for matrix transposing", IEEE Trans. Computers C-21, 1972).
  BANKFULL_ALWAYS_INLINE void transpose() { exchange_blocks<width / 2>(); }

 private:
  using Numbers = std::make_integer_sequence<int, width>;

  template <int Size>
  BANKFULL_ALWAYS_INLINE void exchange_blocks() {
    if constexpr (Size > 0) {
      exchange_blocks_of<Size>(Numbers{});
      exchange_blocks<Size / 2>();
    }
  }

  template <int Size, int... Row>
  BANKFULL_ALWAYS_INLINE void exchange_blocks_of(std::integer_sequence<int, Row...> /*rows*/) {
    (exchange_in<Size, Row>(Numbers{}), ...);
  }

  /// Between rows Row and Row + Size: the upper lanes of the first with the lower ones of the
  /// other.
  template <int Size, int Row, int... Lane>
  BANKFULL_ALWAYS_INLINE void exchange_in(std::integer_sequence<int, Lane...> /*lanes*/) {
    if constexpr ((Row & Size) == 0) {
      const Native a = rows_[Row];
      const Native b = rows_[Row + Size];
      rows_[Row] =
          __builtin_shufflevector(a, b, (Lane + ((Lane & Size) == 0 ? 0 : width - Size))...);
      rows_[Row + Size] =
          __builtin_shufflevector(a, b, (Lane + ((Lane & Size) == 0 ? Size : width))...);
    }
  }

  Native rows_[static_cast<std::size_t>(width)];
};

/// The two parts of as many complex numbers as a register has lanes.
template <class T>
class ComplexRegister {
  static constexpr int width = RegisterTile<T>::width;
  using Numbers = std::make_integer_sequence<int, width>;
  template <int... Lane>
  using Lanes = std::integer_sequence<int, Lane...>;

 public:
  using Native = typename detail::Register<T>::Native;  ///< of one part

  Native re;  ///< real parts
  Native im;  ///< imaginary parts

  /// From memory, where parts alternate.
  BANKFULL_ALWAYS_INLINE static ComplexRegister load_alternating(const T* from) {
    const Native first = RegisterTile<T>::load(from);
    const Native second = RegisterTile<T>::load(from + width);
    return {even_lanes(first, second, Numbers{}), odd_lanes(first, second, Numbers{})};
  }

  /// To 2 RegisterTile<T>::width elements: re, im, re, im and so on. No alignment is needed.
  BANKFULL_ALWAYS_INLINE void store_alternating(T* to) const {
    RegisterTile<T>::store(lower_pairs(re, im, Numbers{}), to);
    RegisterTile<T>::store(upper_pairs(re, im, Numbers{}), to + width);
  }

  /// The same, past the caches; `to` is aligned to registers.
  BANKFULL_ALWAYS_INLINE void stream_alternating(T* to) const {
    RegisterTile<T>::stream(lower_pairs(re, im, Numbers{}), to);
    RegisterTile<T>::stream(upper_pairs(re, im, Numbers{}), to + width);
  }

 private:
  template <int... Lane>
  BANKFULL_ALWAYS_INLINE static Native even_lanes(Native a, Native b, Lanes<Lane...> /*lanes*/) {
    return __builtin_shufflevector(a, b, 2 * Lane...);
  }
  template <int... Lane>
  BANKFULL_ALWAYS_INLINE static Native odd_lanes(Native a, Native b, Lanes<Lane...> /*lanes*/) {
    return __builtin_shufflevector(a, b, (2 * Lane + 1)...);
  }
  template <int... Lane>
  BANKFULL_ALWAYS_INLINE static Native lower_pairs(Native a, Native b, Lanes<Lane...> /*lanes*/) {
    return __builtin_shufflevector(a, b, (Lane / 2 + Lane % 2 * width)...);
  }
  template <int... Lane>
  BANKFULL_ALWAYS_INLINE static Native upper_pairs(Native a, Native b, Lanes<Lane...> /*lanes*/) {
    return __builtin_shufflevector(a, b, ((width + Lane) / 2 + Lane % 2 * width)...);
  }
};

/// The two parts of as many complex numbers as a pack has lanes.
template <class T>
struct ComplexPack {
  Pack<T> re;  ///< real parts
  Pack<T> im;  ///< imaginary parts

  /// From memory, where parts alternate.
  BANKFULL_ALWAYS_INLINE static ComplexPack load_alternating(const T* from) {
    const auto part = [from](int n) {
      return ComplexRegister<T>::load_alternating(from + 2 * n * RegisterTile<T>::width);
    };
    return {Pack<T>::of_parts([&](int n) { return part(n).re; }),
            Pack<T>::of_parts([&](int n) { return part(n).im; })};
  }

  /// To 2 Pack<T>::width elements: re, im, re, im and so on. No alignment is needed.
  BANKFULL_ALWAYS_INLINE void store_alternating(T* to) const {
    for (int n = 0; n < Pack<T>::parts; ++n) {
      ComplexRegister<T>{re.part(n), im.part(n)}.store_alternating(to +
                                                                   2 * n * RegisterTile<T>::width);
    }
  }
};

}  // namespace bankfull
