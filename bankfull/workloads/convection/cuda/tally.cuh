#pragma once

#include "bankfull/core/exec/cuda_executor.cuh"
#include "bankfull/core/exec/last_block.cuh"
#include "bankfull/core/exec/launch.cuh"
#include "bankfull/core/memory/buffer.hpp"
#include "bankfull/workloads/convection/block_values.hpp"
#include "bankfull/workloads/convection/cuda/advance_cells.cuh"
#include "bankfull/workloads/convection/cuda/tally_march.cuh"
#include "bankfull/workloads/convection/cuda/tally_walls.cuh"
#include "bankfull/workloads/convection/drive.hpp"
#include "bankfull/workloads/convection/flow.hpp"
#include "bankfull/workloads/convection/plan.hpp"
#include "bankfull/workloads/convection/tally.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace bankfull::convection {

/// Sources beside the fields that they act on.
template <class Real>
struct SourcesOnGpu {
  const Real* values;  ///< of velocity 0, fields as far apart as the flow's; null: none
  SourceFactors factors;
};

namespace detail {

/// How many share a multiprocessor and its registers.
inline constexpr int tally_blocks_of_multiprocessor = 2;

template <class Real>
struct TallyArguments {
  MarchArguments<Real> march;
  Diffusivities diffusivity;
  WallPatches walls;
  SourcesOnGpu<Real> sources;
  double length[3];    ///< of the box, along the axes
  double* partial;     ///< those of all blocks for each number
  unsigned* arrivals;  ///< 0 between launches
  FlowTally* flow;     ///< the results
  ScalarTally* scalar;
};

/// The work of forces, and the source of a scalar times it, and alone.
template <bool Velocity, bool Scalar>
using SourceNumbers = ThreadTally<(Velocity ? 1 : 0) + (Scalar ? 2 : 0), 0>;

/// Where the numbers of a pass stand.
template <class Real, bool Velocity, bool Scalar>
struct TallyPlaces {
  using March = typename MarchTally<Real, Velocity, Scalar>::Numbers;
  using Wall = WallNumbers<Velocity, Scalar>;
  using Source = SourceNumbers<Velocity, Scalar>;

