#pragma once

#include "bankfull/core/exec/launch.cuh"
#include "bankfull/core/exec/vector16.cuh"
#include "bankfull/workloads/npb/mg/cuda/grids.hpp"
#include "bankfull/workloads/npb/mg/mg.hpp"

#include <cstddef>
#include <cuda_pipeline_primitives.h>
#include <type_traits>

namespace bankfull::npb::mg::cuda {

// How blocks traverse a grid.
//
// A block owns a region of 64 columns (i1) by two rows (i2) per warp and marches along i3. A lane
// owns two columns, so the columns beside its own are those of the lanes beside; of the rows
// beside, a thread owns one and finds the others in shared memory, where every thread leaves what
// it formed a step before. Sums over neighbours are carried from plane to plane in registers. The
// outermost lanes and warps compute only what their neighbours need; their own points are written
// by other blocks.
//
// On the way down, planes are prefetched to registers one step ahead. The way up has no registers
// to spare: planes are copied to shared memory some steps ahead. A thread copies what it will read
// itself, so it waits for its own copies only.
//
// The grid defines the points beyond a rank's own: the other end, or ghosts.

inline constexpr int lane_pairs = 30;  ///< pairs of columns that a warp finishes
inline constexpr int fill_planes = 6;  ///< steps of a march before its first and after its last
inline constexpr int row_slots = 32;   ///< double2 of a row in shared memory

template <class Row, int Rows>
struct RowsOf {
  Row row[std::size_t{Rows}];
};

/// Points of one thread: rows of two columns.
template <int Rows>
using Patch = RowsOf<double2, Rows>;

/// Those of the passes that read a grid once per V-cycle and direction.
using Quad = Patch<2>;

/// For two columns.
template <class Function, class... Columns>
__device__ __forceinline__ double2 each_column(const Function& function, const Columns&... of) {
  return {function(of.x...), function(of.y...)};
}

template <class Function, int Rows, class... Patches>
__device__ __forceinline__ Patch<Rows> each(const Function& function, const Patch<Rows>& first,
                                            const Patches&... others) {
  Patch<Rows> result;
#pragma unroll
  for (int n = 0; n < Rows; ++n) {
    result.row[n] = each_column(function, first.row[n], others.row[n]...);
  }
  return result;
}

__device__ __forceinline__ double2 operator+(const double2& x, const double2& y) {
  return {x.x + y.x, x.y + y.y};
}

/// A thread's columns of a row and those beside them.
struct WideRow {
  double2 at;
  double left;
  double right;
};

__device__ __forceinline__ WideRow operator+(const WideRow& x, const WideRow& y) {
  return {x.at + y.at, x.left + y.left, x.right + y.right};
}

/// Asks the lanes beside.
__device__ __forceinline__ WideRow widen(const double2& row) {
  return {row, __shfl_up_sync(~0U, row.y, 1), __shfl_down_sync(~0U, row.x, 1)};
}

/// Sums of the columns left and right of each.
__device__ __forceinline__ double2 beside(const WideRow& c) {
  return {c.left + c.at.y, c.at.x + c.right};
}

/// Sums of the rows beside each; `above` and `below`: those beyond the first and the last.
template <int Rows>
__device__ __forceinline__ Patch<Rows> beside_rows(const Patch<Rows>& at, const double2& above,
                                                   const double2& below) {
  Patch<Rows> sums;
#pragma unroll
  for (int n = 0; n < Rows; ++n) {
    sums.row[n] = (n > 0 ? at.row[n > 0 ? n - 1 : 0] : above) +
                  (n < Rows - 1 ? at.row[n < Rows - 1 ? n + 1 : 0] : below);
  }
  return sums;
}

/// Sums over the neighbours, within the plane, of a thread's columns of a row.
struct Neighbours {
  double2 faces;
  double2 edges;
};

/// `beside_rows`: the sum of the rows beside.
__device__ __forceinline__ Neighbours neighbours_of(const WideRow& row,
                                                    const WideRow& beside_rows) {
  return {beside_rows.at + beside(row), beside(beside_rows)};
}

/// Those of a thread's rows; `above` and `below`: the rows beyond the first and the last.
template <int Rows>
__device__ __forceinline__ RowsOf<Neighbours, Rows> neighbours_of(const Patch<Rows>& at,
                                                                  const double2& above,
                                                                  const double2& below) {
  RowsOf<Neighbours, Rows> of;
  if constexpr (Rows > 2) {
    // Fewer exchanges than with sums of rows, for more additions. In this order registers suffice.
    WideRow before = widen(above);
    WideRow here = widen(at.row[0]);
#pragma unroll
    for (int n = 0; n < Rows; ++n) {
      const WideRow after = widen(n < Rows - 1 ? at.row[n < Rows - 1 ? n + 1 : 0] : below);
      of.row[n] = neighbours_of(here, before + after);
      before = here;
      here = after;
    }
  } else {
    const Patch<Rows> sums = beside_rows(at, above, below);
#pragma unroll
    for (int n = 0; n < Rows; ++n) {
      of.row[n] = neighbours_of(widen(at.row[n]), widen(sums.row[n]));
    }
  }
  return of;
}

/// r = v - A u in a row, plane after plane.
class Residual {
 public:
  /// Takes a plane of u, the sums over neighbours in it, and v; returns r of the plane before.
  __device__ __forceinline__ double2 advance(const double2& u, const Neighbours& beside_u,
                                             const double2& v) {
    static_assert(operator_weights[1] == 0.0, "faces have no weight in A");
    const double2 beside_plane = each_column(
        [](double face, double edge) {
          return fma(operator_weights[2], face, operator_weights[3] * edge);
        },
        beside_u.faces, beside_u.edges);
    const double2 r = each_column([](double x, double y) { return x - y; }, begun_, beside_plane);
    begun_ = each_column(
        [](double source, double before, double centre, double edge) {
          return fma(-operator_weights[0], centre,
                     fma(-operator_weights[2], edge, source - before));
        },
        v, beside_plane_, u, beside_u.edges);
    beside_plane_ = beside_plane;
    return r;
  }

