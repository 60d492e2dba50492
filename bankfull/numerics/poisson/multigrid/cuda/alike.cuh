#pragma once

#include "bankfull/numerics/poisson/multigrid/cuda/march.cuh"

namespace bankfull::poisson::multigrid::cuda {

// Where threads are in levels with alike planes (has_alike_planes), whose kernels have no use for
// Cells, Place and Restriction: pairs of cells go round as pairs, and all of them have weights and
// coefficients that are arguments of the kernel.

/// A thread's place in a level.
template <int Rows, int Warps>
struct AlikePlace {
  static_assert(Rows % 2 == 0, "rows have their parents in pairs");
  static constexpr int region_rows = Rows * Warps;

  int lane;
  int warp;
  int j;  ///< of the first of its cells; before or behind the axis in a region's margin
  int k;  ///< likewise
  unsigned bytes[std::size_t{Rows}];  ///< to each row's first cell from the plane's, in fp32
  bool writes_row[std::size_t{Rows}];

  __device__ __forceinline__ AlikePlace(const LevelView& level, int margin)
      : lane(static_cast<int>(threadIdx.x)),
        warp(static_cast<int>(threadIdx.y)),
        j(static_cast<int>(blockIdx.y) * (region_rows - 2 * margin) - margin + Rows * warp),
        k(static_cast<int>(blockIdx.x) * (region_columns - 2 * margin) - margin + 2 * lane) {
    const int column = level.k.pair_at(k);
    const bool owns_columns =
        2 * lane >= margin && 2 * lane < region_columns - margin && k < level.k.cells;
#pragma unroll
    for (int n = 0; n < Rows; ++n) {
      const int place = Rows * warp + n;
      bytes[n] = static_cast<unsigned>(sizeof(float)) *
                 static_cast<unsigned>(level.j.cell_at(j + n) * level.at.row + column);
      writes_row[n] =
          owns_columns && place >= margin && place < region_rows - margin && j + n < level.j.cells;
    }
  }

  /// In its block.
  [[nodiscard]] __device__ __forceinline__ int thread() const { return 32 * warp + lane; }
};

/// At so many bytes of fp32, as AlikePlace has them, from the first cell of a plane.
template <class T>
__device__ __forceinline__ T* at_bytes(T* plane, unsigned bytes) {
  constexpr auto floats = static_cast<unsigned>(sizeof(T) / sizeof(float));
  return reinterpret_cast<T*>(reinterpret_cast<char*>(plane) + floats * bytes);
}
template <class T>
__device__ __forceinline__ const T* at_bytes(const T* plane, unsigned bytes) {
  constexpr auto floats = static_cast<unsigned>(sizeof(T) / sizeof(float));
  return reinterpret_cast<const T*>(reinterpret_cast<const char*>(plane) + floats * bytes);
}

/// The two cells there.
template <class T>
__device__ __forceinline__ Pair<T>* pair_at(T* plane, unsigned bytes) {
  return reinterpret_cast<Pair<T>*>(at_bytes(plane, bytes));
}
template <class T>
__device__ __forceinline__ const Pair<T>* pair_at(const T* plane, unsigned bytes) {
  return reinterpret_cast<const Pair<T>*>(at_bytes(plane, bytes));
}

/// The cell along i of a plane less than a level before or behind it; no division.
__device__ __forceinline__ int alike_cell(const AxisView& axis, int plane) {
  const int cells = axis.cells;
  if (axis.periodic) {
    return plane < 0 ? plane + cells : plane >= cells ? plane - cells : plane;
  }
  return min(max(plane, 0), cells - 1);
}

/// The mean of the children, as Restriction forms it, i coarsened. Coarsened: j and k are, too.
template <int Rows, bool Coarsened>
class AlikeRestriction {
 public:
  __device__ __forceinline__ AlikeRestriction(const LevelView& level, float* coarse)
      : level_(level), coarse_(coarse) {}

  /// Takes r of a plane; planes come in order, the first of them even.
  template <int Warps>
  __device__ __forceinline__ void add(const Patch<float, Rows>& r, int plane, bool plane_is_odd,
                                      const AlikePlace<Rows, Warps>& place) {
    const float weight = __ldg(level_.i.restriction_weight + plane) * level_.alike.restriction;
#pragma unroll
    for (int n = 0; n < 2 * Rows; ++n) {
      const float before = plane_is_odd ? sum_.at[n / 2][n % 2] : 0.0F;
      sum_.at[n / 2][n % 2] = fmaf(weight, r.at[n / 2][n % 2], before);
    }
    if (plane_is_odd) {
      store(coarse_ + plane / 2 * level_.coarse_at.plane, place);
    }
  }

 private:
  template <int Warps>
  __device__ __forceinline__ void store(float* plane, const AlikePlace<Rows, Warps>& place) const {
#pragma unroll
    for (int row = 0; row < Rows; row += Coarsened ? 2 : 1) {
      if (!place.writes_row[row]) {
        continue;
      }
      if constexpr (Coarsened) {
        const auto at =
            static_cast<unsigned>((place.j + row) / 2 * level_.coarse_at.row + place.k / 2);
        plane[at] =
            (sum_.at[row][0] + sum_.at[row][1]) + (sum_.at[row + 1][0] + sum_.at[row + 1][1]);
      } else {
        *pair_at(plane, place.bytes[row]) = {sum_.at[row][0], sum_.at[row][1]};
      }
    }
  }

  const LevelView& level_;
  float* coarse_;
  Patch<float, Rows> sum_ = {};
};

}  // namespace bankfull::poisson::multigrid::cuda
