#pragma once

#include "bankfull/numerics/poisson/poisson.hpp"

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace bankfull::convection {

/// Neighbouring cells of a row that a thread takes together, for point.hpp's functions: `N` times
/// the same operations, each with the rounding it has for a single cell.
template <class Real, int N>
struct alignas(N * sizeof(Real)) Cells {
  static constexpr auto count = static_cast<std::size_t>(N);

  Real of[count];

  /// f(n) for each of them.
  template <class F>
  __device__ __forceinline__ static Cells each(const F& f) {
    Cells cells;
#pragma unroll
    for (int n = 0; n < N; ++n) {
      cells.of[n] = f(n);
    }
    return cells;
  }
  __device__ __forceinline__ static Cells broadcast(Real x) {
    return each([&](int /*n*/) { return x; });
  }
  /// From any element on: what addresses registers.
  __device__ __forceinline__ static Cells load(const Real* at) {
    return each([&](int n) { return at[n]; });
  }

  __device__ __forceinline__ friend Cells operator+(const Cells& a, const Cells& b) {
    return each([&](int n) { return a.of[n] + b.of[n]; });
  }
  __device__ __forceinline__ friend Cells operator-(const Cells& a, const Cells& b) {
    return each([&](int n) { return a.of[n] - b.of[n]; });
  }
  __device__ __forceinline__ friend Cells operator*(const Cells& a, const Cells& b) {
    return each([&](int n) { return a.of[n] * b.of[n]; });
  }
  __device__ __forceinline__ friend Cells operator*(Real a, const Cells& b) {
    return each([&](int n) { return a * b.of[n]; });
  }
  __device__ __forceinline__ friend Cells fma(Real x, const Cells& y, const Cells& z) {
    return each([&](int n) { return std::fma(x, y.of[n], z.of[n]); });
  }
  __device__ __forceinline__ friend Cells fma(const Cells& x, const Cells& y, const Cells& z) {
    return each([&](int n) { return std::fma(x.of[n], y.of[n], z.of[n]); });
  }
};

namespace detail {

/// What one instruction moves.
template <class Real, int N>
struct WordsOf;
template <class Real>
struct WordsOf<Real, 1> {
  using Type = Real;
};
template <>
struct WordsOf<float, 2> {
  using Type = float2;
};
template <>
struct WordsOf<float, 4> {
  using Type = float4;
};
template <>
struct WordsOf<double, 2> {
  using Type = double2;
};

template <class Real, int N>
using Words = typename WordsOf<Real, N>::Type;

}  // namespace detail

// The first cell lies at a multiple of the bytes of all N.

/// Of data that is not written during the kernel.
template <int N, class Real>
__device__ __forceinline__ Cells<Real, N> load_cells(const Real* at) {
  return std::bit_cast<Cells<Real, N>>(__ldg(reinterpret_cast<const detail::Words<Real, N>*>(at)));
}

/// Of data that is not read again soon.
template <int N, class Real>
__device__ __forceinline__ Cells<Real, N> load_cells_once(const Real* at) {
  return std::bit_cast<Cells<Real, N>>(__ldcs(reinterpret_cast<const detail::Words<Real, N>*>(at)));
}

/// Of data that this thread may write.
template <int N, class Real>
__device__ __forceinline__ Cells<Real, N> load_own_cells(const Real* at) {
  return *reinterpret_cast<const Cells<Real, N>*>(at);
}

template <class Real, int N>
__device__ __forceinline__ void store_cells(Real* at, const Cells<Real, N>& cells) {
  *reinterpret_cast<Cells<Real, N>*>(at) = cells;
}

/// What is not read again soon.
template <class Real, int N>
__device__ __forceinline__ void store_cells_once(Real* at, const Cells<Real, N>& cells) {
  __stcs(reinterpret_cast<detail::Words<Real, N>*>(at),
         std::bit_cast<detail::Words<Real, N>>(cells));
}

/// Whether rows of so many cells are whole groups of N, here and where the pressure lies.
template <int N, class Real>
bool in_groups(std::int64_t cells, const poisson::CellSlots<Real>& pressure) {
  const auto address = reinterpret_cast<std::uintptr_t>(pressure.data);
  return cells % N == 0 && pressure.folded_k == 0 && pressure.row_pitch % N == 0 &&
         pressure.plane_pitch % N == 0 && address % (N * sizeof(Real)) == 0;
}

}  // namespace bankfull::convection