 private:
  double2 begun_ = {};         ///< r of the last plane but for the plane to come
  double2 beside_plane_ = {};  ///< what the last plane takes off its neighbours
};

/// w + S r in a row, plane after plane.
class Smoother {
 public:
  /// Takes a plane of w, of r and the sums over neighbours of r in it; returns the plane before,
  /// smoothed.
  __device__ __forceinline__ double2 advance(const Weights& weights, const double2& w,
                                             const double2& r, const Neighbours& beside_r) {
    const double centre = weights[0];
    const double face_weight = weights[1];
    const double edge_weight = weights[2];
    const double2 beside_plane = each_column(
        [&](double at, double face) { return fma(edge_weight, face, face_weight * at); }, r,
        beside_r.faces);
    const double2 smoothed = begun_ + beside_plane;
    begun_ = each_column(
        [&](double iterate, double before, double at, double face, double edge) {
          return fma(centre, at, fma(face_weight, face, fma(edge_weight, edge, iterate + before)));
        },
        w, beside_plane_, r, beside_r.faces, beside_r.edges);
    beside_plane_ = beside_plane;
    return smoothed;
  }

 private:
  double2 begun_ = {};         ///< the last plane, smoothed but for the plane to come
  double2 beside_plane_ = {};  ///< what the last plane adds to its neighbours
};

/// A plane of a region in shared memory.
template <int Warps>
struct SharedPlane {
  double2 at[std::size_t{2 * Warps * row_slots}];
};

/// A thread's place in its block's region and in the grid.
template <int Warps>
struct Place {
  int lane;
  int warp;
  int pair;      ///< columns 2 pair and 2 pair + 1, from -1 to one beyond the last
  int row_pair;  ///< rows 2 row_pair and 2 row_pair + 1, likewise
  bool owner;    ///< whether it writes its points of the result
  // Places in shared planes. The region's first and last warp use their own rows as neighbours:
  // their results are discarded.
  int own_row;
  int row_above;
  int row_below;

  /// The place in tile (blockIdx.x, blockIdx.y) of a grid of so many pairs of columns and of rows.
  __device__ __forceinline__ Place(int pairs, int row_pairs)
      : lane(static_cast<int>(threadIdx.x)),
        warp(static_cast<int>(threadIdx.y)),
        own_row(2 * warp * row_slots + lane),
        row_above(max(2 * warp - 1, 0) * row_slots + lane),
        row_below(min(2 * warp + 2, 2 * Warps - 1) * row_slots + lane) {
    const int column = static_cast<int>(blockIdx.x) * lane_pairs + lane - 1;
    const int row = static_cast<int>(blockIdx.y) * (Warps - 2) + warp - 1;
    owner = lane > 0 && lane <= lane_pairs && column < pairs && warp > 0 && warp < Warps - 1 &&
            row < row_pairs;
    // The results of threads further on are not used.
    pair = min(column, pairs);
    row_pair = min(row, row_pairs);
  }

  /// Sums over neighbours of the thread's points, of which the rows beyond are in `plane`.
  __device__ __forceinline__ RowsOf<Neighbours, 2> neighbours(
      const Quad& at, const SharedPlane<Warps>& plane) const {
    return neighbours_of(at, plane.at[row_above], plane.at[row_below]);
  }
  __device__ __forceinline__ Quad own(const SharedPlane<Warps>& plane) const {
    return {plane.at[own_row], plane.at[own_row + row_slots]};
  }
  __device__ __forceinline__ void leave(const Quad& values, SharedPlane<Warps>& plane) const {
    plane.at[own_row] = values.row[0];
    plane.at[own_row + row_slots] = values.row[1];
  }
};

/// A thread's points in the planes of a grid.
template <class GridType>
class Points {
 public:
  template <int Warps>
  __device__ __forceinline__ Points(const GridType& grid, const Place<Warps>& place)
      : grid_(grid), own_(grid.row(2 * place.row_pair) + grid.column(2 * place.pair)) {}

