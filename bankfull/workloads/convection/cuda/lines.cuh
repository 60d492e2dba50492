#pragma once

#include "bankfull/core/exec/dynamic_shared.cuh"
#include "bankfull/core/exec/launch.cuh"
#include "bankfull/workloads/convection/cuda/line_places.hpp"
#include "bankfull/workloads/convection/line_chunk.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace bankfull::convection {

/// Lines of all fields along one axis, to be solved in place.
template <class Real>
struct LinesOnGpu {
  Real* values;       ///< right sides, at cell (0, 0, 0) of velocity 0
  const Real* start;  ///< what is added to solutions; null: nothing
  FlowStrides strides;
  std::int64_t cells[3];
  const LineFactors<Real>* factors;  ///< of all fields at each place
  int fields;
  int axis;  ///< 0, 1 or 2
};

namespace detail {

/// What comes into the chunk of a lane, whose passages go upwards, from all lanes below.
template <class Real>
__device__ __forceinline__ Real inflow_from_below(Passage<Real> passage) {
  const auto lane = static_cast<int>(threadIdx.x);
#pragma unroll
  for (int distance = 1; distance < LineChunk<Real>::chunks; distance *= 2) {
    const Passage<Real> before{__shfl_up_sync(~0U, passage.constant, distance),
                               __shfl_up_sync(~0U, passage.through, distance)};
    passage = lane >= distance ? passage.behind(before) : passage;
  }
  const Real from_below = __shfl_up_sync(~0U, passage.constant, 1);
  return lane > 0 ? from_below : Real(0);
}

template <class Real>
__device__ __forceinline__ Real inflow_from_above(Passage<Real> passage) {
  const auto lane = static_cast<int>(threadIdx.x);
#pragma unroll
  for (int distance = 1; distance < LineChunk<Real>::chunks; distance *= 2) {
    const Passage<Real> before{__shfl_down_sync(~0U, passage.constant, distance),
                               __shfl_down_sync(~0U, passage.through, distance)};
    passage = lane + distance < LineChunk<Real>::chunks ? passage.behind(before) : passage;
  }
  const Real from_above = __shfl_down_sync(~0U, passage.constant, 1);
  return lane + 1 < LineChunk<Real>::chunks ? from_above : Real(0);
}

/// Calls body(line, element) for all elements of the block's lines: neighbouring threads have
/// neighbours in memory.
template <int Block, bool AlongRows, class Body>
__device__ __forceinline__ void each_element(const LinePlaces& places, const Body& body) {
  constexpr int threads = 32 * Block;
  const auto thread = static_cast<int>(threadIdx.x + 32 * threadIdx.y);
  const int line = AlongRows ? static_cast<int>(threadIdx.y) : thread % Block;
  const int begin = AlongRows ? static_cast<int>(threadIdx.x) : thread / Block;
  constexpr int stride = AlongRows ? 32 : threads / Block;
  if (line < places.lines) {
#pragma unroll 4
    for (int n = begin; n < places.count; n += stride) {
      body(line, n);
    }
  }
}

/// Lines go through shared memory: each value is read and written once.
template <bool AlongRows, class Real>
__global__ void __launch_bounds__(32 * lines_per_block<Real>)
    solve_lines_kernel(const __grid_constant__ LinesOnGpu<Real> lines) {
  constexpr int block = lines_per_block<Real>;
  const auto places = LinePlaces::of(lines.strides, lines.cells, lines.axis, block, blockIdx.x,
                                     blockIdx.y, blockIdx.z);
  const auto shared = SharedLines::of(AlongRows, block, places.count);
  Real* const factors = &dynamic_shared<Real>();
  Real* const values = factors + 3 * places.count;
  const FactorLists<Real> lists{factors, factors + places.count, factors + 2 * places.count};
  Real* const global = lines.values + places.first;
  const auto field = static_cast<int>(blockIdx.z);
  for (auto n = static_cast<int>(threadIdx.x + 32 * threadIdx.y); n < places.count;
       n += 32 * block) {
    lists.set(n, lines.factors[n * lines.fields + field]);
  }
  each_element<block, AlongRows>(places, [&](int line, int n) {
    values[line * shared.across + n * shared.step] =
        global[n * places.along + line * places.across];
  });
  __syncthreads();
  const auto line = static_cast<int>(threadIdx.y);
  if (line < places.lines) {
    const auto chunk = LineChunk<Real>::of(lists, values + line * shared.across, shared.step,
                                           places.count, static_cast<int>(threadIdx.x));
    chunk.add_from_below(inflow_from_below(chunk.eliminate()));
    chunk.add_from_above(inflow_from_above(chunk.substitute()));
  }
  __syncthreads();
  each_element<block, AlongRows>(places, [&](int at, int n) {
    const std::int64_t to = n * places.along + at * places.across;
    const Real value = values[at * shared.across + n * shared.step];
    global[to] = lines.start == nullptr ? value : value + lines.start[places.first + to];
  });
}

/// Lines too long for shared memory, a thread each.
template <class Real>
__global__ void __launch_bounds__(32 * lines_per_block<Real>)
    march_lines_kernel(const __grid_constant__ LinesOnGpu<Real> lines) {
  constexpr int block = 32 * lines_per_block<Real>;
  const auto places = LinePlaces::of(lines.strides, lines.cells, lines.axis, block, blockIdx.x,
                                     blockIdx.y, blockIdx.z);
  const auto line = static_cast<int>(threadIdx.x);
  if (line >= places.lines) {
    return;
  }
  const LineFactors<Real>* const factors = lines.factors + blockIdx.z;
  const std::int64_t first = places.first + line * places.across;
  Real last = Real(0);
  for (int n = 0; n < places.count; ++n) {
    Real& value = lines.values[first + n * places.along];
    last = eliminated(factors[n * lines.fields], value, last);
    value = last;
  }
  last = Real(0);
  for (int n = places.count - 1; n >= 0; --n) {
    const std::int64_t to = first + n * places.along;
    last = substituted(factors[n * lines.fields], lines.values[to], last);
    lines.values[to] = lines.start == nullptr ? last : last + lines.start[to];
  }
}

}  // namespace detail

