#include "bankfull/core/exec/graph.hpp"
#include "bankfull/workloads/npb/ft/cuda/transforms.hpp"

#include <vector>

namespace bankfull::npb::ft {
namespace {

/// Three passes over memory an iteration: along the depth, with the decay on the way; along the
/// columns of the planes; and along their rows, where the terms of the checksum are taken. The
/// field is not written a last time: nobody reads it.
class GpuTransforms final : public Benchmark {
 public:
  explicit GpuTransforms(const Problem& problem)
      : size_(problem.size),
        plan_(cuda::plan_of(ft_parameters(problem.size))),
        stream_(problem.device),
        transforms_(plan_, stream_),
        whole_(stream_, [&] { queue(plan_.iterations); }),
        first_(stream_, [&] { queue(1); }) {}

  void rewind() override { checksums_.clear(); }

  void warm_up() override {
    first_.launch(stream_);
    stream_.synchronize();
  }

  void run() override {
    whole_.launch(stream_);
    checksums_ = transforms_.checksums(plan_.iterations);
  }

  std::vector<Check> checks() override { return checks_of(checksums_, size_); }

  [[nodiscard]] Traffic traffic() const override {
    const double field = 16.0 * static_cast<double>(plan_.shape.points());
    // Set-up: rows are written, columns and lines read and written. Iteration: lines read one field
    // and write the other, which columns read and write and rows read.
    return {(2.0 + 3.0 * plan_.iterations) * field, (3.0 + 2.0 * plan_.iterations) * field,
            facts_of({.size = size_}).operations};
  }

  [[nodiscard]] std::string traffic_model() const override {
    return "the initial field: written, twice read and written; an iteration: the spectrum read, "
           "the half-transformed field twice written and read";
  }

 private:
  void queue(int iterations) const {
    transforms_.queue_tables();
    transforms_.queue_spectrum();
    for (int t = 1; t <= iterations; ++t) {
      transforms_.queue_iteration(t);
    }
    transforms_.queue_checksums(iterations);
  }

  Class size_;
  cuda::Plan plan_;
  Stream stream_;
  cuda::Transforms transforms_;
  Graph whole_;
  Graph first_;
  std::vector<Complex> checksums_;
};

}  // namespace

std::unique_ptr<Benchmark> make_cuda(const Problem& problem, const Communicator& /*ranks*/) {
  return std::make_unique<GpuTransforms>(problem);
}

}  // namespace bankfull::npb::ft
