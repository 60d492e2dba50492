#pragma once

#include "bankfull/core/exec/reduce.cuh"
#include "bankfull/workloads/npb/ft/cuda/samples.cuh"
#include "bankfull/workloads/npb/generator.hpp"

#include <cstdint>
#include <numbers>

// A pass reads the field once and writes it once; a block transforms one tile of it, which is a
// group of columns, or as many rows. Tiles are numbered in the order in which they stand in memory.

namespace bankfull::npb::ft::cuda {

template <int Length>
using TileFft = BlockFft<Length, columns_together(Length)>;

template <class Fft>
constexpr int tile_points = Fft::length* Fft::columns;

/// What a field is multiplied with for one time: factors of the frequencies along an axis.
struct Decay {
  const double* depth;
  const double* side;
};

/// exp(-4 alpha pi^2 k^2 t) for all frequencies k of an axis of `length` points and all times t
/// from 1 on, time after time `pitch` apart.
struct FormDecay {
  double* factors;
  int length;
  int pitch;
  __device__ void operator()(std::int64_t n) const {
    constexpr double pi = std::numbers::pi;
    const auto k = static_cast<double>(frequency(n % length, length));
    const auto t = static_cast<double>(n / length + 1);
    factors[n / length * pitch + n % length] = exp(-4.0 * alpha * pi * pi * k * k * t);
  }
};

struct FormRoots {
  double2* roots;
  int length;
  __device__ void operator()(std::int64_t n) const {
    roots[n] = fft_root(static_cast<int>(n), length);
  }
};

/// Plane and first column, or row, of a tile of a field that stands as planes.
template <class Fft>
struct PlaneTile {
  int plane;
  int first;

  __device__ __forceinline__ explicit PlaneTile(unsigned tile)
      : plane(static_cast<int>(tile / (Fft::length / Fft::columns))),
        first(static_cast<int>(tile % (Fft::length / Fft::columns)) * Fft::columns) {}
};

/// First column, and row, of a tile of a field that stands as lines.
template <class Fft>
struct LineTile {
  int row;
  int first;

