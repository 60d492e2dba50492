#pragma once

#include "bankfull/core/exec/launch.cuh"
#include "bankfull/numerics/poisson/multigrid/cuda/alike_ascend.cuh"
#include "bankfull/numerics/poisson/multigrid/cuda/alike_descend.cuh"
#include "bankfull/numerics/poisson/multigrid/cuda/level_tables.cuh"

#include <algorithm>
#include <numeric>
#include <vector>

namespace bankfull::poisson::multigrid::cuda {

/// AlikePlanes::planes. On the GPU, whose division leaves the bits that Sweeper has.
static __global__ void alike_planes_kernel(LevelView level, float4* planes) {
  const auto n = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (n >= level.i.cells) {
    return;
  }
  const float2 i = level.i.coefficients[n];
  const float along_i = i.x + i.y;
  const float diagonal = along_i + level.alike.diagonal();
  const float inverse = along_i == level.middle ? inverse_of(diagonal) : unusual_inverse(diagonal);
  planes[n] = make_float4(i.x, i.y, inverse, level.i.interpolation_weight[n]);
}

/// Whether a block of the GPU has room for what the kernels of levels with alike planes keep.
inline bool has_room_for_alike_planes(Device gpu) {
  constexpr std::size_t most =
      std::max({sizeof(AlikeAscentShared<AlikeCorrection<double, true>>),
                sizeof(AlikeAscentShared<LargeAlikeAscent<true>>), sizeof(AlikeDescentShared)});
  return most <= max_shared_bytes(gpu, alike_planes_kernel);
}

/// The constants of a level.
inline AlikePlanes alike_planes_of(const Level& level) {
  const auto coefficients = [](const AxisLevel& axis) {
    return make_float2(static_cast<float>(axis.lower.front()),
                       static_cast<float>(axis.upper.front()));
  };
  return {.j = coefficients(level.j),
          .k = coefficients(level.k),
          .interpolation_j = static_cast<float>(level.j.interpolation_weight.front()),
          .interpolation_k = static_cast<float>(level.k.interpolation_weight.front()),
          .restriction = static_cast<float>(level.j.restriction_weight.front()) *
                         static_cast<float>(level.k.restriction_weight.front())};
}

/// Sets `alike` in the views of those whole levels that have such planes, where the GPU has room
/// for the kernels that then do them. Returns the tables that the views point to.
inline Buffer<float4> show_alike_planes(const std::vector<Level>& levels,
                                        std::vector<LevelView>& views, const Stream& stream) {
  if (!has_room_for_alike_planes(stream.device())) {
    return {};
  }
  const std::int64_t floats = std::accumulate(
      levels.begin(), levels.end(), std::int64_t{0},
      [](std::int64_t sum, const Level& level) { return sum + alike_floats(level); });
  Buffer<float4> tables(MemorySpace::device, static_cast<std::size_t>(floats / 4));
  float4* table = tables.data();
  for (std::size_t n = 0; n < levels.size(); ++n) {
    if (!has_alike_planes(levels[n])) {
      continue;
    }
    constexpr int threads = 128;
    LevelView& view = views[n];
    view.alike = alike_planes_of(levels[n]);
    launch(stream, {dim3(static_cast<unsigned>(parts_of(view.i.cells, threads))), dim3(threads)},
           alike_planes_kernel, view, table);
    view.alike.planes = table;
    table += view.i.cells;
  }
  return tables;
}

}  // namespace bankfull::poisson::multigrid::cuda
