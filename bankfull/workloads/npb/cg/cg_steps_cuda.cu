#include "bankfull/core/exec/graph.hpp"
#include "bankfull/workloads/npb/cg/cuda/step_orders.cuh"
#include "bankfull/workloads/npb/cg/cuda/step_solver.hpp"

#include <algorithm>

namespace bankfull::npb::cg::cuda {
namespace {

/// Conjugate gradients step by step on the GPUs of all ranks; an outer iteration is a graph.
template <class Steps>
class StepSolver final : public Benchmark {
 public:
  StepSolver(const Problem& problem, const Communicator& ranks)
      : Benchmark(Kernel::cg, problem.size),
        ranks_(ranks.size()),
        stream_(problem.device),
        executor_(stream_),
        matrix_(problem, ranks, executor_),
        pieces_(problem, ranks, TakeLastProduct::terms, executor_),
        x_(zero_vector(executor_, pieces_.piece())),
        z_(zero_vector(executor_, pieces_.piece())),
        steps_(matrix_, pieces_, z_.data(), executor_),
        last_(executor_.make<IterationScalars>(1)),
        result_(executor_.make<SolverResult>(1)),
        found_(MemorySpace::pinned, 1) {
    executor_.synchronize();
    if (matrix_.recordable() && pieces_.recordable()) {
      iteration_.record();
    }
  }

  void rewind() override {
    executor_.fill(x_.data(), pieces_.piece(), 1.0);
    executor_.synchronize();
  }

  void warm_up() override { iterate(1); }

  void run() override { iterate(cg_parameters(size()).iterations); }

  std::vector<Check> checks() override { return checks_of(found_.data()->zeta, size()); }

  [[nodiscard]] Work work() const override {
    const MatrixBytes matrix = matrix_.matrix_bytes();
    const VectorUse vectors = vector_use();
    Work work{.traffic = traffic_of(cg_parameters(size()).iterations, matrix, vectors,
                                    matrix_.cache_bytes()),
              .model = traffic_model_of(matrix_.kept_warps_of_block(),
                                        vectors_stay(matrix, vectors, matrix_.cache_bytes())),
              .working_set_bytes = matrix.streamed + matrix.kept + vectors.bytes};
    work.traffic.flops = facts_of({.size = size()}).operations / ranks_;
    return work;
  }

  [[nodiscard]] Transport transport() const override { return matrix_.transport(); }

  [[nodiscard]] std::vector<Figure> parameters() const override {
    return {order_parameter(Steps::order),
            {.name = "l2_halves_apart", .value = matrix_.halves_apart()}};
  }

 private:
  [[nodiscard]] VectorUse vector_use() const {
    return {(steps_per_iteration + 1.0) * matrix_.vector_traffic() +
                steps_per_iteration * steps_.vector_traffic(),
            static_cast<double>(matrix_.vector_bytes() + steps_.vector_bytes() + x_.bytes() +
                                z_.bytes())};
  }

  void iterate(int iterations) {
    pieces_.each(Begin{x_.data(), matrix_.multiplied()});
    matrix_.gather();
    for (int n = 0; n < iterations; ++n) {
      iteration_.queue();
    }
    copy_bytes(found_.data(), result_.data(), found_.bytes(), stream_);
    stream_.synchronize();
  }

  /// One outer iteration: from the gathered x to the gathered x of the next one.
  void queue_iteration() {
    steps_.queue_solve();
    matrix_.queue();
    pieces_.sum(TakeLastProduct{matrix_.product(), x_.data(), z_.data()},
                &last_.data()->squared_residual);
    pieces_.each(Normalise{last_.data(), cg_parameters(size()).shift, x_.data(), z_.data(),
                           matrix_.multiplied(), result_.data()});
    matrix_.gather();
  }

  int ranks_;
  Stream stream_;
  CudaExecutor executor_;
  BlockProduct matrix_;
  PiecePasses pieces_;
  Buffer<double> x_;  ///< of the piece
  Buffer<double> z_;  ///< likewise
  Steps steps_;
  Buffer<IterationScalars> last_;
  Buffer<SolverResult> result_;
  Buffer<SolverResult> found_;
  RepeatedWork iteration_{stream_, [this] { queue_iteration(); }};
};

}  // namespace

/// A rank sends about as much as it receives, through two slots where GPUs store into each other's
/// memory. Indices of what it sends take half of that again.
std::int64_t step_solver_bytes(const Problem& problem, int ranks) {
  const CgParameters& cg = cg_parameters(problem.size);
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  for (int rank = 0; rank < ranks; ++rank) {
    const Block block = block_on(problem.size, rank, ranks);
    rows = std::max(rows, block.rows.size());
    columns = std::max(columns, block.columns.size());
  }
  const Tiling tiling = block_tiling_on(problem.device, rows, columns);
  const double part = static_cast<double>(rows) / static_cast<double>(cg.rows) *
                      static_cast<double>(columns) / static_cast<double>(cg.rows);
  const auto entries = static_cast<std::int64_t>(part * static_cast<double>(cg.nonzeros));
  const std::int64_t stride = cg.vector_nonzeros + 1;
  const std::int64_t drawing = 24 * cg.rows * stride;
  const std::int64_t set_up = assembly_bytes(tiling, cg.rows, stride);
  const std::int64_t messages = (32 + 4) * (rows + columns);
  const std::int64_t vectors =
      8 * (columns + (1 + tiling.product_parts()) * rows + 6 * (cg.rows / ranks + 1));
  return std::max(drawing, tile_bytes(tiling, entries) + std::max(set_up, messages + vectors));
}

std::unique_ptr<Benchmark> make_step_solver(const Problem& problem, const Communicator& ranks) {
  if (problem.cg_order == CgOrder::nasa) {
    return std::make_unique<StepSolver<NasaSteps>>(problem, ranks);
  }
  return std::make_unique<StepSolver<ChronopoulosGearSteps>>(problem, ranks);
}

}  // namespace bankfull::npb::cg::cuda
