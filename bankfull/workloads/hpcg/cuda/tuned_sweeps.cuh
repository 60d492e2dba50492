#pragma once

#include "bankfull/workloads/hpcg/cuda/fused_levels.cuh"
#include "bankfull/workloads/hpcg/cuda/pipeline.cuh"
#include "bankfull/workloads/hpcg/cuda/pipeline_steps.cuh"
#include "bankfull/workloads/hpcg/cuda/sweeps.cuh"
#include "bankfull/workloads/hpcg/cuda/sync_free_sweep.cuh"
#include "bankfull/workloads/hpcg/cuda/tuned_levels.cuh"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace bankfull::hpcg::cuda {

/// The tuned solver's half sweeps, for half_sweep_cycle: which kernels sweep a level, in which
/// order of its chunks, and how halo exchanges overlap them.
template <class Columns>
class TunedSweeps {
 public:
  /// The levels and the fused cycle must outlive it. The last sweep of the finest level adds up r.x
  /// as `product` tells, and the first one, if it updates r, r.r as `residual` tells; pipelined
  /// ones leave the sums of their tiles in `partials`.
  TunedSweeps(const TunedLevels<Columns>& levels, const fused::Cycle& fused,
              const CudaExecutor& executor, const BlockSums& product, const BlockSums& residual,
              double* partials)
      : levels_(levels),
        fused_(fused),
        stream_(executor.stream()),
        product_(product),
        residual_(residual),
        partials_(partials),
        tickets_(executor.make<unsigned>(2)) {
    executor.fill(tickets_.data(), 2, 0U);
  }

  [[nodiscard]] std::size_t level_count() const { return levels_.count(); }

  [[nodiscard]] bool fuses(std::size_t level) const { return level == fused_.first(); }
  void fused_cycle(std::size_t /*level*/) { fused_.queue(); }

  /// Whether the first sweep of the finest level updates r; not before it is told so.
  void update_first(bool updates) { updates_ = updates; }

  void forward_from_zero(std::size_t level) {
    if (level == 0 && updates_) {
      queue_sweep<UpdateAndForwardFromZero, pipeline::UpdateAndFromZero, true>(
          level, Direction::forward, Swept::all, residual_);
    } else {
      queue_sweep<ForwardFromZero, pipeline::FromZero>(level, Direction::forward);
    }
  }

  void backward_after_zero(std::size_t level) {
    queue_sweep<BackwardAfterZero, pipeline::AfterZero>(level, Direction::backward);
  }

  void restrict_residual(std::size_t level) {
    if (levels_.alone()) {
      for_coarse_classes(level, [&](const RowClass& rows) {
        queue<RestrictResidual<Outer::none>>(level, rows.interior);
      });
      return;
    }
    if (!levels_.overlaps(level)) {
      levels_.exchange(level).exchange(levels_.x(level));
      for_coarse_classes(level, [&](const RowClass& rows) {
        queue<RestrictResidual<Outer::some>>(level, rows.all());
      });
      return;
    }
    levels_.exchange(level).start(levels_.x(level));
    for_coarse_classes(level, [&](const RowClass& rows) {
      queue<RestrictResidual<Outer::none>>(level, rows.interior);
    });
    levels_.exchange(level).finish();
    for_coarse_classes(level, [&](const RowClass& rows) {
      queue<RestrictResidual<Outer::some>>(level, rows.boundary);
    });
  }

  void prolong(std::size_t level) {
    for_coarse_classes(level, [&](const RowClass& rows) { queue<Prolong>(level, rows.all()); });
  }

  void forward_again(std::size_t level) {
    if (levels_.alone()) {
      queue_sweep<InnerForwardAgain, pipeline::Again<Outer::none>>(level, Direction::forward);
      return;
    }
    if (!levels_.overlaps(level)) {
      levels_.exchange(level).exchange(levels_.x(level));
      queue_sweep<OuterForwardAgain, pipeline::Again<Outer::some>>(level, Direction::forward);
      return;
    }
    levels_.exchange(level).start(levels_.x(level));
    queue_sweep<InnerForwardAgain, pipeline::Again<Outer::none>>(level, Direction::forward,
                                                                 Swept::first_interior);
    levels_.exchange(level).finish();
    queue_sweep<OuterForwardAgain, pipeline::Again<Outer::some>>(level, Direction::forward,
                                                                 Swept::rest);
  }

  void backward_again(std::size_t level) {
    if (level > 0) {
      queue_sweep<BackwardAgain, pipeline::BackAgain>(level, Direction::backward);
    } else {
      queue_sweep<BackwardAgainWithProduct, pipeline::BackAgainWithProduct, true>(
          level, Direction::backward, Swept::all, product_);
    }
  }

 private:
  /// Queues body(row) for a range of rows.
  template <class Body>
  void queue(std::size_t level, const Range& rows) {
    if (rows.size() > 0) {
      levels_.with_arguments(level, [&]<class As>(const LevelArguments<As>& arguments) {
        launch(stream_, {blocks_for(rows.size()), dim3(threads_per_block)}, rows_kernel<Body, As>,
               rows, arguments);
      });
    }
  }

  enum class Direction { forward, backward };

  /// All rows of a level; those that may be swept during the halo exchange; the others.
  enum class Swept { all, first_interior, rest };

  static const Buffer<std::int32_t>& order_of(const ChunkPlan& plan, Swept rows) {
    return rows == Swept::all ? plan.order : rows == Swept::first_interior ? plan.first : plan.rest;
  }

