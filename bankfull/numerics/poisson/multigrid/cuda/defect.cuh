#pragma once

#include "bankfull/numerics/poisson/multigrid/cuda/control.cuh"
#include "bankfull/numerics/poisson/multigrid/cuda/transfer.cuh"
#include "bankfull/numerics/poisson/multigrid/point.hpp"
#include "bankfull/numerics/poisson/multigrid/traffic.hpp"

namespace bankfull::poisson::multigrid::cuda {

/// Those of which residuals count: all but copies of other ranks'.
struct OwnCells {
  int first_plane;
  int end_plane;
  int first_row;
  int end_row;
};

/// The outer residual, f - mean - L p, in Real; then r, it scaled and rounded to fp32 for the next
/// cycle, and r restricted. Coefficients are in Real.
template <class Real>
struct DefectArguments {
  LevelView level;
  const Pair<Real>* coefficients_i;  ///< lower and upper, one per cell
  const Pair<Real>* coefficients_j;
  const Pair<Real>* coefficients_k;
  const Real* f;
  Real* p;
  float* r;
  float* coarse_r;
  int planes;  ///< of a slab, even
  OwnCells own;
  After after;
  bool decides;  ///< what comes next; else other ranks' residuals count, too
  Limits limits;
  Control* control;
  Loops loops;
};

/// The traffic of a level whose residual is not restricted: f and p are read, r is written.
template <class Real>
Traffic defect_traffic(const Level& level) {
  return cells_of(level) * Traffic{.bytes_read = 2.0 * sizeof(Real),
                                   .bytes_written = sizeof(float),
                                   .flops = CellFlops::defect};
}

/// What restricting r adds.
inline Traffic defect_restriction_traffic(const Level& level) {
  return {.bytes_written = sizeof(float) * parents_of(level),
          .flops = restriction_flops(level) - CellFlops::residual * cells_of(level)};
}

inline constexpr int defect_warps = 8;

/// A thread's two rows of two cells, plane after plane: neighbouring columns and rows come from
/// where other threads of the block leave them in the cache.
template <class Real, bool Seams>
class DefectBlock {
 public:
  __device__ __forceinline__ explicit DefectBlock(const DefectArguments<Real>& arguments)
      : f_(arguments),
        j_(2 * (static_cast<int>(blockIdx.y) * defect_warps + static_cast<int>(threadIdx.y))),
        k_(2 * (static_cast<int>(blockIdx.x) * 32 + static_cast<int>(threadIdx.x))),
        owner_(j_ < f_.level.j.cells && k_ < f_.level.k.cells),
        cells_(f_.level, j_, k_),
        left_(f_.level.k.cell_at(k_ - 1)),
        right_(f_.level.k.cell_at(k_ + 2)),
        above_(f_.level.j.cell_at(j_ - 1)),
        below_(f_.level.j.cell_at(j_ + 2)),
        restriction_(f_.level, f_.coarse_r, j_, k_, owner_) {
#pragma unroll
    for (int n = 0; n < 2; ++n) {
      row_[n] = f_.coefficients_j[cells_.row(n)];
      column_[n] = f_.coefficients_k[cells_.column(n)];
    }
  }

  /// Returns the bits of the largest |r|.
  __device__ __forceinline__ unsigned run() {
    const int first = f_.level.first_plane + static_cast<int>(blockIdx.z) * f_.planes;
    const int end = min(first + f_.planes, f_.level.end_plane);
    mean_ = static_cast<Real>(f_.control->mean);
    scale_ = static_cast<Real>(f_.control->scale);
    if (f_.control->starts_from_zero != 0) {
      begin_at_zero(first, end);
    } else {
      subtract_laplacian(first, end);
    }
    return largest_;
  }

 private:
  __device__ __forceinline__ void begin_at_zero(int first, int end) {
    for (int plane = first; plane < end; ++plane) {
      const Quad<Real> f = cells_.load(f_.f + plane * f_.level.at.plane, f_.level.at.row);
      Quad<float> r;
#pragma unroll
      for (int n = 0; n < 4; ++n) {
        r.at[n / 2][n % 2] = static_cast<float>((f.at[n / 2][n % 2] - mean_) * scale_);
      }
      finish(plane, r);
      store(f_.p, plane, Quad<Real>{});
    }
  }

  __device__ __forceinline__ void subtract_laplacian(int first, int end) {
    Quad<Real> before = load_p(first - 1);
    Quad<Real> here = load_p(first);
    Quad<Real> after = load_p(first + 1);
    Quad<Real> f = load_f(first);
    for (int plane = first; plane < end; ++plane) {
      // Before anything waits for the neighbours. The last step needs neither of them.
      const Quad<Real> asked_p = load_p(plane + 2);
      const Quad<Real> asked_f = load_f(plane + 1);
      finish(plane, residual(plane, before, here, after, f));
      before = here;
      here = after;
      after = asked_p;
      f = asked_f;
    }
  }

