#pragma once

#include "bankfull/core/base/host_device.hpp"
#include "bankfull/core/base/pack.hpp"
#include "bankfull/core/base/vector_register.hpp"

#include <cstdint>
#include <type_traits>
#include <utility>

namespace bankfull::poisson::multigrid {

/// As many consecutive cells of a row as a pack of fp32 has, on their way between Real and the fp32
/// of split rows, in pieces of as many cells as a register of fp64 has: a shuffle of two pieces
/// separates their even cells from their odd ones, or joins these.
class SplitPack {
  static constexpr int lanes = bankfull::detail::Register<double>::width;
  static constexpr int pieces = Pack<float>::width / lanes;
  using Piece [[gnu::vector_size(lanes * sizeof(float))]] = float;
  using Unaligned
      [[gnu::vector_size(lanes * sizeof(float)), gnu::aligned(alignof(float)), gnu::may_alias]] =
          float;
  using Numbers = std::make_integer_sequence<int, lanes>;
  using TwiceNumbers = std::make_integer_sequence<int, 2 * lanes>;

 public:
  /// The n-th pack of Real becomes x, rounded.
  BANKFULL_ALWAYS_INLINE void take(int n, const Pack<double>& x) {
    for (int part = 0; part < Pack<double>::parts; ++part) {
      piece_[n * Pack<double>::parts + part] = __builtin_convertvector(x.part(part), Piece);
    }
  }
  BANKFULL_ALWAYS_INLINE void take(int /*only*/, const Pack<float>& x) {
    for (int part = 0; part < Pack<float>::parts; ++part) {
      piece_[2 * part] = half<0>(x.part(part), Numbers{});
      piece_[2 * part + 1] = half<lanes>(x.part(part), Numbers{});
    }
  }

  /// From half of as many cells of either kind.
  BANKFULL_ALWAYS_INLINE static SplitPack load(const float* even, const float* odd) {
    SplitPack result;
    for (int n = 0; n < pieces; n += 2) {
      const Piece evens = *reinterpret_cast<const Unaligned*>(even + n / 2 * lanes);
      const Piece odds = *reinterpret_cast<const Unaligned*>(odd + n / 2 * lanes);
      result.piece_[n] = joined<0>(evens, odds, Numbers{});
      result.piece_[n + 1] = joined<lanes / 2>(evens, odds, Numbers{});
    }
    return result;
  }

  BANKFULL_ALWAYS_INLINE void store(float* even, float* odd) const {
    for (int n = 0; n < pieces; n += 2) {
      *reinterpret_cast<Unaligned*>(even + n / 2 * lanes) =
          every_second<0>(piece_[n], piece_[n + 1], Numbers{});
      *reinterpret_cast<Unaligned*>(odd + n / 2 * lanes) =
          every_second<1>(piece_[n], piece_[n + 1], Numbers{});
    }
  }

  /// The n-th pack of Real.
  template <class Real>
  [[nodiscard]] BANKFULL_ALWAYS_INLINE Pack<Real> pack(int n) const {
    return Pack<Real>::of_parts([&](int part) [[gnu::always_inline]] {
      if constexpr (std::is_same_v<Real, double>) {
        return __builtin_convertvector(piece_[n * Pack<double>::parts + part],
                                       typename bankfull::detail::Register<double>::Native);
      } else {
        return both(piece_[2 * part], piece_[2 * part + 1], TwiceNumbers{});
      }
    });
  }

 private:
  template <int First, int... Lane>
  BANKFULL_ALWAYS_INLINE static Piece half(typename bankfull::detail::Register<float>::Native x,
                                           std::integer_sequence<int, Lane...> /*lanes*/) {
    return __builtin_shufflevector(x, x, (First + Lane)...);
  }
  template <int... Lane>
  BANKFULL_ALWAYS_INLINE static typename bankfull::detail::Register<float>::Native both(
      Piece x, Piece y, std::integer_sequence<int, Lane...> /*lanes*/) {
    return __builtin_shufflevector(x, y, Lane...);
  }
  template <int First, int... Lane>
  BANKFULL_ALWAYS_INLINE static Piece every_second(Piece x, Piece y,
                                                   std::integer_sequence<int, Lane...> /*lanes*/) {
    return __builtin_shufflevector(x, y, (First + 2 * Lane)...);
  }
  template <int First, int... Lane>
  BANKFULL_ALWAYS_INLINE static Piece joined(Piece even, Piece odd,
                                             std::integer_sequence<int, Lane...> /*lanes*/) {
    return __builtin_shufflevector(even, odd, (First + Lane / 2 + Lane % 2 * lanes)...);
  }

  Piece piece_[pieces];
};

template <int First, int... Lane>
BANKFULL_ALWAYS_INLINE bankfull::detail::Register<float>::Native joined_lanes(
    bankfull::detail::Register<float>::Native even, bankfull::detail::Register<float>::Native odd,
    std::integer_sequence<int, Lane...> /*lanes*/) {
  return __builtin_shufflevector(even, odd,
                                 (First + Lane / 2 + Lane % 2 * int{sizeof...(Lane)})...);
}

/// The lanes of both in turn.
BANKFULL_ALWAYS_INLINE void store_joined(const Pack<float>& even, const Pack<float>& odd,
                                         float* to) {
  constexpr int lanes = bankfull::detail::Register<float>::width;
  using Lanes = std::make_integer_sequence<int, lanes>;
  using Unaligned = bankfull::detail::Register<float>::Unaligned;
  for (int n = 0; n < Pack<float>::parts; ++n) {
    *reinterpret_cast<Unaligned*>(to + 2 * n * lanes) =
        joined_lanes<0>(even.part(n), odd.part(n), Lanes{});
    *reinterpret_cast<Unaligned*>(to + (2 * n + 1) * lanes) =
        joined_lanes<lanes / 2>(even.part(n), odd.part(n), Lanes{});
  }
}

}  // namespace bankfull::poisson::multigrid
