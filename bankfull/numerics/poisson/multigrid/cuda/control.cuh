#pragma once

#include "bankfull/core/exec/device_loop.cuh"
#include "bankfull/core/exec/last_block.cuh"
#include "bankfull/core/exec/reduce.cuh"
#include "bankfull/numerics/poisson/multigrid/cuda/control.hpp"
#include "bankfull/numerics/poisson/multigrid/cuda/grid.cuh"

namespace bankfull::poisson::multigrid::cuda {

/// When a solve ends: see Stopping.
struct Limits {
  double tolerance;
  int max_cycles;
  const double* factor;
};

inline constexpr float falling = 0.95F;  ///< by less than that a cycle, and it has stalled
inline constexpr int max_stalled = 2;    ///< cycles

/// The part of a block in the largest of all bits.
__device__ __forceinline__ void raise_to_largest(unsigned* largest, unsigned bits) {
  const unsigned of_warp = __reduce_max_sync(~0U, bits);
  if (threadIdx.x % 32 == 0 && of_warp > *static_cast<volatile unsigned*>(largest)) {
    atomicMax(largest, of_warp);
  }
}

/// Bits that order as sizes do; NaN is larger than all numbers.
__device__ __forceinline__ unsigned size_bits(float value) {
  return __float_as_uint(value) & 0x7fffffffU;
}

/// The same of the first 21 bits of a mantissa.
__device__ __forceinline__ unsigned size_bits(double value) {
  return static_cast<unsigned>(__double2hiint(value)) & 0x7fffffffU;
}
__device__ __forceinline__ double size_of(unsigned bits) {
  return __hiloint2double(static_cast<int>(bits), 0);
}

/// The power of two that brings a size to [1, 2); 1 where it is 0 or no number.
__device__ __forceinline__ double scale_for(unsigned bits) {
  constexpr unsigned mantissa_bits = 20;  // of the upper half
  constexpr unsigned zero_exponent = 1023;
  const unsigned exponent = bits >> mantissa_bits;
  if (exponent == 0 || exponent >= 2 * zero_exponent) {
    return 1.0;
  }
  return size_of((2 * zero_exponent - exponent) << mantissa_bits);
}

/// f as it was given: its largest value, and its mean, weighted by volume.
template <class Real>
struct SurveyArguments {
  const Real* f;
  Pitches at;
  int planes;
  int rows;
  int columns;
  const double* share_i;  ///< of each cell's width in its axis
  const double* share_j;
  const double* share_k;
  double* partials;  ///< one per block
  Control* control;
};

inline constexpr int survey_threads = 256;

template <class Real>
__device__ __forceinline__ double sum_of_rows(const SurveyArguments<Real>& f, unsigned& largest) {
  constexpr int row_lanes = 32;
  const int lane = static_cast<int>(threadIdx.x) % row_lanes;
  const std::int64_t first = (std::int64_t{blockIdx.x} * survey_threads + threadIdx.x) / row_lanes;
  const std::int64_t step = std::int64_t{gridDim.x} * survey_threads / row_lanes;
  const std::int64_t rows = std::int64_t{f.planes} * f.rows;
  double sum = 0.0;
  for (std::int64_t n = first; n < rows; n += step) {
    const int i = static_cast<int>(n / f.rows);
    const int j = static_cast<int>(n % f.rows);
    const Real* const row = f.f + i * f.at.plane + j * f.at.row;
    double of_row = 0.0;
#pragma unroll 4
    for (int k = lane; k < f.columns; k += row_lanes) {
      const Real value = __ldg(row + k);
      largest = max(largest, size_bits(static_cast<double>(value)));
      of_row += f.share_k[k] * static_cast<double>(value);
    }
    sum += f.share_i[i] * f.share_j[j] * of_row;
  }
  return sum;
}

template <class Real>
__global__ void __launch_bounds__(survey_threads)
    survey_kernel(const __grid_constant__ SurveyArguments<Real> f) {
  unsigned largest = 0;
  const double sum = block_sum(sum_of_rows(f, largest));
  Control& control = *f.control;
  raise_to_largest(&control.largest_f, largest);
  if (threadIdx.x == 0) {
    f.partials[blockIdx.x] = sum;
  }
  if (!is_last_block(&control.arrivals)) {
    return;
  }
  double part = 0.0;
  for (unsigned n = threadIdx.x; n < gridDim.x; n += survey_threads) {
    part += __ldcg(f.partials + n);
  }
  const double mean = block_sum(part);
  if (threadIdx.x == 0) {
    control.mean = mean;
    control.scale = scale_for(__ldcg(&control.largest_f));
    control.starts_from_zero = control.forgotten;
    control.begins_anew = 0;
    control.forgotten = 0;
    control.cycles = 0;
    control.stalled = 0;
    control.converged = 0;
    control.largest_residual = 0;
  }
}

/// What comes before a pass over the residual.
enum class After : int {
  start,    ///< was p better than nothing?
  restart,  ///< ... now it is 0
  cycle,    ///< or full multigrid
};

/// What comes after a pass over the residual.
enum class Next : int {
  end,  ///< or another pass
  full_multigrid,
  cycle,
};

/// Decides what comes next; by one thread, when all of the residual is known.
__device__ __forceinline__ Next decide(Control& control, const Limits& limits, After after) {
  const float residual = __uint_as_float(__ldcg(&control.largest_residual));
  if (after == After::start) {
    const double largest_f = size_of(__ldcg(&control.largest_f));
    control.bound = residual_bound(limits.tolerance, limits.factor, largest_f);
  }
  const bool small = static_cast<double>(residual) <= control.bound * control.scale;
  if (after == After::start) {
    const double nothing = size_of(__ldcg(&control.largest_f)) * control.scale;
    control.largest_f = 0;
    control.begins_anew =
        control.starts_from_zero == 0 && !small && !(static_cast<double>(residual) < nothing) ? 1
                                                                                              : 0;
    if (control.begins_anew != 0) {
      control.starts_from_zero = 1;
      return Next::end;  // the pass that follows decides
    }
  }
  if (after == After::cycle) {
    ++control.cycles;
    // Where cells are thin the first correction from nothing, in fp32, may leave more than there
    // was: what counts is whether the next ones bring that down.
    const bool first = control.cycles == 1;
    control.stalled = first || residual < falling * control.min_residual ? 0 : control.stalled + 1;
    control.min_residual = first ? residual : control.min_residual;
  } else {
    control.min_residual = residual;
  }
  const bool from_zero = control.starts_from_zero != 0;
  control.begins_anew = 0;
  control.starts_from_zero = 0;
  control.residual = residual;
  control.min_residual = fminf(residual, control.min_residual);
  control.converged = small ? 1 : 0;
  const bool goes_on = !small && isfinite(residual) && control.cycles < limits.max_cycles &&
                       control.stalled < max_stalled;
  return !goes_on ? Next::end : from_zero ? Next::full_multigrid : Next::cycle;
}

}  // namespace bankfull::poisson::multigrid::cuda
