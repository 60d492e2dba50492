#pragma once

#include "bankfull/core/exec/dynamic_shared.cuh"
#include "bankfull/core/exec/launch.cuh"
#include "bankfull/numerics/poisson/multigrid/cuda/grid.cuh"

#include <cstddef>
#include <utility>

namespace bankfull::poisson::multigrid::cuda {

// The V-cycle on levels so small that one block does them in its shared memory: more blocks would
// spend the time waiting for each other.

inline constexpr int bottom_threads = 1024;
inline constexpr int max_bottom_levels = 18;

/// What the bottom needs of a LevelView: all its levels are arguments of one kernel.
struct BottomLevel {
  AxisView i;
  AxisView j;
  AxisView k;
  float omega_before[2];
  float omega_after[4];
  int cells;
  bool seams;  ///< see Cells
  int offset;  ///< of its fields in shared memory, in floats
};

/// e = one V-cycle from 0 for the residual r of the finest of these levels; the coarsest has one
/// cell, where the correction is 0.
struct BottomArguments {
  BottomLevel level[max_bottom_levels];
  int levels;
  const float* tables;  ///< of all these levels' axes
  int table_count;
  int floats;  ///< of all fields
  Pitches at;  ///< of r and e
  const float* r;
  float* e;
};
static_assert(sizeof(BottomArguments) <= 4096, "what arguments of kernels may take everywhere");

/// A level in shared memory.
class BottomGrid {
 public:
  __device__ __forceinline__ BottomGrid(const BottomLevel& level, float* fields,
                                        std::ptrdiff_t tables_moved)
      : i_(moved(level.i, tables_moved)),
        j_(moved(level.j, tables_moved)),
        k_(moved(level.k, tables_moved)),
        seams_(level.seams),
        cells_(level.cells),
        e_(fields + level.offset),
        r_(e_ + cells_),
        next_(r_ + cells_) {}

  /// `omega`: of each half-sweep.
  template <std::size_t HalfSweeps>
  __device__ __forceinline__ void sweep(const float (&omega)[HalfSweeps]) {
    for (int n = 0; n < static_cast<int>(HalfSweeps); ++n) {
      if (seams_) {
        relax_apart(n % 2, omega[n]);
      } else {
        relax(n % 2, omega[n]);
      }
      __syncthreads();
    }
  }

  /// r of the coarser level = the mean of its children's r - L e.
  __device__ __forceinline__ void restrict_to(const BottomGrid& coarse) const {
    for (int n = static_cast<int>(threadIdx.x); n < coarse.cells_; n += bottom_threads) {
      const int k = n % coarse.k_.cells;
      const int j = n / coarse.k_.cells % coarse.j_.cells;
      const int i = n / coarse.k_.cells / coarse.j_.cells;
      float sum = 0.0F;
      for (int ci = i_.first_child(i); ci < i_.end_of_children(i); ++ci) {
        for (int cj = j_.first_child(j); cj < j_.end_of_children(j); ++cj) {
          const float restriction_weight = i_.restriction_weight[ci] * j_.restriction_weight[cj];
          for (int ck = k_.first_child(k); ck < k_.end_of_children(k); ++ck) {
            sum = fmaf(restriction_weight * k_.restriction_weight[ck], residual(ci, cj, ck), sum);
          }
        }
      }
      coarse.r_[n] = sum;
    }
    __syncthreads();
  }

  /// e += the coarser level's, interpolated.
  __device__ __forceinline__ void interpolate_from(const BottomGrid& coarse) const {
    for (int n = static_cast<int>(threadIdx.x); n < cells_; n += bottom_threads) {
      const int k = n % k_.cells;
      const int j = n / k_.cells % j_.cells;
      const int i = n / k_.cells / j_.cells;
      const int column[2] = {k_.parent(k), k_.other_parent(k)};
      const int row[2] = {j_.parent(j), j_.other_parent(j)};
      const int plane[2] = {i_.parent(i), i_.other_parent(i)};
      float of_plane[2];
      for (int p = 0; p < 2; ++p) {
        float of_row[2];
        for (int q = 0; q < 2; ++q) {
          const float* const at =
              coarse.e_ + (plane[p] * coarse.j_.cells + row[q]) * coarse.k_.cells;
          of_row[q] = interpolated(k_.interpolation_weight[k], at[column[0]], at[column[1]]);
        }
        of_plane[p] = interpolated(j_.interpolation_weight[j], of_row[0], of_row[1]);
      }
      e_[n] += interpolated(i_.interpolation_weight[i], of_plane[0], of_plane[1]);
    }
    __syncthreads();
  }

  __device__ __forceinline__ void load(const float* r, const Pitches& at) const {
    for (int n = static_cast<int>(threadIdx.x); n < cells_; n += bottom_threads) {
      r_[n] = r[place_of(n, at)];
    }
    __syncthreads();
  }

  __device__ __forceinline__ void store(float* e, const Pitches& at) const {
    for (int n = static_cast<int>(threadIdx.x); n < cells_; n += bottom_threads) {
      e[place_of(n, at)] = e_[n];
    }
  }

 private:
  static __device__ __forceinline__ AxisView moved(AxisView axis, std::ptrdiff_t bytes) {
    const auto move = [bytes](auto*& table) {
      table = reinterpret_cast<std::remove_reference_t<decltype(table)>>(
          reinterpret_cast<std::uintptr_t>(table) + static_cast<std::uintptr_t>(bytes));
    };
    move(axis.coefficients);
    move(axis.restriction_weight);
    move(axis.interpolation_weight);
    return axis;
  }

