#pragma once

#include "bankfull/core/exec/launch.cuh"
#include "bankfull/numerics/poisson/multigrid/cuda/grid.cuh"
#include "bankfull/numerics/poisson/multigrid/line.hpp"
#include "bankfull/numerics/poisson/multigrid/point.hpp"
#include "bankfull/numerics/poisson/multigrid/traffic.hpp"

namespace bankfull::poisson::multigrid::cuda {

// Multigrid whose smoother relaxes lines along i. A thread goes along a line of its own, so that
// neighbouring threads read neighbouring cells of a row; where a level has few lines one block does
// it and all coarser ones, for more would spend the time waiting for each other.

/// A level, and what relaxation of its lines looks up: see LineTables.
struct LineLevelView {
  LevelView level;
  const float* widths = nullptr;
  const float* above = nullptr;
  const float* inverse = nullptr;
  const float* around = nullptr;  ///< of periodic lines
  const int* class_j = nullptr;
  const int* class_k = nullptr;
  int classes_j = 1;
  int classes_k = 1;
  bool cyclic = false;
  bool seams = false;     ///< across lines two neighbours are of the same colour: see Cells
  int sweeps_before = 1;  ///< see Level
  int sweeps_after = 1;
  float* r = nullptr;
  float* e = nullptr;
};

/// The threads that share a step: of a block or of a grid.
struct Threads {
  int first;
  int count;

  static __device__ __forceinline__ Threads of_block() {
    return {static_cast<int>(threadIdx.x), static_cast<int>(blockDim.x)};
  }
  static __device__ __forceinline__ Threads of_grid() {
    return {static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x),
            static_cast<int>(gridDim.x * blockDim.x)};
  }
};

/// One half-sweep. Where neighbours can be of the same colour all lines go up before one goes back.
struct LineSweep {
  int colour = 0;
  bool neighbours_are_zero = false;  ///< whatever is in memory
  bool e_is_zero = false;            ///< likewise, of the lines to relax
  bool goes_up = true;
  bool goes_back = true;
};

/// The relaxation of one line.
template <bool Cyclic>
class OneLine {
 public:
  __device__ __forceinline__ OneLine(const LineLevelView& lines, int j, int k)
      : lines_(lines),
        here_(offset(j, k)),
        pivot_(__ldg(lines.class_j + j) * lines.classes_k + __ldg(lines.class_k + k)),
        pivots_(lines.classes_j * lines.classes_k) {
    const float2 along_j = __ldg(lines.level.j.coefficients + j);
    const float2 along_k = __ldg(lines.level.k.coefficients + k);
    across_ = {along_j.x, along_j.y, along_k.x, along_k.y};
    const int before_j = offset(lines.level.j.cell_at(j - 1), k);
    const int behind_j = offset(lines.level.j.cell_at(j + 1), k);
    const int before_k = offset(j, lines.level.k.cell_at(k - 1));
    const int behind_k = offset(j, lines.level.k.cell_at(k + 1));
    // Beyond a wall stands a neighbour on another side: what is in memory of the line's own e may
    // be no number, of which a coefficient of 0 would not make 0.
    const int any = along_j.x > 0.0F   ? before_j
                    : along_j.y > 0.0F ? behind_j
                    : along_k.x > 0.0F ? before_k
                                       : behind_k;
    beside_[0] = along_j.x > 0.0F ? before_j : any;
    beside_[1] = along_j.y > 0.0F ? behind_j : any;
    beside_[2] = along_k.x > 0.0F ? before_k : any;
    beside_[3] = along_k.y > 0.0F ? behind_k : any;
  }

