#pragma once

#include "bankfull/core/measure/traffic.hpp"
#include "bankfull/workloads/npb/ft/cuda/fields.cuh"
#include "bankfull/workloads/npb/ft/cuda/samples.cuh"
#include "bankfull/workloads/npb/generator.hpp"

#include <cstdint>
#include <numbers>

// A pass reads the field once and writes it once; a block transforms one tile of it. Tiles are
// numbered in the order in which they stand in memory.
//
// Passes along the depth work on lines, the others on planes. On several ranks each has some
// columns of the lines and some of the planes. A pass from one to the other writes its points in
// pieces, one for each rank that continues with them.
//
// The traffic of a pass stands beside it, in bytes per point. Roots, factors and terms of checksums
// are too few to count.

namespace bankfull::npb::ft::cuda {

constexpr double point_bytes = sizeof(double2);

/// Lengths that threads with more points than elsewhere transform in two steps: rows wait for
/// shared memory.
constexpr int row_points(int side) {
  return side == 512 || side == 1024 ? 32 : points_per_thread(side);
}

// In small tiles.
template <int Depth>
using LineFft = BlockFft<Depth, lines_together(Depth)>;
template <int Side>
using ColumnFft = BlockFft<Side, columns_together(Side)>;
// In large tiles.
template <int Depth>
using LargeLineFft = BlockFft<Depth, lines_together(Depth, Tiles::large)>;
template <int Side>
using LargeColumnFft = BlockFft<Side, columns_together(Side, Tiles::large)>;

template <int Side>
using RowFft = BlockFft<Side, rows_together(Side), row_points(Side)>;

/// The decay of a field for one time: factors of the frequencies along an axis, from its first
/// plane, row and column on.
struct Decay {
  const double* planes;
  const double* rows;
  const double* columns;
};

/// exp(-4 alpha pi^2 k^2 t) for all frequencies k of an axis of `length` points and all times t
/// from 1 on, time after time `pitch` apart; multiplied by `scale`.
struct FormDecay {
  double* factors;
  int length;
  int pitch;
  double scale;
  __device__ void operator()(std::int64_t n) const {
    constexpr double pi = std::numbers::pi;
    const auto k = static_cast<double>(frequency(n % length, length));
    const auto t = static_cast<double>(n / length + 1);
    factors[n / length * pitch + n % length] = scale * exp(-4.0 * alpha * pi * pi * k * k * t);
  }
};

struct FormRoots {
  double2* roots;
  int length;
  __device__ void operator()(std::int64_t n) const {
    roots[n] = fft_root(static_cast<int>(n), length);
  }
};

/// The column of planes that a thread has points of.
struct ColumnPlace {
  int plane;
  int column;

  /// `number`: of the column among those of the tile.
  __device__ __forceinline__ ColumnPlace(const Shape& shape, unsigned tile, int number) {
    const int tiles = shape.columns >> shape.log2_columns;
    const int group = static_cast<int>(tile) / tiles;
    const int first = (static_cast<int>(tile) - group * tiles) << shape.log2_columns;
    plane = (group << shape.log2_planes) + (number >> shape.log2_columns);
    column = first + Shape::rest(number, shape.log2_columns);
  }
};

/// The row of planes that a thread has points of. The planes of a block's rows are contiguous.
template <class Fft>
struct RowPlace {
  int plane;
  int row;

  __device__ __forceinline__ RowPlace(const Shape& shape, unsigned tile, int number) {
    constexpr int log2_rows = detail::log2_of(Fft::columns);
    const int log2_planes = min(shape.log2_planes, log2_rows);
    const int parts = shape.log2_planes - log2_planes;  // of the planes that stand together
    const int first = static_cast<int>(tile >> parts) << (log2_rows - log2_planes);
    row = Shape::rest(first, detail::log2_of(Fft::length)) + (number >> log2_planes);
    const int part = Shape::rest(static_cast<int>(tile), parts);
    plane = (first / Fft::length << shape.log2_planes) + (part << log2_planes) +
            Shape::rest(number, log2_planes);
  }
};

/// The line that a thread has points of.
struct LinePlace {
  int row;
  int column;

