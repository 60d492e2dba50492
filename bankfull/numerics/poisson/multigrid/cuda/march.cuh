#pragma once

#include "bankfull/core/exec/dynamic_shared.cuh"
#include "bankfull/core/exec/launch.cuh"
#include "bankfull/numerics/poisson/multigrid/cuda/grid.cuh"

#include <algorithm>
#include <limits>

namespace bankfull::poisson::multigrid::cuda {

// How sweeps go over a level. A block marches along i with a region of a plane: a lane has two
// neighbouring columns of it, a warp two neighbouring rows. What a thread needs of its own columns
// it keeps in registers from plane to plane; neighbouring columns come from other lanes by
// shuffles, neighbouring rows from other warps through shared memory. Half-sweeps follow each other
// one plane apart, so that one march does several of them: each takes of neighbouring columns and
// rows what the one before it left a step ago, and at the end of a step each warp waits for its
// neighbours. The outermost lanes and warps, and the first and last steps, form what their
// neighbours need; what they would write others write.

inline constexpr int warps = 16;  ///< of a block
inline constexpr int block_threads = 32 * warps;
inline constexpr int region_rows = 2 * warps;
inline constexpr int region_columns = 64;

enum Colour : int { red = 0, black = 1 };

/// Cells at each end of a region that lie in the `reach` of what the block writes: whole pairs.
constexpr int margin_of(int reach) { return (reach + 1) / 2 * 2; }

/// How a level is shared out.
struct MarchPlan {
  int tiles_k = 1;
  int tiles_j = 1;
  int slabs = 1;
  int planes = 2;          ///< of a slab, even
  std::int64_t steps = 0;  ///< one after the other, until all blocks are done

  [[nodiscard]] dim3 grid() const {
    return {static_cast<unsigned>(tiles_k), static_cast<unsigned>(tiles_j),
            static_cast<unsigned>(slabs)};
  }
};

constexpr int parts_of(int count, int part) { return (count + part - 1) / part; }

/// Sets the slabs to those, of at most `most` planes, with which the last of the blocks' places is
/// free first: one block is there at a time, for the planes of a slab and `more` beside it. Slabs
/// have more planes where a grid of blocks could not have so many slabs.
inline void choose_slabs(MarchPlan& plan, int planes_in_all, int more, int places, int most) {
  constexpr int most_slabs = 65535;
  const int least = 2 * parts_of(planes_in_all, 2 * most_slabs);
  plan.steps = std::numeric_limits<std::int64_t>::max();
  for (int planes = least; planes < std::max(std::min(planes_in_all, most) + 2, least + 1);
       planes += 2) {
    const int slabs = parts_of(planes_in_all, planes);
    const std::int64_t blocks = std::int64_t{plan.tiles_k} * plan.tiles_j * slabs;
    const std::int64_t steps = (blocks + places - 1) / places * (planes + more);
    if (steps < plan.steps) {
      plan.steps = steps;
      plan.planes = planes;
      plan.slabs = slabs;
    }
  }
}

/// `reach`: how many planes before and behind a slab a march begins and ends. `rows`: of a region.
/// `places`: how many blocks the GPU has room for.
inline MarchPlan plan_march(const LevelView& level, int reach, int rows, int places) {
  MarchPlan plan;
  plan.tiles_k = parts_of(level.k.cells, region_columns - 2 * margin_of(reach));
  plan.tiles_j = parts_of(level.j.cells, rows - 2 * margin_of(reach));
  choose_slabs(plan, level.planes(), 2 * reach, places, level.planes());
  return plan;
}

/// A thread's place in a level.
template <bool Seams>
struct Place {
  int lane;
  int warp;
  int j;       ///< of the first of its cells; before or behind the axis in a region's margin
  int k;       ///< likewise
  bool owner;  ///< whether what the thread forms is wanted
  Cells<Seams> cells;
  unsigned offset[2];  ///< of each row's first cell in its plane
  bool writes_row[2];  ///< whether the thread writes it

  __device__ __forceinline__ Place(const LevelView& level, int margin)
      : lane(static_cast<int>(threadIdx.x)),
        warp(static_cast<int>(threadIdx.y)),
        j(static_cast<int>(blockIdx.y) * (region_rows - 2 * margin) - margin + 2 * warp),
        k(static_cast<int>(blockIdx.x) * (region_columns - 2 * margin) - margin + 2 * lane),
        owner(2 * lane >= margin && 2 * lane < region_columns - margin && k < level.k.cells &&
              2 * warp >= margin && 2 * warp < region_rows - margin && j < level.j.cells),
        cells(level, j, k) {
#pragma unroll
    for (int n = 0; n < 2; ++n) {
      offset[n] = static_cast<unsigned>(cells.row(n) * level.at.row + cells.column(0));
      writes_row[n] = owner && j + n < level.j.cells;
    }
  }

