#pragma once

#include "bankfull/core/exec/grid_barrier.cuh"
#include "bankfull/core/exec/reduce.cuh"
#include "bankfull/core/exec/team.hpp"
#include "bankfull/workloads/npb/cg/cg.hpp"
#include "bankfull/workloads/npb/cg/cuda/product.cuh"

#include <cstdint>

namespace bankfull::npb::cg::cuda {

/// What the solver leaves behind.
struct SolverResult {
  double zeta;
  double residual_norm;  ///< which NPB computes and does not verify
};

struct SolverArguments {
  ProductArguments product;
  int iterations;
  double shift;
  double* x;
  double* z;
  double* r;
  double* p;
  double* block_sums;  ///< two for each block
  unsigned* arrivals;  ///< 0 at the start
  SolverResult* result;
};

/// Sums over all threads of all blocks, always in the same order.
class GridSum {
 public:
  __device__ GridSum(double* block_sums, unsigned* arrivals)
      : block_sums_(block_sums), barrier_(arrivals) {}

  /// By all threads: the sum of their terms, the same bits for all. Nobody returns before all have
  /// come, so this is a barrier too.
  ///
  /// Two rows of sums in turn: who still reads one is not disturbed by those at the next, and
  /// nobody gets to the one after that before all have come to the next.
  __device__ double operator()(double term) {
    double* const sums = block_sums_ + turn_ * gridDim.x;
    turn_ = 1 - turn_;
    const double own = block_sum(term);
    if (threadIdx.x == 0) {
      sums[blockIdx.x] = own;
    }
    barrier_.wait();
    double sum = 0.0;
    for (unsigned n = threadIdx.x % warp_threads; n < gridDim.x; n += warp_threads) {
      sum += __ldcg(sums + n);
    }
    for (int distance = warp_threads / 2; distance > 0; distance /= 2) {
      sum += __shfl_xor_sync(~0U, sum, distance);
    }
    return sum;
  }

  __device__ void wait() { barrier_.wait(); }

 private:
  double* block_sums_;
  GridBarrier barrier_;
  unsigned turn_ = 0;
};

/// Inverse iteration by conjugate gradients, all blocks of a grid together: each has its share of
/// the vectors and its tiles of the matrix. All functions are called by all threads.
class Solver {
 public:
  __device__ explicit Solver(const SolverArguments& a)
      : a_(a),
        sum_(a.block_sums, a.arrivals),
        mine_(share(a.product.matrix.tiling.rows, static_cast<int>(blockIdx.x),
                    static_cast<int>(gridDim.x))) {}

  __device__ void run() {
    for (int n = 0; n < a_.iterations; ++n) {
      solve();
      double xz = 0.0;
      double zz = 0.0;
      each_row([&](std::int64_t row) {
        const double z = a_.z[row];
        xz = fma(a_.x[row], z, xz);
        zz = fma(z, z, zz);
      });
      const double zeta = a_.shift + 1.0 / sum_(xz);
      const double scale = 1.0 / sqrt(sum_(zz));
      each_row([&](std::int64_t row) { a_.x[row] = scale * a_.z[row]; });
      if (blockIdx.x == 0 && threadIdx.x == 0) {
        a_.result->zeta = zeta;
      }
    }
  }

 private:
  [[nodiscard]] __device__ const Tiling& tiling() const { return a_.product.matrix.tiling; }

  /// body(row) for all rows of the block's share.
  template <class Body>
  __device__ void each_row(const Body& body) const {
    for (std::int64_t row = mine_.begin + threadIdx.x; row < mine_.end; row += solver_threads) {
      body(row);
    }
  }

  /// z with A z = x, nearly, and the norm of what is left.
  __device__ void solve() {
    double rho = start();
    // One place for all products: each copy of their code would want registers of its own.
#pragma unroll 1
    for (int step = 0; step <= steps_an_iteration; ++step) {
      const bool solved = step == steps_an_iteration;
      const double product = sum_(multiply(solved ? a_.z : a_.p));
      if (solved) {
        note_residual_norm();
        return;
      }
      const double rho_before = rho;
      rho = advance(rho / product);
      turn(rho / rho_before);
    }
  }

  /// z = 0, r = p = x; returns r.r.
  __device__ double start() {
    double rr = 0.0;
    each_row([&](std::int64_t row) {
      const double x = a_.x[row];
      a_.z[row] = 0.0;
      a_.r[row] = x;
      a_.p[row] = x;
      rr = fma(x, x, rr);
    });
    return sum_(rr);
  }

  /// Forms the parts of A v; returns the block's terms of v.A v.
  [[nodiscard]] __device__ double multiply(const double* v) const {
    return tiling().one_tile_a_block ? multiply_pieces(a_.product, v)
                                     : multiply_rows(a_.product, v);
  }

  /// Element of the last product.
  [[nodiscard]] __device__ double product(std::int64_t row) const {
    double sum = 0.0;
    for (int part = 0; part < tiling().product_parts(); ++part) {
      sum += __ldcg(a_.product.parts + part * tiling().vector_size() + row);
    }
    return sum;
  }

  /// z += alpha p, r -= alpha A p; returns r.r.
  __device__ double advance(double alpha) {
    double rr = 0.0;
    each_row([&](std::int64_t row) {
      a_.z[row] = fma(alpha, a_.p[row], a_.z[row]);
      const double r = fma(-alpha, product(row), a_.r[row]);
      a_.r[row] = r;
      rr = fma(r, r, rr);
    });
    return sum_(rr);
  }

  /// p = r + beta p.
  __device__ void turn(double beta) {
    each_row([&](std::int64_t row) { a_.p[row] = fma(beta, a_.p[row], a_.r[row]); });
    sum_.wait();
  }

  /// ||x - A z||, after the product with z.
  __device__ void note_residual_norm() {
    double squares = 0.0;
    each_row([&](std::int64_t row) {
      const double left = a_.x[row] - product(row);
      squares = fma(left, left, squares);
    });
    const double norm = sqrt(sum_(squares));
    if (blockIdx.x == 0 && threadIdx.x == 0) {
      a_.result->residual_norm = norm;
    }
  }

  const SolverArguments& a_;
  GridSum sum_;
  Range mine_;
};

static __global__ void __launch_bounds__(solver_threads, 1)
    solver_kernel(const __grid_constant__ SolverArguments a) {
  Solver(a).run();
}

}  // namespace bankfull::npb::cg::cuda
