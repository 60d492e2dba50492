#pragma once

#include "bankfull/core/exec/bulk_copy.cuh"
#include "bankfull/workloads/npb/mg/cuda/march.cuh"

namespace bankfull::npb::mg::cuda {

/// next = w + S (v - A w) with w = u + Q coarse; u is absent where it is 0.
template <class GridType>
struct AscendArguments {
  GridPair<GridType> grids;
  Weights smoother;
  const double* coarse;
  const double* u;
  const double* v;
  double* next;
  int plane_pairs;  ///< of a slab
};

inline constexpr int copy_slots = 4;  ///< planes of a grid being copied or in use, 2^n

/// Ring of planes of a region.
template <int Warps>
struct SharedPlanes {
  SharedPlane<Warps> slot[std::size_t{copy_slots}];

  __device__ __forceinline__ SharedPlane<Warps>& of(int plane) {
    return slot[plane & (copy_slots - 1)];
  }
};

/// A barrier of a block's warps in two halves: work between them may only use data that other warps
/// wrote before their previous arrival.
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

template <int Warps>
struct AscendShared {
  SharedPlanes<Warps> u;
  SharedPlanes<Warps> v;
  SharedPlane<Warps> iterate[3];
  SharedPlane<Warps> residual[3];
  std::uint64_t barrier;
};

/// Points of Q coarse on a coarse plane: the row between two coarse rows and that on the second;
/// x of a coarse row: the column before.
__device__ __forceinline__ Quad interpolate(const double2& row_before, const double2& row) {
  const double middle_before = row_before.x + row_before.y;
  const double middle = row.x + row.y;
  return {{{0.25 * (middle_before + middle), 0.5 * (row_before.y + row.y)}, {0.5 * middle, row.y}}};
}

/// A thread's points of Q coarse.
template <class GridType>
class Interpolation {
 public:
  template <int Warps>
  __device__ __forceinline__ Interpolation(const double* coarse, const GridType& grid,
                                           const Place<Warps>& place)
      : coarse_(coarse),
        grid_(grid),
        row_(grid.row(place.row_pair)),
        row_before_(grid.row(place.row_pair - 1)),
        column_(grid.column(place.pair)),
        column_before_(grid.column(place.pair - 1)) {}

  /// Starts loading a coarse plane, which `take` returns.
  __device__ __forceinline__ void ask(int plane) {
    const double* const at = coarse_ + grid_.plane(plane);
    asked_ = {{{__ldg(at + row_before_ + column_before_), __ldg(at + row_before_ + column_)},
               {__ldg(at + row_ + column_before_), __ldg(at + row_ + column_)}}};
  }

  __device__ __forceinline__ void take() {
    before_ = here_;
    here_ = interpolate(asked_.row[0], asked_.row[1]);
  }

  /// Points of the fine plane on the coarse one taken last.
  [[nodiscard]] __device__ __forceinline__ const Quad& on() const { return here_; }

  /// Points of the fine plane before that.
  [[nodiscard]] __device__ __forceinline__ Quad between() const {
    return each([](double x, double y) { return 0.5 * (x + y); }, before_, here_);
  }

 private:
  const double* coarse_;
  GridType grid_;
  int row_;
  int row_before_;
  int column_;
  int column_before_;
  Quad asked_ = {};
  Quad here_ = {};
  Quad before_ = {};
};

/// One block of the way up. At step n it forms w of plane n, r of plane n - 2 and the result of
/// plane n - 4: each needs planes beside its own, and rows that other warps formed a step before.
/// Only the result is not read by other warps.
template <int Warps, bool HasU, class GridType>
class AscendBlock {
 public:
  __device__ __forceinline__ AscendBlock(const AscendArguments<GridType>& arguments,
                                         AscendShared<Warps>& shared)
      : f_(arguments),
        shared_(shared),
        place_(f_.grids.fine.columns() / 2, f_.grids.fine.rows() / 2),
        points_(f_.grids.fine, place_),
        interpolation_(f_.coarse, f_.grids.coarse, place_),
        barrier_(shared.barrier, Warps),
        first_(2 * static_cast<int>(blockIdx.z) * f_.plane_pairs),
        end_(min(first_ + 2 * f_.plane_pairs, f_.grids.fine.planes())) {}

  __device__ __forceinline__ void run() {
    interpolation_.ask(first_ / 2 - 2);
    interpolation_.take();
    interpolation_.ask(first_ / 2 - 1);
    for (int plane = first_ - 2; plane < first_ - 2 + copy_slots; ++plane) {
      copy(plane);
    }
    int slot = 0;
    for (int plane = first_ - 2; plane < end_ + 4; plane += 2) {
      step<false>(plane, slot);
      slot = slot == 2 ? 0 : slot + 1;
      step<true>(plane + 1, slot);
      slot = slot == 2 ? 0 : slot + 1;
    }
  }

 private:
  /// Starts copying the planes of step `plane`.
  __device__ __forceinline__ void copy(int plane) {
    if (HasU && plane < end_ + 2) {
      points_.copy(f_.u, plane, place_, shared_.u.of(plane));
    }
    if (plane >= first_ && plane < end_ + 2) {
      points_.copy(f_.v, plane - 1, place_, shared_.v.of(plane - 1));
    }
    __pipeline_commit();
  }

