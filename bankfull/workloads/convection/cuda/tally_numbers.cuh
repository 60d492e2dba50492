#pragma once

#include "bankfull/workloads/convection/point.hpp"
#include "bankfull/workloads/convection/tally.hpp"

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace bankfull::convection::detail {

inline constexpr int tally_columns = 32;  ///< threads along rows: a warp
inline constexpr int tally_rows = 8;      ///< and warps
inline constexpr int tally_threads = tally_columns * tally_rows;

__device__ __forceinline__ int thread_of_tally() {
  return static_cast<int>(threadIdx.y) * tally_columns + static_cast<int>(threadIdx.x);
}

/// The largest of numbers' magnitudes. Their bits compare as they do, and those of NaN are larger
/// than all numbers'.
template <class Real>
class LargestMagnitude {
 public:
  __device__ __forceinline__ void raise(Real value) {
    const Bits bits = bits_of(value);
    bits_ = bits > bits_ ? bits : bits_;
  }

  [[nodiscard]] __device__ __forceinline__ double value() const {
    if constexpr (is_double) {
      return __longlong_as_double(static_cast<long long>(bits_));
    } else {
      return static_cast<double>(__uint_as_float(bits_));
    }
  }

 private:
  static constexpr bool is_double = std::is_same_v<Real, double>;
  using Bits = std::conditional_t<is_double, unsigned long long, unsigned>;

  __device__ __forceinline__ static Bits bits_of(Real value) {
    if constexpr (is_double) {
      return static_cast<Bits>(__double_as_longlong(fabs(value)));
    } else {
      return __float_as_uint(fabsf(value));
    }
  }

  Bits bits_ = 0;
};

/// Numbers that threads find each for themselves: sums, and after them largest values.
template <int Sums, int Extremes>
struct ThreadTally {
  static constexpr int sums = Sums;
  static constexpr int count = Sums + Extremes;

  double of[static_cast<std::size_t>(count)];

  __device__ __forceinline__ static double merged(int n, double a, double b) {
    return n < Sums ? a + b : larger(b, a);
  }
  __device__ __forceinline__ static double nothing(int n) { return n < Sums ? 0.0 : lowest_number; }

  /// Number n of all lanes of a warp, in a fixed order: lane 0 gets it.
  __device__ __forceinline__ static double merged_by_warp(int n, double mine) {
#pragma unroll
    for (int apart = 16; apart > 0; apart /= 2) {
      mine = merged(n, mine, __shfl_down_sync(~0U, mine, static_cast<unsigned>(apart)));
    }
    return mine;
  }
};

/// Merges what the threads of a block hold into numbers that lie `stride` apart.
template <int Sums, int Extremes>
__device__ void merge_block(const ThreadTally<Sums, Extremes>& mine, double* merged,
                            std::int64_t stride) {
  using Numbers = ThreadTally<Sums, Extremes>;
  __shared__ double of_warps[Numbers::count][tally_rows];
#pragma unroll
  for (int n = 0; n < Numbers::count; ++n) {
    const double number = Numbers::merged_by_warp(n, mine.of[n]);
    if (threadIdx.x == 0) {
      of_warps[n][threadIdx.y] = number;
    }
  }
  __syncthreads();
  const int n = thread_of_tally();
  if (n < Numbers::count) {
    double number = of_warps[n][0];
    for (int warp = 1; warp < tally_rows; ++warp) {
      number = Numbers::merged(n, number, of_warps[n][warp]);
    }
    merged[n * stride] = number;
  }
  __syncthreads();
}

}  // namespace bankfull::convection::detail
