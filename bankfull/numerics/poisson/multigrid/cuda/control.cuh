#pragma once

#include "bankfull/core/exec/device_loop.cuh"
#include "bankfull/core/exec/last_block.cuh"
#include "bankfull/core/exec/reduce.cuh"
#include "bankfull/numerics/poisson/multigrid/cuda/control.hpp"
#include "bankfull/numerics/poisson/multigrid/cuda/grid.cuh"
#include "bankfull/numerics/poisson/poisson.hpp"

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

// The mean of f, weighted by volume, must not depend on how ranks cut the domain. So rows, which
// are not cut, are added up first, and their sums, once the largest |f| of all ranks is known, as
// whole numbers, whose sum has no order.

template <class T>
__device__ __forceinline__ T warp_sum(T value) {
  for (int lanes = 16; lanes > 0; lanes /= 2) {
    value += __shfl_xor_sync(~0U, value, lanes);
  }
  return value;
}

/// f as it was given, of this rank's own cells.
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
  double* row_sums;  ///< weighted, one per row
  Control* control;
};

inline constexpr int survey_threads = 256;

/// The sums of rows, and the largest |f|.
template <class Real>
__global__ void __launch_bounds__(survey_threads)
    survey_kernel(const __grid_constant__ SurveyArguments<Real> f) {
  constexpr int row_lanes = 32;
  const int lane = static_cast<int>(threadIdx.x) % row_lanes;
  const std::int64_t first = (std::int64_t{blockIdx.x} * survey_threads + threadIdx.x) / row_lanes;
  const std::int64_t step = std::int64_t{gridDim.x} * survey_threads / row_lanes;
  const std::int64_t rows = std::int64_t{f.planes} * f.rows;
  unsigned largest = 0;
  for (std::int64_t n = first; n < rows; n += step) {
    const int i = static_cast<int>(n / f.rows);
    const int j = static_cast<int>(n % f.rows);
    const Real* const row = f.f + i * f.at.plane + j * f.at.row;
    double sum = 0.0;
#pragma unroll 8
    for (int k = lane; k < f.columns; k += row_lanes) {
      const Real value = __ldg(row + k);
      largest = max(largest, size_bits(static_cast<double>(value)));
      sum += f.share_k[k] * static_cast<double>(value);
    }
    sum = warp_sum(sum);
    if (lane == 0) {
      f.row_sums[n] = f.share_i[i] * f.share_j[j] * sum;
    }
  }
  Control& control = *f.control;
  raise_to_largest(&control.largest_f, largest);
  if (is_last_block(&control.arrivals) && threadIdx.x == 0) {
    control.over_ranks[0] = size_of(__ldcg(&control.largest_f));
  }
}

/// What the sum of rows is in: |f| is scaled to less than 4, and the shares add up to 1.
inline constexpr double units_of_sum = 0x1p60;

/// With the mean of f a solve begins.
__device__ __forceinline__ void begin_solve(Control& control, double sum) {
  const bool is_finite = isfinite(size_of(control.largest_f));
  control.mean = is_finite ? sum / units_of_sum / control.scale : nan("");
  control.starts_from_zero = control.forgotten;
  control.begins_anew = 0;
  control.forgotten = 0;
  control.cycles = 0;
  control.stalled = 0;
  control.converged = 0;
  control.largest_residual = 0;
}

/// The sum of the rows' sums. `alone`: there are no other ranks' rows.
static __global__ void __launch_bounds__(survey_threads)
    sum_rows_kernel(const double* row_sums, std::int64_t rows, Control* control, bool alone) {
  const double largest = control->over_ranks[0];
  const double scale = scale_for(size_bits(largest));
  long long sum = 0;
  for (std::int64_t n = std::int64_t{blockIdx.x} * survey_threads + threadIdx.x; n < rows;
       n += std::int64_t{gridDim.x} * survey_threads) {
    sum += llrint(row_sums[n] * scale * units_of_sum);
  }
  sum = warp_sum(sum);
  if (threadIdx.x % 32 == 0) {
    // Whatever the sign, and modulo 2^64, as no sum of ranks is that large.
    atomicAdd(reinterpret_cast<unsigned long long*>(&control->sum),
              static_cast<unsigned long long>(sum));
  }
  if (!is_last_block(&control->arrivals) || threadIdx.x != 0) {
    return;
  }
  const long long total = __ldcg(&control->sum);
  control->sum = 0;
  control->scale = scale;
  control->largest_f = size_bits(largest);
  if (alone) {
    begin_solve(*control, static_cast<double>(total));
  } else {
    control->over_ranks[0] = static_cast<double>(total >> 32);
    control->over_ranks[1] = static_cast<double>(total & 0xffffffffLL);
  }
}

/// The same once the parts of all ranks are added: exactly, for they are whole numbers.
static __global__ void begin_solve_kernel(Control* control) {
  const auto upper = static_cast<long long>(control->over_ranks[0]);
  const auto lower = static_cast<long long>(control->over_ranks[1]);
  begin_solve(*control, static_cast<double>((upper << 32) + lower));
}

/// What comes before a pass over the residual.
enum class After : int {
  start,    ///< was p better than nothing?
  restart,  ///< ... now it is 0
  cycle,    ///< or full multigrid
};

/// The conditions of the loops in a recorded graph; elsewhere the host reads Control::next.
struct Loops {
  LoopCondition full_multigrid;
  LoopCondition cycles;
  bool recorded;
};

/// What comes next; by one thread, when all of the residual is known.
__device__ __forceinline__ Next next_after(Control& control, const Limits& limits, After after,
                                           float residual) {
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

__device__ __forceinline__ void decide(Control& control, const Limits& limits, After after,
                                       float residual, const Loops& loops) {
  const Next next = next_after(control, limits, after, residual);
  control.next = next;
  if (loops.recorded) {
    set_condition(loops.full_multigrid, next == Next::full_multigrid);
    set_condition(loops.cycles, next == Next::cycle);
  }
}

/// The same once the largest residual of all ranks is known.
static __global__ void decide_kernel(Control* control, Limits limits, After after, Loops loops) {
  if (after != After::restart || control->begins_anew != 0) {
    decide(*control, limits, after, static_cast<float>(control->over_ranks[0]), loops);
  }
}

}  // namespace bankfull::poisson::multigrid::cuda