  /// `slot` is that of w of this plane, and of r of two planes before; w of three planes before is
  /// still in it.
  template <bool Odd>
  __device__ __forceinline__ void step(int plane, int slot) {
    __pipeline_wait_prior(copy_slots - 1);
    const int before = slot == 0 ? 2 : slot - 1;
    const Quad residual_before = residual_here_;
    const Quad iterate_before = place_.own(shared_.iterate[slot]);
    residual_here_ = form_residual(place_.neighbours(iterate_here_, shared_.iterate[before]),
                                   place_.own(shared_.v.of(plane - 1)));
    iterate_here_ = form_iterate<Odd>(plane);
    place_.leave(residual_here_, shared_.residual[slot]);
    place_.leave(iterate_here_, shared_.iterate[slot]);
    barrier_.arrive();
    copy(plane + copy_slots);
    write(plane - 4, smooth(iterate_before, residual_before,
                            place_.neighbours(residual_before, shared_.residual[before])));
    barrier_.wait();
  }

  __device__ __forceinline__ Quad form_residual(const RowsOf<Neighbours, 2>& sums, const Quad& v) {
    return {{residual_[0].advance(iterate_here_.row[0], sums.row[0], v.row[0]),
             residual_[1].advance(iterate_here_.row[1], sums.row[1], v.row[1])}};
  }

  __device__ __forceinline__ Quad smooth(const Quad& w, const Quad& r,
                                         const RowsOf<Neighbours, 2>& sums) {
    return {{smoother_[0].advance(f_.smoother, w.row[0], r.row[0], sums.row[0]),
             smoother_[1].advance(f_.smoother, w.row[1], r.row[1], sums.row[1])}};
  }

  __device__ __forceinline__ void write(int plane, const Quad& smoothed) const {
    if (plane < first_ || !place_.owner) {
      return;
    }
    if constexpr (HasU) {
      points_.stream(smoothed, plane, f_.next);  // not read again before it is evicted
    } else {
      points_.store(smoothed, plane, f_.next);
    }
  }

  template <bool Odd>
  __device__ __forceinline__ Quad form_iterate(int plane) {
    Quad increment;
    if constexpr (Odd) {
      increment = interpolation_.on();
      interpolation_.ask((plane + 1) / 2);
    } else {
      interpolation_.take();
      increment = interpolation_.between();
    }
    if constexpr (HasU) {
      return each([](double x, double y) { return x + y; }, place_.own(shared_.u.of(plane)),
                  increment);
    }
    return increment;
  }

  const AscendArguments<GridType>& f_;
  AscendShared<Warps>& shared_;
  Place<Warps> place_;
  Points<GridType> points_;
  Interpolation<GridType> interpolation_;
  Residual residual_[2];
  Smoother smoother_[2];
  SplitBarrier barrier_;
  int first_;
  int end_;
  Quad iterate_here_ = {};   ///< w of the last plane
  Quad residual_here_ = {};  ///< r of the plane before that
};

template <int Warps, bool HasU, class GridType>
__global__ void __launch_bounds__(32 * Warps, 1)
    ascend_kernel(const __grid_constant__ AscendArguments<GridType> arguments) {
  extern __shared__ double2 shared_memory[];
  AscendBlock<Warps, HasU, GridType>(arguments,
                                     *reinterpret_cast<AscendShared<Warps>*>(shared_memory))
      .run();
}

/// Where `prepare_ascent` has been called.
template <class GridType>
void queue_ascent(const Stream& stream, const MarchPlan& plan,
                  AscendArguments<GridType> arguments) {
  arguments.plane_pairs = plan.plane_pairs;
  with_warps(plan.warps, [&](auto warps) {
    const LaunchShape shape{plan.grid(), dim3(32, warps), sizeof(AscendShared<warps>)};
    if (arguments.u != nullptr) {
      launch(stream, shape, ascend_kernel<warps, true, GridType>, arguments);
    } else {
      launch(stream, shape, ascend_kernel<warps, false, GridType>, arguments);
    }
  });
}

/// As many warps as have their planes in shared memory.
inline MarchLimits ascent_limits(Device gpu) {
  const std::size_t most = max_shared_bytes(gpu, ascend_kernel<max_warps, true, Cube>);
  MarchLimits limits{multiprocessors_of(gpu), max_warps};
  while (limits.warps > min_warps &&
         static_cast<std::size_t>(limits.warps) * sizeof(AscendShared<1>) > most) {
    limits.warps -= 4;
  }
  return limits;
}

template <class GridType>
void prepare_ascent(int warps) {
  with_warps(warps, [](auto count) {
    allow_shared_bytes(ascend_kernel<count, true, GridType>, sizeof(AscendShared<count>));
    allow_shared_bytes(ascend_kernel<count, false, GridType>, sizeof(AscendShared<count>));
  });
}

}  // namespace bankfull::npb::mg::cuda