  __device__ __forceinline__ LinePlace(const Shape& shape, unsigned tile, int number) {
    const int tiles = shape.side >> shape.log2_line_rows;
    const int group = static_cast<int>(tile) / tiles;
    const int first = (static_cast<int>(tile) - group * tiles) << shape.log2_line_rows;
    row = first + (number >> shape.log2_line_columns);
    column = (group << shape.log2_line_columns) + Shape::rest(number, shape.log2_line_columns);
  }
};

/// From a point of a thread to the next, in a tile.
template <class Fft>
constexpr std::int64_t tile_step = Fft::threads;

// Likewise elsewhere in a field. The points of a thread are at least as far apart as a tile is
// wide.

template <class Fft>
__device__ __forceinline__ std::int64_t row_step(const Shape& shape) {
  return std::int64_t{Fft::threads_per_column * Fft::length} << shape.log2_planes;
}
template <class Fft>
__device__ __forceinline__ std::int64_t step_into_lines(const Shape& shape) {
  return std::int64_t{Fft::threads_per_column} * shape.depth << shape.log2_line_columns;
}
template <class Fft>
__device__ __forceinline__ std::int64_t step_into_planes(const Shape& shape) {
  return std::int64_t{Fft::threads_per_column} * shape.side * shape.columns;
}

constexpr Traffic draw_rows_traffic{.bytes_written = point_bytes};

/// Draws the rows' random values and transforms them into planes. `seed` is the generator's state
/// before the first of these planes, `jump` leads over the numbers from a point of a thread to the
/// next.
template <class Fft>
__global__ void __launch_bounds__(Fft::threads, blocks_per_multiprocessor<Fft>)
    draw_rows(const __grid_constant__ Shape shape, const double2* roots, std::uint64_t seed,
              std::uint64_t jump, Field planes) {
  extern __shared__ double2 shared[];
  const Fft fft(roots, shared);
  const RowPlace<Fft> place(shape, blockIdx.x, fft.column());
  const std::int64_t first = shape.in_order(place.plane, place.row, fft.element(0));
  std::uint64_t state =
      multiply_modulo(seed, generator_jump(2 * static_cast<std::uint64_t>(first)));
  Points<Fft::points> x;
#pragma unroll
  for (int i = 0; i < Fft::points; ++i) {
    Generator generator(state);
    x[i].x = generator.draw();
    x[i].y = generator.draw();
    state = multiply_modulo(state, jump);
  }
  fft.template transform<FftSign::plus>(x);
  store_points(planes + shape.in_planes(place.plane, place.row, fft.element(0)),
               row_step<Fft>(shape), x);
}

constexpr Traffic columns_to_lines_traffic{.bytes_read = point_bytes, .bytes_written = point_bytes};

/// Transforms the columns of planes into lines.
template <class Fft, class Lines>
__global__ void __launch_bounds__(Fft::threads, blocks_per_multiprocessor<Fft>)
    columns_to_lines(const __grid_constant__ Shape shape, const double2* roots,
                     const double2* planes, const __grid_constant__ Lines lines) {
  extern __shared__ double2 shared[];
  const Fft fft(roots, shared);
  Points<Fft::points> x;
  load_points(planes + std::int64_t{blockIdx.x} * tile_points<Fft> + threadIdx.x, tile_step<Fft>,
              x);
  fft.template transform<FftSign::plus>(x);
  const ColumnPlace place(shape, blockIdx.x, fft.column());
  const WholeField::Column column = lines.column(place.column);
  store_points(column.data + shape.in_lines(place.plane, fft.element(0), column.number),
               step_into_lines<Fft>(shape), x);
}

constexpr Traffic transform_lines_traffic{.bytes_read = point_bytes, .bytes_written = point_bytes};

/// Transforms lines along the depth, in place.
template <class Fft>
__global__ void __launch_bounds__(Fft::threads, blocks_per_multiprocessor<Fft>)
    transform_lines(const double2* roots, Field lines) {
  extern __shared__ double2 shared[];
  const Fft fft(roots, shared);
  Points<Fft::points> x;
  double2* const at = lines + std::int64_t{blockIdx.x} * tile_points<Fft> + threadIdx.x;
  load_points(at, tile_step<Fft>, x);
  fft.template transform<FftSign::plus>(x);
  store_points(at, tile_step<Fft>, x);
}

/// Likewise from the ranks' planes, each a piece with the planes of a tile contiguous, into lines.
template <class Fft>
__global__ void __launch_bounds__(Fft::threads, blocks_per_multiprocessor<Fft>)
    gather_lines(const double2* roots, const __grid_constant__ FieldPieces pieces, Field lines) {
  extern __shared__ double2 shared[];
  const Fft fft(roots, shared);
  const auto walk = pieces.along_depth(fft);
  const std::int64_t plane = (std::int64_t{blockIdx.x} << pieces.log2_planes) + walk.begin();
  Points<Fft::points> x;
  load_points(walk, plane * Fft::columns + fft.column(), tile_step<Fft>, x);
  fft.template transform<FftSign::plus>(x);
  store_points(lines + std::int64_t{blockIdx.x} * tile_points<Fft> + threadIdx.x, tile_step<Fft>,
               x);
}

constexpr Traffic lines_to_planes_traffic{.bytes_read = point_bytes, .bytes_written = point_bytes};

/// A tile of lines decayed and transformed along the depth into planes.
template <class Fft, class Planes>
__device__ __forceinline__ void transform_tile(const Shape& shape, const Fft& fft,
                                               const Decay& decay, unsigned ahead, unsigned tile,
                                               unsigned tiles, const WholeField& lines,
                                               const Planes& planes) {
  Points<Fft::points> x;
  load_points(lines.tile<Fft>(tile) + threadIdx.x, tile_step<Fft>, x);
  prefetch_tile<Fft>(lines, tile, ahead, tiles);
  const LinePlace place(shape, tile, fft.column());
  const double factor = __ldg(decay.columns + place.column) * __ldg(decay.rows + place.row);
#pragma unroll
  for (int i = 0; i < Fft::points; ++i) {
    const double both = factor * __ldg(decay.planes + fft.element(i));
    x[i] = {both * x[i].x, both * x[i].y};
  }
  fft.template transform<FftSign::minus>(x);
  const auto walk = planes.along_depth(fft);
  store_points(walk, shape.in_planes(walk.begin(), place.row, place.column),
               step_into_planes<Fft>(shape), x);
}

/// All tiles of lines, one per block.
template <class Fft>
__global__ void __launch_bounds__(Fft::threads, blocks_per_multiprocessor<Fft>)
    lines_to_planes(const __grid_constant__ Shape shape, const double2* roots,
                    const __grid_constant__ Decay decay, unsigned ahead,
                    const __grid_constant__ WholeField lines,
                    const __grid_constant__ WholeField planes) {
  extern __shared__ double2 shared[];
  transform_tile(shape, Fft(roots, shared), decay, ahead, blockIdx.x, gridDim.x, lines, planes);
}

/// All tiles of lines, into pieces of planes of the shape `piece`. The link to other GPUs is slower
/// than memory: a few blocks, which loop over tiles, saturate it and leave the other multiprocessor
/// slots to other passes.
template <class Fft>
__global__ void __launch_bounds__(Fft::threads, blocks_per_multiprocessor<Fft>)
    scatter_lines(const __grid_constant__ Shape piece, const double2* roots,
                  const __grid_constant__ Decay decay, unsigned tiles,
                  const __grid_constant__ WholeField lines,
                  const __grid_constant__ FieldPieces planes) {
  extern __shared__ double2 shared[];
  const Fft fft(roots, shared);
  for (unsigned tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    transform_tile(piece, fft, decay, gridDim.x, tile, tiles, lines, planes);
    __syncthreads();  // all have taken their points from shared memory
  }
}

constexpr Traffic transform_columns_traffic{.bytes_read = point_bytes,
                                            .bytes_written = point_bytes};

/// Transforms the columns of planes, in place. This pass and the previous one prefetch the tile
/// that is `ahead` into the cache.
template <class Fft, class Planes>
__global__ void __launch_bounds__(Fft::threads, blocks_per_multiprocessor<Fft>)
    transform_columns(const double2* roots, unsigned ahead, const __grid_constant__ Planes planes) {
  extern __shared__ double2 shared[];
  const Fft fft(roots, shared);
  double2* const tile = planes.template tile<Fft>(blockIdx.x);
  Points<Fft::points> x;
  load_points(tile + threadIdx.x, tile_step<Fft>, x);
  prefetch_tile<Fft>(planes, blockIdx.x, ahead, gridDim.x);
  fft.template transform<FftSign::minus>(x);
  store_points(tile + threadIdx.x, tile_step<Fft>, x);
}

constexpr Traffic sample_rows_traffic{.bytes_read = point_bytes};

/// Transforms the rows of planes and adds the terms of the checksum; nothing else of the result is
/// used.
template <class Fft, class Planes>
__global__ void __launch_bounds__(Fft::threads, blocks_per_multiprocessor<Fft>)
    sample_rows(const __grid_constant__ Shape shape, const __grid_constant__ Samples samples,
                const double2* roots, const __grid_constant__ Planes planes, double2* terms) {
  extern __shared__ double2 shared[];
  const Fft fft(roots, shared);
  const RowPlace<Fft> place(shape, blockIdx.x, fft.column());
  const auto walk = planes.along_row(fft);
  Points<Fft::points> x;
  load_points(walk, shape.in_planes(place.plane, place.row, walk.begin()), row_step<Fft>(shape), x);
  fft.template transform<FftSign::minus>(x);
  take_samples(samples, fft, place.plane, place.row, x, terms);
}

/// A block adds up the terms of an iteration, a warp those of a group of planes.
static __global__ void __launch_bounds__(1024)
    add_terms(const __grid_constant__ Samples samples, int planes_per_group, const double2* terms,
              double2* sums) {
  constexpr int warp_threads = 32;
  const auto thread = static_cast<int>(threadIdx.x);
  const int first_plane = thread / warp_threads * planes_per_group;
  const int most = planes_per_group * max(1, static_cast<int>(checksum_points) / samples.depth());
  terms += blockIdx.x * checksum_points;
  double2 sum{0.0, 0.0};
  for (int n = thread % warp_threads; n < most; n += warp_threads) {
    const int j = samples.first_of(first_plane + n % planes_per_group) +
                  n / planes_per_group * samples.depth();
    if (j <= checksum_points) {
      sum.x += terms[j - 1].x;
      sum.y += terms[j - 1].y;
    }
  }
  for (unsigned offset = warp_threads / 2; offset > 0; offset /= 2) {
    sum.x += __shfl_down_sync(~0U, sum.x, offset);
    sum.y += __shfl_down_sync(~0U, sum.y, offset);
  }
  if (thread % warp_threads == 0) {
    sums[(blockIdx.x * blockDim.x + threadIdx.x) / warp_threads] = sum;
  }
}

}  // namespace bankfull::npb::ft::cuda