  /// From a row's first cell to its second.
  [[nodiscard]] __device__ __forceinline__ int to_second() const {
    return cells.column(1) - cells.column(0);
  }

  /// From a plane of a field that is the same for all threads.
  [[nodiscard]] __device__ __forceinline__ Quad<float> load(const float* plane) const {
    Quad<float> quad;
#pragma unroll
    for (int n = 0; n < 2; ++n) {
      if constexpr (Seams) {
        quad.at[n][0] = __ldg(plane + offset[n]);
        quad.at[n][1] = __ldg(plane + offset[n] + to_second());
      } else {
        const auto pair = __ldg(reinterpret_cast<const float2*>(plane + offset[n]));
        quad.at[n][0] = pair.x;
        quad.at[n][1] = pair.y;
      }
    }
    return quad;
  }
};

/// Where a march is along i: which cells a plane has, and what couples it with those beside it.
struct PlaneOfMarch {
  int cell = 0;
  float2 along_i = {};  ///< lower and upper coefficient

  static __device__ __forceinline__ PlaneOfMarch at(const AxisView& axis, int plane) {
    const int cell = axis.cell_at(plane);
    return {cell, __ldg(axis.coefficients + cell)};
  }

  /// The one behind it: as `at`, without a division.
  [[nodiscard]] __device__ __forceinline__ PlaneOfMarch next(const AxisView& axis) const {
    const int after = axis.next_cell(cell);
    return {after, __ldg(axis.coefficients + after)};
  }
};

/// Waits for the warps of the rows beside this one's: then what they have left is there, and what
/// they were to read is read. Each two neighbours have a barrier of their own: where a whole block
/// waits, all of its warps wait for memory at the same time, and none of them computes.
template <int Warps>
__device__ __forceinline__ void wait_for_neighbours(int warp) {
  constexpr int pair_threads = 64;
  constexpr int even_pairs = Warps / 2;  // barrier 0 is that of the block
  static_assert(Warps % 2 == 0 && 2 * even_pairs <= 16, "a block has 16 barriers");
  __syncwarp();  // the instructions are those of whole warps
  asm volatile("bar.sync %0, %1;" ::"r"(1 + warp / 2), "n"(pair_threads) : "memory");
  if (warp > 0 && warp + 1 < Warps) {
    asm volatile("bar.sync %0, %1;" ::"r"(even_pairs + (warp + 1) / 2), "n"(pair_threads)
                 : "memory");
  }
}

/// The row of a pair that lies beside another warp's, in shared memory: of each lane both values,
/// or where colours alternate the one of the colour that is wanted.
template <bool Both>
struct EdgeRow {
  float at[std::size_t{Both ? 2 : 1} * 32];
};

/// The first and last rows of all warps.
template <bool Both, int Warps = warps>
struct Edges {
  EdgeRow<Both> first[std::size_t{Warps}];
  EdgeRow<Both> last[std::size_t{Warps}];
};

/// What a thread finds beside its own rows: [above or below][column].
struct Beside {
  float at[2][2];
};

/// Leaves both columns.
template <int Warps, int Rows>
__device__ __forceinline__ void leave(Edges<true, Warps>& edges, int warp, int lane,
                                      const Patch<float, Rows>& e) {
  edges.first[warp].at[lane] = e.at[0][0];
  edges.first[warp].at[32 + lane] = e.at[0][1];
  edges.last[warp].at[lane] = e.at[Rows - 1][0];
  edges.last[warp].at[32 + lane] = e.at[Rows - 1][1];
}

/// The region's first and last warp find rows of their own; their results are discarded.
template <int Warps>
__device__ __forceinline__ Beside find(const Edges<true, Warps>& edges, int warp, int lane) {
  const EdgeRow<true>& above = edges.last[max(warp - 1, 0)];
  const EdgeRow<true>& below = edges.first[min(warp + 1, Warps - 1)];
  return {{{above.at[lane], above.at[32 + lane]}, {below.at[lane], below.at[32 + lane]}}};
}

/// Which column of a row of a pair has a colour, where colours alternate.
constexpr int column_of(int row, Colour colour, int plane_parity) {
  return (row + static_cast<int>(colour) + plane_parity) & 1;
}

/// Leaves what is of this colour.
template <Colour Of, int PlaneParity, int Warps, int Rows>
__device__ __forceinline__ void leave(Edges<false, Warps>& edges, int warp, int lane,
                                      const Patch<float, Rows>& e) {
  edges.first[warp].at[lane] = e.at[0][column_of(0, Of, PlaneParity)];
  edges.last[warp].at[lane] = e.at[Rows - 1][column_of(Rows - 1, Of, PlaneParity)];
}

/// For cells of the colour `Relaxed` of an even number of rows: what the others left.
template <Colour Relaxed, int PlaneParity, int Warps>
__device__ __forceinline__ Beside find(const Edges<false, Warps>& edges, int warp, int lane) {
  Beside beside{};
  beside.at[0][column_of(0, Relaxed, PlaneParity)] = edges.last[max(warp - 1, 0)].at[lane];
  beside.at[1][column_of(1, Relaxed, PlaneParity)] = edges.first[min(warp + 1, Warps - 1)].at[lane];
  return beside;
}

/// What lies beyond the faces of a thread's cell in a plane between two others. `outer`: beside
/// its two columns.
template <int Rows>
__device__ __forceinline__ Faces<float> beyond_faces(int row, int column,
                                                     const Patch<float, Rows>& before,
                                                     const Patch<float, Rows>& here,
                                                     const Patch<float, Rows>& after,
                                                     const Beside& beside, float outer) {
  return {before.at[row][column],
          after.at[row][column],
          row == 0 ? beside.at[0][column] : here.at[max(row - 1, 0)][column],
          row == Rows - 1 ? beside.at[1][column] : here.at[min(row + 1, Rows - 1)][column],
          column == 0 ? outer : here.at[row][0],
          column == 0 ? here.at[row][1] : outer};
}

/// The inverse of the diagonal where i has another part in it than in most planes: not exact.
__device__ __forceinline__ float unusual_inverse(float diagonal) {
  return diagonal > 0.0F ? __fdividef(1.0F, diagonal) : 0.0F;
}

/// `relaxed` from e = 0, with 0 all around it.
__device__ __forceinline__ float started(float omega, float inverse, float r) {
  return omega * (inverse * -r);
}

/// A level's Gauss-Seidel half-sweeps and residuals for a thread's cells.
template <bool Seams>
class Sweeper {
 public:
  __device__ __forceinline__ Sweeper(const LevelView& level, const Cells<Seams>& cells) {
#pragma unroll
    for (int n = 0; n < 2; ++n) {
      row_[n] = __ldg(level.j.coefficients + cells.row(n));
      column_[n] = __ldg(level.k.coefficients + cells.column(n));
    }
    // Planes of a stretched axis have diagonals of their own.
    usual_ = level.middle;
#pragma unroll
    for (int n = 0; n < 4; ++n) {
      diagonal_.at[n / 2][n % 2] =
          (row_[n / 2].x + row_[n / 2].y) + (column_[n % 2].x + column_[n % 2].y);
      inverse_.at[n / 2][n % 2] = inverse_of(usual_ + diagonal_.at[n / 2][n % 2]);
      if constexpr (Seams) {
        parity_ |= static_cast<unsigned>((cells.row(n / 2) + cells.column(n % 2)) & 1) << n;
      }
    }
  }

