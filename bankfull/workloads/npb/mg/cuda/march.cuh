#pragma once

#include "bankfull/core/exec/launch.cuh"
#include "bankfull/core/exec/vector16.cuh"
#include "bankfull/workloads/npb/mg/mg.hpp"

#include <cstdint>

namespace bankfull::npb::mg::cuda {

// How blocks go through a grid.
//
// A block owns a region of 64 columns (i1) by two rows (i2) a warp and marches along i3. A lane
// owns two columns, so the columns beside its own are those of the lanes beside; of the rows
// beside, a thread owns one and finds the others in shared memory, where every thread leaves what
// it formed a step before. Sums over neighbours are carried from plane to plane in registers. The
// outermost lanes and warps form what their neighbours need; what they would write others write.
//
// Grids are periodic without ghosts: coordinates wrap, for sides are powers of two.

inline constexpr int lane_pairs = 30;  ///< pairs of columns that a warp finishes
inline constexpr int fill_planes = 6;  ///< steps of a march before its first and after its last
inline constexpr std::size_t row_slots = 32;  ///< double2 of a row in shared memory

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

/// Sums over neighbours in the plane: the four that share a face, the four that share an edge.
struct InPlane {
  Quad faces;
  Quad edges;
};

__device__ __forceinline__ InPlane in_plane(const double2& above, const Quad& at,
                                            const double2& below) {
  const double2 beside_a = beside(at.a);
  const double2 beside_b = beside(at.b);
  return {{(above + at.b) + beside_a, (at.a + below) + beside_b},
          {beside(above) + beside_b, beside_a + beside(below)}};
}

/// r = v - A u, plane after plane.
class Residual {
 public:
  /// Takes a plane of u and v; returns r of the plane before.
  __device__ __forceinline__ Quad advance(const Quad& u, const InPlane& sums, const Quad& v) {
    static_assert(operator_weights[1] == 0.0, "faces have no weight in A");
    const Quad beside_plane =
        each([](double face,
                double edge) { return fma(operator_weights[2], face, operator_weights[3] * edge); },
             sums.faces, sums.edges);
    const Quad r = each([](double x, double y) { return x - y; }, begun_, beside_plane);
    begun_ = each(
        [](double source, double before, double centre, double edge) {
          return fma(-operator_weights[0], centre,
                     fma(-operator_weights[2], edge, source - before));
        },
        v, beside_plane_, u, sums.edges);
    beside_plane_ = beside_plane;
    return r;
  }

 private:
  Quad begun_ = {};         ///< r of the last plane but for the plane to come
  Quad beside_plane_ = {};  ///< what the last plane takes off its neighbours
};

/// w + S r, plane after plane.
class Smoother {
 public:
  __device__ __forceinline__ explicit Smoother(const Weights& weights)
      : centre_(weights[0]), face_(weights[1]), edge_(weights[2]) {}

  /// Takes a plane of w and r; returns the plane before, smoothed.
  __device__ __forceinline__ Quad advance(const Quad& w, const Quad& r, const InPlane& sums) {
    const Quad beside_plane = each(
        [this](double at, double face) { return fma(edge_, face, face_ * at); }, r, sums.faces);
    const Quad smoothed = each([](double x, double y) { return x + y; }, begun_, beside_plane);
    begun_ = each(
        [this](double iterate, double before, double at, double face, double edge) {
          return fma(centre_, at, fma(face_, face, fma(edge_, edge, iterate + before)));
        },
        w, beside_plane_, r, sums.faces, sums.edges);
    beside_plane_ = beside_plane;
    return smoothed;
  }

 private:
  double centre_;
  double face_;
  double edge_;
  Quad begun_ = {};
  Quad beside_plane_ = {};
};

/// A plane of a region in shared memory.
template <int Warps>
struct SharedPlane {
  double2 row[std::size_t{2} * Warps][row_slots];
};

/// A thread's place in its block's region and in the grid.
template <int Warps>
struct Place {
  int lane;
  int warp;
  int pair;      ///< columns 2 pair and 2 pair + 1
  int row_pair;  ///< rows 2 row_pair and 2 row_pair + 1
  bool owner;    ///< whether what it forms of the result is wanted