  /// To the particular solution.
  __device__ __forceinline__ void go_up(float* __restrict__ particular,
                                        bool neighbours_are_zero) const {
    float before = 0.0F;
    float coupling = 0.0F;
    float root_side = 0.0F;
    const int root = lines_.level.i.cells - 1;
    for (int first = 0; first <= root; first += together) {
      float sum[together] = {};
      float r[together];
      float width[together];
      float inverses[together];
      float above[together];
      float around_root[together] = {};
#pragma unroll
      for (int m = 0; m < together; ++m) {
        const int n = min(first + m, root);
        // By a plain load: the block that does the levels of few lines has just written it.
        r[m] = lines_.r[plane_at(n) + here_];
        width[m] = __ldg(lines_.widths + n);
        inverses[m] = inverse(n);
        above[m] = __ldg(lines_.above + n);
        if constexpr (Cyclic) {
          around_root[m] = around(n);
        }
      }
      if (!neighbours_are_zero) {
#pragma unroll
        for (int m = 0; m < together; ++m) {
          sum[m] = sum_across(plane_at(min(first + m, root)));
        }
      }
#pragma unroll
      for (int m = 0; m < together; ++m) {
        const int n = first + m;
        float right_side = line_right_side(line_side(width[m], sum[m], r[m]), coupling, before);
        if constexpr (Cyclic) {
          right_side += n == root ? root_side : 0.0F;
          root_side = fmaf(around_root[m], right_side, root_side);
        }
        before = inverses[m] * right_side;
        coupling = above[m];
        if (n <= root) {
          particular[plane_at(n) + here_] = before;
        }
      }
    }
  }

  /// To the solution, and e.
  __device__ __forceinline__ void go_back(const float* particular, bool e_is_zero) const {
    const int end = lines_.level.i.cells - 1;
    const float root = particular[end * lines_.level.at.plane + here_];
    const float omega = lines_.level.omega;
    float next = 0.0F;
    for (int last = end; last >= 0; last -= together) {
      float of_cell[together];
      float e[together] = {};
      Pivot<float> pivot[together];
#pragma unroll
      for (int m = 0; m < together; ++m) {
        const int n = max(last - m, 0);
        of_cell[m] = particular[plane_at(n) + here_];
        pivot[m] = line_pivot(inverse(n), __ldg(lines_.above + n), Cyclic ? around(n) : 0.0F);
      }
      if (!e_is_zero) {
#pragma unroll
        for (int m = 0; m < together; ++m) {
          e[m] = lines_.e[plane_at(max(last - m, 0)) + here_];
        }
      }
#pragma unroll
      for (int m = 0; m < together; ++m) {
        next = Elimination<Cyclic>::solution(pivot[m], of_cell[m], next, root);
        if (last - m >= 0) {
          lines_.e[plane_at(last - m) + here_] =
              e_is_zero ? omega * next : line_relaxed(omega, e[m], next);
        }
      }
    }
  }

 private:
  /// Cells of a line that are loaded before the first of them is stored. Loads do not go past
  /// stores, as far as the compiler knows, and each step of a line waits for the one before.
  static constexpr int together = 4;

  [[nodiscard]] __device__ __forceinline__ int offset(int j, int k) const {
    return j * lines_.level.at.row + k;
  }

  [[nodiscard]] __device__ __forceinline__ std::int64_t plane_at(int n) const {
    return n * lines_.level.at.plane;
  }
  [[nodiscard]] __device__ __forceinline__ float inverse(int n) const {
    return __ldg(lines_.inverse + n * pivots_ + pivot_);
  }
  [[nodiscard]] __device__ __forceinline__ float around(int n) const {
    return __ldg(lines_.around + n * pivots_ + pivot_);
  }
  [[nodiscard]] __device__ __forceinline__ float sum_across(std::int64_t plane) const {
    const float* const e = lines_.e + plane;
    return across_sum(
        across_, FacesAcross<float>{e[beside_[0]], e[beside_[1]], e[beside_[2]], e[beside_[3]]});
  }

  const LineLevelView& lines_;
  int here_;
  int pivot_;
  int pivots_;
  int beside_[4];  ///< along j before and behind, along k before and behind
  FacesAcross<float> across_;
};

