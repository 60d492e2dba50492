#pragma once

#include "bankfull/core/exec/grid_sum.cuh"
#include "bankfull/core/exec/team.hpp"
#include "bankfull/workloads/npb/cg/cg.hpp"
#include "bankfull/workloads/npb/cg/cuda/product.cuh"

#include <cstdint>

namespace bankfull::npb::cg::cuda {

/// The solver's result.
struct SolverResult {
  double zeta;
  double residual_norm;  ///< which NPB computes and does not verify
};

/// Vectors have `Tiling::vector_size` elements; what lies beyond the rows is 0.
struct SolverArguments {
  ProductArguments product;
  int iterations;
  double shift;
  double* x;
  double* z;
  double* r;
  double* p;
  GridTerm* terms;  ///< 0 at the start
  SolverResult* result;
};

/// Inverse iteration by conjugate gradients, all blocks of a grid together: each has a tile of the
/// matrix and a share of the vectors. Sums are those of tiles in their order, whichever block has
/// which tile. All functions are called by all threads.
class Solver {
 public:
  /// Begin and end of a block's share of the vectors, in pairs of elements. Not a Range, because
  /// shared memory takes no initial values.
  using Share = std::int64_t[2];

  /// What a step takes from the one before it.
  struct Step {
    NextDirection multiplied;
    double rho;  ///< r.r
  };

  /// `tile`, the share and the step are in shared memory, for lack of registers.
  __device__ Solver(const SolverArguments& a, const int& tile, const Share& mine, Step& step)
      : a_(a), tile_(tile), sum_(a.terms, tile), mine_(mine), step_(step) {}

  __device__ static void find_share(const SolverArguments& a, int tile, Share& mine) {
    const Range range =
        share(a.product.matrix.tiling.vector_size() / 2, tile, static_cast<int>(gridDim.x));
    mine[0] = range.begin;
    mine[1] = range.end;
  }

  __device__ void run() {
    for (int n = 0; n < a_.iterations; ++n) {
      solve();
      double xz = 0.0;
      double zz = 0.0;
      each_pair([&](std::int64_t n) {
        const double2 z = at(a_.z, n);
        xz = add_dot(at(a_.x, n), z, xz);
        zz = add_dot(z, z, zz);
      });
      const double zeta = a_.shift + 1.0 / sum_(xz);
      const double scale = 1.0 / sqrt(sum_(zz));
      each_pair([&](std::int64_t n) {
        const double2 z = at(a_.z, n);
        at(a_.x, n) = {scale * z.x, scale * z.y};
      });
      if (blockIdx.x == 0 && threadIdx.x == 0) {
        a_.result->zeta = zeta;
      }
    }
  }

 private:
  [[nodiscard]] __device__ const Tiling& tiling() const { return a_.product.matrix.tiling; }

  // Vectors are worked on by pairs of elements.

  [[nodiscard]] __device__ static double2& at(double* vector, std::int64_t pair) {
    return reinterpret_cast<double2*>(vector)[pair];
  }

  [[nodiscard]] __device__ static double add_dot(const double2& a, const double2& b, double sum) {
    return fma(a.y, b.y, fma(a.x, b.x, sum));
  }

  /// factor * a + b
  [[nodiscard]] __device__ static double2 multiply_add(double factor, const double2& a,
                                                       const double2& b) {
    return {fma(factor, a.x, b.x), fma(factor, a.y, b.y)};
  }

  /// body(pair) for all pairs of the block's share.
  template <class Body>
  __device__ void each_pair(const Body& body) const {
    for (std::int64_t pair = mine_[0] + threadIdx.x; pair < mine_[1]; pair += solver_threads) {
      body(pair);
    }
  }

  /// z with A z = x, nearly, and the norm of what is left.
  __device__ void solve() {
    take({a_.r, 0.0}, start());
    // One call site for all products: each copy of the inlined code would need registers of its
    // own.
#pragma unroll 1
    for (int step = 0; step <= steps_per_iteration; ++step) {
      __syncthreads();
      const double product = sum_(multiply_tile(a_.product, tile_, step_.multiplied));
      if (step == steps_per_iteration) {
        note_residual_norm();
        return;
      }
      const double rho = advance(step_.multiplied.beta, step_.rho / product);
      const double beta = rho / step_.rho;
      __syncthreads();
      const bool solved = step + 1 == steps_per_iteration;
      take(solved ? NextDirection{a_.z, 0.0} : NextDirection{a_.r, beta}, rho);
    }
  }

  /// What the next step takes, once no thread of the block reads the last one's any more.
  __device__ void take(const NextDirection& multiplied, double rho) {
    if (threadIdx.x == 0) {
      step_ = {multiplied, rho};
    }
  }

  /// z = p = 0, for 0 times what is not a number is none, and r = x; returns r.r.
  __device__ double start() {
    double rr = 0.0;
    each_pair([&](std::int64_t n) {
      const double2 x = at(a_.x, n);
      at(a_.z, n) = {0.0, 0.0};
      at(a_.p, n) = {0.0, 0.0};
      at(a_.r, n) = x;
      rr = add_dot(x, x, rr);
    });
    return sum_(rr);
  }

  /// Elements of the last product.
  [[nodiscard]] __device__ double2 product(std::int64_t pair) const {
    const auto* part = reinterpret_cast<const double2*>(a_.product.parts) + pair;
    double2 sum{0.0, 0.0};
#pragma unroll 6
    for (int n = 0; n < tiling().product_parts(); ++n) {
      const double2 term = __ldcg(part);
      sum = {sum.x + term.x, sum.y + term.y};
      part += tiling().vector_size() / 2;
    }
    return sum;
  }

  /// p = r + beta p, which was multiplied, z += alpha p, r -= alpha A p; returns r.r.
  __device__ double advance(double beta, double alpha) {
    double rr = 0.0;
    each_pair([&](std::int64_t n) {
      const double2 r_before = at(a_.r, n);
      const double2 p = multiply_add(beta, at(a_.p, n), r_before);
      const double2 r = multiply_add(-alpha, product(n), r_before);
      at(a_.p, n) = p;
      at(a_.z, n) = multiply_add(alpha, p, at(a_.z, n));
      at(a_.r, n) = r;
      rr = add_dot(r, r, rr);
    });
    return sum_(rr);
  }

  /// ||x - A z||, after the product with z.
  __device__ void note_residual_norm() {
    double squares = 0.0;
    each_pair([&](std::int64_t n) {
      const double2 left = multiply_add(-1.0, product(n), at(a_.x, n));
      squares = add_dot(left, left, squares);
    });
    const double norm = sqrt(sum_(squares));
    if (blockIdx.x == 0 && threadIdx.x == 0) {
      a_.result->residual_norm = norm;
    }
  }

  const SolverArguments& a_;
  const int& tile_;
  GridSum sum_;
  const Share& mine_;
  Step& step_;
};

static __global__ void __launch_bounds__(solver_threads, 1)
    solver_kernel(const __grid_constant__ SolverArguments a) {
  __shared__ Solver::Share mine;
  __shared__ Solver::Step step;
  const int& tile = next_item_of_block(a.product.items);
  if (threadIdx.x == 0) {
    Solver::find_share(a, tile, mine);
  }
  clear_panel(a.product.matrix.tiling, product_workspace());  // NextDirection needs numbers
  __syncthreads();
  Solver(a, tile, mine, step).run();
  end_claims(a.product.items);
}

}  // namespace bankfull::npb::cg::cuda
