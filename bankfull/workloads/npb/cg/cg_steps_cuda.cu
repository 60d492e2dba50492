#include "bankfull/core/comm/device_copy.hpp"
#include "bankfull/core/comm/gpu_sum.hpp"
#include "bankfull/core/exec/graph.hpp"
#include "bankfull/core/measure/ceiling.hpp"
#include "bankfull/workloads/npb/cg/cuda/assembly.cuh"
#include "bankfull/workloads/npb/cg/cuda/step_solver.hpp"
#include "bankfull/workloads/npb/cg/cuda/steps.cuh"

#include <algorithm>
#include <utility>

namespace bankfull::npb::cg::cuda {
namespace {

std::size_t most_shared_bytes_on(Device gpu) {
  return std::min(most_shared_bytes(gpu, block_product_kernel<false>),
                  most_shared_bytes(gpu, block_product_kernel<true>));
}

Tiling tiling_on(Device gpu, std::int64_t rows, std::int64_t columns) {
  const auto bytes = static_cast<std::int64_t>(most_shared_bytes_on(gpu)) / 16 * 16;
  return tiling_for(rows, columns, multiprocessors_of(gpu), bytes);
}

Block block_on(Class size, int rank, int ranks) {
  return block_of(cg_parameters(size).rows, Kept::all, rank, ranks);
}

/// A block of the matrix on each GPU, cut as on CPUs; the diagonal stays in it. A step of conjugate
/// gradients is a product, a message each way between ranks that share rows or columns, and one sum
/// over all ranks.
class StepSolver final : public Benchmark {
 public:
  StepSolver(const Problem& problem, const Communicator& ranks)
      : size_(problem.size),
        ranks_(ranks.size()),
        piece_(piece_of(cg_parameters(size_).rows, ranks.rank(), ranks.size()).size()),
        stream_(problem.device),
        executor_(stream_),
        tiles_(make_tiles(block_on(size_, ranks.rank(), ranks.size()))),
        kept_warps_(kept_warps(tiles_.bytes(), last_cache_bytes(problem.device))),
        gathered_(plan_gather(cg_parameters(size_).rows, Kept::all, ranks.rank(), ranks_)),
        reduced_(plan_reduce(cg_parameters(size_).rows, Kept::all, ranks.rank(), ranks_)),
        contributions_(device_copy(reduced_.contributions, stream_)),
        multiplied_(make_vector(gathered_.size)),
        parts_(make_vector(added_parts() * tiles_.tiling.sums_size())),
        sums_(make_vector(reduced_.size)),
        x_(make_vector(piece_)),
        z_(make_vector(piece_)),
        p_(make_vector(piece_)),
        q_(make_vector(piece_)),
        w_(make_vector(piece_)),
        steps_(executor_.make<StepScalars>(steps_an_iteration)),
        last_(executor_.make<IterationScalars>(1)),
        partials_(make_vector(SumRoom::partials_of(TakeLastProduct::terms))),
        ticket_(executor_.make<unsigned>(1)),
        result_(executor_.make<SolverResult>(1)),
        found_(MemorySpace::pinned, 1),
        gather_(
            make_list_exchange<double>({ranks, gathered_.neighbours, problem.transport}, stream_)),
        reduce_(
            make_list_exchange<double>({ranks, reduced_.neighbours, problem.transport}, stream_)),
        over_ranks_(ranks, TakeLastProduct::terms, problem.transport, stream_) {
    allow_shared_bytes(product_kernel(), most_shared_bytes_on(problem.device));
    executor_.fill(ticket_.data(), 1, 0U);
    executor_.synchronize();
    if (gather_->recordable() && reduce_->recordable() && over_ranks_.recordable()) {
      iteration_.record();
    }
  }

  void rewind() override {
    executor_.fill(x_.data(), piece_, 1.0);
    executor_.synchronize();
  }

  void warm_up() override { iterate(1); }

  void run() override { iterate(cg_parameters(size_).iterations); }

  std::vector<Check> checks() override { return checks_of(found_.data()->zeta, size_); }

  /// The matrix in every product; each vector once a use, messages included, though most of these
  /// are in L2.
  [[nodiscard]] Traffic traffic() const override {
    const Tiling& tiling = tiles_.tiling;
    const auto piece = static_cast<double>(piece_ * 8);
    const auto inputs = static_cast<double>(tiling.columns * 8);
    const auto sums = static_cast<double>(tiling.rows * 8);
    const auto added = static_cast<double>(added_parts()) * sums;
    const auto moved = static_cast<double>(gather_->sent_bytes() + reduce_->sent_bytes());
    const auto exchanged = static_cast<double>(reduced_.size * 8);
    const Traffic product{static_cast<double>(tiles_.bytes()) + inputs + added + moved + exchanged,
                          added + sums + moved + piece, 0.0};
    const Traffic step{6.0 * piece, 5.0 * piece, 0.0};
    const Traffic solve = (steps_an_iteration + 1.0) * product + steps_an_iteration * step;
    Traffic all = static_cast<double>(cg_parameters(size_).iterations) * solve;
    all.flops = facts_of({.size = size_}).operations / ranks_;
    return all;
  }

  [[nodiscard]] Transport transport() const override { return gather_->transport(); }

  [[nodiscard]] std::string traffic_model() const override {
    return "a product reads each entry once, 10 bytes; each vector once a use";
  }

