#include "bankfull/workloads/hpcg/cuda/path.cuh"

namespace bankfull::hpcg {
namespace {

class CudaSystem final : public System {
 public:
  CudaSystem(const Problem& problem, const Communicator& ranks)
      : problem_(problem),
        ranks_(ranks),
        stream_(problem.device),
        levels_(make_levels(CudaExecutor(stream_), problem, ranks.size(), ranks.rank())) {}

  [[nodiscard]] const std::vector<Level>& levels() const override { return levels_; }

  std::unique_ptr<Path> make_path(Variant variant) override {
    return variant == Variant::reference
               ? cuda::make_reference_path(problem_, ranks_, stream_, levels_)
               : cuda::make_tuned_path(problem_, ranks_, stream_, levels_);
  }

 private:
  Problem problem_;
  const Communicator& ranks_;
  Stream stream_;
  std::vector<Level> levels_;
};

}  // namespace

std::unique_ptr<System> detail::make_cuda_system(const Problem& problem,
                                                 const Communicator& ranks) {
  return std::make_unique<CudaSystem>(problem, ranks);
}

}  // namespace bankfull::hpcg
