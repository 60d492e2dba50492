#include "bankfull/workloads/npb/mg/cuda/turn.hpp"

#include "bankfull/workloads/npb/mg/cuda/ascend.cuh"
#include "bankfull/workloads/npb/mg/cuda/descend.cuh"

namespace bankfull::npb::mg::cuda {
namespace {

// At step n a thread forms w of plane n, r = v - A w of plane n - 1, the next u of plane n - 2 and
// its residual in plane n - 3, and restricts that. Between these stages warps exchange the rows at
// their edges, so a step has three barriers. Four rows per thread are half as many exchanges per
// point as two, and sums over planes stay in registers, of which eight warps have all there are.
// A thread copies what it will read itself to shared memory, two planes ahead, so it waits for its
// own copies only. (The copy engine would be asked row by row, in a loop over the lanes that ask.)
//
// A region finishes less than it computes by `turn_halo` rows and columns on each side.

constexpr int turn_halo = 4;
constexpr int turn_rows = 4;  ///< of a thread
constexpr int turn_columns = 64;
constexpr int turn_lanes = turn_columns / 2;
constexpr int turn_pairs = turn_lanes - turn_halo;  ///< of columns that a warp finishes
constexpr int turn_warps = 8;

/// Rows of a warp in shared memory.
struct TurnRows {
  double2 at[turn_rows][turn_lanes];
};

/// The first and the last row of a warp.
struct TurnEdges {
  double2 first[turn_lanes];
  double2 last[turn_lanes];
};

/// What a warp has in shared memory.
struct TurnShared {
  static constexpr int v_slots = 5;

  TurnRows u[2];        ///< by plane
  TurnRows v[v_slots];  ///< two planes ahead to two behind
  TurnRows w[2];        ///< by plane
  TurnEdges r;
  TurnEdges next;
  double2 residual[turn_lanes];  ///< in the first row
};

/// One block of the turn.
class TurnBlock {
 public:
  __device__ __forceinline__ TurnBlock(const TurnArguments& arguments, TurnShared* shared)
      : f_(arguments),
        lane_(static_cast<int>(threadIdx.x)),
        own_(shared[threadIdx.y]),
        // The region's first and last warp use their own rows as neighbours: their results are
        // discarded.
        above_(shared[max(static_cast<int>(threadIdx.y) - 1, 0)]),
        below_(shared[min(static_cast<int>(threadIdx.y) + 1, turn_warps - 1)]),
        pair_(static_cast<int>(blockIdx.x) * turn_pairs + lane_ - turn_halo / 2),
        row_(static_cast<int>(blockIdx.y) * (turn_warps - 2) * turn_rows +
             static_cast<int>(threadIdx.y) * turn_rows - turn_halo),
        offset_(f_.grids.fine.row(row_) + f_.grids.fine.column(2 * pair_)),
        first_(2 * static_cast<int>(blockIdx.z) * f_.plane_pairs),
        end_(min(first_ + 2 * f_.plane_pairs, f_.grids.fine.planes())) {
    const int warp = static_cast<int>(threadIdx.y);
    owner_ = lane_ >= turn_halo / 2 && lane_ < turn_lanes - turn_halo / 2 && warp > 0 &&
             warp < turn_warps - 1 && pair_ < f_.grids.fine.columns() / 2 &&
             row_ < f_.grids.fine.rows();
  }

  __device__ __forceinline__ void run() {
    copy(first_ - turn_halo, 0);
    copy(first_ - turn_halo + 1, 1);
    here_ = load_coarse(first_ / 2 - 3);
    asked_ = load_coarse(first_ / 2 - 2);
    for (int plane = first_ - turn_halo; plane < end_ + turn_halo; plane += 2) {
      step<false>(plane);
      step<true>(plane + 1);
    }
    __syncthreads();
    restrict_last_row<false>(end_);
  }

 private:
  /// A coarse plane at the thread's points: rows from the one before its first on; x: the column
  /// before.
  struct Coarse {
    double2 row[turn_rows / 2 + 1];
  };

  using TurnNeighbours = RowsOf<Neighbours, turn_rows>;

  /// v so many planes after that of the step, modulo the slots.
  [[nodiscard]] __device__ __forceinline__ TurnRows& v_at(int offset) const {
    const int slot = v_slot_ + offset;
    return own_.v[slot >= TurnShared::v_slots ? slot - TurnShared::v_slots : slot];
  }

  [[nodiscard]] __device__ __forceinline__ Coarse load_coarse(int plane) const {
    const Cube& grid = f_.grids.coarse;
    const double* const at = f_.coarse + grid.plane(plane);
    const int column_before = grid.column(pair_ - 1);
    const int column = grid.column(pair_);
    Coarse coarse;
#pragma unroll
    for (int n = 0; n <= turn_rows / 2; ++n) {
      const double* const row = at + grid.row(row_ / 2 - 1 + n);
      coarse.row[n] = {__ldg(row + column_before), __ldg(row + column)};
    }
    return coarse;
  }