 private:
  [[nodiscard]] Tiles make_tiles(const Block& block) const {
    const Tiling tiling = tiling_on(stream_.device(), block.rows.size(), block.columns.size());
    return TileAssembly(executor_, size_, tiling, block.rows, block.columns).build();
  }

  [[nodiscard]] Buffer<double> make_vector(std::int64_t count) const {
    auto vector = executor_.make<double>(count);
    executor_.fill(vector.data(), count, 0.0);
    return vector;
  }

  /// Of a product, beside the sums: none where there is one.
  [[nodiscard]] std::int64_t added_parts() const {
    const int parts = tiles_.tiling.product_parts();
    return parts > 1 ? parts : 0;
  }

  [[nodiscard]] auto product_kernel() const -> void (*)(ProductArguments, const double*) {
    return tiles_.tiling.one_tile_a_block ? block_product_kernel<true>
                                          : block_product_kernel<false>;
  }

  [[nodiscard]] Multiplied multiplied() const {
    return {multiplied_.data() + gathered_.piece_begin, multiplied_.data(), gathered_.own,
            gathered_.own_begin};
  }

  [[nodiscard]] PieceSums product() const {
    return {sums_.data(), contributions_.data(), static_cast<int>(contributions_.size())};
  }

  void iterate(int iterations) {
    executor_.each(piece_, Begin{x_.data(), multiplied()});
    gather_->exchange(multiplied_.data());
    for (int n = 0; n < iterations; ++n) {
      iteration_.queue();
    }
    copy_bytes(found_.data(), result_.data(), found_.bytes(), stream_);
    stream_.synchronize();
  }

  /// From what all ranks have gathered to what they have gathered for the next iteration.
  void queue_iteration() {
    for (int step = 0; step < steps_an_iteration; ++step) {
      queue_step(step);
    }
    queue_product();
    queue_sums(TakeLastProduct{product(), x_.data(), z_.data()}, &last_.data()->squared_residual);
    executor_.each(piece_, Normalise{last_.data(), cg_parameters(size_).shift, x_.data(), z_.data(),
                                     multiplied(), result_.data()});
    gather_->exchange(multiplied_.data());
  }

  void queue_step(int number) {
    StepScalars* const step = steps_.data() + number;
    queue_product();
    queue_sums(TakeStepProduct{product(), multiplied(), w_.data()}, &step->rr);
    executor_.each(piece_, Advance{.step = step,
                                   .before = number == 0 ? nullptr : step - 1,
                                   .last = number + 1 == steps_an_iteration,
                                   .r = multiplied(),
                                   .w = w_.data(),
                                   .z = z_.data(),
                                   .p = p_.data(),
                                   .q = q_.data()});
    gather_->exchange(multiplied_.data());
  }

  /// The block by what has been gathered; the sums go where `product` finds them.
  void queue_product() {
    const Tiling& tiling = tiles_.tiling;
    const ProductArguments arguments{.matrix = tiles_.view(),
                                     .kept_warps = kept_warps_,
                                     .parts = added_parts() > 0 ? parts_.data() : sums_.data()};
    launch(stream_,
           {dim3(static_cast<unsigned>(tiling.blocks)), dim3(solver_threads),
            static_cast<std::size_t>(tiling.shared_bytes())},
           product_kernel(), arguments, static_cast<const double*>(multiplied_.data()));
    if (added_parts() > 0) {
      executor_.each(tiling.rows, AddParts{parts_.data(), tiling.product_parts(),
                                           tiling.sums_size(), sums_.data()});
    }
    reduce_->exchange(sums_.data());
  }

  /// What a pass over the piece sums up, over all ranks.
  template <class Body>
  void queue_sums(const Body& body, double* sums) {
    const std::int64_t blocks =
        std::clamp<std::int64_t>((piece_ + sum_threads - 1) / sum_threads, 1, most_sum_blocks);
    launch(stream_, {dim3(static_cast<unsigned>(blocks)), dim3(sum_threads)}, sum_kernel<Body>,
           piece_, body, SumRoom{partials_.data(), ticket_.data()}, sums);
    over_ranks_.queue(sums, Body::terms);
  }

  Class size_;
  int ranks_;
  std::int64_t piece_;  ///< elements
  Stream stream_;
  CudaExecutor executor_;
  Tiles tiles_;
  int kept_warps_;
  GatherPlan gathered_;
  ReducePlan reduced_;
  Buffer<Contribution> contributions_;
  Buffer<double> multiplied_;  ///< by `GatherPlan`
  Buffer<double> parts_;
  Buffer<double> sums_;  ///< by `ReducePlan`
  Buffer<double> x_;     ///< of the piece, as all that follow
  Buffer<double> z_;
  Buffer<double> p_;
  Buffer<double> q_;
  Buffer<double> w_;
  Buffer<StepScalars> steps_;
  Buffer<IterationScalars> last_;
  Buffer<double> partials_;
  Buffer<unsigned> ticket_;
  Buffer<SolverResult> result_;
  Buffer<SolverResult> found_;
  std::unique_ptr<ListExchange<double>> gather_;
  std::unique_ptr<ListExchange<double>> reduce_;
  GpuSum over_ranks_;
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
  const Tiling tiling = tiling_on(problem.device, rows, columns);
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
  return std::make_unique<StepSolver>(problem, ranks);
}

}  // namespace bankfull::npb::cg::cuda