  /// Queues a sweep over chunks in the order of their plan, or in the reverse one. `sums` is for
  /// those that add up.
  template <template <class> class SweepStep, class PipelineStep, bool Summing = false>
  void queue_sweep(std::size_t level, Direction direction, Swept rows = Swept::all,
                   const BlockSums& sums = {}) {
    const ChunkPlan& plan = levels_.plan(level);
    const Buffer<std::int32_t>& chunks = order_of(plan, rows);
    if (chunks.size() == 0) {
      return;
    }
    const ChunkOrder order{
        .chunks = chunks.data(), .first = 0, .reversed = direction == Direction::backward};
    switch (plan.sweeps) {
      case Sweeps::classes:
        queue_classes<SweepStep, Summing>(level, direction, rows, sums);
        break;
      case Sweeps::pipelined:
        queue_pipelined<PipelineStep, Summing>(level, direction, rows, order);
        break;
      case Sweeps::automatic:
      case Sweeps::syncfree:
        queue_blocks<SweepStep, Summing>(level, chunks.size(), order, sums, {0, true});
    }
  }

  template <class PipelineStep, bool Summing>
  void queue_pipelined(std::size_t level, Direction direction, Swept rows,
                       const ChunkOrder& order) {
    const ChunkPlan& plan = levels_.plan(level);
    const bool forward = direction == Direction::forward;
    constexpr auto kernel = pipeline_kernel<PipelineStep, Summing, Halved<Columns>>;
    allow_shared_bytes(kernel, ring_bytes);
    // While a halo travels other kernels run, beside which its blocks need not all run at once.
    const unsigned of_half1 = rows == Swept::all ? plan.of_half1 : 0U;
    const auto chunks = static_cast<unsigned>(order_of(plan, rows).size());
    const pipeline::Sweep sweep{.order = order,
                                .dependences = (forward ? plan.lower : plan.upper).data(),
                                .done = (forward ? plan.forward_done : plan.backward_done).data(),
                                .other = (forward ? plan.backward_done : plan.forward_done).data(),
                                .chunks = {chunks - of_half1, of_half1},
                                .tickets = tickets_.data(),
                                .half_of_multiprocessor = plan.halves->of_multiprocessor()};
    const auto all = static_cast<unsigned>(multiprocessors_of(stream_.device()));
    LaunchShape shape{dim3(all), dim3(pipeline::threads), ring_bytes};
    if (of_half1 > 0) {
      // All blocks run at the same time, hence some of each list.
      launch_together(stream_, shape, kernel, sweep, levels_.halved_arguments(level), partials_);
    } else {
      shape.grid = dim3(std::min(chunks, all));
      launch(stream_, shape, kernel, sweep, levels_.halved_arguments(level), partials_);
    }
  }

  /// Rows of a class, with the empty ones after them, that belong to a sweep.
  [[nodiscard]] Range swept_rows(std::size_t level, std::size_t number, Swept swept) const {
    const Range whole = levels_.all()[level].order.padded(number);
    const std::int64_t middle =
        number > 0 ? whole.begin : levels_.classes(level).front().boundary.begin;
    switch (swept) {
      case Swept::first_interior:
        return {whole.begin, middle};
      case Swept::rest:
        return {middle, whole.end};
      case Swept::all:
        break;
    }
    return whole;
  }

  /// The same class after class.
  template <template <class> class SweepStep, bool Summing>
  void queue_classes(std::size_t level, Direction direction, Swept swept, const BlockSums& sums) {
    const std::size_t count = levels_.classes(level).size();
    std::size_t before = 0;
    for (std::size_t n = 0; n < count; ++n) {
      const std::size_t number = direction == Direction::forward ? n : count - 1 - n;
      const Range rows = swept_rows(level, number, swept);
      const auto tiles = static_cast<std::size_t>(rows.size() / tile_rows);
      queue_blocks<SweepStep, Summing>(level, tiles,
                                       {.chunks = nullptr,
                                        .first = static_cast<std::int32_t>(rows.begin / tile_rows),
                                        .reversed = false},
                                       sums, {before, n + 1 == count});
      before += tiles;
    }
  }

  /// A kernel among those of the same sweep.
  struct KernelPlace {
    std::size_t before;  ///< blocks of the kernels that were queued before
    bool last;
  };

  template <template <class> class SweepStep, bool Summing>
  void queue_blocks(std::size_t level, std::size_t blocks, const ChunkOrder& order, BlockSums sums,
                    const KernelPlace& place) {
    sums.first = static_cast<unsigned>(place.before);
    sums.count = place.last ? static_cast<unsigned>(place.before + blocks) : 0U;
    if (blocks > 0) {
      launch(stream_, {dim3(static_cast<unsigned>(blocks)), dim3(threads_per_block)},
             sync_free_sweep_kernel<SweepStep, Summing, Columns>, order, levels_.arguments(level),
             sums);
    }
  }

  template <class Body>
  void for_coarse_classes(std::size_t level, const Body& body) {
    const Range coarse = levels_.all()[level].coarse_classes;
    for (std::int64_t n = coarse.begin; n < coarse.end; ++n) {
      body(levels_.classes(level)[static_cast<std::size_t>(n)]);
    }
  }

  const TunedLevels<Columns>& levels_;
  const fused::Cycle& fused_;
  const Stream& stream_;
  BlockSums product_;
  BlockSums residual_;
  bool updates_ = false;
  double* partials_;
  Buffer<unsigned> tickets_;  ///< of pipelined sweeps
};

}  // namespace bankfull::hpcg::cuda
