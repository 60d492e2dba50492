#pragma once

#include "bankfull/core/base/host_device.hpp"
#include "bankfull/numerics/poisson/multigrid/point.hpp"

#include <cstddef>
#include <cstdint>

namespace bankfull::poisson::multigrid::cuda {

/// One axis of a level as kernels see it: AxisLevel in fp32, a value per cell in GPU memory.
struct AxisView {
  int cells = 1;
  int coarse_cells = 1;  ///< of the next level
  bool periodic = false;
  bool coarsened = false;
  const float2* coefficients = nullptr;  ///< lower and upper; 0 where an axis has one cell
  const float* restriction_weight = nullptr;
  const float* interpolation_weight = nullptr;

  /// The cell that stands at a place before, in or behind the axis: a periodic axis goes round,
  /// beyond a wall stands the cell before it, which has no part in L.
  [[nodiscard]] __device__ __forceinline__ int cell_at(int place) const {
    if (static_cast<unsigned>(place) < static_cast<unsigned>(cells)) {
      return place;
    }
    if (!periodic) {
      return place < 0 ? 0 : cells - 1;
    }
    const int cell = place % cells;
    return cell < 0 ? cell + cells : cell;
  }

  /// The cell behind one: that at its place plus 1.
  [[nodiscard]] __device__ __forceinline__ int next_cell(int cell) const {
    return cell + 1 < cells ? cell + 1 : periodic ? 0 : cell;
  }

  /// As cell_at for the first of two cells that are loaded at once: cells with an even number on an
  /// axis where pairs go round as pairs.
  [[nodiscard]] __device__ __forceinline__ int pair_at(int place) const {
    return cell_at(place) & ~1;
  }

  [[nodiscard]] __device__ __forceinline__ int parent(int cell) const {
    return coarsened ? cell / 2 : cell;
  }
  [[nodiscard]] __device__ __forceinline__ int first_child(int coarse) const {
    return coarsened ? 2 * coarse : coarse;
  }
  [[nodiscard]] __device__ __forceinline__ int end_of_children(int coarse) const {
    return coarsened ? min(2 * coarse + 2, cells) : coarse + 1;
  }
  [[nodiscard]] __device__ __forceinline__ int other_parent(int cell) const {
    return static_cast<int>(other_parent_of(cell, coarsened, coarse_cells, periodic));
  }
};

/// Where the values of a level's fields lie: rows along k, which begin at multiples of 16 bytes and
/// have room for an even number of cells.
struct Pitches {
  int row = 0;
  std::int64_t plane = 0;
};

/// What a level's cells share where those of a plane are alike (has_alike_planes).
struct AlikePlanes {
  /// Of each plane: lower and upper coefficient of i, 1 / diagonal, and the weight of
  /// interpolation along i. Null: cells of a plane differ, or kernels for alike ones do not run.
  const float4* planes = nullptr;
  float2 j = {};  ///< lower and upper coefficient
  float2 k = {};
  float interpolation_j = 1.0F;  ///< weights
  float interpolation_k = 1.0F;
  float restriction = 1.0F;  ///< of a cell in its plane

  /// The diagonal's part of j and k.
  [[nodiscard]] BANKFULL_HOST_DEVICE float diagonal() const { return (j.x + j.y) + (k.x + k.y); }
};

/// One level, or a rank's window of it, as kernels see it. A window ends like a level at a wall,
/// but that what kernels form near its ends is discarded.
struct LevelView {
  AxisView i;
  AxisView j;
  AxisView k;
  Pitches at;
  Pitches coarse_at;   ///< of the next level
  float omega = 1.0F;  ///< see Level
  float omega_before[2] = {1.0F, 1.0F};
  float omega_after[4] = {1.0F, 1.0F, 1.0F, 1.0F};
  float middle = 0.0F;  ///< the diagonal's part of i in the middle of the whole level
  int first_plane = 0;  ///< that kernels write, even
  int end_plane = 1;
  AlikePlanes alike = {};

  [[nodiscard]] BANKFULL_HOST_DEVICE constexpr int planes() const {
    return end_plane - first_plane;
  }
};

/// Rows of two cells, what a thread has of a plane: [row][column].
template <class T, int Rows>
struct Patch {
  T at[std::size_t{Rows}][2];
};

/// Two rows, in most kernels.
template <class T>
using Quad = Patch<T, 2>;

/// Two values side by side in memory.
template <class T>
struct alignas(2 * sizeof(T)) Pair {
  T x;
  T y;
};

__device__ __forceinline__ Pair<float> load_pair(const Pair<float>* at) {
  const float2 pair = __ldg(reinterpret_cast<const float2*>(at));
  return {pair.x, pair.y};
}
__device__ __forceinline__ Pair<double> load_pair(const Pair<double>* at) {
  const double2 pair = __ldg(reinterpret_cast<const double2*>(at));
  return {pair.x, pair.y};
}

/// Where a thread's four cells lie in a plane of a level. Seams: whether an axis of the level is
/// periodic with an odd number of cells, so that neighbours can be of the same colour and pairs of
/// cells lie apart.
template <bool Seams>
class Cells {
 public:
  /// The cells at places j, j + 1 and k, k + 1, both even.
  __device__ __forceinline__ Cells(const LevelView& level, int j, int k)
      : row_{level.j.cell_at(j), level.j.cell_at(j + 1)} {
    if constexpr (Seams) {
      column_[0] = level.k.cell_at(k);
      column_[1] = level.k.cell_at(k + 1);
    } else {
      column_[0] = level.k.pair_at(k);
      column_[1] = min(column_[0] + 1, level.k.cells - 1);
    }
  }

  [[nodiscard]] __device__ __forceinline__ int row(int n) const { return row_[n]; }
  [[nodiscard]] __device__ __forceinline__ int column(int n) const { return column_[n]; }

  /// From a plane of a field.
  template <class T>
  [[nodiscard]] __device__ __forceinline__ Quad<T> load(const T* plane, int row_pitch) const {
    return load_rows(plane, row_pitch, row_[0], row_[1]);
  }

  /// The cells' columns of two other rows.
  template <class T>
  [[nodiscard]] __device__ __forceinline__ Quad<T> load_rows(const T* plane, int row_pitch,
                                                             int first, int second) const {
    const int rows[2] = {first, second};
    Quad<T> quad;
#pragma unroll
    for (int n = 0; n < 2; ++n) {
      const T* const row = plane + rows[n] * row_pitch;
      if constexpr (Seams) {
        quad.at[n][0] = __ldg(row + column_[0]);
        quad.at[n][1] = __ldg(row + column_[1]);
      } else {
        const Pair<T> pair = load_pair(reinterpret_cast<const Pair<T>*>(row + column_[0]));
        quad.at[n][0] = pair.x;
        quad.at[n][1] = pair.y;
      }
    }
    return quad;
  }

 private:
  int row_[2];
  int column_[2];
};

}  // namespace bankfull::poisson::multigrid::cuda
