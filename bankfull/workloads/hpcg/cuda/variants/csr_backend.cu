#include "bankfull/workloads/hpcg/cuda/variants/permuted_backend.cuh"

namespace bankfull::hpcg::cuda {
namespace {

/// One row of a colour; rows of a colour are independent.
struct RelaxColour {
  CsrView matrix;
  std::int64_t begin;
  const double* r;
  double* x;
  __device__ void operator()(std::int64_t n) const {
    const std::int64_t row = begin + n;
    x[row] = relaxed(matrix, row, r[row], x);
  }
};

class CsrBackend final : public PermutedBackend {
 public:
  explicit CsrBackend(const BackendSetup& setup)
      : PermutedBackend(setup, colour_levels_by_hash(setup.executor, setup.levels)) {
    for (std::size_t n = 0; n < setup.levels.size(); ++n) {
      matrices_.push_back(permuted_csr(executor_, natural_matrix(n), order(n), Columns::all));
    }
    CsrBackend::exaggerate_diagonal(false);
    executor_.synchronize();
  }

  [[nodiscard]] std::int64_t added_bytes() const override {
    std::size_t bytes = 0;
    for (const Csr& matrix : matrices_) {
      bytes += matrix.start.bytes() + matrix.column.bytes() + matrix.value.bytes();
    }
    return static_cast<std::int64_t>(bytes);
  }

 private:
  void take_diagonal(const double* diagonal) override {
    const Csr& matrix = matrices_.front();
    executor_.each(rows_, WriteDiagonal{matrix.view(), diagonal, matrix.value.data()});
  }

  void multiply_by(std::size_t n, double* x, double* y) override {
    exchange(n, x);
    executor_.each(order(n).rows, MultiplyRow{matrices_[n].view(), x, y});
  }

  void relax(std::size_t n, const Range& rows, const double* r, double* x) {
    executor_.each(rows.size(), RelaxColour{matrices_[n].view(), rows.begin, r, x});
  }

  void sweep(std::size_t n, const double* r, double* x) override {
    const std::vector<Range>& colours = order(n).colours;
    for (auto colour = colours.begin(); colour != colours.end(); ++colour) {
      relax(n, *colour, r, x);
    }
    for (auto colour = colours.rbegin(); colour != colours.rend(); ++colour) {
      relax(n, *colour, r, x);
    }
  }

  std::vector<Csr> matrices_;
};

}  // namespace

std::unique_ptr<CgBackend> make_csr_backend(const BackendSetup& setup) {
  return std::make_unique<CsrBackend>(setup);
}

}  // namespace bankfull::hpcg::cuda
