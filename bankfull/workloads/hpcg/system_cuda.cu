#include "bankfull/build_config.hpp"
#include "bankfull/workloads/hpcg/check_problem.hpp"
#include "bankfull/workloads/hpcg/cuda/backend.cuh"
#include "bankfull/workloads/hpcg/cuda/chunks.cuh"

namespace bankfull::hpcg {
namespace {

class CudaSystem final : public System {
 public:
  CudaSystem(const Problem& problem, const Communicator& ranks,
             const std::vector<HostCsr>& matrices)
      : problem_(problem),
        ranks_(ranks),
        stream_(problem.device),
        executor_(stream_),
        matrices_(matrices) {
    ranks.agree([&] { cuda::require_sweeps(stream_, problem.sweeps); });
    levels_ = make_levels(executor_, problem, ranks.size(), ranks.rank(), matrices_);
  }

  [[nodiscard]] const std::vector<Level>& levels() const override { return levels_; }

  void perturb(double epsilon) override { perturb_levels(executor_, levels_, matrices_, epsilon); }

  [[nodiscard]] std::int64_t wrong_rows() const override {
    return hpcg::wrong_rows(executor_, levels_);
  }

  [[nodiscard]] bool may_pipeline(std::int64_t rows) const override {
    return cuda::chunk_rows_of(stream_, problem_.sweeps, rows) == cuda::wide_chunk_rows;
  }

  std::unique_ptr<CgBackend> make_backend(Variant variant) override {
    switch (variant) {
      case Variant::reference:
        return cuda::make_reference_backend(setup());
      case Variant::ell:
        return cuda::make_ell_backend(setup());
      case Variant::csr:
        return cuda::make_csr_backend(setup());
      case Variant::cusparse_coloured:
      case Variant::cusparse_csr:
        return make_cusparse_backend(variant);
      case Variant::tuned:
        break;
    }
    return cuda::make_tuned_backend(setup());
  }

 private:
  [[nodiscard]] cuda::BackendSetup setup() const { return {problem_, ranks_, executor_, levels_}; }

  std::unique_ptr<CgBackend> make_cusparse_backend(Variant variant) {
    ranks_.agree([&] { require_cusparse(variant); });
    if constexpr (build::cusparse) {
      return cuda::make_cusparse_backend(setup(), variant);
    } else {
      return nullptr;
    }
  }

  Problem problem_;
  const Communicator& ranks_;
  Stream stream_;
  CudaExecutor executor_;
  std::vector<HostCsr> matrices_;  ///< that were given
  std::vector<Level> levels_;
};

}  // namespace

std::unique_ptr<System> detail::make_cuda_system(const Problem& problem, const Communicator& ranks,
                                                 const std::vector<HostCsr>& matrices) {
  return std::make_unique<CudaSystem>(problem, ranks, matrices);
}

}  // namespace bankfull::hpcg