  /// Relaxes the cells of one colour of a plane, which lies between `before` and `after`.
  template <Colour Of, int PlaneParity>
  __device__ __forceinline__ void relax(float omega, const PlaneOfMarch& plane,
                                        const Quad<float>& before, Quad<float>& here,
                                        const Quad<float>& after, const Beside& beside,
                                        const Quad<float>& r) const {
    const float2 along_i = plane.along_i;
    const Quad<float> inverse = inverse_at(along_i.x + along_i.y);
    Quad<float> relaxed_here = here;
#pragma unroll
    for (int row = 0; row < 2; ++row) {
      if constexpr (Seams) {
        const float left = __shfl_up_sync(~0U, here.at[row][1], 1);
        const float right = __shfl_down_sync(~0U, here.at[row][0], 1);
#pragma unroll
        for (int column = 0; column < 2; ++column) {
          const unsigned parity = (parity_ >> (2 * row + column)) + unsigned(plane.cell);
          if ((parity & 1U) == unsigned(Of)) {
            relaxed_here.at[row][column] =
                relax_cell(omega, row, column, along_i, inverse, before, here, after, beside, r,
                           column == 0 ? left : right);
          }
        }
      } else {
        constexpr int columns[2] = {column_of(0, Of, PlaneParity), column_of(1, Of, PlaneParity)};
        const int column = columns[row];
        const float outer = column == 0 ? __shfl_up_sync(~0U, here.at[row][1], 1)
                                        : __shfl_down_sync(~0U, here.at[row][0], 1);
        relaxed_here.at[row][column] =
            relax_cell(omega, row, column, along_i, inverse, before, here, after, beside, r, outer);
      }
    }
    here = relaxed_here;
  }

