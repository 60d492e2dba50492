#include "bankfull/core/base/error.hpp"
#include "bankfull/core/exec/cusparse.hpp"
#include "bankfull/workloads/hpcg/cuda/variants/permuted_backend.cuh"

#include <cstdint>
#include <limits>
#include <string>

namespace bankfull::hpcg::cuda {
namespace {

struct Narrow {
  const std::int64_t* from;
  std::int32_t* to;
  __device__ void operator()(std::int64_t n) const { to[n] = static_cast<std::int32_t>(from[n]); }
};

struct Scale {
  const double* factor;
  double* x;
  __device__ void operator()(std::int64_t n) const { x[n] *= factor[n]; }
};

struct Add {
  const double* change;
  double* x;
  __device__ void operator()(std::int64_t n) const { x[n] += change[n]; }
};

/// A matrix with its cuSPARSE descriptors and buffers.
struct NarrowCsr {
  Csr csr;
  Buffer<std::int32_t> start = {};

  [[nodiscard]] CusparseMatrix view() const {
    return {csr.rows, csr.columns, csr.entries, start.data(), csr.column.data(), csr.value.data()};
  }
  [[nodiscard]] std::size_t bytes() const {
    return csr.start.bytes() + csr.column.bytes() + csr.value.bytes() + start.bytes();
  }
};

NarrowCsr narrow(const CudaExecutor& executor, Csr csr) {
  NarrowCsr narrowed{.csr = std::move(csr)};
  const std::int64_t starts = narrowed.csr.rows + 1;
  narrowed.start = executor.make<std::int32_t>(starts);
  executor.each(starts, Narrow{narrowed.csr.start.data(), narrowed.start.data()});
  return narrowed;
}

/// A level's matrix; where other ranks have columns, once more without these, for the triangles.
struct LevelMatrices {
  NarrowCsr all;
  NarrowCsr own;  ///< empty on one rank
  Buffer<double> diagonal = {};
  Buffer<double> between = {};  ///< result of the first solve

  [[nodiscard]] const NarrowCsr& square() const { return own.csr.rows > 0 ? own : all; }
};

LevelMatrices make_matrices(const CudaExecutor& executor, const Csr& natural,
                            const PermutedLevel& order) {
  LevelMatrices matrices;
  matrices.all = narrow(executor, permuted_csr(executor, natural, order, Columns::all));
  if (order.columns > order.rows) {
    matrices.own = narrow(executor, permuted_csr(executor, natural, order, Columns::own));
  }
  matrices.diagonal = executor.make<double>(order.rows);
  matrices.between = executor.make<double>(order.rows);
  executor.fill(matrices.between.data(), order.rows, 0.0);
  executor.each(order.rows, ReadDiagonal{matrices.all.csr.view(), matrices.diagonal.data()});
  return matrices;
}

/// The library's part of a level: a product, and the solves that go from `residual` to the vector
/// between them and back.
struct LevelPlans {
  LevelPlans(const Cusparse& library, const LevelMatrices& matrices, double* residual)
      : product(library, matrices.all.view(), residual, matrices.between.data()),
        lower(library, matrices.square().view(), Triangle::lower, residual,
              matrices.between.data()),
        upper(library, matrices.square().view(), Triangle::upper, matrices.between.data(),
              residual) {}

  [[nodiscard]] std::size_t bytes() const {
    return product.bytes() + lower.bytes() + upper.bytes();
  }

  SparseProduct product;
  TriangularSolve lower;
  TriangularSolve upper;
};

std::vector<PermutedLevel> orders_for(const BackendSetup& setup, Variant variant) {
  const CudaExecutor& executor = setup.executor;
  return variant == Variant::cusparse_coloured
             ? colour_levels_by_hash(executor, setup.levels)
             : permute_levels(executor, setup.levels,
                              [](const CudaExecutor& on, const Level& level) {
                                return keep_order(on, level);
                              });
}

class CusparseBackend final : public PermutedBackend {
 public:
  CusparseBackend(const BackendSetup& setup, Variant variant)
      : PermutedBackend(setup, orders_for(setup, variant)), library_(setup.stream()) {
    for (std::size_t n = 0; n < setup.levels.size(); ++n) {
      matrices_.push_back(make_matrices(executor_, natural_matrix(n), order(n)));
    }
    CusparseBackend::exaggerate_diagonal(false);
    for (std::size_t n = 0; n < setup.levels.size(); ++n) {
      plans_.emplace_back(library_, matrices_[n], scratch(n));
    }
    executor_.synchronize();
  }

  [[nodiscard]] std::int64_t added_bytes() const override {
    std::size_t bytes = 0;
    for (const LevelMatrices& matrices : matrices_) {
      bytes += matrices.all.bytes() + matrices.own.bytes() + matrices.diagonal.bytes();
    }
    for (const LevelPlans& plans : plans_) {
      bytes += plans.bytes();
    }
    return static_cast<std::int64_t>(bytes);
  }

 private:
  void take_diagonal(const double* diagonal) override {
    const LevelMatrices& finest = matrices_.front();
    write_diagonal(finest.all.csr, diagonal);
    write_diagonal(finest.own.csr, diagonal);
    executor_.each(rows_, ReadDiagonal{finest.all.csr.view(), finest.diagonal.data()});
    if (!plans_.empty()) {
      plans_.front().lower.analyse();
      plans_.front().upper.analyse();
    }
  }

  void write_diagonal(const Csr& matrix, const double* diagonal) {
    executor_.each(matrix.rows, WriteDiagonal{matrix.view(), diagonal, matrix.value.data()});
  }

  void multiply_by(std::size_t n, double* x, double* y) override {
    exchange(n, x);
    plans_[n].product.queue(1.0, x, 0.0, y);
  }

  /// With A = L + D + U + E, E being the entries to other ranks, a forward and a backward sweep add
  /// (D + U)^-1 D (D + L)^-1 (r - A x) to x.
  void sweep(std::size_t n, const double* r, double* x) override {
    const std::int64_t rows = order(n).rows;
    const LevelMatrices& matrices = matrices_[n];
    double* const residual = scratch(n);
    copy_bytes(residual, r, static_cast<std::size_t>(rows) * sizeof(double), stream());
    plans_[n].product.queue(-1.0, x, 1.0, residual);
    plans_[n].lower.queue();
    executor_.each(rows, Scale{matrices.diagonal.data(), matrices.between.data()});
    plans_[n].upper.queue();
    executor_.each(rows, Add{residual, x});
  }

  Cusparse library_;
  std::vector<LevelMatrices> matrices_;
  std::vector<LevelPlans> plans_;
};

void require_narrow(Variant variant, const Csr& finest) {
  if (finest.entries > std::numeric_limits<std::int32_t>::max()) {
    throw UsageError("--variant " + to_string(variant) + ": " + std::to_string(finest.entries) +
                         " entries of a rank's matrix exceed 32-bit indices",
                     "use up to --local 424x424x424, or another variant");
  }
}

}  // namespace

std::unique_ptr<CgBackend> make_cusparse_backend(const BackendSetup& setup, Variant variant) {
  setup.ranks.agree([&] { require_narrow(variant, setup.levels.front().matrix); });
  return std::make_unique<CusparseBackend>(setup, variant);
}

}  // namespace bankfull::hpcg::cuda
