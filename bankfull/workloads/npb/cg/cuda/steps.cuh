#pragma once

#include "bankfull/core/comm/peer_signals.cuh"
#include "bankfull/core/exec/reduce.cuh"
#include "bankfull/workloads/npb/cg/block_messages.hpp"
#include "bankfull/workloads/npb/cg/cuda/solver.cuh"

#include <cstdint>

namespace bankfull::npb::cg::cuda {

// The kernels of a step of conjugate gradients. Each function object works on one element of the
// rank's piece of the vectors.
//
// NASA's step has two sums over ranks, the second of which depends on the first: with q = A p, p.q
// for alpha = r.r / p.q, then r.r of the next r for beta and the next p.
//
// Sums over ranks take longer than operations on vectors. The step of A. Chronopoulos and C. Gear,
// J. Comput. Appl. Math. 25 (1989), 153, has one. It multiplies r: w = A r. Its sum gives r.r and
// r.w, and from them beta, p.q = r.w - beta r.r / alpha before, alpha, p = r + beta p and q = w +
// beta q: the same numbers but for rounding. p.q is a difference, but the second term is a fraction
// of the first, so cancellation is negligible.

/// Multiplies a block of the matrix by its inputs.
template <bool OneTilePerBlock>
__global__ void __launch_bounds__(solver_threads, 1)
    block_product_kernel(const __grid_constant__ ProductArguments a, const double* inputs) {
  if constexpr (OneTilePerBlock) {
    static_cast<void>(multiply_tile(a, next_item_of_block(a.items), StoredVector{inputs}));
  } else {
    multiply_groups(a, inputs);
  }
  end_claims(a.items);
}

/// Adds up the parts of a block's product.
struct AddParts {
  const double* parts;
  int count;
  std::int64_t stride;
  double* sums;

  __device__ void operator()(std::int64_t row) const {
    double sum = 0.0;
    for (int part = 0; part < count; ++part) {
      sum += parts[part * stride + row];
    }
    sums[row] = sum;
  }
};

/// The sums of all ranks for the piece.
struct PieceSums {
  const double* exchanged;  ///< by `ReducePlan`
  const Contribution* contributions;
  int count;

  /// The sum of one element's parts, in the order of ranks.
  [[nodiscard]] __device__ double at(std::int64_t n) const {
    double sum = 0.0;
    for (int k = 0; k < count; ++k) {
      const Contribution& from = contributions[k];
      if (n >= from.elements.begin && n < from.elements.end) {
        sum += exchanged[from.begin + n - from.elements.begin];
      }
    }
    return sum;
  }
};

/// The vector that the ranks' blocks multiply.
struct Multiplied {
  double* piece;   ///< the own one
  double* inputs;  ///< of the own block
  Range own;       ///< elements of the piece that are inputs
  std::int64_t own_begin;

  [[nodiscard]] __device__ double at(std::int64_t n) const { return piece[n]; }

  __device__ void set(std::int64_t n, double value) const {
    piece[n] = value;
    if (n >= own.begin && n < own.end) {
      inputs[own_begin + n - own.begin] = value;
    }
  }
};

/// Scalars of a step in NASA's order.
struct NasaScalars {
  double rr;  ///< when the step begins
  double pq;
};

/// Begins a solve for p = x: z = 0, r = x; terms of r.r.
struct StartSolve {
  static constexpr int terms = 1;

  Multiplied p;
  double* r;
  double* z;

  __device__ void operator()(std::int64_t n, double (&sums)[terms]) const {
    const double x = p.at(n);
    r[n] = x;
    z[n] = 0.0;
    sums[0] = fma(x, x, sums[0]);
  }
};

/// Takes the product, q = A p; terms of p.q.
struct TakeDirectionProduct {
  static constexpr int terms = 1;

  PieceSums product;
  Multiplied p;
  double* q;

  __device__ void operator()(std::int64_t n, double (&sums)[terms]) const {
    const double element = product.at(n);
    q[n] = element;
    sums[0] = fma(p.at(n), element, sums[0]);
  }
};

/// z += alpha p, r -= alpha q; terms of the next r.r.
struct UpdateSolution {
  static constexpr int terms = 1;

  const NasaScalars* step;
  Multiplied p;
  const double* q;
  double* r;
  double* z;

  __device__ void operator()(std::int64_t n, double (&sums)[terms]) const {
    const double alpha = step->rr / step->pq;
    z[n] = fma(alpha, p.at(n), z[n]);
    const double next = fma(-alpha, q[n], r[n]);
    r[n] = next;
    sums[0] = fma(next, next, sums[0]);
  }
};

/// p = r + beta p. In the last step z takes the place of p: it is multiplied next.
struct UpdateDirection {
  const NasaScalars* step;
  const NasaScalars* next;
  bool last;
  const double* r;
  const double* z;
  Multiplied p;

