#pragma once

#include "bankfull/core/exec/reduce.cuh"
#include "bankfull/workloads/npb/mg/cuda/march.cuh"

namespace bankfull::npb::mg::cuda {

/// coarse = P r with r = v - A u, and the blocks' sums of r squared.
template <class GridType>
struct DescendArguments {
  GridPair<GridType> grids;
  const double* u;
  const double* v;
  double* coarse;   ///< nullptr where the sums alone are wanted
  double* squares;  ///< one per block, or nullptr
  int plane_pairs;  ///< of a slab
};

template <int Warps>
struct DescendShared {
  SharedPlane<Warps> iterate[2];
  double2 first_row[2][std::size_t{Warps}][std::size_t{row_slots}];  ///< r of each warp's first row
};

/// P r, plane after plane: coarse point c lies on the fine points 2 c + 1, each lane has one.
class Restriction {
 public:
  /// Takes the even plane between two coarse ones; returns the coarse point on the plane before.
  __device__ __forceinline__ double between(const double2& at, const double2& beside_row) {
    constexpr Weights p = restriction_weights;
    const double2 part = {fma(p[3], beside_row.x, p[2] * at.x),
                          fma(p[2], beside_row.y, p[1] * at.y)};
    const double2 sum = sum_ + part;
    sum_ = part;
    return sum.y + (sum.x + __shfl_down_sync(~0U, sum.x, 1));
  }

  /// Takes an odd plane. `beside_row`: sum of the rows beside the one in the middle.
  __device__ __forceinline__ void on(const double2& at, const double2& beside_row) {
    constexpr Weights p = restriction_weights;
    sum_ = {fma(p[1], at.x, fma(p[2], beside_row.x, sum_.x)),
            fma(p[0], at.y, fma(p[1], beside_row.y, sum_.y))};
  }

 private:
  double2 sum_ = {};  ///< of the column between two coarse ones, and of that on the second
};

/// One block of the way down. At step n it takes plane n of u, forms r of plane n - 2 and restricts
/// plane n - 3.
template <int Warps, class GridType>
class DescendBlock {
 public:
  __device__ __forceinline__ DescendBlock(const DescendArguments<GridType>& arguments,
                                          DescendShared<Warps>& shared)
      : f_(arguments),
        shared_(shared),
        place_(f_.grids.fine.columns() / 2, f_.grids.fine.rows() / 2),
        points_(f_.grids.fine, place_),
        first_(2 * static_cast<int>(blockIdx.z) * f_.plane_pairs),
        end_(min(first_ + 2 * f_.plane_pairs, f_.grids.fine.planes())) {}

  __device__ __forceinline__ void run() {
    for (int plane = first_ - 2; plane < end_ + 4; plane += 2) {
      step<false>(plane);
      step<true>(plane + 1);
    }
    if (f_.squares != nullptr) {
      const double sum = block_sum(squares_);
      if (threadIdx.x == 0 && threadIdx.y == 0) {
        const unsigned row = blockIdx.y + gridDim.y * blockIdx.z;
        f_.squares[row * gridDim.x + blockIdx.x] = sum;
      }
    }
  }

 private:
  template <bool Odd>
  __device__ __forceinline__ void step(int plane) {
    const Quad u = asked_u_;
    const Quad v = asked_v_;
    // Whether or not a first or last step needs them: behind a branch the compiler would wait for
    // the values at once.
    asked_u_ = points_.load(f_.u, min(plane + 1, end_ + 1));
    asked_v_ = points_.load(f_.v, min(plane, end_));
    restrict_plane<Odd>(plane - 3);
    const RowsOf<Neighbours, 2> sums =
        place_.neighbours(iterate_here_, shared_.iterate[Odd ? 0 : 1]);
    residual_here_ = {{residual_[0].advance(iterate_here_.row[0], sums.row[0], v.row[0]),
                       residual_[1].advance(iterate_here_.row[1], sums.row[1], v.row[1])}};
    iterate_here_ = u;
    add_squares(plane - 2);
    shared_.first_row[Odd ? 1 : 0][place_.warp][place_.lane] = residual_here_.row[0];
    place_.leave(iterate_here_, shared_.iterate[Odd ? 1 : 0]);
    __syncthreads();
  }

  /// A plane of r, of which the next warp's first row is in shared memory; even at odd steps.
  template <bool Odd>
  __device__ __forceinline__ void restrict_plane(int plane) {
    const double2 next_row =
        shared_.first_row[Odd ? 0 : 1][min(place_.warp + 1, Warps - 1)][place_.lane];
    const double2 beside_row = residual_here_.row[0] + next_row;
    if constexpr (!Odd) {
      restriction_.on(residual_here_.row[1], beside_row);
    } else {
      const double coarse = restriction_.between(residual_here_.row[1], beside_row);
      if (plane > first_ && place_.owner && f_.coarse != nullptr) {
        const GridType& grid = f_.grids.coarse;
        f_.coarse[grid.plane(plane / 2 - 1) + grid.row(place_.row_pair) + place_.pair] = coarse;
      }
    }
  }

  __device__ __forceinline__ void add_squares(int plane) {
    if (f_.squares == nullptr || plane < first_ || plane >= end_ || !place_.owner) {
      return;
    }
    const Quad& r = residual_here_;
    for (const double2& row : r.row) {
      squares_ = fma(row.x, row.x, squares_);
      squares_ = fma(row.y, row.y, squares_);
    }
  }

  const DescendArguments<GridType>& f_;
  DescendShared<Warps>& shared_;
  Place<Warps> place_;
  Points<GridType> points_;
  Residual residual_[2];
  Restriction restriction_;
  int first_;
  int end_;
  Quad asked_u_ = {};        ///< of the next plane
  Quad asked_v_ = {};        ///< of the plane before that
  Quad iterate_here_ = {};   ///< u of the last plane
  Quad residual_here_ = {};  ///< r of the plane before that
  double squares_ = 0.0;
};

template <int Warps, class GridType>
__global__ void __launch_bounds__(32 * Warps, 1)
    descend_kernel(const __grid_constant__ DescendArguments<GridType> arguments) {
  extern __shared__ double2 shared_memory[];
  DescendBlock<Warps, GridType>(arguments, *reinterpret_cast<DescendShared<Warps>*>(shared_memory))
      .run();
}

/// Few planes are in shared memory, so all blocks fit.
inline MarchLimits descent_limits(Device gpu) { return {multiprocessors_of(gpu), max_warps}; }

/// Where `prepare_descent` has been called.
template <class GridType>
void queue_descent(const Stream& stream, const MarchPlan& plan,
                   DescendArguments<GridType> arguments) {
  arguments.plane_pairs = plan.plane_pairs;
  with_warps(plan.warps, [&](auto warps) {
    launch(stream, {plan.grid(), dim3(32, warps), sizeof(DescendShared<warps>)},
           descend_kernel<warps, GridType>, arguments);
  });
}

template <class GridType>
void prepare_descent(int warps) {
  with_warps(warps, [](auto count) {
    allow_shared_bytes(descend_kernel<count, GridType>, sizeof(DescendShared<count>));
  });
}

}  // namespace bankfull::npb::mg::cuda
