#pragma once

#include "bankfull/core/comm/device_copy.hpp"
#include "bankfull/core/comm/gpu_reduction.hpp"
#include "bankfull/core/measure/cache.hpp"
#include "bankfull/workloads/npb/cg/cuda/assembly.cuh"
#include "bankfull/workloads/npb/cg/cuda/steps.cuh"
#include "bankfull/workloads/npb/cg/cuda/traffic.hpp"

#include <algorithm>
#include <memory>

namespace bankfull::npb::cg::cuda {

inline Block block_on(Class size, int rank, int ranks) {
  return block_of(cg_parameters(size).rows, Kept::all, rank, ranks);
}

inline std::size_t max_shared_bytes_on(Device gpu) {
  return std::min(max_shared_bytes(gpu, block_product_kernel<false>),
                  max_shared_bytes(gpu, block_product_kernel<true>));
}

inline Tiling block_tiling_on(Device gpu, std::int64_t rows, std::int64_t columns) {
  const auto bytes = static_cast<std::int64_t>(max_shared_bytes_on(gpu)) / 16 * 16;
  return tiling_for(rows, columns, multiprocessors_of(gpu), bytes);
}

inline Buffer<double> zero_vector(const CudaExecutor& executor, std::int64_t count) {
  auto vector = executor.make<double>(count);
  executor.fill(vector.data(), count, 0.0);
  return vector;
}

/// A block of the matrix on each GPU, cut as on CPUs; the diagonal stays in it. A product needs one
/// message each way between ranks that share rows or columns.
class BlockProduct {
 public:
  /// Collective.
  BlockProduct(const Problem& problem, const Communicator& ranks, const CudaExecutor& executor)
      : executor_(executor),
        halves_(executor.stream()),
        tiles_(make_tiles(problem, block_on(problem.size, ranks.rank(), ranks.size()))),
        kept_warps_(kept_warps(tiles_.read_bytes(), cache_bytes())),
        items_(executor, tiles_.tiling, claiming_halves(tiles_.tiling, kept_warps_, halves_)),
        gathered_(
            plan_gather(cg_parameters(problem.size).rows, Kept::all, ranks.rank(), ranks.size())),
        reduced_(
            plan_reduce(cg_parameters(problem.size).rows, Kept::all, ranks.rank(), ranks.size())),
        contributions_(device_copy(reduced_.contributions, executor.stream())),
        multiplied_(zero_vector(executor, gathered_.size)),
        parts_(zero_vector(executor, added_parts() * tiles_.tiling.sums_size())),
        sums_(zero_vector(executor, reduced_.size)),
        gather_(make_list_exchange<double>({ranks, gathered_.neighbours, problem.transport},
                                           executor.stream())),
        reduce_(make_list_exchange<double>({ranks, reduced_.neighbours, problem.transport},
                                           executor.stream())) {
    allow_shared_bytes(product_kernel(), max_shared_bytes_on(problem.device));
  }

  [[nodiscard]] Multiplied multiplied() const {
    return {multiplied_.data() + gathered_.piece_begin, multiplied_.data(), gathered_.own,
            gathered_.own_begin};
  }

  [[nodiscard]] PieceSums product() const {
    return {sums_.data(), contributions_.data(), static_cast<int>(contributions_.size())};
  }

  /// Sends the elements to be multiplied to the ranks whose blocks need them.
  void gather() { gather_->exchange(multiplied_.data()); }

  /// Multiplies the block by the gathered elements; `product` reads the sums.
  void queue() {
    const Tiling& tiling = tiles_.tiling;
    const ProductArguments arguments{.matrix = tiles_.view(),
                                     .kept_warps = kept_warps_,
                                     .parts = added_parts() > 0 ? parts_.data() : sums_.data(),
                                     .items = items_.view()};
    launch(executor_.stream(),
           {dim3(static_cast<unsigned>(tiling.blocks)), dim3(solver_threads),
            static_cast<std::size_t>(tiling.shared_bytes())},
           product_kernel(), arguments, static_cast<const double*>(multiplied_.data()));
    if (added_parts() > 0) {
      executor_.each(tiling.rows, AddParts{parts_.data(), tiling.product_parts(),
                                           tiling.sums_size(), sums_.data()});
    }
    reduce_->exchange(sums_.data());
  }

  [[nodiscard]] Transport transport() const { return gather_->transport(); }
  [[nodiscard]] bool recordable() const { return gather_->recordable() && reduce_->recordable(); }

