#pragma once

#include "bankfull/core/comm/list_exchange.hpp"
#include "bankfull/workloads/hpcg/coloured_level.hpp"
#include "bankfull/workloads/hpcg/cuda/backend.cuh"
#include "bankfull/workloads/hpcg/cuda/chunks.cuh"
#include "bankfull/workloads/hpcg/cuda/sweeps.cuh"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace bankfull::hpcg::cuda {

/// Vectors of one level, in the order of its colours.
struct LevelVectors {
  const double* r = nullptr;
  double* x = nullptr;
  Buffer<double> own_r = {};  ///< of coarse levels
  Buffer<double> own_x = {};
  Buffer<double> u = {};
  Buffer<double> y = {};   ///< x of forward sweeps
  Buffer<double> du = {};  ///< of the finest level, where products need it
};

/// The data of the tuned solver's kernels: the matrices of all levels, with their plans of chunks
/// where these are not empty because a fused cycle sweeps them,
/// the vectors of the sweeps, and the exchanges of halos.
template <class Columns>
class TunedLevels {
 public:
  /// `r` and `x` are those of the finest level's sweeps.
  TunedLevels(const BackendSetup& setup, std::vector<ColouredLevel> coloured,
              std::vector<ChunkPlan> plans, const double* r, double* x)
      : ranks_(setup.ranks),
        levels_(std::move(coloured)),
        plans_(std::move(plans)),
        vectors_(levels_.size()) {
    for (std::size_t n = 0; n < levels_.size(); ++n) {
      make_vectors(n, setup.executor);
      exchanges_.push_back(make_list_exchange<double>(
          ListSetup{ranks_, levels_[n].neighbours, setup.problem.transport}, setup.stream()));
    }
    vectors_.front().r = r;
    vectors_.front().x = x;
    if (setup.problem.products == Products::recurrence) {
      vectors_.front().du = zero_vector(setup.executor, levels_.front().rows());
    }
  }

  /// For sweeps that update r.
  void set_update(const ResidualUpdate& update) { update_ = update; }

  [[nodiscard]] const std::vector<ColouredLevel>& all() const { return levels_; }
  [[nodiscard]] const ColouredLevel& finest() const { return levels_.front(); }
  [[nodiscard]] std::size_t count() const { return levels_.size(); }
  [[nodiscard]] bool alone() const { return ranks_.size() == 1; }

  [[nodiscard]] const std::vector<RowClass>& classes(std::size_t level) const {
    return levels_[level].order.classes;
  }
  [[nodiscard]] const ChunkPlan& plan(std::size_t level) const { return plans_[level]; }
  [[nodiscard]] double* x(std::size_t level) const { return vectors_[level].x; }
  [[nodiscard]] ListExchange<double>& exchange(std::size_t level) const {
    return *exchanges_[level];
  }

  /// Whether a level has rows to sweep during the halo exchange, and the overlap saves more time
  /// than one more kernel costs.
  [[nodiscard]] bool overlaps(std::size_t level) const {
    constexpr std::int64_t bytes_worth_it = 384 * 1024;
    return classes(level).front().interior.size() > 0 &&
           exchanges_[level]->sent_bytes() >= bytes_worth_it;
  }

  [[nodiscard]] bool pipelined(std::size_t level) const {
    return plans_[level].sweeps == Sweeps::pipelined;
  }

  /// Calls with(arguments) of a level, as its matrix is stored.
  template <class With>
  void with_arguments(std::size_t level, const With& with) const {
    if (pipelined(level)) {
      with(halved_arguments(level));
    } else {
      with(arguments(level));
    }
  }

  [[nodiscard]] LevelArguments<Columns> arguments(std::size_t level) const {
    return arguments_of(level, [](const Sliced& part) { return sliced_view<Columns>(part); });
  }
  /// Of a level with pipelined sweeps.
  [[nodiscard]] LevelArguments<Halved<Columns>> halved_arguments(std::size_t level) const {
    return arguments_of(level, [](const Sliced& part) { return halved_view<Columns>(part); });
  }

 private:
  template <class ViewOf>
  [[nodiscard]] auto arguments_of(std::size_t level, const ViewOf& view_of) const
      -> LevelArguments<decltype(view_of(Sliced{}).columns)> {
    const ColouredLevel& coloured = levels_[level];
    const LevelVectors& vectors = vectors_[level];
    const bool coarsest = level + 1 == levels_.size();
    return {.lower = view_of(coloured.lower),
            .upper = view_of(coloured.upper),
            .coarse = view_of(coloured.coarse_upper),
            .outer = coloured.outer.full_view(),
            .diagonal = coloured.diagonal.data(),
            .r = vectors.r,
            .x = vectors.x,
            .y = vectors.y.data(),
            .u = vectors.u.data(),
            .du = vectors.du.data(),
            .coarse_slots = coloured.coarse_slots.data(),
            .coarse_begin = coloured.coarse_range().begin,
            .coarse_row = coarsest ? nullptr : coloured.coarse_row.data(),
            .coarse_r = coarsest ? nullptr : vectors_[level + 1].own_r.data(),
            .coarse_x = coarsest ? nullptr : vectors_[level + 1].x,
            .update = level == 0 ? update_ : ResidualUpdate{}};
  }

  void make_vectors(std::size_t n, const CudaExecutor& executor) {
    const std::int64_t size = levels_[n].vector_size();
    vectors_[n].u = zero_vector(executor, size);
    const bool swept_alone = plans_[n].chunks > 0;
    if (swept_alone && plans_[n].sweeps != Sweeps::pipelined) {
      vectors_[n].y = zero_vector(executor, levels_[n].rows());
      fill_bytes(vectors_[n].y.data(), 0xff, vectors_[n].y.bytes(), executor.stream());
    }
    if (n > 0) {
      vectors_[n].own_r = zero_vector(executor, size);
      vectors_[n].own_x = zero_vector(executor, size);
      vectors_[n].r = vectors_[n].own_r.data();
      vectors_[n].x = vectors_[n].own_x.data();
    }
  }

  const Communicator& ranks_;
  std::vector<ColouredLevel> levels_;
  std::vector<ChunkPlan> plans_;
  std::vector<LevelVectors> vectors_;
  ResidualUpdate update_;
  std::vector<std::unique_ptr<ListExchange<double>>> exchanges_;
};

}  // namespace bankfull::hpcg::cuda