  /// A plane of the grid, which is not written during the kernel.
  __device__ __forceinline__ Quad load(const double* values, int plane) const {
    const double* const at = values + grid_.plane(plane) + own_;
    return {{pair_of(load_once(at)), pair_of(load_once(at + grid_.row_pitch()))}};
  }

  /// Starts copying a plane of the grid.
  template <int Warps>
  __device__ __forceinline__ void copy(const double* values, int plane, const Place<Warps>& place,
                                       SharedPlane<Warps>& to) const {
    const double* const at = values + grid_.plane(plane) + own_;
    __pipeline_memcpy_async(&to.at[place.own_row], at, sizeof(double2));
    __pipeline_memcpy_async(&to.at[place.own_row + row_slots], at + grid_.row_pitch(),
                            sizeof(double2));
  }

  __device__ __forceinline__ void store(const Quad& points, int plane, double* values) const {
    double* const at = values + grid_.plane(plane) + own_;
    *reinterpret_cast<double2*>(at) = points.row[0];
    *reinterpret_cast<double2*>(at + grid_.row_pitch()) = points.row[1];
  }

  /// The same with streaming stores.
  __device__ __forceinline__ void stream(const Quad& points, int plane, double* values) const {
    double* const at = values + grid_.plane(plane) + own_;
    __stcs(reinterpret_cast<double2*>(at), points.row[0]);
    __stcs(reinterpret_cast<double2*>(at + grid_.row_pitch()), points.row[1]);
  }

 private:
  static __device__ __forceinline__ double2 pair_of(const Vector16<double>& v) {
    return {v.lane[0], v.lane[1]};
  }

  GridType grid_;
  int own_;  ///< in a plane
};

/// How a grid is shared out: tiles of a plane by slabs of pairs of planes.
struct MarchPlan {
  int warps;  ///< of a block
  int tiles_1;
  int tiles_2;
  int slabs;
  int plane_pairs;  ///< of a slab

  [[nodiscard]] dim3 grid() const {
    return {static_cast<unsigned>(tiles_1), static_cast<unsigned>(tiles_2),
            static_cast<unsigned>(slabs)};
  }
  [[nodiscard]] int blocks() const { return tiles_1 * tiles_2 * slabs; }
};

constexpr int parts_of(int count, int part) { return (count + part - 1) / part; }

/// Estimated time until the last multiprocessor, with one block at a time, is done: the number of
/// steps times their duration, which grows with the number of warps from a fixed overhead.
inline int time_of(const MarchPlan& plan, int multiprocessors) {
  constexpr int step_overhead = 2;  // in warps' time
  const int rounds = parts_of(plan.blocks(), multiprocessors);
  return rounds * (2 * plan.plane_pairs + fill_planes) * (plan.warps + step_overhead);
}

/// Blocks of these warps, in the best slabs.
template <class GridType>
MarchPlan plan_march(const GridType& grid, int warps, int multiprocessors) {
  const int pairs = grid.planes() / 2;
  MarchPlan best{warps, parts_of(grid.columns() / 2, lane_pairs),
                 parts_of(grid.rows() / 2, warps - 2), 1, pairs};
  for (int plane_pairs = pairs - 1; plane_pairs > 0; --plane_pairs) {
    MarchPlan plan = best;
    plan.slabs = parts_of(pairs, plane_pairs);
    plan.plane_pairs = plane_pairs;
    if (time_of(plan, multiprocessors) < time_of(best, multiprocessors)) {
      best = plan;
    }
  }
  return best;
}

/// Warps of the smallest and of the largest blocks there are.
inline constexpr int min_warps = 8;
inline constexpr int max_warps = 16;

/// A GPU's limits for the plans of a pass.
struct MarchLimits {
  int multiprocessors;
  int warps;  ///< of a block, at most
};

/// body(std::integral_constant<int, warps>{}) for the warps that blocks can have.
template <class Body>
void with_warps(int warps, const Body& body) {
  switch (warps) {
    case max_warps:
      return body(std::integral_constant<int, max_warps>{});
    case 12:
      return body(std::integral_constant<int, 12>{});
    default:
      return body(std::integral_constant<int, min_warps>{});
  }
}

/// The best plan of all.
template <class GridType>
MarchPlan plan_march(const GridType& grid, const MarchLimits& limits) {
  MarchPlan best = plan_march(grid, min_warps, limits.multiprocessors);
  for (const int warps : {12, max_warps}) {
    const MarchPlan plan = plan_march(grid, warps, limits.multiprocessors);
    if (warps <= limits.warps &&
        time_of(plan, limits.multiprocessors) < time_of(best, limits.multiprocessors)) {
      best = plan;
    }
  }
  return best;
}

}  // namespace bankfull::npb::mg::cuda
