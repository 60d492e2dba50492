#pragma once

#include "bankfull/core/base/expects.hpp"
#include "bankfull/core/base/gpu_arch.hpp"
#include "bankfull/workloads/hpcg/cuda/fused_cycle.cuh"
#include "bankfull/workloads/hpcg/cuda/tuned_levels.cuh"

#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>

namespace bankfull::hpcg::cuda::fused {

/// The plan of a fused cycle on the stream's GPU. It has no levels where the GPU, or the code
/// compiled for it, does not support one.
inline Plan plan_for(const CudaExecutor& executor, const std::vector<ColouredLevel>& levels) {
  constexpr auto kernel = fused_cycle_kernel;
  if (compiled_capability_of(kernel) < bulk_copy_capability) {
    return {.first = levels.size()};
  }
  const Device gpu = executor.stream().device();
  const std::size_t rings = max_shared_bytes(gpu, kernel) - slack_bytes;
  constexpr std::size_t alignment = 128;
  const auto ring_bytes = static_cast<unsigned>(rings / warps / alignment * alignment);
  return plan_cycle(executor, levels, multiprocessors_of(gpu), ring_bytes);
}

/// Queues fused cycles; owns the vectors that they wait for. There are none with columns that are
/// not kept in full.
template <class Columns>
class Cycle {
 public:
  /// The levels must outlive it.
  Cycle(const TunedLevels<Columns>& levels, const CudaExecutor& executor, Plan plan)
      : stream_(executor.stream()), plan_(std::move(plan)) {
    if (plan_.first == levels.count()) {
      return;
    }
    expects(std::is_same_v<Columns, FullColumns>, "fused levels keep their columns in full");
    for (std::size_t n = plan_.first; n < levels.count(); ++n) {
      add_level(levels, executor, n);
    }
    cycles_ = executor.make<unsigned>(2);
    executor.fill(cycles_.data(), 2, 0U);
    const LevelArguments<Columns> finest = levels.arguments(plan_.first);
    arguments_.first = static_cast<int>(plan_.first);
    arguments_.r = finest.r;
    arguments_.x = finest.x;
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
  void add_level(const TunedLevels<Columns>& levels, const CudaExecutor& executor, std::size_t n) {
    const LevelArguments<Columns> level = levels.arguments(n);
    const std::int64_t size = levels.all()[n].rows();
    awaited_.push_back(executor.make<double>(2 * awaited_vectors * size));
    executor.fill(reinterpret_cast<unsigned long long*>(awaited_.back().data()),
                  2 * awaited_vectors * size, awaited_bits);
    if constexpr (std::is_same_v<Columns, FullColumns>) {
      arguments_.level[n] = {.lower = level.lower,
                             .upper = level.upper,
                             .diagonal = level.diagonal,
                             .u = level.u,
                             .awaited = awaited_.back().data(),
                             .size = size,
                             .coarse_row = level.coarse_row,
                             .coarse_begin = level.coarse_begin};
    }
  }

  const Stream& stream_;
  Plan plan_;
  std::vector<Buffer<double>> awaited_;
  Buffer<unsigned> cycles_;
  Arguments arguments_ = {};
};

}  // namespace bankfull::hpcg::cuda::fused