  static constexpr int walls = March::count;
  static constexpr int sources = walls + WallPatches::walls * Wall::count;
  static constexpr int count = sources + Source::count;
};

inline constexpr int most_tally_numbers = TallyPlaces<double, true, true>::count;

template <class Real, bool Velocity, bool Scalar>
__device__ __forceinline__ SourceNumbers<Velocity, Scalar> count_sources(
    const TallyArguments<Real>& arguments) {
  SourceNumbers<Velocity, Scalar> numbers{};
  const MarchArguments<Real>& march = arguments.march;
  const int(&cells)[3] = march.flow.cells;
  const FlowStrides& strides = march.flow.strides;
  const std::int64_t rows = std::int64_t{cells[0]} * cells[1];
  const int thread = thread_of_tally();
  const auto source_of = [&](int field, std::int64_t at) {
    return arguments.sources.factors.of[field] *
           static_cast<double>(arguments.sources.values[field * strides.field + at]);
  };
  const auto value_of = [&](int field, std::int64_t at) {
    return static_cast<double>(march.fields[field * strides.field + at]);
  };
  for (std::int64_t row = blockIdx.x; row < rows; row += gridDim.x) {
    const auto i = static_cast<int>(row / cells[1]);
    const auto j = static_cast<int>(row % cells[1]);
    for (int k = thread; k < cells[2]; k += tally_threads) {
      const LineWeights<Real>& along_i = march.weights[0][i];
      const LineWeights<Real>& along_j = march.weights[1][j];
      const LineWeights<Real>& along_k = march.weights[2][k];
      const std::int64_t at = march.flow.offset(i, j, k);
      if constexpr (Velocity) {
        const double volumes[3] = {along_i.distance * along_j.width * along_k.width,
                                   along_i.width * along_j.distance * along_k.width,
                                   along_i.width * along_j.width * along_k.distance};
        for (int a = 0; a < 3; ++a) {
          numbers.of[0] += source_of(a, at) * (volumes[a] * march.per_volume * value_of(a, at));
        }
      }
      if constexpr (Scalar) {
        constexpr int n = Velocity ? 1 : 0;
        const int field = 3 + march.scalar;
        const double part = along_i.width * along_j.width * along_k.width * march.per_volume;
        numbers.of[n] += source_of(field, at) * (part * value_of(field, at));
        numbers.of[n + 1] += source_of(field, at) * part;
      }
    }
  }
  return numbers;
}

template <class Real, bool Velocity, bool Scalar>
__device__ void count_walls(const TallyArguments<Real>& arguments, double* partial) {
  using Places = TallyPlaces<Real, Velocity, Scalar>;
#pragma unroll 1
  for (int wall = 0; wall < WallPatches::walls; ++wall) {
    const WallPatches::Range patches = arguments.walls.of_block(wall, blockIdx.x);
    if (patches.begin >= patches.end) {
      continue;
    }
    typename Places::Wall numbers{};
    const int side = wall % 2;
    switch (wall / 2) {
      case 0:
        count_wall<0, Real, Velocity, Scalar>(arguments.march, arguments.diffusivity, side, patches,
                                              numbers);
        break;
      case 1:
        count_wall<1, Real, Velocity, Scalar>(arguments.march, arguments.diffusivity, side, patches,
                                              numbers);
        break;
      default:
        count_wall<2, Real, Velocity, Scalar>(arguments.march, arguments.diffusivity, side, patches,
                                              numbers);
    }
    merge_block(numbers, partial + (Places::walls + wall * Places::Wall::count) * gridDim.x,
                gridDim.x);
  }
}

/// What all blocks have of one number, by a warp: those that had nothing of a wall wrote nothing.
template <class Real, bool Velocity, bool Scalar>
__device__ double merged_by_blocks(const TallyArguments<Real>& arguments, int number) {
  using Places = TallyPlaces<Real, Velocity, Scalar>;
  using March = typename Places::March;
  const bool of_wall = number >= Places::walls && number < Places::sources;
  const int wall = of_wall ? (number - Places::walls) / Places::Wall::count : 0;
  const bool of_source = number >= Places::sources;
  const int kind = number < March::count ? number : 0;  // all others are sums
  const double* const partial = arguments.partial + static_cast<std::int64_t>(number) * gridDim.x;
  double mine = March::nothing(kind);
  if (of_source && arguments.sources.values == nullptr) {
    return mine;
  }
#pragma unroll 4
  for (unsigned block = threadIdx.x; block < gridDim.x; block += 32) {
    const WallPatches::Range patches = arguments.walls.of_block(wall, block);
    if (!of_wall || patches.begin < patches.end) {
      mine = March::merged(kind, mine, __ldcg(partial + block));
    }
  }
  return March::merged_by_warp(kind, mine);
}

/// The results, of the merged numbers.
template <class Real, bool Velocity, bool Scalar>
__device__ void conclude(const TallyArguments<Real>& arguments, const double* numbers) {
  using Places = TallyPlaces<Real, Velocity, Scalar>;
  using March = MarchTally<Real, Velocity, Scalar>;
  const double* const extremes = numbers + March::sums;
  const double* const walls = numbers + Places::walls;
  const double* const sources = numbers + Places::sources;
  const auto over_walls = [&](int n) {
    double sum = 0.0;
    for (int wall = 0; wall < WallPatches::walls; ++wall) {
      sum += walls[wall * Places::Wall::count + n];
    }
    return sum;
  };
  if constexpr (Velocity) {
    FlowTally flow{};
    flow.sums[0] = 0.5 * numbers[1];
    flow.sums[1] = arguments.diffusivity.viscosity * numbers[0] + over_walls(1);
    flow.sums[2] = over_walls(0);
    flow.sums[3] = sources[0];
    for (int a = 0; a < 3; ++a) {
      flow.sums[4 + a] = numbers[2 + a];
    }
    flow.sums[7] = numbers[0];
    for (int n = 0; n < March::velocity_extremes; ++n) {
      flow.max[n] = extremes[n];
    }
    *arguments.flow = flow;
  }
  if constexpr (Scalar) {
    const double* const own = numbers + March::velocity_sums;
    constexpr int of_wall = Velocity ? 2 : 0;
    constexpr int of_source = Velocity ? 1 : 0;
    ScalarTally scalar{};
    scalar.sums[0] = own[0];
    scalar.sums[1] = own[1];
    for (int a = 0; a < 3; ++a) {
      scalar.sums[2 + a] = 0.5 * own[2 + a];
    }
    for (int wall = 0; wall < WallPatches::walls; ++wall) {
      const double length = arguments.length[wall / 2];
      const double* const of = walls + wall * Places::Wall::count + of_wall;
      scalar.sums[5 + wall] = length * of[2];
      scalar.sums[15 + wall] = 0.5 * length * of[3];
    }
    scalar.sums[11] = arguments.diffusivity.of_scalar * own[5] + over_walls(of_wall + 1);
    scalar.sums[12] = over_walls(of_wall);
    scalar.sums[13] = sources[of_source];
    scalar.sums[14] = sources[of_source + 1];
    scalar.max[0] = extremes[March::velocity_extremes];
    scalar.max[1] = extremes[March::velocity_extremes + 1];
    *arguments.scalar = scalar;
  }
}

template <class Real, InPlane Widths, bool Velocity, bool Scalar>
__global__ void __launch_bounds__(tally_threads, tally_blocks_of_multiprocessor)
    tally_kernel(const __grid_constant__ TallyArguments<Real> arguments) {
  using Places = TallyPlaces<Real, Velocity, Scalar>;
  double* const partial = arguments.partial + blockIdx.x;
  count_walls<Real, Velocity, Scalar>(arguments, partial);
  if (arguments.sources.values != nullptr) {
    merge_block(count_sources<Real, Velocity, Scalar>(arguments),
                partial + static_cast<std::int64_t>(Places::sources) * gridDim.x, gridDim.x);
  }
  merge_block(march_tiles<Real, Widths, Velocity, Scalar>(arguments.march)
                  .numbers(arguments.march.of_products),
              partial, gridDim.x);
  if (!is_last_block(arguments.arrivals)) {
    return;
  }
  __shared__ double numbers[Places::count];
#pragma unroll 1
  for (int n = static_cast<int>(threadIdx.y); n < Places::count; n += tally_rows) {
    const double number = merged_by_blocks<Real, Velocity, Scalar>(arguments, n);
    if (threadIdx.x == 0) {
      numbers[n] = number;
    }
  }
  __syncthreads();
  if (threadIdx.x == 0 && threadIdx.y == 0) {
    conclude<Real, Velocity, Scalar>(arguments, numbers);
  }
}

/// On an H200 at 512^3 in fp64, uniform planes: 16 planes take 0.96 of the time of 64; stretched
/// ones, which begin with more to load: 1.02.
inline int most_planes_of_tile(bool is_uniform) { return is_uniform ? 16 : 64; }

/// Tiles of all cells for so many blocks, which are to have equal numbers of planes.
inline TallyTiles tally_tiles(const int (&cells)[3], int blocks, int most_planes) {
  constexpr int start = 3;  ///< planes that take as long as what a tile begins with
  const auto parts = [](int count, int of) { return (count + of - 1) / of; };
  TallyTiles tiles{parts(cells[2], tally_columns), parts(cells[1], tally_rows), 1, cells[0]};
  std::int64_t best = 0;
  for (int planes = std::min(cells[0], most_planes); planes > 0; --planes) {
    TallyTiles other = tiles;
    other.planes = planes;
    other.slabs = parts(cells[0], planes);
    const std::int64_t time = std::int64_t{parts(other.count(), blocks)} * (planes + start);
    if (best == 0 || time < best) {
      best = time;
      tiles = other;
    }
  }
  return tiles;
}

/// Those of a block's cells along one axis.
template <class Real>
std::vector<LineWeights<Real>> line_weights_of(const Plan& plan, int axis, const WallFaces& walls) {
  const GridAxis& line = plan.grid().axis(axis);
  std::vector<LineWeights<Real>> weights;
  std::int64_t face = 0;
  for (const AxisMetric<Real>& metric : metrics_of<Real>(line)) {
    const double width = line.width(face);
    const double distance = line.cells.distance(face);
    weights.push_back({.width = width,
                       .per_width = 1.0 / width,
                       .distance = distance,
                       .per_distance = 1.0 / distance,
                       .per_cell = metric.per_cell,
                       .per_narrower = per_narrower_cell(metric)});
    ++face;
  }
  weights = cells_of_block(weights, plan.block(), axis);
  if (walls.at_end(axis, 0)) {
    weights.front().distance = 0.0;
    weights.front().per_distance = 0.0;
  }
  return weights;
}

}  // namespace detail