  /// Of tile (blockIdx.x, blockIdx.y) of a grid of `pairs` pairs of columns and of rows.
  __device__ __forceinline__ explicit Place(int pairs)
      : lane(static_cast<int>(threadIdx.x)), warp(static_cast<int>(threadIdx.y)) {
    const int column = static_cast<int>(blockIdx.x) * lane_pairs + lane - 1;
    const int row = static_cast<int>(blockIdx.y) * (Warps - 2) + warp - 1;
    owner = lane > 0 && lane <= lane_pairs && column < pairs && warp > 0 && warp < Warps - 1 &&
            row < pairs;
    pair = column & (pairs - 1);
    row_pair = row & (pairs - 1);
  }

  /// Rows beside the thread's own. The region's first and last warp find some of their own: nobody
  /// wants what they make of it.
  __device__ __forceinline__ double2 above(const SharedPlane<Warps>& plane) const {
    return plane.row[max(2 * warp - 1, 0)][lane];
  }
  __device__ __forceinline__ double2 below(const SharedPlane<Warps>& plane) const {
    return plane.row[min(2 * warp + 2, 2 * Warps - 1)][lane];
  }
  __device__ __forceinline__ Quad own(const SharedPlane<Warps>& plane) const {
    return {plane.row[2 * warp][lane], plane.row[2 * warp + 1][lane]};
  }
  __device__ __forceinline__ void leave(const Quad& values, SharedPlane<Warps>& plane) const {
    plane.row[2 * warp][lane] = values.a;
    plane.row[2 * warp + 1][lane] = values.b;
  }
};

/// A thread's points in the planes of a grid.
class Points {
 public:
  template <int Warps>
  __device__ __forceinline__ Points(int side, const Place<Warps>& place)
      : side_(side),
        plane_(side * side),
        own_(std::int64_t{2} * place.row_pair * side + 2 * place.pair) {}

  /// What is not read again soon, and not written during the kernel.
  __device__ __forceinline__ Quad load(const double* grid, int plane) const {
    const double* const at = grid + offset(plane);
    return {pair_of(load_once(at)), pair_of(load_once(at + side_))};
  }

  __device__ __forceinline__ void store(const Quad& values, int plane, double* grid) const {
    double* const at = grid + offset(plane);
    *reinterpret_cast<double2*>(at) = values.a;
    *reinterpret_cast<double2*>(at + side_) = values.b;
  }

  /// The same past what caches keep.
  __device__ __forceinline__ void stream(const Quad& values, int plane, double* grid) const {
    double* const at = grid + offset(plane);
    __stcs(reinterpret_cast<double2*>(at), values.a);
    __stcs(reinterpret_cast<double2*>(at + side_), values.b);
  }

 private:
  static __device__ __forceinline__ double2 pair_of(const Vector16<double>& v) {
    return {v.lane[0], v.lane[1]};
  }
  [[nodiscard]] __device__ __forceinline__ std::int64_t offset(int plane) const {
    return std::int64_t{plane & (side_ - 1)} * plane_ + own_;
  }

  int side_;
  int plane_;  ///< points of one
  std::int64_t own_;
};

/// How a grid is shared out: tiles of a plane by slabs of pairs of planes.
struct MarchPlan {
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

/// The plan with the fewest steps until the last of so many multiprocessors is done, one block on
/// each.
inline MarchPlan plan_march(int side, int warps, int multiprocessors) {
  const int pairs = side / 2;
  const int tiles_1 = parts_of(pairs, lane_pairs);
  const int tiles_2 = parts_of(pairs, warps - 2);
  MarchPlan best{};
  int fewest_steps = 0;
  for (int plane_pairs = pairs; plane_pairs > 0; --plane_pairs) {
    const MarchPlan plan{tiles_1, tiles_2, parts_of(pairs, plane_pairs), plane_pairs};
    const int steps = parts_of(plan.blocks(), multiprocessors) * (2 * plane_pairs + fill_planes);
    if (best.slabs == 0 || steps < fewest_steps) {
      best = plan;
      fewest_steps = steps;
    }
  }
  return best;
}

}  // namespace bankfull::npb::mg::cuda
