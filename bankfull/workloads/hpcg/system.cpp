#include "bankfull/build_config.hpp"
#include "bankfull/core/base/error.hpp"
#include "bankfull/workloads/hpcg/cpu/path.hpp"
#include "bankfull/workloads/hpcg/path.hpp"

namespace bankfull::hpcg {
namespace {

class CpuSystem final : public System {
 public:
  CpuSystem(const Problem& problem, const Communicator& ranks)
      : problem_(problem),
        ranks_(ranks),
        levels_(make_levels(CpuExecutor(problem.threads), problem, ranks.size(), ranks.rank())) {}

  [[nodiscard]] const std::vector<Level>& levels() const override { return levels_; }

  void perturb(double epsilon) override {
    perturb_levels(CpuExecutor(problem_.threads), levels_, epsilon);
  }

  std::unique_ptr<Path> make_path(Variant variant) override {
    return variant == Variant::reference ? cpu::make_reference_path(problem_, ranks_, levels_)
                                         : cpu::make_tuned_path(problem_, ranks_, levels_);
  }

 private:
  Problem problem_;
  const Communicator& ranks_;
  std::vector<Level> levels_;
};

}  // namespace

std::unique_ptr<System> detail::make_cpu_system(const Problem& problem, const Communicator& ranks) {
  return std::make_unique<CpuSystem>(problem, ranks);
}

std::unique_ptr<System> make_system(const Problem& problem, const Communicator& ranks) {
  if constexpr (build::cuda) {
    if (problem.device.is_cuda()) {
      return detail::make_cuda_system(problem, ranks);
    }
  }
  return detail::make_cpu_system(problem, ranks);
}

}  // namespace bankfull::hpcg