template <bool Cyclic>
__device__ __forceinline__ void relax_lines(const LineLevelView& lines, const LineSweep& sweep,
                                            float* particular, const Threads& threads) {
  const int half = (lines.level.k.cells + 1) / 2;
  const int count = lines.level.j.cells * half;
  for (int n = threads.first; n < count; n += threads.count) {
    const int j = n / half;
    const int k = 2 * (n % half) + ((j + sweep.colour) & 1);
    if (k < lines.level.k.cells) {
      const OneLine<Cyclic> line(lines, j, k);
      if (sweep.goes_up) {
        line.go_up(particular, sweep.neighbours_are_zero);
      }
      if (sweep.goes_back) {
        line.go_back(particular, sweep.e_is_zero);
      }
    }
  }
}

/// A cell of a level.
struct CellOfLevel {
  int i;
  int j;
  int k;

  __device__ __forceinline__ CellOfLevel(int n, const LevelView& level)
      : i(n / level.k.cells / level.j.cells),
        j(n / level.k.cells % level.j.cells),
        k(n % level.k.cells) {}
};

[[nodiscard]] __device__ __forceinline__ int count_of(const LevelView& level) {
  return level.i.cells * level.j.cells * level.k.cells;
}

/// r - L e
[[nodiscard]] __device__ __forceinline__ float residual_at(const LineLevelView& lines, int i, int j,
                                                           int k) {
  const LevelView& level = lines.level;
  const float2 along_i = __ldg(level.i.coefficients + i);
  const float2 along_j = __ldg(level.j.coefficients + j);
  const float2 along_k = __ldg(level.k.coefficients + k);
  const Faces<float> c{along_i.x, along_i.y, along_j.x, along_j.y, along_k.x, along_k.y};
  const auto e = [&](int at_i, int at_j, int at_k) {
    return lines.e[level.i.cell_at(at_i) * level.at.plane + level.j.cell_at(at_j) * level.at.row +
                   level.k.cell_at(at_k)];
  };
  const Faces<float> around{e(i - 1, j, k), e(i + 1, j, k), e(i, j - 1, k),
                            e(i, j + 1, k), e(i, j, k - 1), e(i, j, k + 1)};
  return inner_residual(diagonal(c), e(i, j, k), neighbour_sum(c, around),
                        lines.r[i * level.at.plane + j * level.at.row + k]);
}

/// The next level's r = the mean of its children's r - L e, or of their r where e is 0.
__device__ __forceinline__ void restrict_lines(const LineLevelView& fine,
                                               const LineLevelView& coarse, bool e_is_zero,
                                               const Threads& threads) {
  const LevelView& level = fine.level;
  for (int n = threads.first; n < count_of(coarse.level); n += threads.count) {
    const CellOfLevel parent(n, coarse.level);
    float sum = 0.0F;
    for (int j = level.j.first_child(parent.j); j < level.j.end_of_children(parent.j); ++j) {
      const float row = __ldg(level.j.restriction_weight + j);
      for (int k = level.k.first_child(parent.k); k < level.k.end_of_children(parent.k); ++k) {
        const float r = e_is_zero ? fine.r[parent.i * level.at.plane + j * level.at.row + k]
                                  : residual_at(fine, parent.i, j, k);
        sum = fmaf(row * __ldg(level.k.restriction_weight + k), r, sum);
      }
    }
    coarse.r[parent.i * coarse.level.at.plane + parent.j * coarse.level.at.row + parent.k] = sum;
  }
}

