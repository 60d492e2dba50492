#include "bankfull/core/measure/cache.hpp"
#include "bankfull/workloads/npb/cg/cuda/assembly.cuh"
#include "bankfull/workloads/npb/cg/cuda/solver.cuh"
#include "bankfull/workloads/npb/cg/cuda/step_solver.hpp"
#include "bankfull/workloads/npb/cg/cuda/traffic.hpp"

#include <algorithm>

namespace bankfull::npb::cg {
namespace {

using cuda::SolverArguments;
using cuda::SolverResult;
using cuda::Tiling;

Tiling tiling_on(Device gpu, Class size) {
  const auto bytes =
      static_cast<std::int64_t>(max_shared_bytes(gpu, cuda::solver_kernel)) / 16 * 16;
  return cuda::tiling_for(cg_parameters(size).rows, multiprocessors_of(gpu), bytes);
}

/// Whether one GPU's blocks have one tile each, so that a run can be one kernel, with NASA's order
/// of steps.
bool is_one_kernel(const Problem& problem, int ranks) {
  return ranks == 1 && problem.cg_order != CgOrder::chronopoulos_gear &&
         tiling_on(problem.device, problem.size).one_tile_per_block;
}

/// Conjugate gradients on a GPU: one kernel for a whole run, with two grid barriers per step.
class CudaSolver final : public Benchmark {
 public:
  explicit CudaSolver(const Problem& problem)
      : Benchmark(Kernel::cg, problem.size),
        stream_(problem.device),
        executor_(stream_),
        halves_(stream_),
        tiles_(cuda::TileAssembly(executor_, problem.size, tiling_on(problem.device, problem.size),
                                  1.0 + problem.perturbation)
                   .build(halves_)),
        tiling_(tiles_.tiling),
        kept_warps_(cuda::kept_warps(tiles_.read_bytes(), last_cache_bytes(problem.device))),
        items_(executor_, tiling_, cuda::claiming_halves(tiling_, kept_warps_, halves_)),
        x_(make_vectors(1)),
        z_(make_vectors(1)),
        r_(make_vectors(1)),
        p_(make_vectors(1)),
        products_(make_vectors(tiling_.product_parts())),
        terms_(MemorySpace::device, GridSum::terms_of(static_cast<std::size_t>(tiling_.blocks))),
        result_(executor_.make<SolverResult>(1)),
        found_(MemorySpace::pinned, 1) {
    allow_shared_bytes(cuda::solver_kernel, max_shared_bytes(problem.device, cuda::solver_kernel));
  }

  void rewind() override {
    executor_.fill(x_.data(), tiling_.rows, 1.0);
    executor_.synchronize();
  }

  void warm_up() override { iterate(1); }

  void run() override { iterate(cg_parameters(size()).iterations); }

  std::vector<Check> checks() override { return checks_of(found_.data()->zeta, size()); }

  [[nodiscard]] Work work() const override {
    const cuda::MatrixBytes matrix = matrix_bytes();
    const cuda::VectorUse vectors = vector_use();
    Work work{.traffic = cuda::traffic_of(cg_parameters(size()).iterations, matrix, vectors,
                                          cache_bytes()),
              .model = cuda::traffic_model_of(kept_warps_,
                                              cuda::vectors_stay(matrix, vectors, cache_bytes())),
              .working_set_bytes = matrix.streamed + matrix.kept + vectors.bytes};
    work.traffic.flops = facts_of({.size = size()}).operations;
    return work;
  }

  [[nodiscard]] std::vector<Figure> parameters() const override {
    return {order_parameter(CgOrder::nasa), {.name = "l2_halves_apart", .value = halves_.apart()}};
  }

 private:
  [[nodiscard]] std::int64_t cache_bytes() const { return last_cache_bytes(stream_.device()); }

  [[nodiscard]] cuda::MatrixBytes matrix_bytes() const {
    return cuda::matrix_bytes(tiling_, tiles_.nonzeros, kept_warps_);
  }

  [[nodiscard]] cuda::VectorUse vector_use() const {
    const auto vector = static_cast<double>(tiling_.rows * 8);
    const auto parts = static_cast<double>(tiling_.product_parts());
    const Traffic product{vector, parts * vector, 0.0};
    const Traffic step{(3.0 + parts) * vector, 3.0 * vector, 0.0};
    return {(steps_per_iteration + 1.0) * product + steps_per_iteration * step,
            (4.0 + parts) * vector};
  }

  [[nodiscard]] Buffer<double> make_vectors(std::int64_t count) const {
    auto vectors = executor_.make<double>(count * tiling_.vector_size());
    executor_.fill(vectors.data(), count * tiling_.vector_size(), 0.0);
    return vectors;
  }

  void iterate(int iterations) {
    const SolverArguments arguments{.product = {.matrix = tiles_.view(),
                                                .kept_warps = kept_warps_,
                                                .parts = products_.data(),
                                                .items = items_.view()},
                                    .iterations = iterations,
                                    .shift = cg_parameters(size()).shift,
                                    .x = x_.data(),
                                    .z = z_.data(),
                                    .r = r_.data(),
                                    .p = p_.data(),
                                    .terms = terms_.data(),
                                    .result = result_.data()};
    fill_bytes(terms_.data(), 0, terms_.bytes(), stream_);
    launch_together(stream_,
                    {dim3(static_cast<unsigned>(tiling_.blocks)), dim3(cuda::solver_threads),
                     static_cast<std::size_t>(tiling_.shared_bytes())},
                    cuda::solver_kernel, arguments);
    copy_bytes(found_.data(), result_.data(), found_.bytes(), stream_);
    stream_.synchronize();
  }

  Stream stream_;
  CudaExecutor executor_;
  L2Halves halves_;
  cuda::Tiles tiles_;
  Tiling tiling_;
  int kept_warps_;
  cuda::Items items_;
  Buffer<double> x_;
  Buffer<double> z_;
  Buffer<double> r_;
  Buffer<double> p_;
  Buffer<double> products_;
  Buffer<GridTerm> terms_;
  Buffer<SolverResult> result_;
  Buffer<SolverResult> found_;
};

}  // namespace

/// The tiles, plus the larger of the additional memory of the set-up and of the solver.
std::int64_t cuda_memory_bytes(const Problem& problem, int ranks) {
  if (!is_one_kernel(problem, ranks)) {
    return cuda::step_solver_bytes(problem, ranks);
  }
  const CgParameters& cg = cg_parameters(problem.size);
  const Tiling tiling = tiling_on(problem.device, problem.size);
  const std::int64_t set_up = cuda::assembly_bytes(tiling, cg.rows, cg.vector_nonzeros + 1);
  const std::int64_t solver = 8 * (4 + tiling.product_parts()) * tiling.vector_size();
  return cuda::tile_bytes(tiling, cg.nonzeros) + std::max(set_up, solver);
}

std::unique_ptr<Benchmark> make_cuda(const Problem& problem, const Communicator& ranks) {
  if (!is_one_kernel(problem, ranks.size())) {
    return cuda::make_step_solver(problem, ranks);
  }
  return std::make_unique<CudaSolver>(problem);
}

}  // namespace bankfull::npb::cg