  /// Starts copying u and v of the plane of a step so many steps ahead, if there is one.
  __device__ __forceinline__ void copy(int plane, int ahead) const {
    if (plane < end_ + turn_halo) {
      const std::int64_t at = f_.grids.fine.plane(plane) + offset_;
      copy_rows(f_.u + at, own_.u[plane & 1]);
      copy_rows(f_.v + at, v_at(ahead));
    }
    __pipeline_commit();
  }
  __device__ __forceinline__ void copy_rows(const double* from, TurnRows& to) const {
#pragma unroll
    for (int n = 0; n < turn_rows; ++n) {
      __pipeline_memcpy_async(&to.at[n][lane_], from + n * f_.grids.fine.row_pitch(),
                              sizeof(double2));
    }
  }

  template <bool Odd>
  __device__ __forceinline__ void step(int plane) {
    __pipeline_wait_prior(1);
    const Patch<turn_rows> w = form_iterate<Odd>();
    __syncthreads();
    if constexpr (Odd) {
      asked_ = load_coarse((plane + 1) / 2);
    }
    copy(plane + 2, 2);
    restrict_last_row<Odd>(plane - 4);
    const Patch<turn_rows> r = form_residual<Odd>(w);
    __syncthreads();
    const Patch<turn_rows> next = smooth<Odd>(r);
    write(plane - 2, next);
    __syncthreads();
    restrict_residual<!Odd>(plane - 3, next);
    v_slot_ = v_slot_ == TurnShared::v_slots - 1 ? 0 : v_slot_ + 1;
  }

  /// Q coarse on a coarse plane.
  [[nodiscard]] static __device__ __forceinline__ Patch<turn_rows> interpolated(
      const Coarse& coarse) {
    Patch<turn_rows> on;
#pragma unroll
    for (int n = 0; n < turn_rows / 2; ++n) {
      const Quad points = interpolate(coarse.row[n], coarse.row[n + 1]);
      on.row[2 * n] = points.row[0];
      on.row[2 * n + 1] = points.row[1];
    }
    return on;
  }

  template <bool Odd>
  __device__ __forceinline__ Patch<turn_rows> form_iterate() {
    Patch<turn_rows> w;
    if constexpr (Odd) {
      w = interpolated(here_);
    } else {
      const Coarse before = here_;
      here_ = asked_;
      w = each([](double x, double y) { return 0.5 * (x + y); }, interpolated(before),
               interpolated(here_));
    }
#pragma unroll
    for (int n = 0; n < turn_rows; ++n) {
      w.row[n] = own_.u[Odd ? 1 : 0].at[n][lane_] + w.row[n];
      own_.w[Odd ? 1 : 0].at[n][lane_] = w.row[n];
    }
    return w;
  }

  /// v - A w in the plane before that of w.
  template <bool Odd>
  __device__ __forceinline__ Patch<turn_rows> form_residual(const Patch<turn_rows>& w) {
    constexpr int here = Odd ? 1 : 0;
    const TurnNeighbours sums =
        neighbours_of(w, above_.w[here].at[turn_rows - 1][lane_], below_.w[here].at[0][lane_]);
    Patch<turn_rows> r;
#pragma unroll
    for (int n = 0; n < turn_rows; ++n) {
      r.row[n] = residual_[n].advance(w.row[n], sums.row[n], v_at(0).at[n][lane_]);
    }
    leave(r, own_.r);
    return r;
  }

  /// The plane before that of r, smoothed.
  template <bool Odd>
  __device__ __forceinline__ Patch<turn_rows> smooth(const Patch<turn_rows>& r) {
    const TurnNeighbours sums = neighbours_of(r, above_.r.last[lane_], below_.r.first[lane_]);
    Patch<turn_rows> next;
#pragma unroll
    for (int n = 0; n < turn_rows; ++n) {
      next.row[n] = smoother_[n].advance(f_.smoother, own_.w[Odd ? 0 : 1].at[n][lane_], r.row[n],
                                         sums.row[n]);
    }
    leave(next, own_.next);
    return next;
  }

  __device__ __forceinline__ void leave(const Patch<turn_rows>& points, TurnEdges& edges) const {
    edges.first[lane_] = points.row[0];
    edges.last[lane_] = points.row[turn_rows - 1];
  }

  __device__ __forceinline__ void write(int plane, const Patch<turn_rows>& next) const {
    if (!owner_ || plane < first_ || plane >= end_) {
      return;
    }
    const Cube& grid = f_.grids.fine;
    double* const at = f_.next + grid.plane(plane) + grid.row(row_) + 2 * pair_;
#pragma unroll
    for (int n = 0; n < turn_rows; ++n) {
      // Not read again before it is evicted.
      __stcs(reinterpret_cast<double2*>(at + n * grid.row_pitch()), next.row[n]);
    }
  }