/// Tallies of flows on the grid of a plan.
template <class Real>
class TalliesOnGpu {
 public:
  /// Refers to the plan, which must outlive it.
  TalliesOnGpu(const Plan& plan, const CudaExecutor& gpu)
      : TalliesOnGpu(
            plan, gpu,
            detail::tally_blocks_of_multiprocessor * multiprocessors_of(gpu.stream().device())) {}

  /// By so many blocks at most, which sums are in the order of.
  TalliesOnGpu(const Plan& plan, const CudaExecutor& gpu, int blocks)
      : plan_(plan),
        blocks_(blocks),
        partial_(gpu.make<double>(std::int64_t{detail::most_tally_numbers} * blocks_)),
        arrivals_(gpu.make<unsigned>(1)),
        flow_(MemorySpace::pinned, 1),
        scalars_(MemorySpace::pinned, plan.problem().scalars.size()) {
    gpu.fill(arrivals_.data(), 1, 0U);
    const WallFaces walls = wall_faces_of(plan.grid(), plan.block());
    for (const int axis : storage_axes) {
      const std::vector<detail::LineWeights<Real>> weights =
          detail::line_weights_of<Real>(plan, axis, walls);
      Buffer<detail::LineWeights<Real>>& on_gpu = weights_[static_cast<std::size_t>(axis)];
      on_gpu = gpu.make<detail::LineWeights<Real>>(static_cast<std::int64_t>(weights.size()));
      gpu.from_host(weights, on_gpu.data());
      first_[axis] = weights.front();
    }
  }

