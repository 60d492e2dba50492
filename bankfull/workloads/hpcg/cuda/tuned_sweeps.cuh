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
  /// The levels and the fused cycle must outlive it. The last sweep adds up r.x as `product` tells;
  /// a pipelined one leaves the sums of its tiles in `partials`.
  TunedSweeps(const TunedLevels<Columns>& levels, const fused::Cycle& fused,
              const CudaExecutor& executor, const BlockSums& product, double* partials)
      : levels_(levels),
        fused_(fused),
        stream_(executor.stream()),
        product_(product),
        partials_(partials) {}

  [[nodiscard]] std::size_t level_count() const { return levels_.count(); }

  [[nodiscard]] bool fuses(std::size_t level) const { return level == fused_.first(); }
  void fused_cycle(std::size_t /*level*/) { fused_.queue(); }

  void forward_from_zero(std::size_t level) {
    queue_sweep<ForwardFromZero, pipeline::FromZero>(level, Direction::forward);
  }

  void backward_after_zero(std::size_t level) {
    queue_sweep<BackwardAfterZero, pipeline::AfterZero>(level, Direction::backward);
  }

  void restrict_residual(std::size_t level) {
    if (levels_.alone()) {
      for_coarse_classes(level, [&](const RowClass& rows) {
        queue<RestrictResidual<Outer::none>>(level, rows.interior, true);
      });
      return;
    }
    if (!levels_.overlaps(level)) {
      levels_.exchange(level).exchange(levels_.x(level));
      for_coarse_classes(level, [&](const RowClass& rows) {
        queue<RestrictResidual<Outer::some>>(level, rows.all(), true);
      });
      return;
    }
    levels_.exchange(level).start(levels_.x(level));
    for_coarse_classes(level, [&](const RowClass& rows) {
      queue<RestrictResidual<Outer::none>>(level, rows.interior, true);
    });
    levels_.exchange(level).finish();
    for_coarse_classes(level, [&](const RowClass& rows) {
      queue<RestrictResidual<Outer::some>>(level, rows.boundary, false);
    });
  }

  void prolong(std::size_t level) {
    for_coarse_classes(level, [&](const RowClass& rows) { queue<Prolong>(level, rows.all(), false); });
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
          level, Direction::backward);
    }
  }

 private:
  /// Queues body(row) for a range of rows, which begins with a chunk if those of the halves are
  /// dealt apart.
  template <class Body>
  void queue(std::size_t level, const Range& rows, bool apart) {
    if (rows.size() == 0) {
      return;
    }
    const HalfWork& work = levels_.work();
    const HalfTiles tiles{
        .tiles = blocks_for(rows.size()).x,
        .chunk_tiles = static_cast<unsigned>(levels_.plan(level).rows / tile_rows),
        .apart = apart && work.apart()};
    launch(stream_, {dim3(work.blocks(tiles.tiles, row_blocks_each)), dim3(threads_per_block)},
           rows_kernel<Body, Columns>, rows, tiles,
           work.lists(tiles.of_half(0), tiles.of_half(1)), levels_.arguments(level));
  }

  enum class Direction { forward, backward };

  /// All rows of a level; those that may be swept during the halo exchange; the others.
  enum class Swept { all, first_interior, rest };

  static const ChunkList& list_of(const ChunkPlan& plan, Swept rows) {
    return rows == Swept::all ? plan.order : rows == Swept::first_interior ? plan.first : plan.rest;
  }

  /// Queues a sweep over chunks in the order of their plan, or in the reverse one.
  template <template <class> class SweepStep, class PipelineStep, bool Summing = false>
  void queue_sweep(std::size_t level, Direction direction, Swept rows = Swept::all) {
    const ChunkPlan& plan = levels_.plan(level);
    const ChunkList& list = list_of(plan, rows);
    if (list.empty()) {
      return;
    }
    const ChunkOrder order{.chunks = list.chunks.data(),
                           .first = 0,
                           .reversed = direction == Direction::backward,
                           .lists = levels_.work().lists(list.counts[0], list.counts[1])};
    switch (plan.sweeps) {
      case Sweeps::classes:
        queue_classes<SweepStep, Summing>(level, direction, rows);
        break;
      case Sweeps::pipelined:
        queue_pipelined<PipelineStep, Summing>(level, direction, order);
        break;
      case Sweeps::automatic:
      case Sweeps::syncfree:
        queue_blocks<SweepStep, Summing>(level, order, 0, true);
    }
  }

  /// Queues a kernel whose blocks take chunks. With two lists each half must have blocks that run:
  /// all of them do, on all multiprocessors.
  template <class... Parameters, class... Arguments>
  void queue_chunks(const HalfLists& lists, int blocks_each, const LaunchShape& block,
                    void (*kernel)(Parameters...), Arguments... arguments) {
    LaunchShape shape = block;
    if (lists.counts[1] > 0) {
      shape.grid = dim3(levels_.work().all_blocks(blocks_each));
      launch_together(stream_, shape, kernel, arguments...);
    } else {
      shape.grid = dim3(levels_.work().blocks(lists.counts[0], blocks_each));
      launch(stream_, shape, kernel, arguments...);
    }
  }

  template <class PipelineStep, bool Summing>
  void queue_pipelined(std::size_t level, Direction direction, const ChunkOrder& order) {
    const ChunkPlan& plan = levels_.plan(level);
    const bool forward = direction == Direction::forward;
    constexpr auto kernel = pipeline_kernel<PipelineStep, Summing, Columns>;
    allow_shared_bytes(kernel, ring_bytes);
    queue_chunks(order.lists, 1, {dim3(), dim3(pipeline::threads), ring_bytes}, kernel,
                 pipeline::Sweep{
                     .order = order,
                     .dependences = (forward ? plan.lower : plan.upper).data(),
                     .done = (forward ? plan.forward_done : plan.backward_done).data(),
                     .other = (forward ? plan.backward_done : plan.forward_done).data()},
                 levels_.arguments(level), partials_);
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
  void queue_classes(std::size_t level, Direction direction, Swept swept) {
    const std::size_t count = levels_.classes(level).size();
    unsigned before = 0;
    for (std::size_t n = 0; n < count; ++n) {
      const std::size_t number = direction == Direction::forward ? n : count - 1 - n;
      const Range rows = swept_rows(level, number, swept);
      const auto tiles = static_cast<unsigned>(rows.size() / tile_rows);
      queue_blocks<SweepStep, Summing>(level,
                                       {.chunks = nullptr,
                                        .first = static_cast<std::int32_t>(rows.begin / tile_rows),
                                        .reversed = false,
                                        .lists = levels_.work().lists(tiles, 0)},
                                       before, n + 1 == count);
      before += tiles;
    }
  }

  /// `before`: chunks of the kernels of the same sweep that were queued before, of which this one
  /// may be the last.
  template <template <class> class SweepStep, bool Summing>
  void queue_blocks(std::size_t level, const ChunkOrder& order, unsigned before, bool last) {
    const unsigned chunks = order.lists.counts[0] + order.lists.counts[1];
    BlockSums sums = product_;
    sums.first = before;
    sums.count = last ? before + chunks : 0U;
    if (chunks > 0) {
      queue_chunks(order.lists, sweep_blocks_each, {dim3(), dim3(threads_per_block)},
                   sync_free_sweep_kernel<SweepStep, Summing, Columns>, order,
                   levels_.arguments(level), sums);
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
  double* partials_;
};

}  // namespace bankfull::hpcg::cuda
