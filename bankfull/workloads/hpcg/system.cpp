#include "bankfull/build_config.hpp"
#include "bankfull/workloads/hpcg/cg_backend.hpp"
#include "bankfull/workloads/hpcg/check_problem.hpp"
#include "bankfull/workloads/hpcg/cpu/backend.hpp"

namespace bankfull::hpcg {
namespace {

class CpuSystem final : public System {
 public:
  CpuSystem(const Problem& problem, const Communicator& ranks, const std::vector<HostCsr>& matrices)
      : problem_(problem),
        ranks_(ranks),
        matrices_(matrices),
        levels_(make_levels(CpuExecutor(problem.threads), problem, ranks.size(), ranks.rank(),
                            matrices_)) {}

  [[nodiscard]] const std::vector<Level>& levels() const override { return levels_; }

  void perturb(double epsilon) override {
    perturb_levels(CpuExecutor(problem_.threads), levels_, matrices_, epsilon);
  }

  [[nodiscard]] std::int64_t wrong_rows() const override {
    return hpcg::wrong_rows(CpuExecutor(problem_.threads), levels_);
  }

  std::unique_ptr<CgBackend> make_backend(Variant variant) override {
    return variant == Variant::reference ? cpu::make_reference_backend(problem_, ranks_, levels_)
                                         : cpu::make_tuned_backend(problem_, ranks_, levels_);
  }

 private:
  Problem problem_;
  const Communicator& ranks_;
  std::vector<HostCsr> matrices_;  ///< that were given
  std::vector<Level> levels_;
};

}  // namespace

std::unique_ptr<System> make_system(const Problem& problem, const Communicator& ranks,
                                    const std::vector<HostCsr>& matrices) {
  if constexpr (build::cuda) {
    if (problem.device.is_cuda()) {
      return detail::make_cuda_system(problem, ranks, matrices);
    }
  }
  return std::make_unique<CpuSystem>(problem, ranks, matrices);
}

}  // namespace bankfull::hpcg