  /// Of all cells of this rank; waits for the result. One call at a time.
  FlowTallies of(const Stream& stream, const FlowOnGpu<Real>& flow, const Real* fields,
                 const SourcesOnGpu<Real>& sources) {
    detail::TallyArguments<Real> arguments = arguments_of(flow, fields, sources);
    const int scalars = static_cast<int>(scalars_.size());
    if (scalars == 0) {
      queue<true, false>(stream, arguments);
    }
    for (int scalar = 0; scalar < scalars; ++scalar) {
      arguments.march.scalar = scalar;
      arguments.march.from_below[3] =
          arguments.march.from_below[0] + (3 + scalar) * flow.strides.field;
      arguments.diffusivity.of_scalar =
          plan_.problem().scalars[static_cast<std::size_t>(scalar)].diffusivity;
      arguments.scalar = scalars_.data() + scalar;
      scalar == 0 ? queue<true, true>(stream, arguments) : queue<false, true>(stream, arguments);
    }
    stream.synchronize();
    return {*flow_.data(), {scalars_.data(), scalars_.data() + scalars}};
  }

 private:
  [[nodiscard]] detail::TallyArguments<Real> arguments_of(const FlowOnGpu<Real>& flow,
                                                          const Real* fields,
                                                          const SourcesOnGpu<Real>& sources) const {
    detail::TallyArguments<Real> arguments{};
    detail::MarchArguments<Real>& march = arguments.march;
    march.flow = flow;
    march.fields = fields;
    for (const int axis : storage_axes) {
      march.weights[axis] = weights_[static_cast<std::size_t>(axis)].data();
      march.first[axis] = first_[axis];
      march.in_plane.per_square[axis] = first_[axis].per_width * first_[axis].per_width;
      march.from_below[axis] =
          fields + axis * flow.strides.field - flow.strides.plane - flow.strides.row;
      arguments.length[axis] = plan_.grid().axis(axis).length();
    }
    march.per_volume = 1.0 / plan_.grid().volume();
    const bool is_uniform = widths_of(flow) == InPlane::uniform;
    march.of_products = is_uniform ? march.first[1].width * march.first[2].width * march.per_volume
                                   : march.per_volume;
    march.tiles = detail::tally_tiles(flow.cells, blocks_, detail::most_planes_of_tile(is_uniform));
    arguments.diffusivity.viscosity = plan_.problem().viscosity;
    arguments.walls = detail::WallPatches::of(flow.walls, flow.cells);
    arguments.sources = sources;
    arguments.partial = partial_.data();
    arguments.arrivals = arrivals_.data();
    arguments.flow = flow_.data();
    return arguments;
  }

  /// Which kernel counts it: beside walls weights differ.
  [[nodiscard]] static InPlane widths_of(const FlowOnGpu<Real>& flow) {
    const bool is_walled = flow.walls.at_end(1, 0) || flow.walls.at_end(2, 0);
    return is_walled || !detail::NumberedFields<Real>::can_number(flow) ? InPlane::stretched
                                                                        : flow.widths;
  }

  template <bool Velocity, bool Scalar>
  void queue(const Stream& stream, const detail::TallyArguments<Real>& arguments) const {
    const int blocks = std::min(blocks_, arguments.march.tiles.count());
    launch(stream,
           {dim3(static_cast<unsigned>(blocks)), dim3(detail::tally_columns, detail::tally_rows)},
           widths_of(arguments.march.flow) == InPlane::uniform
               ? detail::tally_kernel<Real, InPlane::uniform, Velocity, Scalar>
               : detail::tally_kernel<Real, InPlane::stretched, Velocity, Scalar>,
           arguments);
  }

  const Plan& plan_;
  int blocks_;  ///< at most
  Buffer<double> partial_;
  Buffer<unsigned> arrivals_;
  Buffer<FlowTally> flow_;
  Buffer<ScalarTally> scalars_;
  std::array<Buffer<detail::LineWeights<Real>>, 3> weights_;
  detail::LineWeights<Real> first_[3];  ///< of each axis
};

}  // namespace bankfull::convection
