#include "bankfull/core/exec/graph.hpp"
#include "bankfull/workloads/npb/ft/cuda/transforms.hpp"

#include <vector>

namespace bankfull::npb::ft {
namespace {

cuda::Plan plan_of(const Problem& problem, const Communicator& ranks) {
  cuda::Plan plan = cuda::plan_of(ft_parameters(problem.size), ranks.size(), ranks.rank(),
                                  cuda::tiles_for(problem.device, ranks.size()));
  plan.decay_scale += problem.perturbation;
  return plan;
}

/// Three passes over memory per iteration: along the depth, including the decay; along the columns
/// of the planes; and along their rows, where the terms of the checksum are summed. The transformed
/// field is not stored, because nothing reads it. On several ranks the first pass writes its points
/// to the ranks that continue with them.
class GpuTransforms final : public Benchmark {
 public:
  GpuTransforms(const Problem& problem, const Communicator& ranks)
      : Benchmark(Kernel::ft, problem.size),
        ranks_(ranks),
        plan_(plan_of(problem, ranks)),
        stream_(problem.device),
        transforms_(plan_, stream_, ranks, problem.transport) {
    if (transforms_.recordable()) {
      whole_.record();
      first_.record();
    }
  }

  void rewind() override { checksums_.clear(); }

  void warm_up() override {
    first_.queue();
    stream_.synchronize();
  }

  void run() override {
    whole_.queue();
    checksums_ = checksums_of(ranks_.all_gather(transforms_.sums(plan_.iterations)),
                              plan_.iterations, plan_.shape.points());
  }

  std::vector<Check> checks() override { return checks_of(checksums_, size()); }

  [[nodiscard]] Work work() const override {
    const double fields = 2.0 * sizeof(Complex);
    return {.traffic = traffic(),
            .model = traffic_model(),
            .working_set_bytes = fields * static_cast<double>(plan_.own_lines().points())};
  }

  [[nodiscard]] Transport transport() const override { return transforms_.transport(); }

 private:
  [[nodiscard]] Traffic traffic() const {
    Traffic result = transforms_.traffic(plan_.iterations);
    result.flops = facts_of({.size = size()}).operations / plan_.ranks;  // as NPB counts them
    return result;
  }

  [[nodiscard]] static std::string traffic_model() {
    return "the initial field: written, twice read and written; an iteration: the spectrum read, "
           "the half-transformed field twice written and read, by whichever rank";
  }

  void queue(int iterations) {
    transforms_.queue_tables();
    transforms_.queue_spectrum();
    transforms_.queue_iterations(iterations);
    transforms_.queue_sums(iterations);
  }

  const Communicator& ranks_;
  cuda::Plan plan_;
  Stream stream_;
  cuda::Transforms transforms_;
  RepeatedWork whole_{stream_, [this] { queue(plan_.iterations); }};
  RepeatedWork first_{stream_, [this] { queue(1); }};
  std::vector<Complex> checksums_;
};

}  // namespace

std::unique_ptr<Benchmark> make_cuda(const Problem& problem, const Communicator& ranks) {
  return std::make_unique<GpuTransforms>(problem, ranks);
}

}  // namespace bankfull::npb::ft
