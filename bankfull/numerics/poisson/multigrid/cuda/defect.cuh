#pragma once

#include "bankfull/core/exec/launch.cuh"
#include "bankfull/numerics/poisson/multigrid/cuda/alike.cuh"
#include "bankfull/numerics/poisson/multigrid/cuda/control.cuh"
#include "bankfull/numerics/poisson/multigrid/cuda/level_tables.cuh"
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
  Pair<Real> alike_j;  ///< of all cells, where planes have alike ones
  Pair<Real> alike_k;
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
  PlaneStart start;
  bool keeps_start;  ///< a solve from nothing leaves its p in memory, for the first correction
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
inline constexpr int defect_rows = 2 * defect_warps;  ///< of a block

// A thread has two rows of two cells, plane after plane. Where they lie in a plane, what couples
// them with those beside them and what their residual is for depends on the level:

/// Of any level.
template <class Real, bool Seams>
class AnyDefectCells {
 public:
  static constexpr int blocks = 2;  ///< of a multiprocessor

  __device__ __forceinline__ explicit AnyDefectCells(const DefectArguments<Real>& arguments)
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

  /// The cell along i.
  [[nodiscard]] __device__ __forceinline__ int cell_of(int plane) const {
    return f_.level.i.cell_at(plane);
  }

  // From a plane of a field.
  [[nodiscard]] __device__ __forceinline__ Quad<Real> load(const Real* plane) const {
    return cells_.load(plane, f_.level.at.row);
  }
  /// The rows above and below.
  [[nodiscard]] __device__ __forceinline__ Quad<Real> rows_beside(const Real* plane) const {
    return cells_.load_rows(plane, f_.level.at.row, above_, below_);
  }
  /// The cells left and right of a row.
  [[nodiscard]] __device__ __forceinline__ Pair<Real> columns_beside(const Real* plane,
                                                                     int row) const {
    const Real* const own = plane + cells_.row(row) * f_.level.at.row;
    return {__ldg(own + left_), __ldg(own + right_)};
  }

  [[nodiscard]] __device__ __forceinline__ Faces<Real> coefficients(const Pair<Real>& along_i,
                                                                    int row, int column) const {
    return {along_i.x, along_i.y, row_[row].x, row_[row].y, column_[column].x, column_[column].y};
  }

  /// To a plane of a field.
  template <class T>
  __device__ __forceinline__ void store(T* plane, const Quad<T>& values) const {
#pragma unroll
    for (int row = 0; row < 2; ++row) {
      if (owner_ && j_ + row < f_.level.j.cells) {
        T* const at = plane + (j_ + row) * f_.level.at.row + k_;
        // What stands beside the last column must stay a number.
        const bool both = k_ + 1 < f_.level.k.cells;
        *reinterpret_cast<Pair<T>*>(at) = {values.at[row][0], both ? values.at[row][1] : T{0}};
      }
    }
  }

  __device__ __forceinline__ void restrict(const Quad<float>& r, int plane) {
    restriction_.add(r, plane);
  }

  /// Whether the residual of a cell counts. Beyond the last row or column there are but copies.
  [[nodiscard]] __device__ __forceinline__ bool counts(int plane, int row, int column) const {
    return owner_ && plane >= f_.own.first_plane && plane < f_.own.end_plane &&
           j_ + row >= f_.own.first_row && j_ + row < f_.own.end_row &&
           k_ + column < f_.level.k.cells;
  }

 private:
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
};

/// Of a level with alike planes that no other rank has a part of, with the same bits.
template <class Real, bool Coarsened>
class AlikeDefectCells {
 public:
  static constexpr int blocks = sizeof(Real) == sizeof(float) ? 3 : 2;

  __device__ __forceinline__ explicit AlikeDefectCells(const DefectArguments<Real>& arguments)
      : f_(arguments), place_(f_.level, 0), restriction_(f_.level, f_.coarse_r) {
    const LevelView& level = f_.level;
    const int column = level.k.pair_at(place_.k);
    above_ = bytes_of(level.j.cell_at(place_.j - 1), column);
    below_ = bytes_of(level.j.cell_at(place_.j + 2), column);
#pragma unroll
    for (int row = 0; row < 2; ++row) {
      const int own = level.j.cell_at(place_.j + row);
      left_[row] = bytes_of(own, level.k.cell_at(place_.k - 1));
      right_[row] = bytes_of(own, level.k.cell_at(place_.k + 2));
    }
  }

  [[nodiscard]] __device__ __forceinline__ int cell_of(int plane) const {
    return alike_cell(f_.level.i, plane);
  }

