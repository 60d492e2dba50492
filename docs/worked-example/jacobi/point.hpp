#pragma once

#include "bankfull/core/base/host_device.hpp"

namespace bankfull::jacobi {

/// Weighted Jacobi for -lap(u) = f on a uniform grid, at one cell:
///
///   u' = u + omega / 6 (h^2 f - 6 u + sum of the six neighbours)
///
/// `h2f` is h^2 f, `sixth` is omega / 6. Y. Saad, Iterative Methods for Sparse Linear Systems,
/// section 4.1.
template <class T>
BANKFULL_HOST_DEVICE T smoothed(T u, T below_i, T above_i, T below_j, T above_j, T below_k,
                                T above_k, T h2f, T sixth) {
  const T neighbours = below_i + above_i + below_j + above_j + below_k + above_k;
  return u + sixth * (h2f - T(6.0) * u + neighbours);
}

/// Operations of `smoothed`; the test counts those of a sweep.
inline constexpr double smoothed_flops = 10.0;

}  // namespace bankfull::jacobi