  __device__ __forceinline__ LineTile(unsigned tile, int side)
      : row(static_cast<int>(tile % static_cast<unsigned>(side))),
        first(static_cast<int>(tile / static_cast<unsigned>(side)) * Fft::columns) {}
};

/// From a point of a thread to the next, where they stand in a tile.
template <class Fft>
constexpr std::int64_t tile_step = Fft::threads;

/// From a point of a thread to the next, where rows are transformed of a field that stands as
/// planes.
template <class Fft>
constexpr std::int64_t row_step = std::int64_t{Fft::threads_a_column} * Fft::length;

/// Draws the rows' random values and transforms them into planes. `jump` is the generator's over
/// the numbers from a point of a thread to the next.
template <int Side>
__global__ void __launch_bounds__(TileFft<Side>::threads, blocks_a_multiprocessor<TileFft<Side>>)
    draw_rows(const __grid_constant__ Shape shape, const double2* roots, std::uint64_t jump,
              Field planes) {
  using Fft = TileFft<Side>;
  static_assert(Fft::threads_a_column % Fft::columns == 0);
  extern __shared__ double2 shared[];
  const Fft fft(roots, shared);
  const PlaneTile<Fft> tile(blockIdx.x);
  const int row = tile.first + fft.column();
  const std::int64_t first = shape.in_order(tile.plane, row, fft.element(0));
  std::uint64_t state =
      multiply_modulo(common_seed, generator_jump(2 * static_cast<std::uint64_t>(first)));
  Points<Fft::points> x;
#pragma unroll
  for (int i = 0; i < Fft::points; ++i) {
    Generator generator(state);
    x[i].x = generator.draw();
    x[i].y = generator.draw();
    state = multiply_modulo(state, jump);
  }
  fft.template transform<FftSign::plus>(x);
  store_points(planes + shape.in_planes(tile.plane, row, fft.element(0)), row_step<Fft>, x);
}

/// Transforms the columns of planes into lines.
template <int Side>
__global__ void __launch_bounds__(TileFft<Side>::threads, blocks_a_multiprocessor<TileFft<Side>>)
    columns_to_lines(const __grid_constant__ Shape shape, const double2* roots,
                     const double2* planes, Field lines) {
  using Fft = TileFft<Side>;
  extern __shared__ double2 shared[];
  const Fft fft(roots, shared);
  const PlaneTile<Fft> tile(blockIdx.x);
  Points<Fft::points> x;
  load_points(planes + std::int64_t{blockIdx.x} * tile_points<Fft> + threadIdx.x, tile_step<Fft>,
              x);
  fft.template transform<FftSign::plus>(x);
  const int column = tile.first + fft.column();
  store_points(lines + shape.in_lines(tile.plane, fft.element(0), column),
               std::int64_t{Fft::threads_a_column} * shape.depth * shape.line_group, x);
}

/// Transforms lines along the depth, in place.
template <int Depth>
__global__ void __launch_bounds__(TileFft<Depth>::threads, blocks_a_multiprocessor<TileFft<Depth>>)
    transform_lines(const double2* roots, Field lines) {
  using Fft = TileFft<Depth>;
  extern __shared__ double2 shared[];
  const Fft fft(roots, shared);
  Points<Fft::points> x;
  double2* const at = lines + std::int64_t{blockIdx.x} * tile_points<Fft> + threadIdx.x;
  load_points(at, tile_step<Fft>, x);
  fft.template transform<FftSign::plus>(x);
  store_points(at, tile_step<Fft>, x);
}

/// Lines decayed and transformed along the depth into planes. Meanwhile the tile that is `ahead`
/// comes into the cache; 0: none.
template <int Depth>
__global__ void __launch_bounds__(TileFft<Depth>::threads, blocks_a_multiprocessor<TileFft<Depth>>)
    lines_to_planes(const __grid_constant__ Shape shape, const double2* roots,
                    const __grid_constant__ Decay decay, unsigned ahead, const double2* lines,
                    Field planes) {
  using Fft = TileFft<Depth>;
  extern __shared__ double2 shared[];
  const Fft fft(roots, shared);
  const LineTile<Fft> tile(blockIdx.x, shape.side);
  const double2* const from = lines + std::int64_t{blockIdx.x} * tile_points<Fft>;
  Points<Fft::points> x;
  load_points(from + threadIdx.x, tile_step<Fft>, x);
  if (ahead > 0 && blockIdx.x + ahead < gridDim.x) {
    prefetch_tile<tile_points<Fft> * 16>(from + std::int64_t{ahead} * tile_points<Fft>);
  }
  const int column = tile.first + fft.column();
  const double factor = __ldg(decay.side + column) * __ldg(decay.side + tile.row);
#pragma unroll
  for (int i = 0; i < Fft::points; ++i) {
    const double both = factor * __ldg(decay.depth + fft.element(i));
    x[i] = {both * x[i].x, both * x[i].y};
  }
  fft.template transform<FftSign::minus>(x);
  store_points(planes + shape.in_planes(fft.element(0), tile.row, column),
               std::int64_t{Fft::threads_a_column} * shape.side * shape.side, x);
}

/// Transforms the columns of planes, in place.
template <int Side>
__global__ void __launch_bounds__(TileFft<Side>::threads, blocks_a_multiprocessor<TileFft<Side>>)
    transform_columns(const double2* roots, unsigned ahead, Field planes) {
  using Fft = TileFft<Side>;
  extern __shared__ double2 shared[];
  const Fft fft(roots, shared);
  double2* const tile = planes + std::int64_t{blockIdx.x} * tile_points<Fft>;
  Points<Fft::points> x;
  load_points(tile + threadIdx.x, tile_step<Fft>, x);
  if (ahead > 0 && blockIdx.x + ahead < gridDim.x) {
    prefetch_tile<tile_points<Fft> * 16>(tile + std::int64_t{ahead} * tile_points<Fft>);
  }
  fft.template transform<FftSign::minus>(x);
  store_points(tile + threadIdx.x, tile_step<Fft>, x);
}

/// Transforms the rows of planes and takes the terms of the checksum; nobody reads the rest.
template <int Side>
__global__ void __launch_bounds__(TileFft<Side>::threads, blocks_a_multiprocessor<TileFft<Side>>)
    sample_rows(const __grid_constant__ Shape shape, const __grid_constant__ Samples samples,
                const double2* roots, unsigned ahead, const double2* planes, double2* terms) {
  using Fft = TileFft<Side>;
  extern __shared__ double2 shared[];
  const Fft fft(roots, shared);
  const PlaneTile<Fft> tile(blockIdx.x);
  Points<Fft::points> x;
  load_points(planes + shape.in_planes(tile.plane, tile.first + fft.column(), fft.element(0)),
              row_step<Fft>, x);
  if (ahead > 0 && blockIdx.x + ahead < gridDim.x) {
    prefetch_tile<tile_points<Fft> * 16>(planes +
                                         std::int64_t{blockIdx.x + ahead} * tile_points<Fft>);
  }
  fft.template transform<FftSign::minus>(x);
  take_samples(samples, fft, tile.plane, tile.first, x, terms);
}

/// Checksum of an iteration a block.
static __global__ void __launch_bounds__(checksum_points)
    add_terms(const double2* terms, double divisor, double2* checksums) {
  const double2 term = terms[blockIdx.x * checksum_points + threadIdx.x];
  const double real = block_sum(term.x);
  const double imaginary = block_sum(term.y);
  if (threadIdx.x == 0) {
    checksums[blockIdx.x] = {real / divisor, imaginary / divisor};
  }
}

}  // namespace bankfull::npb::ft::cuda