  [[nodiscard]] __device__ __forceinline__ Quad<Real> load(const Real* plane) const {
    return load_rows(plane, place_.bytes[0], place_.bytes[1]);
  }
  [[nodiscard]] __device__ __forceinline__ Quad<Real> rows_beside(const Real* plane) const {
    return load_rows(plane, above_, below_);
  }
  [[nodiscard]] __device__ __forceinline__ Pair<Real> columns_beside(const Real* plane,
                                                                     int row) const {
    return {__ldg(at_bytes(plane, left_[row])), __ldg(at_bytes(plane, right_[row]))};
  }

  [[nodiscard]] __device__ __forceinline__ Faces<Real> coefficients(const Pair<Real>& along_i,
                                                                    int /*row*/,
                                                                    int /*column*/) const {
    return {along_i.x, along_i.y, f_.alike_j.x, f_.alike_j.y, f_.alike_k.x, f_.alike_k.y};
  }

  template <class T>
  __device__ __forceinline__ void store(T* plane, const Quad<T>& values) const {
#pragma unroll
    for (int row = 0; row < 2; ++row) {
      if (place_.writes_row[row]) {
        *pair_at(plane, place_.bytes[row]) = {values.at[row][0], values.at[row][1]};
      }
    }
  }

  __device__ __forceinline__ void restrict(const Quad<float>& r, int plane) {
    restriction_.add(r, plane, plane % 2 == 1, place_);
  }

  [[nodiscard]] __device__ __forceinline__ bool counts(int /*plane*/, int row,
                                                       int /*column*/) const {
    return place_.writes_row[row];
  }

 private:
  [[nodiscard]] __device__ __forceinline__ unsigned bytes_of(int row, int column) const {
    return static_cast<unsigned>(sizeof(float)) *
           static_cast<unsigned>(row * f_.level.at.row + column);
  }

  static __device__ __forceinline__ Quad<Real> load_rows(const Real* plane, unsigned first,
                                                         unsigned second) {
    const Pair<Real> a = load_pair(pair_at(plane, first));
    const Pair<Real> b = load_pair(pair_at(plane, second));
    return {{{a.x, a.y}, {b.x, b.y}}};
  }

  const DefectArguments<Real>& f_;
  AlikePlace<2, defect_warps> place_;
  AlikeRestriction<2, Coarsened> restriction_;
  unsigned above_;
  unsigned below_;
  unsigned left_[2];
  unsigned right_[2];
};

/// A thread's cells, plane after plane: neighbouring columns and rows come from where other threads
/// of the block leave them in the cache.
template <class Real, class DefectCells>
class DefectBlock {
 public:
  __device__ __forceinline__ explicit DefectBlock(const DefectArguments<Real>& arguments)
      : f_(arguments), cells_(f_) {}

  /// Returns the bits of the largest |r|.
  __device__ __forceinline__ unsigned run() {
    const int first = f_.level.first_plane + static_cast<int>(blockIdx.z) * f_.planes;
    const int end = min(first + f_.planes, f_.level.end_plane);
    scale_ = static_cast<Real>(f_.control->scale);
    if (f_.control->starts_from_zero != 0) {
      begin_with_planes(first, end);
    } else {
      mean_ = static_cast<Real>(f_.control->mean);
      subtract_laplacian(first, end);
    }
    return largest_;
  }

 private:
  /// From p of planes, which the first correction finds in a table. A pass after which there may be
  /// none writes it.
  __device__ __forceinline__ void begin_with_planes(int first, int end) {
    const bool writes_p = f_.keeps_start || f_.after == After::restart;
    for (int plane = first; plane < end; ++plane) {
      const Quad<Real> f = load(f_.f, plane);
      const auto mean = static_cast<Real>(f_.start.means[plane]);
      Quad<float> r;
#pragma unroll
      for (int n = 0; n < 4; ++n) {
        r.at[n / 2][n % 2] = static_cast<float>((f.at[n / 2][n % 2] - mean) * scale_);
      }
      finish(plane, r);
      if (writes_p) {
        const auto p = static_cast<Real>(f_.start.potentials[plane]);
        cells_.store(f_.p + plane * f_.level.at.plane, Quad<Real>{{{p, p}, {p, p}}});
      }
    }
  }

  __device__ __forceinline__ void subtract_laplacian(int first, int end) {
    Quad<Real> before = load(f_.p, first - 1);
    Quad<Real> here = load(f_.p, first);
    Quad<Real> after = load(f_.p, first + 1);
    Quad<Real> f = load(f_.f, first);
#pragma unroll 2
    for (int plane = first; plane < end; ++plane) {
      // Before anything waits for the neighbours. The last step needs neither of them.
      const Quad<Real> asked_p = load(f_.p, plane + 2);
      const Quad<Real> asked_f = load(f_.f, plane + 1);
      finish(plane, residual(plane, before, here, after, f));
      before = here;
      here = after;
      after = asked_p;
      f = asked_f;
    }
  }

