#include "bankfull/core/exec/graph.hpp"
#include "bankfull/core/exec/reduce.cuh"
#include "bankfull/workloads/npb/mg/cuda/block_grids.cuh"
#include "bankfull/workloads/npb/mg/cuda/descend.cuh"
#include "bankfull/workloads/npb/mg/cuda/turn.hpp"

#include <array>
#include <cmath>
#include <type_traits>
#include <utility>

namespace bankfull::npb::mg {
namespace {

/// Two passes per level as on CPUs: down with residual and restriction, up with interpolation,
/// residual and smoother. On one GPU a pass goes from the way up to the next way down on the finest
/// grid, where that is faster. One block does the small grids. A whole run is one graph.
template <class Grids>
class CudaMultigrid final : public Benchmark {
 public:
  /// Collective.
  CudaMultigrid(const Problem& problem, const Communicator& ranks, const Blocks& blocks, Turn turn)
      : Benchmark(Kernel::mg, problem.size),
        smoother_(perturbed_smoother(problem)),
        ranks_(ranks),
        stream_(problem.device),
        grids_(problem, ranks, blocks, cuda::ascent_limits(problem.device), stream_),
        v_(grids_.field()),
        u_(grids_.field()),
        next_(grids_.field()),
        descent_(cuda::plan_march(grids_.finest(), cuda::descent_limits(problem.device))),
        ascent_(cuda::plan_march(grids_.finest(), cuda::ascent_limits(problem.device))),
        turn_(turn),
        squares_(static_cast<std::size_t>(descent_.blocks())),
        norms_squared_(MemorySpace::device, 2) {
    cuda::prepare_descent<Grid>(descent_.warps);
    cuda::prepare_ascent<Grid>(ascent_.warps);
    if constexpr (is_whole) {
      if (turn_ == Turn::one_pass) {
        turn_plane_pairs_ = cuda::plan_turn(grids_.finest(), problem.device);
        cuda::prepare_turn();
      }
    }
    fill_bytes(v_.data(), 0, v_.bytes(), stream_);
    cuda::queue_charges(
        cuda::find_charges(size(), stream_, ranks),
        [this](const Point& point) { return grids_.offset_of(point); }, grids_.values(v_), stream_);
    grids_.exchange(grids_.values(v_));
    rewind();
    if (grids_.recordable()) {
      whole_run_.record();
    }
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
    whole_run_.queue();
    std::array<double, 2> squares{};
    copy_bytes(squares.data(), norms_squared_.data(), sizeof squares, stream_);
    stream_.synchronize();
    const double points = static_cast<double>(own_points() * ranks_.size());
    norm_ = 0.0;
    for (const auto& [first, last] : ranks_.all_gather(squares)) {
      norm_ += last;
    }
    norm_ = std::sqrt(norm_ / points);
  }

  std::vector<Check> checks() override { return checks_of(norm_, size()); }

  [[nodiscard]] Work work() const override {
    return {.traffic = traffic_of(size(), own_points(), turn_),
            .model = traffic_model(turn_),
            .working_set_bytes = working_set_bytes(own_points())};
  }

  [[nodiscard]] Transport transport() const override { return grids_.transport(); }

 private:
  using Grid = typename Grids::Grid;
  static constexpr bool is_whole = std::is_same_v<Grid, cuda::Cube>;

  [[nodiscard]] std::int64_t own_points() const {
    const Grid grid = grids_.finest();
    return std::int64_t{grid.planes()} * grid.rows() * grid.columns();
  }

  /// From u on; the last u is in u_ after an even number of iterations.
  void queue(int iterations) {
    double* u = grids_.values(u_);
    double* next = grids_.values(next_);
    for (int n = 0; n < iterations; ++n) {
      if (n == 0 || turn_ == Turn::two_passes) {
        // NPB forms the norm of the first residual too.
        queue_descent(u, grids_.residual(), n == 0 ? norms_squared_.data() : nullptr);
      }
      grids_.queue_coarse_grids();
      if (n < iterations - 1 && turn_ == Turn::one_pass) {
        queue_turn(u, next);
      } else {
        queue_ascent(u, next);
      }
      grids_.exchange(next);
      std::swap(u, next);
    }
    queue_descent(u, nullptr, norms_squared_.data() + 1);
  }