  /// The same from e = 0: cells of the other colour, and all around them, are 0.
  template <Colour Of, int PlaneParity>
  [[nodiscard]] __device__ __forceinline__ Quad<float> relax_zero(float omega,
                                                                  const PlaneOfMarch& plane,
                                                                  const Quad<float>& r) const {
    const float2 along_i = plane.along_i;
    const Quad<float> inverse = inverse_at(along_i.x + along_i.y);
    Quad<float> result = {};
#pragma unroll
    for (int n = 0; n < 4; ++n) {
      bool of_colour = column_of(n / 2, Of, PlaneParity) == n % 2;
      if constexpr (Seams) {
        of_colour = (((parity_ >> n) + unsigned(plane.cell)) & 1U) == unsigned(Of);
      }
      if (of_colour) {
        result.at[n / 2][n % 2] = started(omega, inverse.at[n / 2][n % 2], r.at[n / 2][n % 2]);
      }
    }
    return result;
  }

  /// r - L e
  [[nodiscard]] __device__ __forceinline__ Quad<float> residual(
      const PlaneOfMarch& plane, const Quad<float>& before, const Quad<float>& here,
      const Quad<float>& after, const Beside& beside, const Quad<float>& r) const {
    const float2 along_i = plane.along_i;
    Quad<float> result;
#pragma unroll
    for (int row = 0; row < 2; ++row) {
      const float left = __shfl_up_sync(~0U, here.at[row][1], 1);
      const float right = __shfl_down_sync(~0U, here.at[row][0], 1);
#pragma unroll
      for (int column = 0; column < 2; ++column) {
        const Faces<float> e =
            beyond_faces(row, column, before, here, after, beside, column == 0 ? left : right);
        result.at[row][column] = inner_residual(
            (along_i.x + along_i.y) + diagonal_.at[row][column], here.at[row][column],
            neighbour_sum(coefficients(row, column, along_i), e), r.at[row][column]);
      }
    }
    return result;
  }

 private:
  [[nodiscard]] __device__ __forceinline__ Quad<float> inverse_at(float along_i) const {
    if (along_i == usual_) {
      return inverse_;
    }
    Quad<float> inverse;
#pragma unroll
    for (int n = 0; n < 4; ++n) {
      inverse.at[n / 2][n % 2] = unusual_inverse(along_i + diagonal_.at[n / 2][n % 2]);
    }
    return inverse;
  }

  [[nodiscard]] __device__ __forceinline__ Faces<float> coefficients(int row, int column,
                                                                     const float2& along_i) const {
    return {along_i.x, along_i.y, row_[row].x, row_[row].y, column_[column].x, column_[column].y};
  }

  [[nodiscard]] __device__ __forceinline__ float relax_cell(
      float omega, int row, int column, const float2& along_i, const Quad<float>& inverse,
      const Quad<float>& before, const Quad<float>& here, const Quad<float>& after,
      const Beside& beside, const Quad<float>& r, float outer) const {
    const float sum = neighbour_sum(coefficients(row, column, along_i),
                                    beyond_faces(row, column, before, here, after, beside, outer));
    return relaxed(omega, inverse.at[row][column], here.at[row][column], sum, r.at[row][column]);
  }

  float usual_;
  float2 row_[2];         ///< lower and upper coefficients
  float2 column_[2];      ///< likewise
  Quad<float> diagonal_;  ///< but for its part of i
  Quad<float> inverse_;   ///< of the diagonal, of usual planes
  unsigned parity_ = 0;   ///< with seams: one bit per cell, of j + k
};

/// Sets a block's shared memory to zero: what is read before anything was left there must be a
/// number, even where the result is discarded.
template <int Threads = block_threads, class Shared>
__device__ __forceinline__ void clear(Shared& shared) {
  auto* const words = reinterpret_cast<unsigned*>(&shared);
  const int thread = static_cast<int>(threadIdx.x + 32 * threadIdx.y);
  for (int n = thread; n < static_cast<int>(sizeof(Shared) / sizeof(unsigned)); n += Threads) {
    words[n] = 0;
  }
  __syncthreads();
}

/// The slab of a block, and where its march begins: at an even plane.
struct Slab {
  int first;
  int end;
  int start;

  __device__ __forceinline__ Slab(const LevelView& level, int planes, int reach)
      : first(level.first_plane + static_cast<int>(blockIdx.z) * planes),
        end(min(first + planes, level.end_plane)),
        start(level.i.periodic ? first - margin_of(reach) : max(first - margin_of(reach), 0)) {}
};

}  // namespace bankfull::poisson::multigrid::cuda
