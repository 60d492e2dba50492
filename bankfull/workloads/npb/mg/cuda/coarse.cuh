#pragma once

#include "bankfull/workloads/npb/mg/cuda/march.cuh"

namespace bankfull::npb::mg::cuda {

// The grids below the finest on the way down, and those that one block does by itself.

inline constexpr int restrict_columns = 32;
inline constexpr int restrict_rows = 8;

/// coarse = P r. A thread marches along i3 with one column of coarse points.
template <class GridType>
__global__ void __launch_bounds__(restrict_columns* restrict_rows)
    restrict_kernel(const double* r, double* coarse,
                    const __grid_constant__ GridPair<GridType> grids, int planes_per_block) {
  const GridType& fine = grids.fine;
  const int c1 = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int c2 = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  const int first = static_cast<int>(blockIdx.z) * planes_per_block;
  const int row = fine.row(2 * c2);
  const int row_after = fine.row(2 * c2 + 2);
  const int column = fine.column(2 * c1);
  const int column_after = fine.column(2 * c1 + 2);

  /// For three columns: the row in the middle, and the sum of the rows beside it.
  struct Rows {
    double at[3];
    double beside[3];
  };
  const auto rows_of = [&](int plane) {
    const double* const base = r + fine.plane(plane);
    const auto row_at = [&](int begin, double(&to)[3]) {
      const double2 own = __ldg(reinterpret_cast<const double2*>(base + begin + column));
      to[0] = own.x;
      to[1] = own.y;
      to[2] = __ldg(base + begin + column_after);
    };
    Rows rows;
    double after[3];
    row_at(row + fine.row_pitch(), rows.at);
    row_at(row, rows.beside);
    row_at(row_after, after);
    for (int n = 0; n < 3; ++n) {
      rows.beside[n] += after[n];
    }
    return rows;
  };

  Rows below = rows_of(2 * first);
  for (int c3 = first; c3 < first + planes_per_block; ++c3) {
    const Rows middle = rows_of(2 * c3 + 1);
    const Rows above = rows_of(2 * c3 + 2);
    double faces[3];
    double edges[3];
    for (int n = 0; n < 3; ++n) {
      faces[n] = middle.beside[n] + (below.at[n] + above.at[n]);
      edges[n] = below.beside[n] + above.beside[n];
    }
    constexpr Weights p = restriction_weights;
    const double ones = faces[1] + (middle.at[0] + middle.at[2]);
    const double twos = edges[1] + (faces[0] + faces[2]);
    const double threes = edges[0] + edges[2];
    coarse[grids.coarse.plane(c3) + grids.coarse.row(c2) + c1] =
        fma(p[3], threes, fma(p[2], twos, fma(p[1], ones, p[0] * middle.at[1])));
    below = above;
  }
}

/// coarse = P r of these grids.
template <class GridType>
void queue_restriction(const Stream& stream, const GridPair<GridType>& grids, const double* r,
                       double* coarse) {
  const GridType& grid = grids.coarse;
  const int columns = std::min(grid.columns(), restrict_columns);
  const int rows = std::min(grid.rows(), restrict_rows);
  const int tiles = grid.columns() / columns * (grid.rows() / rows);
  // On small grids occupancy matters more than loading shared planes only once.
  constexpr int many_blocks = 1024;
  constexpr int max_planes = 8;
  const int planes =
      std::clamp(tiles * grid.planes() / many_blocks, 1, std::min(max_planes, grid.planes()));
  launch(stream,
         {dim3(static_cast<unsigned>(grid.columns() / columns),
               static_cast<unsigned>(grid.rows() / rows),
               static_cast<unsigned>(grid.planes() / planes)),
          dim3(static_cast<unsigned>(columns), static_cast<unsigned>(rows))},
         restrict_kernel<GridType>, r, coarse, grids, planes);
}

inline constexpr int bottom_levels = 4;
inline constexpr int bottom_side = 1 << bottom_levels;
inline constexpr int bottom_threads = 1024;

constexpr int points_of(int side) { return side * side * side; }

/// Where the grid of a side begins behind all smaller ones.
constexpr int bottom_offset(int side) {
  int offset = 0;
  for (int smaller = 2; smaller < side; smaller *= 2) {
    offset += points_of(smaller);
  }
  return offset;
}

struct BottomShared {
  double u[bottom_offset(2 * bottom_side)];
  double r[bottom_offset(2 * bottom_side)];
};

/// A grid in shared memory.
struct BottomGrid {
  double* values;
  int side;

  __device__ __forceinline__ double& at(int i3, int i2, int i1) const {
    const int mask = side - 1;
    return values[((i3 & mask) * side + (i2 & mask)) * side + (i1 & mask)];
  }

