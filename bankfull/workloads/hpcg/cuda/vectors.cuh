#pragma once

#include "bankfull/workloads/hpcg/cuda/backend.cuh"
#include "bankfull/workloads/hpcg/cuda/block_sums.cuh"
#include "bankfull/workloads/hpcg/cuda/part_clock.cuh"
#include "bankfull/workloads/hpcg/cuda/sweeps.cuh"

#include <cstdint>

namespace bankfull::hpcg::cuda {

// Vector operations of conjugate gradients, fused, of which a thread takes two elements, and the
// product.

/// r = b - A p where p = 0 was multiplied; r.r.
static __global__ void __launch_bounds__(threads_per_block)
    first_residual_kernel(std::int64_t pairs, const double2* b, const double2* ap, double2* r,
                          const __grid_constant__ BlockSums sums) {
  const std::int64_t n = std::int64_t{blockIdx.x} * threads_per_block + threadIdx.x;
  double sum = 0.0;
  if (n < pairs) {
    const double2 there = b[n];
    const double2 less = ap[n];
    const double2 now{there.x - less.x, there.y - less.y};
    r[n] = now;
    sum = now.x * now.x + now.y * now.y;
  }
  add_up(sums, sum, blockIdx.x, gridDim.x);
}

/// x += (factor put off) p, then p = z + beta p; p = z in the first iteration.
static __global__ void __launch_bounds__(threads_per_block)
    update_direction_kernel(std::int64_t pairs, const Scalars* scalars, bool first,
                            const double2* z, double2* p, double2* x, PartClock* clock) {
  const std::int64_t n = std::int64_t{blockIdx.x} * threads_per_block + threadIdx.x;
  if (n == 0) {
    clock->end(PartClock::mg);
  }
  if (n >= pairs) {
    return;
  }
  const double2 direction = __ldcs(z + n);
  if (first) {
    p[n] = direction;
    return;
  }
  const double alpha = scalars->put_off;
  const double beta = scalars->beta();
  const double2 before = p[n];
  double2 sum = __ldcs(x + n);
  sum.x = fma(alpha, before.x, sum.x);
  sum.y = fma(alpha, before.y, sum.y);
  __stcs(x + n, sum);
  p[n] = {fma(beta, before.x, direction.x), fma(beta, before.y, direction.y)};
}

/// x += (factor put off) p.
static __global__ void __launch_bounds__(threads_per_block)
    catch_up_kernel(std::int64_t pairs, const Scalars* scalars, const double2* p, double2* x) {
  const std::int64_t n = std::int64_t{blockIdx.x} * threads_per_block + threadIdx.x;
  if (n < pairs) {
    const double alpha = scalars->put_off;
    const double2 along = p[n];
    double2 sum = x[n];
    sum.x = fma(alpha, along.x, sum.x);
    sum.y = fma(alpha, along.y, sum.y);
    x[n] = sum;
  }
}

/// Pairs that a thread of update_solution_kernel takes: few blocks, whose sums are soon added up.
inline constexpr int updates_each = 4;

/// r -= alpha ap; r.r. Notes alpha for the update of x.
static __global__ void __launch_bounds__(threads_per_block)
    update_solution_kernel(std::int64_t pairs, Scalars* scalars, const double2* ap, double2* r,
                           PartClock* clock, const __grid_constant__ BlockSums sums) {
  const std::int64_t first =
      std::int64_t{blockIdx.x} * (updates_each * threads_per_block) + threadIdx.x;
  const auto place = [&](int n) { return first + n * threads_per_block; };
  double2 along[updates_each] = {};
  double2 now[updates_each] = {};
#pragma unroll
  for (int n = 0; n < updates_each; ++n) {
    if (place(n) < pairs) {
      along[n] = __ldcs(ap + place(n));
      now[n] = r[place(n)];
    }
  }
  const double alpha = scalars->alpha();
  double sum = 0.0;
#pragma unroll
  for (int n = 0; n < updates_each; ++n) {
    now[n].x = fma(-alpha, along[n].x, now[n].x);
    now[n].y = fma(-alpha, along[n].y, now[n].y);
    sum += now[n].x * now[n].x + now[n].y * now[n].y;
    if (place(n) < pairs) {
      r[place(n)] = now[n];
    }
  }
  if (first == 0) {
    scalars->put_off = alpha;
    clock->end_and_stop(PartClock::spmv);
  }
  add_up(sums, sum, blockIdx.x, gridDim.x);
}

/// The factors of one iteration become those of the last.
static __global__ void keep_product_kernel(Scalars* scalars) { scalars->previous_rz = scalars->rz; }

/// Ranges of rows. Each block processes a part of every range (or of every gridDim.y-th), so that
/// the rows of a block are close together on the grid and share the x that they read.
struct DealtRanges {
  const Range* ranges = nullptr;  ///< in GPU memory
  int count = 0;
  unsigned blocks = 0;  ///< for the longest range
};

/// Adds up the terms of the block's rows: of each, add(row, term) returns the thread's sum with its
/// term.
template <class Add>
__device__ __forceinline__ void sum_over_rows(const DealtRanges& rows, const BlockSums& sums,
                                              const Add& add) {
  double term = 0.0;
#pragma unroll 1
  for (int n = static_cast<int>(blockIdx.y); n < rows.count; n += static_cast<int>(gridDim.y)) {
    const Range mine = rows.ranges[n];
    const std::int64_t row =
        mine.begin + std::int64_t{blockIdx.x} * threads_per_block + threadIdx.x;
    if (row < mine.end) {
      term = add(row, term);
    }
  }
  add_up(sums, term, blockIdx.y * gridDim.x + blockIdx.x, gridDim.x * gridDim.y);
}

/// y = A x and the terms of x.y.
template <class Columns, Outer Others>
__global__ void __launch_bounds__(threads_per_block, 4)
    multiply_kernel(DealtRanges rows, const __grid_constant__ LevelArguments<Columns> a,
                    const double* x, double* y, PartClock* clock,
                    const __grid_constant__ BlockSums sums) {
  if (Others == Outer::none && blockIdx.x == 0 && blockIdx.y == 0 && threadIdx.x == 0) {
    clock->end(PartClock::waxpby);
  }
  sum_over_rows(rows, sums, [&](std::int64_t row, double term) {
    const double own = x[row];
    const double lower = times(a.lower, row, x);
    const double upper = times(a.upper, row, x);
    const double outer = Others == Outer::some ? times(a.outer, row, x) : 0.0;
    const double sum = fma(load_once(a.diagonal + row), own, lower) + upper + outer;
    __stcs(y + row, sum);
    return fma(sum, own, term);
  });
}

/// Vectors of an iteration whose product comes from a recurrence.
struct RecurrenceVectors {
  const double* z;  ///< with the columns of other ranks
  double* p;
  double* ap;
  double* x;
};

/// x += (factor put off) p; p = z + beta p; A p = A z + beta A p, with A z = L z + (D + U) z + E z,
/// of which the last sweep has left the middle; the terms of p.Ap. p = z in the first iteration.
template <class Columns, Outer Others>
__global__ void __launch_bounds__(threads_per_block, 4)
    recurrence_kernel(DealtRanges rows, const __grid_constant__ LevelArguments<Columns> a,
                      const Scalars* scalars, bool first, const RecurrenceVectors v,
                      const __grid_constant__ BlockSums sums) {
  const double alpha = first ? 0.0 : scalars->put_off;
  const double beta = first ? 0.0 : scalars->beta();
  sum_over_rows(rows, sums, [&](std::int64_t row, double term) {
    const double lower = times(a.lower, row, v.z);
    const double outer = Others == Outer::some ? times(a.outer, row, v.z) : 0.0;
    const double before = first ? 0.0 : __ldcs(v.p + row);
    const double product = first ? 0.0 : __ldcs(v.ap + row);
    if (!first) {
      __stcs(v.x + row, fma(alpha, before, __ldcs(v.x + row)));
    }
    const double now = fma(beta, before, v.z[row]);
    const double along = fma(beta, product, lower + load_once(a.du + row) + outer);
    __stcs(v.p + row, now);
    __stcs(v.ap + row, along);
    return fma(along, now, term);
  });
}

}  // namespace bankfull::hpcg::cuda
