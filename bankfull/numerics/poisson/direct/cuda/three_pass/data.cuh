#pragma once

#include "bankfull/numerics/poisson/direct/three_pass/sizes.hpp"

#include <bit>
#include <cstdint>

namespace bankfull::poisson::three_pass {

/// What the passes work on. Pointers are to GPU memory; lengths are in elements.
template <class Real>
struct Data {
  Real* field;  ///< right side, later the solution
  std::int64_t row_pitch;
  std::int64_t plane_pitch;
  Complex<Real>* spectrum;
  std::int64_t tile_pitch;
  Tiles<Real> tiles;
  int planes;
  // See Tables:
  const PartCell<Real>* cells;
  const Real* side_scale;
  const Real* decay_j;
  const Real* decay_k;
  const Complex<Real>* roots_j;
  const Complex<Real>* roots_k;
  Real inverse_length;
};

inline constexpr unsigned all_lanes = 0xffffffffU;

/// Blocks have up to 128 registers a thread, and so many threads fit a multiprocessor.
inline constexpr int threads_per_multiprocessor = 512;

/// The thread's number in its block, read anew: the compiler would keep what follows from it,
/// addresses above all, in registers from one phase to a later one, and spill.
__device__ __forceinline__ int thread_now() {
  int thread;
  asm volatile("mov.u32 %0, %%tid.x;" : "=r"(thread));
  return thread;
}

__device__ __forceinline__ Complex<double> constant_at(const Complex<double>* at) {
  return std::bit_cast<Complex<double>>(__ldg(reinterpret_cast<const double2*>(at)));
}
__device__ __forceinline__ Complex<float> constant_at(const Complex<float>* at) {
  return std::bit_cast<Complex<float>>(__ldg(reinterpret_cast<const float2*>(at)));
}

/// What the thread whose number differs in bit `Bit` has given.
template <int Bit, class Real>
__device__ __forceinline__ Points<Real, radix / 2> from_partner(
    const Points<Real, radix / 2>& given) {
  Points<Real, radix / 2> got;
#pragma unroll
  for (int n = 0; n < radix / 2; ++n) {
    got[n] = {__shfl_xor_sync(all_lanes, given[n].re, Bit),
              __shfl_xor_sync(all_lanes, given[n].im, Bit)};
  }
  return got;
}

}  // namespace bankfull::poisson::three_pass
