#include "bankfull/core/exec/graph.hpp"
#include "bankfull/workloads/npb/mg/cuda/ascend.cuh"
#include "bankfull/workloads/npb/mg/cuda/charges.hpp"
#include "bankfull/workloads/npb/mg/cuda/coarse.cuh"
#include "bankfull/workloads/npb/mg/cuda/descend.cuh"

#include <cmath>
#include <optional>
#include <utility>

namespace bankfull::npb::mg {
namespace {

/// Two passes a level as on CPUs: down with residual and restriction, up with interpolation,
/// residual and smoother. One block does the small grids. A whole run is one graph.
class CudaMultigrid final : public Benchmark {
 public:
  CudaMultigrid(Class size, Device device)
      : size_(size),
        side_(static_cast<int>(mg_parameters(size).side)),
        stream_(device),
        v_(field(side_)),
        u_(field(side_)),
        next_(field(side_)),
        limits_(cuda::march_limits(device)),
        finest_plan_(cuda::plan_march(side_, limits_)),
        squares_(static_cast<std::size_t>(finest_plan_.blocks())),
        norm_squared_(MemorySpace::device, 1) {
    for (int side = cuda::bottom_side; side < side_; side *= 2) {
      levels_.push_back({side, cuda::plan_march(side, limits_), field(side), field(side)});
      cuda::prepare_ascent(levels_.back().plan.warps);
    }
    cuda::prepare_ascent(finest_plan_.warps);
    cuda::prepare_descent(finest_plan_.warps);
    cuda::prepare_bottom();
    cuda::queue_charges(cuda::find_charges(size, stream_), side_, v_.data(), stream_);
    rewind();
    whole_run_.emplace(stream_, [this] { queue(mg_parameters(size_).iterations); });
  }

  void rewind() override {
    fill_bytes(u_.data(), 0, u_.bytes(), stream_);
    stream_.synchronize();
  }

  void warm_up() override {
    queue(1);
    stream_.synchronize();
  }

  void run() override {
    whole_run_->launch(stream_);
    double sum = 0.0;
    copy_bytes(&sum, norm_squared_.data(), sizeof sum, stream_);
    stream_.synchronize();
    norm_ = std::sqrt(sum / static_cast<double>(v_.size()));
  }

  std::vector<Check> checks() override { return checks_of(norm_, size_); }

  [[nodiscard]] Traffic traffic() const override {
    const auto grid = static_cast<double>(v_.bytes());
    constexpr double coarse = 1.0 / 8.0;
    constexpr double levels = 1.0 / (1.0 - coarse);
    // Finest: down reads u and v, up reads u, v and the coarse u. Coarser: r for both, u is 0.
    const double finest_read = (2.0 + 2.0 + coarse) * grid;
    const double finest_written = (coarse + 1.0) * grid;
    const double coarser_read = (1.0 + 1.0 + coarse) * coarse * levels * grid;
    const double coarser_written = (coarse + 1.0) * coarse * levels * grid;
    const int iterations = mg_parameters(size_).iterations;
    return {iterations * (finest_read + coarser_read) + 2.0 * grid,
            iterations * (finest_written + coarser_written), facts_of({.size = size_}).operations};
  }

  [[nodiscard]] std::string traffic_model() const override {
    return "each level: down reads u and v and writes the coarse r, up reads u, v and the coarse u "
           "and writes u; r instead of u and v below the finest; one more reading of u and v";
  }

 private:
  /// A grid below the finest.
  struct Level {
    int side;
    cuda::MarchPlan plan;
    Buffer<double> u;
    Buffer<double> r;
  };

  static Buffer<double> field(int side) {
    const auto n = static_cast<std::size_t>(side);
    return {MemorySpace::device, n * n * n};
  }

  /// From u on; the last u is in u_ after an even number of iterations.
  void queue(int iterations) {
    double* u = u_.data();
    double* next = next_.data();
    for (int n = 0; n < iterations; ++n) {
      // NPB forms the norm of the first residual too.
      queue_descent(u, levels_.back().r.data(), n == 0);
      queue_coarse_grids();
      queue_ascent(side_, finest_plan_, levels_.back().u.data(), u, v_.data(), next);
      std::swap(u, next);
    }
    queue_descent(u, nullptr, true);
  }

  void queue_descent(const double* u, double* coarse, bool with_norm) {
    cuda::queue_descent(stream_, finest_plan_,
                        {.u = u,
                         .v = v_.data(),
                         .coarse = coarse,
                         .squares = with_norm ? squares_.partials() : nullptr,
                         .side = side_,
                         .plane_pairs = 0});
    if (with_norm) {
      squares_.queue(stream_, finest_plan_.blocks(), 1, norm_squared_.data());
    }
  }

  /// From the r below the finest grid to the u there.
  void queue_coarse_grids() {
    for (std::size_t n = levels_.size() - 1; n > 0; --n) {
      cuda::queue_restriction(stream_, levels_[n].r.data(), levels_[n - 1].r.data(),
                              levels_[n - 1].side);
    }
    const Level& bottom = levels_.front();
    cuda::queue_bottom(stream_, smoother_weights(size_), bottom.r.data(), bottom.u.data());
    for (std::size_t n = 1; n < levels_.size(); ++n) {
      queue_ascent(levels_[n].side, levels_[n].plan, levels_[n - 1].u.data(), nullptr,
                   levels_[n].r.data(), levels_[n].u.data());
    }
  }

  void queue_ascent(int side, const cuda::MarchPlan& plan, const double* coarse, const double* u,
                    const double* v, double* next) {
    cuda::queue_ascent(stream_, plan,
                       {.smoother = smoother_weights(size_),
                        .coarse = coarse,
                        .u = u,
                        .v = v,
                        .next = next,
                        .side = side,
                        .plane_pairs = 0});
  }

  Class size_;
  int side_;
  Stream stream_;
  Buffer<double> v_;
  Buffer<double> u_;
  Buffer<double> next_;        ///< the finest u of the next cycle
  std::vector<Level> levels_;  ///< from bottom_side on, without the finest
  cuda::MarchLimits limits_;
  cuda::MarchPlan finest_plan_;
  FixedOrderSums squares_;
  Buffer<double> norm_squared_;
  std::optional<Graph> whole_run_;
  double norm_ = 0.0;
};

}  // namespace

std::int64_t cuda_memory_bytes(const Problem& problem, int /*ranks*/) {
  const std::int64_t side = mg_parameters(problem.size).side;
  const auto points = [](std::int64_t n) { return n * n * n; };
  std::int64_t values = 3 * points(side);
  for (std::int64_t coarse = cuda::bottom_side; coarse < side; coarse *= 2) {
    values += 2 * points(coarse);
  }
  const int blocks =
      cuda::plan_march(static_cast<int>(side), cuda::march_limits(problem.device)).blocks();
  return (values + blocks) * std::int64_t{sizeof(double)};
}

std::unique_ptr<Benchmark> make_cuda(const Problem& problem, const Communicator& /*ranks*/) {
  return std::make_unique<CudaMultigrid>(problem.size, problem.device);
}

}  // namespace bankfull::npb::mg