/// e = the next level's, interpolated, plus e where it is kept.
__device__ __forceinline__ void interpolate_lines(const LineLevelView& fine,
                                                  const LineLevelView& coarse, bool keeps,
                                                  const Threads& threads) {
  const LevelView& level = fine.level;
  for (int n = threads.first; n < count_of(level); n += threads.count) {
    const CellOfLevel cell(n, level);
    const float weight_k = __ldg(level.k.interpolation_weight + cell.k);
    const auto along_k = [&](int row) {
      const float* const at = coarse.e + cell.i * coarse.level.at.plane + row * coarse.level.at.row;
      return interpolated(weight_k, at[level.k.parent(cell.k)], at[level.k.other_parent(cell.k)]);
    };
    const float change =
        interpolated(__ldg(level.j.interpolation_weight + cell.j), along_k(level.j.parent(cell.j)),
                     along_k(level.j.other_parent(cell.j)));
    float& e = fine.e[cell.i * level.at.plane + cell.j * level.at.row + cell.k];
    e = keeps ? e + change : change;
  }
}

// The traffic of these steps.

/// The lines of one colour: r is read, the particular solution written and read again, e written
/// and, where it is not 0, read, as that of the other colour's lines is.
inline Traffic half_sweep_traffic(const Level& level, const LineSweep& sweep) {
  const auto lines = static_cast<double>((level.j.cells * level.k.cells + 1 - sweep.colour) / 2);
  const double own = sizeof(float) * static_cast<double>(level.i.cells) * lines;
  const double others = sizeof(float) * cells_of(level) - own;
  return {.bytes_read = 2.0 * own + (sweep.e_is_zero ? 0.0 : own) +
                        (sweep.neighbours_are_zero ? 0.0 : others),
          .bytes_written = 2.0 * own};
}

/// From r and e.
inline Traffic line_restriction_traffic(const Level& level) {
  return {.bytes_read = 2.0 * sizeof(float) * cells_of(level),
          .bytes_written = sizeof(float) * parents_of(level),
          .flops = restriction_flops(level)};
}

/// Added to e.
inline Traffic line_interpolation_traffic(const Level& level) {
  return {.bytes_read = sizeof(float) * (cells_of(level) + parents_of(level)),
          .bytes_written = sizeof(float) * cells_of(level),
          .flops = interpolation_flops(level)};
}

template <class Real>
Traffic line_correction_traffic(const Level& level) {
  return cells_of(level) * Traffic{.bytes_read = sizeof(Real) + sizeof(float),
                                   .bytes_written = sizeof(Real),
                                   .flops = CellFlops::correction};
}

// One step of a level by a grid of blocks.

inline constexpr int line_threads = 128;

struct LineSweepArguments {
  LineLevelView lines;
  LineSweep sweep;
  float* particular;  ///< room for a field of the level
};

template <bool Cyclic>
__global__ void __launch_bounds__(line_threads)
    line_sweep_kernel(const __grid_constant__ LineSweepArguments f) {
  relax_lines<Cyclic>(f.lines, f.sweep, f.particular, Threads::of_grid());
}

struct LineTransferArguments {
  LineLevelView fine;
  LineLevelView coarse;
  bool e_is_zero;  ///< on the way down; on the way up: it is not kept
};

static __global__ void __launch_bounds__(line_threads)
    line_restrict_kernel(const __grid_constant__ LineTransferArguments f) {
  restrict_lines(f.fine, f.coarse, f.e_is_zero, Threads::of_grid());
}

static __global__ void __launch_bounds__(line_threads)
    line_interpolate_kernel(const __grid_constant__ LineTransferArguments f) {
  interpolate_lines(f.fine, f.coarse, !f.e_is_zero, Threads::of_grid());
}

/// p += e / scale; e lies as the next level does.
template <class Real>
struct LineCorrectArguments {
  LevelView level;
  const float* e;
  Real* p;
  const double* scale;
};

template <class Real>
__global__ void __launch_bounds__(line_threads)
    line_correct_kernel(const __grid_constant__ LineCorrectArguments<Real> f) {
  const LevelView& level = f.level;
  const auto unscaled = static_cast<Real>(1.0 / *f.scale);
  const Threads threads = Threads::of_grid();
  for (int n = threads.first; n < count_of(level); n += threads.count) {
    const CellOfLevel cell(n, level);
    const std::int64_t at = cell.i * level.at.plane + cell.j * level.at.row + cell.k;
    const std::int64_t e_at =
        cell.i * level.coarse_at.plane + cell.j * level.coarse_at.row + cell.k;
    f.p[at] = fma(static_cast<Real>(f.e[e_at]), unscaled, f.p[at]);
  }
}