  [[nodiscard]] __device__ __forceinline__ Quad<Real> load(const Real* field, int plane) const {
    return cells_.load(field + cells_.cell_of(plane) * f_.level.at.plane);
  }

  [[nodiscard]] __device__ __forceinline__ Quad<float> residual(int plane, const Quad<Real>& before,
                                                                const Quad<Real>& here,
                                                                const Quad<Real>& after,
                                                                const Quad<Real>& f) const {
    const Real* const p = f_.p + plane * f_.level.at.plane;
    const Quad<Real> rows = cells_.rows_beside(p);
    const Pair<Real> along_i = f_.coefficients_i[plane];
    Quad<float> result;
#pragma unroll
    for (int row = 0; row < 2; ++row) {
      const Pair<Real> columns = cells_.columns_beside(p, row);
#pragma unroll
      for (int column = 0; column < 2; ++column) {
        const Faces<Real> beside{before.at[row][column],
                                 after.at[row][column],
                                 row == 0 ? rows.at[0][column] : here.at[0][column],
                                 row == 0 ? here.at[1][column] : rows.at[1][column],
                                 column == 0 ? columns.x : here.at[row][0],
                                 column == 0 ? here.at[row][1] : columns.y};
        const Real difference =
            (f.at[row][column] - mean_) -
            laplacian(cells_.coefficients(along_i, row, column), here.at[row][column], beside);
        result.at[row][column] = static_cast<float>(difference * scale_);
      }
    }
    return result;
  }

  __device__ __forceinline__ void finish(int plane, const Quad<float>& r) {
    cells_.store(f_.r + plane * f_.level.at.plane, r);
    cells_.restrict(r, plane);
#pragma unroll
    for (int n = 0; n < 4; ++n) {
      if (cells_.counts(plane, n / 2, n % 2)) {
        largest_ = max(largest_, size_bits(r.at[n / 2][n % 2]));
      }
    }
  }

  const DefectArguments<Real>& f_;
  DefectCells cells_;
  Real mean_ = 0;
  Real scale_ = 1;
  unsigned largest_ = 0;
};

template <class Real, class DefectCells>
__global__ void __launch_bounds__(32 * defect_warps, DefectCells::blocks)
    defect_kernel(const __grid_constant__ DefectArguments<Real> f) {
  Control& control = *f.control;
  if (f.after == After::restart && control.begins_anew == 0) {
    return;
  }
  raise_to_largest(&control.largest_residual, DefectBlock<Real, DefectCells>(f).run());
  if (!is_last_block(&control.arrivals) || threadIdx.y != 0) {
    return;
  }
  if (threadIdx.x == 0) {
    const float residual = __uint_as_float(__ldcg(&control.largest_residual));
    control.largest_residual = 0;
    if (f.decides) {
      decide(control, f.limits, f.after, residual, f.loops);
    } else {
      control.over_ranks[0] = static_cast<double>(residual);
    }
  }
  __syncwarp();
  if (f.decides) {
    form_plane_start_anew(control, f.after, f.start);
  }
}

template <class Real, class DefectCells>
void launch_defect(const Stream& stream, int multiprocessors, DefectArguments<Real> fields) {
  constexpr int max_planes = 32;  // blocks that are done early leave room for others
  MarchPlan plan;
  plan.tiles_k = parts_of(fields.level.k.cells, region_columns);
  plan.tiles_j = parts_of(fields.level.j.cells, defect_rows);
  choose_slabs(plan, fields.level.planes(), 2, multiprocessors * DefectCells::blocks, max_planes);
  fields.planes = plan.planes;
  launch(stream, {plan.grid(), dim3(32, defect_warps)}, defect_kernel<Real, DefectCells>, fields);
}

/// Sets the number of planes.
template <class Real>
void queue_defect(const Stream& stream, int multiprocessors, bool seams,
                  const DefectArguments<Real>& fields) {
  if (fields.level.alike.planes != nullptr) {
    with_bool(fields.level.j.coarsened, [&](auto coarsened) {
      launch_defect<Real, AlikeDefectCells<Real, coarsened>>(stream, multiprocessors, fields);
    });
    return;
  }
  with_bool(seams, [&](auto has_seams) {
    launch_defect<Real, AnyDefectCells<Real, has_seams>>(stream, multiprocessors, fields);
  });
}

}  // namespace bankfull::poisson::multigrid::cuda
