#pragma once

#include "bankfull/core/exec/device_loop.cuh"
#include "bankfull/core/exec/last_block.cuh"
#include "bankfull/core/exec/reduce.cuh"
#include "bankfull/numerics/poisson/multigrid/cuda/control.hpp"
#include "bankfull/numerics/poisson/multigrid/cuda/grid.cuh"
#include "bankfull/numerics/poisson/multigrid/cuda/plane_start.cuh"
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

/// The sum of a block's threads, in the first one; all of them call it.
__device__ __forceinline__ long long block_sum(long long value) {
  __shared__ long long sums[survey_threads / 32];
  const auto thread = static_cast<int>(threadIdx.x);
  value = warp_sum(value);
  __syncthreads();  // a sum before this one has been read
  if (thread % 32 == 0) {
    sums[thread / 32] = value;
  }
  __syncthreads();
  return warp_sum(thread < survey_threads / 32 ? sums[thread] : 0LL);
}

/// Rows that a rank has sums of.
struct OwnRows {
  const double* sums;
  int first_plane;  ///< number in the whole level
  int planes;
  int rows;  ///< of a plane
};

/// The sums of planes, and of f. Those of ranks are not complete yet.
static __global__ void __launch_bounds__(survey_threads)
    sum_planes_kernel(OwnRows own, Control* control, const __grid_constant__ PlaneStart start) {
  const double largest = control->over_ranks[0];
  const double scale = scale_for(size_bits(largest));
  const auto thread = static_cast<int>(threadIdx.x);
  for (auto plane = static_cast<int>(blockIdx.x); plane < start.count;
       plane += static_cast<int>(gridDim.x)) {
    const int own_plane = plane - own.first_plane;
    const bool is_own = own_plane >= 0 && own_plane < own.planes;
    long long sum = 0;
    for (int row = thread; is_own && row < own.rows; row += survey_threads) {
      sum += llrint(own.sums[std::int64_t{own_plane} * own.rows + row] * scale * units_of_sum);
    }
    sum = block_sum(sum);
    if (thread != 0) {
      continue;
    }
    if (start.parts != nullptr) {
      start.parts[2 * plane] = static_cast<double>(sum >> 32);
      start.parts[2 * plane + 1] = static_cast<double>(sum & 0xffffffffLL);
      continue;
    }
    start.sums[plane] = sum;
    // Whatever the sign.
    atomicAdd(reinterpret_cast<unsigned long long*>(&control->sum),
              static_cast<unsigned long long>(sum));
  }
  if (!is_last_block(&control->arrivals) || thread >= 32) {
    return;
  }
  if (thread == 0) {
    control->scale = scale;
    control->largest_f = size_bits(largest);
    if (start.parts == nullptr) {
      const long long total = __ldcg(&control->sum);
      control->sum = 0;
      begin_solve(*control, static_cast<double>(total));
    }
  }
  __syncwarp();
  if (start.parts == nullptr && control->starts_from_zero != 0) {
    form_plane_start(*control, start);
  }
}

/// The same once the parts of all ranks are added: exactly, for they are whole numbers. One warp.
static __global__ void begin_solve_kernel(Control* control,
                                          const __grid_constant__ PlaneStart start) {
  const auto lane = static_cast<int>(threadIdx.x);
  long long total = 0;
  for (int plane = lane; plane < start.count; plane += 32) {
    const auto upper = static_cast<long long>(start.parts[2 * plane]);
    const auto lower = static_cast<long long>(start.parts[2 * plane + 1]);
    start.sums[plane] = (upper << 32) + lower;
    total += (upper << 32) + lower;
  }
  total = warp_sum(total);
  if (lane == 0) {
    begin_solve(*control, static_cast<double>(total));
  }
  __syncwarp();
  if (control->starts_from_zero != 0) {
    form_plane_start(*control, start);
  }
}

/// What comes before a pass over the residual.
enum class After : int {
  start,    ///< was p better than nothing?
  restart,  ///< ... now it is that of planes
  cycle,    ///< or full multigrid
};

/// The conditions of the loops in a recorded graph; elsewhere the host reads Control::next.
struct Loops {
  LoopCondition full_multigrid;
  LoopCondition cycles;
  bool recorded;
};

/// Whether there will be another cycle.
__device__ __forceinline__ bool goes_on(const Control& control, const Limits& limits, bool small,
                                        float residual) {
  return !small && isfinite(residual) && control.cycles < limits.max_cycles &&
         control.stalled < max_stalled;
}

/// Whether the pass over the residual that comes before a solve's first cycle has to be done again,
/// to begin with what planes have in common: if p is worse than nothing, or if nothing is all that
/// there will be, and is to be written.
__device__ __forceinline__ bool has_to_begin_anew(const Control& control, const Limits& limits,
                                                  bool small, float residual, double nothing) {
  return control.starts_from_zero != 0 ? !goes_on(control, limits, small, residual)
                                       : !small && !(static_cast<double>(residual) < nothing);
}

/// What comes next; by one thread, when all of the residual is known.
__device__ __forceinline__ Next next_after(Control& control, const Limits& limits, After after,
                                           float residual) {
  const bool from_zero = control.starts_from_zero != 0;
  double nothing = 0.0;
  if (after != After::cycle) {
    const double largest_f = size_of(__ldcg(&control.largest_f));
    control.bound = residual_bound(limits.tolerance, limits.factor, largest_f);
    nothing = largest_f * control.scale;
  }
  // What planes have in common leaves was taken from f, and not formed of p with its rounding: it
  // is known to be small where there is nothing at all.
  const bool small =
      from_zero ? nothing == 0.0 : static_cast<double>(residual) <= control.bound * control.scale;
  if (after == After::start && has_to_begin_anew(control, limits, small, residual, nothing)) {
    control.begins_anew = 1;
    control.starts_from_zero = 1;
    return Next::end;  // the pass that follows decides
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
  control.largest_f = 0;
  control.begins_anew = 0;
  control.starts_from_zero = 0;
  control.residual = residual;
  control.min_residual = fminf(residual, control.min_residual);
  control.converged = small ? 1 : 0;
  if (!goes_on(control, limits, small, residual)) {
    return Next::end;
  }
  return from_zero ? Next::full_multigrid : Next::cycle;
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

/// By a warp, after a decision: a solve that begins anew begins as one from nothing.
__device__ __forceinline__ void form_plane_start_anew(const Control& control, After after,
                                                      const PlaneStart& start) {
  if (after == After::start && control.begins_anew != 0) {
    form_plane_start(control, start);
  }
}

/// The decision once the largest residual of all ranks is known. One warp.
static __global__ void decide_kernel(Control* control, Limits limits, After after, Loops loops,
                                     const __grid_constant__ PlaneStart start) {
  const bool is_awaited = after != After::restart || control->begins_anew != 0;
  __syncwarp();  // all have read what the decision changes
  if (!is_awaited) {
    return;
  }
  if (threadIdx.x == 0) {
    decide(*control, limits, after, static_cast<float>(control->over_ranks[0]), loops);
  }
  __syncwarp();
  form_plane_start_anew(*control, after, start);
}

}  // namespace bankfull::poisson::multigrid::cuda