  /// v - A next in a plane, restricted but for the last coarse row, whose neighbour another warp
  /// forms in the same step.
  template <bool OddPlane>
  __device__ __forceinline__ void restrict_residual(int plane, const Patch<turn_rows>& next) {
    const TurnNeighbours sums =
        neighbours_of(next, above_.next.last[lane_], below_.next.first[lane_]);
    Patch<turn_rows> r;
#pragma unroll
    for (int n = 0; n < turn_rows; ++n) {
      r.row[n] = next_residual_[n].advance(next.row[n], sums.row[n],
                                           v_at(TurnShared::v_slots - 2).at[n][lane_]);
    }
    own_.residual[lane_] = r.row[0];
#pragma unroll
    for (int n = 0; n < turn_rows / 2 - 1; ++n) {
      restrict_row<OddPlane>(plane, n, r.row[2 * n + 1], r.row[2 * n] + r.row[2 * n + 2]);
    }
    last_rows_ = {{r.row[turn_rows - 2], r.row[turn_rows - 1]}};
  }

  template <bool OddPlane>
  __device__ __forceinline__ void restrict_last_row(int plane) {
    restrict_row<OddPlane>(plane, turn_rows / 2 - 1, last_rows_.row[1],
                           last_rows_.row[0] + below_.residual[lane_]);
  }

  template <bool OddPlane>
  __device__ __forceinline__ void restrict_row(int plane, int n, const double2& at,
                                               const double2& beside_row) {
    if constexpr (OddPlane) {
      restriction_[n].on(at, beside_row);
    } else {
      const double coarse = restriction_[n].between(at, beside_row);
      if (plane > first_ && owner_) {
        const Cube& grid = f_.grids.coarse;
        f_.residual[grid.plane(plane / 2 - 1) + grid.row(row_ / 2 + n) + pair_] = coarse;
      }
    }
  }

  const TurnArguments& f_;
  int lane_;
  TurnShared& own_;
  const TurnShared& above_;
  const TurnShared& below_;
  int pair_;
  int row_;
  int offset_;  ///< of the thread's first point, in a plane
  int first_;
  int end_;
  bool owner_;
  int v_slot_ = 0;  ///< of the step's plane
  Residual residual_[turn_rows];
  Smoother smoother_[turn_rows];
  Residual next_residual_[turn_rows];
  Restriction restriction_[turn_rows / 2];
  Coarse here_;          ///< on the last even plane
  Coarse asked_;         ///< on the even plane to come
  Quad last_rows_ = {};  ///< of the last residual
};

__global__ void __launch_bounds__(32 * turn_warps, 1)
    turn_kernel(const __grid_constant__ TurnArguments arguments) {
  extern __shared__ double2 shared_memory[];
  TurnBlock(arguments, reinterpret_cast<TurnShared*>(shared_memory)).run();
}

constexpr std::size_t turn_shared_bytes = turn_warps * sizeof(TurnShared);

/// Blocks of a grid in slabs of `plane_pairs` pairs of planes.
MarchPlan plan_of(const Cube& grid, int plane_pairs) {
  return {turn_warps, parts_of(grid.columns() / 2, turn_pairs),
          parts_of(grid.rows(), (turn_warps - 2) * turn_rows),
          parts_of(grid.planes() / 2, plane_pairs), plane_pairs};
}

}  // namespace

bool has_turn(Device gpu) { return max_shared_bytes(gpu, turn_kernel) >= turn_shared_bytes; }

int plan_turn(const Cube& grid, Device gpu) {
  const int multiprocessors = multiprocessors_of(gpu);
  const auto steps_of = [&](const MarchPlan& plan) {
    return parts_of(plan.blocks(), multiprocessors) * (2 * plan.plane_pairs + 2 * turn_halo);
  };
  MarchPlan best = plan_of(grid, grid.planes() / 2);
  for (int plane_pairs = grid.planes() / 2 - 1; plane_pairs > 0; --plane_pairs) {
    const MarchPlan plan = plan_of(grid, plane_pairs);
    if (steps_of(plan) < steps_of(best)) {
      best = plan;
    }
  }
  return best.plane_pairs;
}

void prepare_turn() { allow_shared_bytes(turn_kernel, turn_shared_bytes); }

void queue_turn(const Stream& stream, const TurnArguments& arguments) {
  const MarchPlan plan = plan_of(arguments.grids.fine, arguments.plane_pairs);
  launch(stream, {plan.grid(), dim3(turn_lanes, turn_warps), turn_shared_bytes}, turn_kernel,
         arguments);
}

}  // namespace bankfull::npb::mg::cuda
