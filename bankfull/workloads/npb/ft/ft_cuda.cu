#include "bankfull/core/exec/graph.hpp"
#include "bankfull/workloads/npb/ft/cuda/transforms.hpp"

#include <vector>

namespace bankfull::npb::ft {
namespace {

/// Three passes over memory an iteration, or two where the planes go through the cache: along the
/// depth, with the decay on the way; then along columns and rows of the planes, where the terms of
/// the checksum are taken. The field is not written a last time: nobody reads it.
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
    // and write the other, which columns read and, but for a belt, write and rows read.
    const double more = plan_.belt ? 0.0 : 1.0;
    return {(2.0 + (2.0 + more) * plan_.iterations) * field,
            (3.0 + (1.0 + more) * plan_.iterations) * field, facts_of({.size = size_}).operations};
  }

  [[nodiscard]] std::string traffic_model() const override {
    return plan_.belt ? "the initial field: written, twice read and written; an iteration: the "
                        "spectrum read, the half-transformed field written and read"
                      : "the initial field: written, twice read and written; an iteration: the "
                        "spectrum read, the half-transformed field twice written and read";
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

std::unique_ptr<Benchmark> make_cuda(const Problem& problem) {
  return std::make_unique<GpuTransforms>(problem);
}

}  // namespace bankfull::npb::ft