  [[nodiscard]] __device__ __forceinline__ std::int64_t place_of(int n, const Pitches& at) const {
    const int row = n / k_.cells;
    return row / j_.cells * at.plane + row % j_.cells * at.row + n % k_.cells;
  }

  [[nodiscard]] __device__ __forceinline__ int index(int i, int j, int k) const {
    return (i * j_.cells + j) * k_.cells + k;
  }

  [[nodiscard]] __device__ __forceinline__ Faces<float> coefficients(int i, int j, int k) const {
    const float2 along_i = i_.coefficients[i];
    const float2 along_j = j_.coefficients[j];
    const float2 along_k = k_.coefficients[k];
    return {along_i.x, along_i.y, along_j.x, along_j.y, along_k.x, along_k.y};
  }

  /// Places of the cells before and behind one, `stride` between cells.
  static __device__ __forceinline__ int before(const AxisView& axis, int cell, int n, int stride) {
    return cell > 0 ? n - stride : axis.periodic ? n + (axis.cells - 1) * stride : n;
  }
  static __device__ __forceinline__ int behind(const AxisView& axis, int cell, int n, int stride) {
    return cell + 1 < axis.cells ? n + stride : axis.periodic ? n - (axis.cells - 1) * stride : n;
  }

  [[nodiscard]] __device__ __forceinline__ Faces<float> neighbours(int i, int j, int k) const {
    const int n = index(i, j, k);
    const int plane = j_.cells * k_.cells;
    return {e_[before(i_, i, n, plane)],    e_[behind(i_, i, n, plane)],
            e_[before(j_, j, n, k_.cells)], e_[behind(j_, j, n, k_.cells)],
            e_[before(k_, k, n, 1)],        e_[behind(k_, k, n, 1)]};
  }

  [[nodiscard]] __device__ __forceinline__ float residual(int i, int j, int k) const {
    const Faces<float> c = coefficients(i, j, k);
    const int n = index(i, j, k);
    return inner_residual(diagonal(c), e_[n], neighbour_sum(c, neighbours(i, j, k)), r_[n]);
  }

  [[nodiscard]] __device__ __forceinline__ float relaxed_at(float omega, int i, int j,
                                                            int k) const {
    const Faces<float> c = coefficients(i, j, k);
    const int n = index(i, j, k);
    const float sum = neighbour_sum(c, neighbours(i, j, k));
    return relaxed(omega, inverse_of(diagonal(c)), e_[n], sum, r_[n]);
  }

  __device__ __forceinline__ void relax(int colour, float omega) const {
    const int half = (k_.cells + 1) / 2;
    const int count = i_.cells * j_.cells * half;
    for (int n = static_cast<int>(threadIdx.x); n < count; n += bottom_threads) {
      const int j = n / half % j_.cells;
      const int i = n / half / j_.cells;
      const int k = 2 * (n % half) + ((i + j + colour) & 1);
      if (k < k_.cells) {
        e_[index(i, j, k)] = relaxed_at(omega, i, j, k);
      }
    }
  }

  /// Where neighbours can be of the same colour: all are taken as they were before.
  __device__ __forceinline__ void relax_apart(int colour, float omega) {
    for (int n = static_cast<int>(threadIdx.x); n < cells_; n += bottom_threads) {
      const int k = n % k_.cells;
      const int j = n / k_.cells % j_.cells;
      const int i = n / k_.cells / j_.cells;
      next_[n] = ((i + j + k) & 1) == colour ? relaxed_at(omega, i, j, k) : e_[n];
    }
    float* const relaxed_e = next_;
    next_ = e_;
    e_ = relaxed_e;
  }

  AxisView i_;
  AxisView j_;
  AxisView k_;
  bool seams_;
  int cells_;
  float* e_;
  float* r_;
  float* next_;  ///< with seams
};

static __global__ void __launch_bounds__(bottom_threads)
    bottom_kernel(const __grid_constant__ BottomArguments f) {
  float* const tables = &dynamic_shared<float>();
  float* const fields = tables + f.table_count;
  for (int n = static_cast<int>(threadIdx.x); n < f.table_count; n += bottom_threads) {
    tables[n] = __ldg(f.tables + n);
  }
  for (int n = static_cast<int>(threadIdx.x); n < f.floats; n += bottom_threads) {
    fields[n] = 0.0F;
  }
  __syncthreads();
  const std::ptrdiff_t tables_moved = static_cast<std::ptrdiff_t>(
      reinterpret_cast<std::uintptr_t>(tables) - reinterpret_cast<std::uintptr_t>(f.tables));
  // An even number of half-sweeps leaves e where it was.
  const auto grid = [&](int n) { return BottomGrid(f.level[n], fields, tables_moved); };
  grid(0).load(f.r, f.at);
  for (int n = 0; n + 1 < f.levels; ++n) {
    BottomGrid own = grid(n);
    own.sweep(f.level[n].omega_before);
    own.restrict_to(grid(n + 1));
  }
  for (int n = f.levels - 2; n >= 0; --n) {
    BottomGrid own = grid(n);
    own.interpolate_from(grid(n + 1));
    own.sweep(f.level[n].omega_after);
  }
  grid(0).store(f.e, f.at);
}

}  // namespace bankfull::poisson::multigrid::cuda