// The levels of few lines, by one block.

inline constexpr int line_bottom_threads = 512;
inline constexpr int max_line_bottom_levels = 10;

/// e = one V-cycle from 0, or full multigrid, for the residual r of the finest of these levels; the
/// coarsest is one line, which is solved.
struct LineBottomArguments {
  LineLevelView level[max_line_bottom_levels];
  int levels;
  float* particular;
};

/// A step of a half-sweep by one block.
__device__ __forceinline__ void relax_by_block(const LineLevelView& lines, const LineSweep& sweep,
                                               float* particular) {
  if (lines.cyclic) {
    relax_lines<true>(lines, sweep, particular, Threads::of_block());
  } else {
    relax_lines<false>(lines, sweep, particular, Threads::of_block());
  }
  __syncthreads();
}

__device__ __forceinline__ void sweep_by_block(const LineLevelView& lines, int sweeps,
                                               bool from_zero, float* particular) {
  for (int n = 0; n < 2 * sweeps; ++n) {
    LineSweep sweep{.colour = n % 2,
                    .neighbours_are_zero = from_zero && n == 0,
                    .e_is_zero = from_zero && n < 2};
    // All lines go up before one goes back.
    sweep.goes_back = false;
    relax_by_block(lines, sweep, particular);
    sweep.goes_up = false;
    sweep.goes_back = true;
    relax_by_block(lines, sweep, particular);
  }
}

__device__ __forceinline__ void clear_by_block(const LineLevelView& lines) {
  const LevelView& level = lines.level;
  for (int n = static_cast<int>(threadIdx.x); n < count_of(level); n += line_bottom_threads) {
    const CellOfLevel cell(n, level);
    lines.e[cell.i * level.at.plane + cell.j * level.at.row + cell.k] = 0.0F;
  }
  __syncthreads();
}

/// A V-cycle on the level of this number, from 0 or from its e.
__device__ __forceinline__ void cycle_by_block(const LineBottomArguments& f, int first,
                                               bool from_zero) {
  const int last = f.levels - 1;
  for (int n = first; n <= last; ++n) {
    const LineLevelView& lines = f.level[n];
    const bool begins_at_zero = from_zero || n > first;
    // Where neighbours are of the same colour what is in memory counts.
    if (begins_at_zero && lines.seams) {
      clear_by_block(lines);
    }
    sweep_by_block(lines, lines.sweeps_before, begins_at_zero && !lines.seams, f.particular);
    if (n < last) {
      restrict_lines(lines, f.level[n + 1], false, Threads::of_block());
      __syncthreads();
    }
  }
  for (int n = last - 1; n >= first; --n) {
    const LineLevelView& lines = f.level[n];
    interpolate_lines(lines, f.level[n + 1], true, Threads::of_block());
    __syncthreads();
    sweep_by_block(lines, lines.sweeps_after, false, f.particular);
  }
}

template <bool FullMultigrid>
__global__ void __launch_bounds__(line_bottom_threads, 1)
    line_bottom_kernel(const __grid_constant__ LineBottomArguments f) {
  if constexpr (!FullMultigrid) {
    cycle_by_block(f, 0, true);
    return;
  }
  const int last = f.levels - 1;
  for (int n = 0; n < last; ++n) {
    restrict_lines(f.level[n], f.level[n + 1], true, Threads::of_block());
    __syncthreads();
  }
  for (int n = last; n >= 0; --n) {
    if (n < last) {
      interpolate_lines(f.level[n], f.level[n + 1], false, Threads::of_block());
      __syncthreads();
    }
    cycle_by_block(f, n, n == last);
  }
}

}  // namespace bankfull::poisson::multigrid::cuda