  [[nodiscard]] std::int64_t cache_bytes() const {
    return last_cache_bytes(executor_.stream().device());
  }
  [[nodiscard]] bool halves_apart() const { return halves_.apart(); }
  [[nodiscard]] int kept_warps_of_block() const { return kept_warps_; }
  [[nodiscard]] MatrixBytes matrix_bytes() const {
    return cuda::matrix_bytes(tiles_.tiling, tiles_.nonzeros, kept_warps_);
  }

  /// The traffic of the vectors of a product and of its messages, without the kernel that reads the
  /// result.
  [[nodiscard]] Traffic vector_traffic() const {
    const auto inputs = static_cast<double>(tiles_.tiling.columns * 8);
    const auto sums = static_cast<double>(tiles_.tiling.rows * 8);
    const auto added = static_cast<double>(added_parts()) * sums;
    const auto moved = static_cast<double>(gather_->sent_bytes() + reduce_->sent_bytes());
    const auto exchanged = static_cast<double>(reduced_.size * 8);
    return {inputs + added + moved + exchanged, added + sums + moved, 0.0};
  }

  /// Bytes of its vectors.
  [[nodiscard]] std::size_t vector_bytes() const {
    return multiplied_.bytes() + parts_.bytes() + sums_.bytes();
  }

 private:
  [[nodiscard]] Tiles make_tiles(const Problem& problem, const Block& block) const {
    const Tiling tiling = block_tiling_on(problem.device, block.rows.size(), block.columns.size());
    return TileAssembly(executor_, problem.size, tiling, block.rows, block.columns,
                        1.0 + problem.perturbation)
        .build(halves_);
  }

  /// Parts of a product in addition to the sums; none if there is only one.
  [[nodiscard]] std::int64_t added_parts() const {
    const int parts = tiles_.tiling.product_parts();
    return parts > 1 ? parts : 0;
  }

  [[nodiscard]] auto product_kernel() const -> void (*)(ProductArguments, const double*) {
    return tiles_.tiling.one_tile_per_block ? block_product_kernel<true>
                                            : block_product_kernel<false>;
  }

  const CudaExecutor& executor_;
  L2Halves halves_;
  Tiles tiles_;
  int kept_warps_;
  Items items_;
  GatherPlan gathered_;
  ReducePlan reduced_;
  Buffer<Contribution> contributions_;
  Buffer<double> multiplied_;  ///< by `GatherPlan`
  Buffer<double> parts_;
  Buffer<double> sums_;  ///< by `ReducePlan`
  std::unique_ptr<ListExchange<double>> gather_;
  std::unique_ptr<ListExchange<double>> reduce_;
};

/// Passes over a rank's pieces of the vectors.
class PiecePasses {
 public:
  /// Collective. Sums have at most `max_terms` numbers.
  PiecePasses(const Problem& problem, const Communicator& ranks, int max_terms,
              const CudaExecutor& executor)
      : executor_(executor),
        piece_(piece_of(cg_parameters(problem.size).rows, ranks.rank(), ranks.size()).size()),
        partials_(
            zero_vector(executor, static_cast<std::int64_t>(SumWorkspace::partials_of(max_terms)))),
        ticket_(executor.make<unsigned>(1)),
        over_ranks_(ranks, max_terms, problem.transport, executor.stream()) {
    executor_.fill(ticket_.data(), 1, 0U);
  }

  /// Elements.
  [[nodiscard]] std::int64_t piece() const { return piece_; }

  template <class Body>
  void each(const Body& body) const {
    executor_.each(piece_, body);
  }

  /// Sum of the terms of all elements, over all ranks.
  template <class Body>
  void sum(const Body& body, double* sums) {
    const std::int64_t blocks =
        std::clamp<std::int64_t>((piece_ + sum_threads - 1) / sum_threads, 1, max_sum_blocks);
    launch(executor_.stream(), {dim3(static_cast<unsigned>(blocks)), dim3(sum_threads)},
           sum_kernel<Body>, piece_, body, SumWorkspace{partials_.data(), ticket_.data()}, sums);
    over_ranks_.queue_sum(sums, Body::terms);
  }

  [[nodiscard]] bool recordable() const { return over_ranks_.recordable(); }

 private:
  const CudaExecutor& executor_;
  std::int64_t piece_;
  Buffer<double> partials_;
  Buffer<unsigned> ticket_;
  GpuReduction over_ranks_;
};

}  // namespace bankfull::npb::cg::cuda
