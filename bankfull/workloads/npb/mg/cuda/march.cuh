#pragma once

#include "bankfull/core/exec/bulk_copy.cuh"
#include "bankfull/core/exec/launch.cuh"
#include "bankfull/workloads/npb/mg/cuda/grids.hpp"
#include "bankfull/workloads/npb/mg/mg.hpp"

#include <algorithm>
#include <cstdint>
#include <cuda_pipeline_primitives.h>
#include <type_traits>

namespace bankfull::npb::mg::cuda {

// How blocks go through a grid.
//
// A block owns a region of 64 columns (i1) by two rows (i2) a warp and marches along i3. A lane
// owns two columns, so the columns beside its own are those of the lanes beside; of the rows
// beside, a thread owns one and finds the others in shared memory, where every thread leaves what
// it formed a step before. Sums over neighbours are carried from plane to plane in registers. The
// outermost lanes and warps form what their neighbours need; what they would write others write.
//
// Warps that have left what others need go on with what needs nothing new of others before they
// wait for the rest of the block.
//
// Planes are copied to shared memory some steps before their turn. A thread copies what it will
// read itself, so it waits for its own copies only.
//
// What lies beyond a rank's points the grid knows: its other end, or ghosts.

inline constexpr int lane_pairs = 30;  ///< pairs of columns that a warp finishes
inline constexpr int fill_planes = 6;  ///< steps of a march before its first and after its last
inline constexpr int copy_slots = 4;   ///< planes of a grid on their way or in use
inline constexpr int row_slots = 32;   ///< double2 of a row in shared memory

/// Of one thread: two rows of two columns.
struct Quad {
  double2 a;
  double2 b;
};

template <class Function, class... Quads>
__device__ __forceinline__ Quad each(const Function& function, const Quads&... of) {
  return {{function(of.a.x...), function(of.a.y...)}, {function(of.b.x...), function(of.b.y...)}};
}

/// Sums of the columns left and right of each.
__device__ __forceinline__ double2 beside(const double2& c) {
  return {__shfl_up_sync(~0U, c.y, 1) + c.y, c.x + __shfl_down_sync(~0U, c.x, 1)};
}

__device__ __forceinline__ double2 operator+(const double2& x, const double2& y) {
  return {x.x + y.x, x.y + y.y};
}

__device__ __forceinline__ Quad beside(const Quad& c) { return {beside(c.a), beside(c.b)}; }

// Of a 27-point sum, what the columns left and right of a point give has the same weights as what
// their own column gives a point, moved by one class of neighbours. It is added up over rows and
// planes first, so that lanes exchange one value a point.

/// r = v - A u, plane after plane.
class Residual {
 public:
  /// Takes a plane of u, the sums of the rows beside each, and v; returns r of the plane before.
  __device__ __forceinline__ Quad advance(const Quad& u, const Quad& rows, const Quad& v) {
    constexpr double centre = operator_weights[0];
    constexpr double edge = operator_weights[2];
    constexpr double corner = operator_weights[3];
    static_assert(operator_weights[1] == 0.0 && edge == 2.0 * corner,
                  "columns beside: corner (2 faces + edges)");
    const Quad column = each([](double at, double row) { return fma(2.0, at, row); }, u, rows);
    const Quad columns = beside(each([](double x, double y) { return x + y; }, columns_, column));
    const Quad r = each(
        [](double own, double row, double columns_beside) {
          return fma(-corner, columns_beside, fma(-edge, row, own));
        },
        own_, rows, columns);
    own_ = each([](double source, double row_before,
                   double at) { return fma(-edge, row_before, fma(-centre, at, source)); },
                v, rows_, u);
    columns_ = each([](double row, double before) { return fma(2.0, row, before); }, rows, column_);
    rows_ = rows;
    column_ = column;
    return r;
  }

 private:
  // Of the last plane, but for the plane to come:
  Quad own_ = {};      ///< v less what its own column gives
  Quad columns_ = {};  ///< what its column gives the columns beside, over corner
  // What the last plane gives the planes beside:
  Quad rows_ = {};    ///< to the same column, over edge
  Quad column_ = {};  ///< to the columns beside, over corner
};

/// w + S r, plane after plane.
class Smoother {
 public:
  __device__ __forceinline__ explicit Smoother(const Weights& weights)
      : centre_(weights[0]), face_(weights[1]), edge_(weights[2]) {}

  /// Takes a plane of w, of r and the sums of the rows beside each of r; returns the plane before,
  /// smoothed.
  __device__ __forceinline__ Quad advance(const Quad& w, const Quad& r, const Quad& rows) {
    const Quad column =
        each([this](double at, double row) { return fma(edge_, row, face_ * at); }, r, rows);
    const Quad columns = beside(
        each([this](double before, double at) { return fma(edge_, at, before); }, columns_, r));
    const Quad smoothed =
        each([](double x, double y, double z) { return (x + y) + z; }, own_, column, columns);
    own_ = each([this](double iterate, double before, double at,
                       double row) { return fma(centre_, at, fma(face_, row, iterate + before)); },
                w, column_, r, rows);
    columns_ = each([this](double here, double at) { return fma(edge_, at, here); }, column, last_);
    column_ = column;
    last_ = r;
    return smoothed;
  }

 private:
  double centre_;
  double face_;
  double edge_;
  // Of the last plane, but for the plane to come:
  Quad own_ = {};      ///< w and what its own column gives
  Quad columns_ = {};  ///< what its column gives the columns beside
  // What the last plane gives the planes beside, and r itself there:
  Quad column_ = {};
  Quad last_ = {};
};

/// A plane of a region in shared memory.
template <int Warps>
struct SharedPlane {
  double2 at[std::size_t{2 * Warps * row_slots}];
};

/// Planes of a region in turn; a power of two of them.
template <int Warps, int Slots>
struct SharedPlanes {
  SharedPlane<Warps> slot[std::size_t{Slots}];