  [[nodiscard]] __device__ __forceinline__ const Real* plane_of(const Real* field,
                                                                int plane) const {
    return field + f_.level.i.cell_at(plane) * f_.level.at.plane;
  }
  [[nodiscard]] __device__ __forceinline__ Quad<Real> load_p(int plane) const {
    return cells_.load(plane_of(f_.p, plane), f_.level.at.row);
  }
  [[nodiscard]] __device__ __forceinline__ Quad<Real> load_f(int plane) const {
    return cells_.load(plane_of(f_.f, plane), f_.level.at.row);
  }

  [[nodiscard]] __device__ __forceinline__ Quad<float> residual(int plane, const Quad<Real>& before,
                                                                const Quad<Real>& here,
                                                                const Quad<Real>& after,
                                                                const Quad<Real>& f) const {
    const Real* const p = plane_of(f_.p, plane);
    const Quad<Real> rows = cells_.load_rows(p, f_.level.at.row, above_, below_);
    const Pair<Real> along_i = f_.coefficients_i[plane];
    Quad<float> result;
#pragma unroll
    for (int row = 0; row < 2; ++row) {
      const Real* const own = p + cells_.row(row) * f_.level.at.row;
      const Real left = __ldg(own + left_);
      const Real right = __ldg(own + right_);
#pragma unroll
      for (int column = 0; column < 2; ++column) {
        const Faces<Real> coefficients{along_i.x,   along_i.y,         row_[row].x,
                                       row_[row].y, column_[column].x, column_[column].y};
        const Faces<Real> beside{before.at[row][column],
                                 after.at[row][column],
                                 row == 0 ? rows.at[0][column] : here.at[0][column],
                                 row == 0 ? here.at[1][column] : rows.at[1][column],
                                 column == 0 ? left : here.at[row][0],
                                 column == 0 ? here.at[row][1] : right};
        const Real difference =
            (f.at[row][column] - mean_) - laplacian(coefficients, here.at[row][column], beside);
        result.at[row][column] = static_cast<float>(difference * scale_);
      }
    }
    return result;
  }

  __device__ __forceinline__ void finish(int plane, const Quad<float>& r) {
    store(f_.r, plane, r);
    restriction_.add(r, plane);
    const bool is_own = plane >= f_.own.first_plane && plane < f_.own.end_plane;
#pragma unroll
    for (int n = 0; n < 4; ++n) {
      const int row = j_ + n / 2;
      // Beyond the last row or column there are but copies of r's.
      if (is_own && owner_ && row >= f_.own.first_row && row < f_.own.end_row &&
          k_ + n % 2 < f_.level.k.cells) {
        largest_ = max(largest_, size_bits(r.at[n / 2][n % 2]));
      }
    }
  }

  template <class T>
  __device__ __forceinline__ void store(T* field, int plane, const Quad<T>& values) const {
#pragma unroll
    for (int row = 0; row < 2; ++row) {
      if (owner_ && j_ + row < f_.level.j.cells) {
        T* const at = field + plane * f_.level.at.plane + (j_ + row) * f_.level.at.row + k_;
        // What stands beside the last column must stay a number.
        const bool both = k_ + 1 < f_.level.k.cells;
        *reinterpret_cast<Pair<T>*>(at) = {values.at[row][0], both ? values.at[row][1] : T{0}};
      }
    }
  }

  const DefectArguments<Real>& f_;
  int j_;
  int k_;
  bool owner_;
  Cells<Seams> cells_;
  int left_;
  int right_;
  int above_;
  int below_;
  Restriction restriction_;
  Pair<Real> row_[2];
  Pair<Real> column_[2];
  Real mean_ = 0;
  Real scale_ = 1;
  unsigned largest_ = 0;
};

template <class Real, bool Seams>
__global__ void __launch_bounds__(32 * defect_warps, 2)
    defect_kernel(const __grid_constant__ DefectArguments<Real> f) {
  Control& control = *f.control;
  if (f.after == After::restart && control.begins_anew == 0) {
    return;
  }
  raise_to_largest(&control.largest_residual, DefectBlock<Real, Seams>(f).run());
  if (is_last_block(&control.arrivals) && threadIdx.x == 0 && threadIdx.y == 0) {
    const float residual = __uint_as_float(__ldcg(&control.largest_residual));
    control.largest_residual = 0;
    if (f.decides) {
      decide(control, f.limits, f.after, residual, f.loops);
    } else {
      control.over_ranks[0] = static_cast<double>(residual);
    }
  }
}

}  // namespace bankfull::poisson::multigrid::cuda
