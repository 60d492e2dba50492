#pragma once

#include "bankfull/core/base/gpu_arch.hpp"
#include "bankfull/workloads/hpcg/cuda/fused_cycle.cuh"
#include "bankfull/workloads/hpcg/cuda/tuned_levels.cuh"

#include <cstddef>
#include <utility>
#include <vector>

namespace bankfull::hpcg::cuda::fused {

/// The plan of a fused cycle from a level on, on the stream's GPU. It has no levels where the GPU,
/// or the code compiled for it, does not support one.
inline Plan plan_for(const CudaExecutor& executor, const std::vector<ColouredLevel>& levels,
                     std::size_t first) {
  constexpr auto kernel = fused_cycle_kernel;
  if (compiled_capability_of(kernel) < bulk_copy_capability) {
    return {.first = levels.size()};
  }
  const Device gpu = executor.stream().device();
  const std::size_t rings = max_shared_bytes(gpu, kernel) - slack_bytes;
  constexpr std::size_t alignment = 128;
  const auto ring_bytes = static_cast<unsigned>(rings / warps / alignment * alignment);
  return plan_cycle(executor, levels, first, multiprocessors_of(gpu), ring_bytes);
}

/// Inverts a level's coarse rows.
struct InvertCoarseRows {
  std::int64_t begin;
  const std::int32_t* coarse_row;
  std::int32_t* finer_row;

  __device__ void operator()(std::int64_t n) const {
    if (coarse_row[n] >= 0) {
      finer_row[coarse_row[n]] = static_cast<std::int32_t>(begin + n);
    }
  }
};

/// Of each of a level's rows the row of the finer level; -1 of empty rows.
inline Buffer<std::int32_t> finer_rows(const CudaExecutor& executor, const ColouredLevel& finer,
                                       std::int64_t rows) {
  auto result = executor.make<std::int32_t>(rows);
  executor.fill(result.data(), rows, std::int32_t{-1});
  const Range coarse = finer.coarse_range();
  executor.each(coarse.size(),
                InvertCoarseRows{coarse.begin, finer.coarse_row.data(), result.data()});
  return result;
}

/// Queues fused cycles; owns the vectors that they wait for.
class Cycle {
 public:
  /// The levels must outlive it. Those of the plan keep their columns in full.
  template <class Columns>
  Cycle(const TunedLevels<Columns>& levels, const CudaExecutor& executor, Plan plan)
      : stream_(executor.stream()), plan_(std::move(plan)) {
    if (plan_.first == levels.count()) {
      return;
    }
    for (std::size_t n = plan_.first; n < levels.count(); ++n) {
      add_level(levels, executor, n);
    }
    finer_row_ =
        finer_rows(executor, levels.all()[plan_.first - 1], levels.all()[plan_.first].rows());
    cycles_ = executor.make<unsigned>(2);
    executor.fill(cycles_.data(), 2, 0U);
    arguments_.first = static_cast<int>(plan_.first);
    arguments_.r = levels.arguments(plan_.first).r;
    arguments_.finer_row = finer_row_.data();
    arguments_.finer_x = levels.x(plan_.first - 1);
    arguments_.items = plan_.items.data();
    arguments_.begin = plan_.begin.data();
    arguments_.ring_bytes = plan_.ring_bytes;
    arguments_.cycles = cycles_.data();
  }

  /// The first level; the number of levels where none is fused.
  [[nodiscard]] std::size_t first() const { return plan_.first; }

  void queue() const {
    constexpr auto kernel = fused_cycle_kernel;
    const std::size_t bytes = static_cast<std::size_t>(warps) * plan_.ring_bytes + slack_bytes;
    allow_shared_bytes(kernel, bytes);
    launch_together(stream_, {dim3(static_cast<unsigned>(plan_.blocks)), dim3(warps * 32), bytes},
                    kernel, arguments_);
  }

 private:
  template <class Columns>
  void add_level(const TunedLevels<Columns>& levels, const CudaExecutor& executor, std::size_t n) {
    const ColouredLevel& stored = levels.all()[n];
    const LevelArguments<Columns> level = levels.arguments(n);
    const std::int64_t size = stored.rows();
    awaited_.push_back(executor.make<double>(2 * awaited_vectors * size));
    executor.fill(reinterpret_cast<unsigned long long*>(awaited_.back().data()),
                  2 * awaited_vectors * size, awaited_bits);
    arguments_.level[n] = {.lower = stored.lower.full_view(),
                           .upper = stored.upper.full_view(),
                           .diagonal = level.diagonal,
                           .u = level.u,
                           .awaited = awaited_.back().data(),
                           .size = size,
                           .coarse_row = level.coarse_row,
                           .coarse_begin = level.coarse_begin};
  }

  const Stream& stream_;
  Plan plan_;
  std::vector<Buffer<double>> awaited_;
  Buffer<std::int32_t> finer_row_;
  Buffer<unsigned> cycles_;
  Arguments arguments_ = {};
};

}  // namespace bankfull::hpcg::cuda::fused