  /// body(i3, i2, i1) for all points, by all threads of the block, which then wait for each other.
  template <class Body>
  __device__ __forceinline__ void for_points(const Body& body) const {
    for (int n = static_cast<int>(threadIdx.x); n < points_of(side); n += bottom_threads) {
      body(n / (side * side), n / side % side, n % side);
    }
    __syncthreads();
  }

  /// Sum over the 27 points around one.
  __device__ __forceinline__ double apply(Weights weights, int i3, int i2, int i1) const {
    double faces[3];  // of the columns left, here and right
    double edges[3];
    for (int n = 0; n < 3; ++n) {
      const int i = i1 + n - 1;
      faces[n] = (at(i3, i2 - 1, i) + at(i3, i2 + 1, i)) + (at(i3 - 1, i2, i) + at(i3 + 1, i2, i));
      edges[n] = (at(i3 - 1, i2 - 1, i) + at(i3 - 1, i2 + 1, i)) +
                 (at(i3 + 1, i2 - 1, i) + at(i3 + 1, i2 + 1, i));
    }
    const double ones = faces[1] + (at(i3, i2, i1 - 1) + at(i3, i2, i1 + 1));
    const double twos = edges[1] + (faces[0] + faces[2]);
    const double threes = edges[0] + edges[2];
    return fma(weights[3], threes,
               fma(weights[2], twos, fma(weights[1], ones, weights[0] * at(i3, i2, i1))));
  }

  /// Q of this grid at a point of the next finer one.
  __device__ __forceinline__ double interpolate(int i3, int i2, int i1) const {
    const auto before = [](int i) { return ((i + 1) >> 1) - 1; };
    const auto column = [&](int c1) {
      return (at(before(i3), before(i2), c1) + at(before(i3), i2 / 2, c1)) +
             (at(i3 / 2, before(i2), c1) + at(i3 / 2, i2 / 2, c1));
    };
    return 0.125 * (column(before(i1)) + column(i1 / 2));
  }
};

/// The V-cycle below a grid of bottom_side points per side, by one block: from its r to its u.
static __global__ void __launch_bounds__(bottom_threads)
    bottom_kernel(const __grid_constant__ Weights smoother, const double* r, double* u) {
  extern __shared__ double2 shared_memory[];
  BottomShared& shared = *reinterpret_cast<BottomShared*>(shared_memory);
  const auto u_of = [&](int side) { return BottomGrid{shared.u + bottom_offset(side), side}; };
  const auto r_of = [&](int side) { return BottomGrid{shared.r + bottom_offset(side), side}; };

  // Device code cannot refer to the host's constants, but has copies.
  constexpr Weights restriction = restriction_weights;
  constexpr Weights difference = operator_weights;

  const BottomGrid finest = r_of(bottom_side);
  for (int n = static_cast<int>(threadIdx.x); n < points_of(bottom_side); n += bottom_threads) {
    finest.values[n] = r[n];
  }
  __syncthreads();
  for (int side = bottom_side; side > 2; side /= 2) {
    r_of(side / 2).for_points([&](int i3, int i2, int i1) {
      r_of(side / 2).at(i3, i2, i1) =
          r_of(side).apply(restriction, 2 * i3 + 1, 2 * i2 + 1, 2 * i1 + 1);
    });
  }
  u_of(2).for_points([&](int i3, int i2, int i1) {
    u_of(2).at(i3, i2, i1) = r_of(2).apply(smoother, i3, i2, i1);
  });
  for (int side = 4; side <= bottom_side; side *= 2) {
    u_of(side).for_points([&](int i3, int i2, int i1) {
      u_of(side).at(i3, i2, i1) = u_of(side / 2).interpolate(i3, i2, i1);
    });
    r_of(side).for_points([&](int i3, int i2, int i1) {
      r_of(side).at(i3, i2, i1) -= u_of(side).apply(difference, i3, i2, i1);
    });
    u_of(side).for_points([&](int i3, int i2, int i1) {
      u_of(side).at(i3, i2, i1) += r_of(side).apply(smoother, i3, i2, i1);
    });
  }
  for (int n = static_cast<int>(threadIdx.x); n < points_of(bottom_side); n += bottom_threads) {
    u[n] = u_of(bottom_side).values[n];
  }
}

/// Where `prepare_bottom` has been called.
inline void queue_bottom(const Stream& stream, const Weights& smoother, const double* r,
                         double* u) {
  launch(stream, {dim3(1), dim3(bottom_threads), sizeof(BottomShared)}, bottom_kernel, smoother, r,
         u);
}

inline void prepare_bottom() { allow_shared_bytes(bottom_kernel, sizeof(BottomShared)); }

}  // namespace bankfull::npb::mg::cuda