/// Lets lines be solved in all of the shared memory that a block may have, and returns its bytes.
template <class Real>
std::size_t allow_shared_lines(Device gpu) {
  std::size_t least = SIZE_MAX;
  for (const auto kernel :
       {detail::solve_lines_kernel<false, Real>, detail::solve_lines_kernel<true, Real>}) {
    const std::size_t bytes = max_shared_bytes(gpu, kernel);
    allow_shared_bytes(kernel, bytes);
    least = std::min(least, bytes);
  }
  return least;
}

/// Queues the solution of all lines along an axis.
template <class Real>
void queue_lines(const Stream& stream, const LinesOnGpu<Real>& lines, std::size_t shared_bytes) {
  constexpr int block = lines_per_block<Real>;
  const int side = axis_across(lines.axis);
  const auto blocks = [&](std::int64_t of) {
    return dim3(static_cast<unsigned>((lines.cells[side] + of - 1) / of),
                static_cast<unsigned>(lines.cells[3 - lines.axis - side]),
                static_cast<unsigned>(lines.fields));
  };
  const std::size_t bytes = SharedLines::elements<Real>(lines.cells[lines.axis]) * sizeof(Real);
  if (bytes > shared_bytes) {
    launch(stream, {blocks(32 * block), dim3(32 * block)}, detail::march_lines_kernel<Real>, lines);
    return;
  }
  launch(stream, {blocks(block), dim3(32, block), bytes},
         lines.axis == 2 ? detail::solve_lines_kernel<true, Real>
                         : detail::solve_lines_kernel<false, Real>,
         lines);
}

}  // namespace bankfull::convection