  __device__ void operator()(std::int64_t n) const {
    p.set(n, last ? z[n] : fma(next->rr / step->rr, p.at(n), r[n]));
  }
};

/// Scalars of a step of Chronopoulos and Gear.
struct StepScalars {
  double rr;
  double rw;
  double alpha;
};

/// Takes the product, w = A r; terms of r.r and r.w.
struct TakeStepProduct {
  static constexpr int terms = 2;

  PieceSums product;
  Multiplied r;
  double* w;

  __device__ void operator()(std::int64_t n, double (&sums)[terms]) const {
    const double element = r.at(n);
    const double product_element = product.at(n);
    w[n] = product_element;
    sums[0] = fma(element, element, sums[0]);
    sums[1] = fma(element, product_element, sums[1]);
  }
};

/// z, r, p and q of the next step. In the last one z takes the place of r: it is multiplied next.
struct Advance {
  StepScalars* step;
  const StepScalars* before;  ///< null in the first step
  bool last;
  Multiplied r;
  const double* w;
  double* z;
  double* p;
  double* q;

  __device__ void operator()(std::int64_t n) const {
    const bool first = before == nullptr;
    const double rr = step->rr;
    const double rw = step->rw;
    const double beta = first ? 0.0 : rr / before->rr;
    const double pq = first ? rw : rw - beta * rr / before->alpha;
    const double alpha = rr / pq;
    const double own_r = r.at(n);
    const double next_p = first ? own_r : fma(beta, p[n], own_r);
    const double next_q = first ? w[n] : fma(beta, q[n], w[n]);
    const double next_z = first ? alpha * next_p : fma(alpha, next_p, z[n]);
    p[n] = next_p;
    q[n] = next_q;
    z[n] = next_z;
    r.set(n, last ? next_z : fma(-alpha, next_q, own_r));
    if (n == 0) {
      step->alpha = alpha;
    }
  }
};

/// Scalars of an outer iteration.
struct IterationScalars {
  double squared_residual;
  double xz;
  double zz;
};

/// Takes the product A z; terms of the squared norm of x - A z, x.z and z.z.
struct TakeLastProduct {
  static constexpr int terms = 3;

  PieceSums product;
  const double* x;
  const double* z;

  __device__ void operator()(std::int64_t n, double (&sums)[terms]) const {
    const double left = x[n] - product.at(n);
    sums[0] = fma(left, left, sums[0]);
    sums[1] = fma(x[n], z[n], sums[1]);
    sums[2] = fma(z[n], z[n], sums[2]);
  }
};

/// x = z / ||z||, from which the next solve starts.
struct Normalise {
  const IterationScalars* scalars;
  double shift;
  double* x;
  const double* z;
  Multiplied r;
  SolverResult* result;

  __device__ void operator()(std::int64_t n) const {
    const double next = 1.0 / sqrt(scalars->zz) * z[n];
    x[n] = next;
    r.set(n, next);
    if (n == 0) {
      *result = {shift + 1.0 / scalars->xz, sqrt(scalars->squared_residual)};
    }
  }
};

/// r = x.
struct Begin {
  const double* x;
  Multiplied r;

  __device__ void operator()(std::int64_t n) const { r.set(n, x[n]); }
};

inline constexpr int sum_threads = 256;
inline constexpr std::int64_t max_sum_blocks = 512;

/// Partial sums of the blocks, and a counter of finished blocks.
struct SumWorkspace {
  static constexpr std::size_t partials_of(int terms) {
    return static_cast<std::size_t>(terms) * max_sum_blocks;
  }
  double* partials;
  unsigned* ticket;  ///< 0 between launches
};

/// Applies an operation to all elements and sums its terms, always in the same order.
template <class Body>
__global__ void __launch_bounds__(sum_threads)
    sum_kernel(std::int64_t count, Body body, SumWorkspace workspace, double* sums) {
  double found[Body::terms] = {};
  const std::int64_t stride = std::int64_t{gridDim.x} * sum_threads;
  for (std::int64_t n = std::int64_t{blockIdx.x} * sum_threads + threadIdx.x; n < count;
       n += stride) {
    body(n, found);
  }
#pragma unroll
  for (int term = 0; term < Body::terms; ++term) {
    const double sum = block_sum(found[term]);
    if (threadIdx.x == 0) {
      workspace.partials[term * max_sum_blocks + blockIdx.x] = sum;
    }
  }
  if (!is_last_block(workspace.ticket)) {
    return;
  }
  for (int term = 0; term < Body::terms; ++term) {
    double sum = 0.0;
    for (unsigned block = threadIdx.x; block < gridDim.x; block += sum_threads) {
      sum += __ldcg(workspace.partials + term * max_sum_blocks + block);
    }
    sum = block_sum(sum);
    if (threadIdx.x == 0) {
      sums[term] = sum;
    }
  }
}

}  // namespace bankfull::npb::cg::cuda