  __device__ __forceinline__ SharedPlane<Warps>& of(int plane) { return slot[plane & (Slots - 1)]; }
};

/// A barrier of a block's warps in two halves: work between them needs nothing of other warps that
/// they have not left before their last arrival.
class SplitBarrier {
 public:
  /// `place`: in shared memory. The whole block calls it.
  __device__ __forceinline__ SplitBarrier(std::uint64_t& place, unsigned warps)
      : barrier_{shared_address(&place)} {
    if constexpr (split) {
      if (threadIdx.x == 0 && threadIdx.y == 0) {
        barrier_.initialise(warps);
      }
      __syncthreads();
    }
  }

  __device__ __forceinline__ void arrive() const {
    if constexpr (split) {
      __syncwarp();
      if (threadIdx.x == 0) {
        barrier_.arrive();
      }
    }
  }

  __device__ __forceinline__ void wait() {
    if constexpr (split) {
      barrier_.wait(parity_);
      parity_ ^= 1U;
    } else {
      __syncthreads();
    }
  }

 private:
  static constexpr bool split = compiled_capability >= bulk_copy_capability;

  CopyBarrier barrier_;
  unsigned parity_ = 0;
};

/// A thread's place in its block's region and in the grid.
template <int Warps>
struct Place {
  int lane;
  int warp;
  int pair;      ///< columns 2 pair and 2 pair + 1, from -1 to one beyond the last
  int row_pair;  ///< rows 2 row_pair and 2 row_pair + 1, likewise
  bool owner;    ///< whether what it forms of the result is wanted
  // Places in shared planes. The region's first and last warp find rows of their own beside theirs:
  // nobody wants what they make of it.
  int own_row;
  int row_above;
  int row_below;

  /// Of tile (blockIdx.x, blockIdx.y) of a grid of so many pairs of columns and of rows.
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
    // Threads further on are wanted by nobody.
    pair = min(column, pairs);
    row_pair = min(row, row_pairs);
  }

  /// Sums of the rows beside each of the thread's.
  __device__ __forceinline__ Quad beside_rows(const Quad& at,
                                              const SharedPlane<Warps>& plane) const {
    return {plane.at[row_above] + at.b, at.a + plane.at[row_below]};
  }
  __device__ __forceinline__ Quad own(const SharedPlane<Warps>& plane) const {
    return {plane.at[own_row], plane.at[own_row + row_slots]};
  }
  __device__ __forceinline__ void leave(const Quad& values, SharedPlane<Warps>& plane) const {
    plane.at[own_row] = values.a;
    plane.at[own_row + row_slots] = values.b;
  }
};

/// A thread's points in the planes of a grid.
template <class Grid>
class Points {
 public:
  template <int Warps>
  __device__ __forceinline__ Points(const Grid& grid, const Place<Warps>& place)
      : grid_(grid), own_(grid.row(2 * place.row_pair) + grid.column(2 * place.pair)) {}

  /// Begins to copy a plane of the grid.
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
    *reinterpret_cast<double2*>(at) = points.a;
    *reinterpret_cast<double2*>(at + grid_.row_pitch()) = points.b;
  }

  /// The same past what caches keep.
  __device__ __forceinline__ void stream(const Quad& points, int plane, double* values) const {
    double* const at = values + grid_.plane(plane) + own_;
    __stcs(reinterpret_cast<double2*>(at), points.a);
    __stcs(reinterpret_cast<double2*>(at + grid_.row_pitch()), points.b);
  }

 private:
  Grid grid_;
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

/// Until the last of so many multiprocessors, each with one block at a time, is done: steps, which
/// take longer the more warps go along, and a bit however few they are.
inline int time_of(const MarchPlan& plan, int multiprocessors) {
  constexpr int step_overhead = 4;  // in warps' time
  const int rounds = parts_of(plan.blocks(), multiprocessors);
  return rounds * (2 * plan.plane_pairs + fill_planes) * (plan.warps + step_overhead);
}

/// Blocks of these warps, in the best slabs.
template <class Grid>
MarchPlan plan_march(const Grid& grid, int warps, int multiprocessors) {
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
inline constexpr int fewest_warps = 8;
inline constexpr int most_warps = 16;

/// What a GPU sets to plans.
struct MarchLimits {
  int multiprocessors;
  int warps;  ///< of a block whose planes shared memory holds
};

/// body(std::integral_constant<int, warps>{}) for the warps that blocks can have.
template <class Body>
void with_warps(int warps, const Body& body) {
  switch (warps) {
    case most_warps:
      return body(std::integral_constant<int, most_warps>{});
    case 12:
      return body(std::integral_constant<int, 12>{});
    default:
      return body(std::integral_constant<int, fewest_warps>{});
  }
}

/// The best plan of all whose blocks have at most so many warps.
template <class Grid>
MarchPlan plan_march(const Grid& grid, const MarchLimits& limits) {
  MarchPlan best = plan_march(grid, fewest_warps, limits.multiprocessors);
  for (const int warps : {12, most_warps}) {
    const MarchPlan plan = plan_march(grid, warps, limits.multiprocessors);
    if (warps <= limits.warps &&
        time_of(plan, limits.multiprocessors) < time_of(best, limits.multiprocessors)) {
      best = plan;
    }
  }
  return best;
}

}  // namespace bankfull::npb::mg::cuda