  /// `norm_squared` may be nullptr.
  void queue_descent(const double* u, double* coarse, double* norm_squared) {
    cuda::queue_descent<Grid>(stream_, descent_,
                              {.grids = grids_.downward(),
                               .u = u,
                               .v = grids_.values(v_),
                               .coarse = coarse,
                               .squares = norm_squared != nullptr ? squares_.partials() : nullptr,
                               .plane_pairs = 0});
    if (norm_squared != nullptr) {
      squares_.queue(stream_, descent_.blocks(), 1, norm_squared);
    }
  }

  void queue_ascent(const double* u, double* next) {
    cuda::queue_ascent<Grid>(stream_, ascent_,
                             {.grids = grids_.upward(),
                              .smoother = smoother_,
                              .coarse = grids_.correction(),
                              .u = u,
                              .v = grids_.values(v_),
                              .next = next,
                              .plane_pairs = 0});
  }

  /// From the way up to the next way down.
  void queue_turn(const double* u, double* next) {
    if constexpr (is_whole) {
      cuda::queue_turn(stream_, {.grids = grids_.upward(),
                                 .smoother = smoother_,
                                 .coarse = grids_.correction(),
                                 .u = u,
                                 .v = grids_.values(v_),
                                 .next = next,
                                 .residual = grids_.residual(),
                                 .plane_pairs = turn_plane_pairs_});
    }
  }

  Weights smoother_;
  const Communicator& ranks_;
  Stream stream_;
  Grids grids_;
  Buffer<double> v_;
  Buffer<double> u_;
  Buffer<double> next_;  ///< the finest u of the next cycle
  cuda::MarchPlan descent_;
  cuda::MarchPlan ascent_;
  Turn turn_;
  int turn_plane_pairs_ = 0;  ///< of a slab
  FixedOrderSums squares_;
  Buffer<double> norms_squared_;  ///< of this rank's part of the first residual and the last
  RepeatedWork whole_run_{stream_, [this] { queue(mg_parameters(size()).iterations); }};
  double norm_ = 0.0;
};

Blocks blocks_of(const Problem& problem, int ranks) {
  return {problem.size, ranks, cuda::gathered_level};
}

}  // namespace

std::int64_t cuda_memory_bytes(const Problem& problem, int ranks) {
  // Sums of blocks and lists of messages are small compared with the grids.
  return ranks == 1 ? cuda::GridsOfOneGpu::bytes(problem.size)
                    : cuda::GridsOfRanks::bytes(blocks_of(problem, ranks));
}

std::unique_ptr<Benchmark> make_cuda(const Problem& problem, const Communicator& ranks) {
  return make_cuda(problem, ranks, blocks_of(problem, ranks.size()));
}

std::unique_ptr<Benchmark> make_cuda(const Problem& problem, const Communicator& rank, Turn turn) {
  return std::make_unique<CudaMultigrid<cuda::GridsOfOneGpu>>(problem, rank, blocks_of(problem, 1),
                                                              turn);
}

std::unique_ptr<Benchmark> make_cuda(const Problem& problem, const Communicator& ranks,
                                     const Blocks& blocks) {
  if (!blocks.is_cut()) {
    const bool one_pass =
        mg_parameters(problem.size).side >= cuda::min_turn_side && cuda::has_turn(problem.device);
    return make_cuda(problem, ranks, one_pass ? Turn::one_pass : Turn::two_passes);
  }
  return std::make_unique<CudaMultigrid<cuda::GridsOfRanks>>(problem, ranks, blocks,
                                                             Turn::two_passes);
}

}  // namespace bankfull::npb::mg
