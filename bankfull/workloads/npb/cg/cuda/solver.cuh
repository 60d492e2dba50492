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

  /// `tile` and the share are in shared memory, for lack of registers.
  __device__ Solver(const SolverArguments& a, const int& tile, const Share& mine)
      : a_(a), tile_(tile), sum_(a.terms, tile), mine_(mine) {}

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
    double rho = start();
    // One call site for all products: each copy of the inlined code would need registers of its
    // own.
#pragma unroll 1
    for (int step = 0; step <= steps_per_iteration; ++step) {
      const bool solved = step == steps_per_iteration;
      const double product = sum_(multiply_tile<true>(a_.product, tile_, solved ? a_.z : a_.p));
      if (solved) {
        note_residual_norm();
        return;
      }
      const double alpha = rho / product;
      const double rho_before = rho;
      rho = advance(alpha);
      turn(alpha, rho / rho_before);
    }
  }

  /// z = 0, r = p = x; returns r.r.
  __device__ double start() {
    double rr = 0.0;
    each_pair([&](std::int64_t n) {
      const double2 x = at(a_.x, n);
      at(a_.z, n) = {0.0, 0.0};
      at(a_.r, n) = x;
      at(a_.p, n) = x;
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

  /// r -= alpha A p; returns r.r.
  __device__ double advance(double alpha) {
    double rr = 0.0;
    each_pair([&](std::int64_t n) {
      const double2 before = at(a_.r, n);
      const double2 r = multiply_add(-alpha, product(n), before);
      at(a_.r, n) = r;
      rr = add_dot(r, r, rr);
    });
    return sum_(rr);
  }

  /// z += alpha p, then p = r + beta p.
  __device__ void turn(double alpha, double beta) {
    each_pair([&](std::int64_t n) {
      const double2 p = at(a_.p, n);
      const double2 r = at(a_.r, n);
      const double2 z = at(a_.z, n);
      at(a_.p, n) = multiply_add(beta, p, r);
      at(a_.z, n) = multiply_add(alpha, p, z);
    });
    sum_.wait();
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
};

static __global__ void __launch_bounds__(solver_threads, 1)
    solver_kernel(const __grid_constant__ SolverArguments a) {
  __shared__ Solver::Share mine;
  const int& tile = next_item_of_block(a.product.items);
  if (threadIdx.x == 0) {
    Solver::find_share(a, tile, mine);
  }
  __syncthreads();
  Solver(a, tile, mine).run();
  end_claims(a.product.items);
}

}  // namespace bankfull::npb::cg::cuda
