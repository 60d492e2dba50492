#pragma once

#include "bankfull/numerics/poisson/multigrid/cuda/alike_march.cuh"
#include "bankfull/numerics/poisson/multigrid/cuda/descend.cuh"

namespace bankfull::poisson::multigrid::cuda {

inline constexpr int alike_descent_rows = 4;  ///< of a thread
inline constexpr int alike_descent_warps = 8;
inline constexpr int alike_descent_threads = 32 * alike_descent_warps;
inline constexpr int alike_descent_blocks = 2;  ///< of a multiprocessor

struct AlikeDescentShared {
  // As in DescendShared:
  Edges<false, alike_descent_warps> red[2];
  Edges<true, alike_descent_warps> relaxed[2];
  Arrivals<float, alike_descent_rows, alike_descent_threads> r[AlikeSlots::period];
};

/// One block of the way down from 0 on a level with alike planes, all of whose axes are coarsened;
/// as DescendBlock.
class AlikeDescentBlock {
 public:
  __device__ __forceinline__ AlikeDescentBlock(const DescendArguments& arguments,
                                               AlikeDescentShared& shared)
      : f_(arguments),
        shared_(shared),
        place_(f_.level, margin_of(reach)),
        slab_(f_.level, f_.planes, reach),
        restriction_(f_.level, f_.coarse_r) {}

  __device__ __forceinline__ void run() {
    clear<alike_descent_threads>(shared_);
    planes_[0] = __ldg(f_.level.alike.planes + cell_of(slab_.start));
    ask_for_residual<0>(slab_.start);
    __pipeline_commit();
    ask_for_residual<1>(slab_.start + 1);
    __pipeline_commit();
    for (int plane = slab_.start; plane < slab_.end + reach; plane += AlikeSlots::period) {
      AlikeSlots::turn(*this, plane);
    }
  }

  template <int Step>
  __device__ __forceinline__ void step(int plane) {
    if (plane >= slab_.end + reach) {
      return;
    }
    ask_for_residual<slot(Step, -lead)>(plane + lead);
    __pipeline_commit();
    planes_[slot(Step, -1)] = __ldg(f_.level.alike.planes + cell_of(plane + 1));
    __pipeline_wait_prior(lead);
    relax_red<Step>();
    relax_black<Step>();
    restrict_plane<Step>(plane - reach);
    leave<red, Step & 1>(shared_.red[Step & 1], place_.warp, place_.lane, e_[Step]);
    leave(shared_.relaxed[Step & 1], place_.warp, place_.lane, e_[slot(Step, 1)]);
    wait_for_neighbours<alike_descent_warps>(place_.warp);
  }

 private:
  static constexpr int rows = alike_descent_rows;
  static constexpr int reach = descend_reach(From::zero);
  static constexpr int lead = 2;  ///< planes from asking for r to its use

  static constexpr int slot(int step, int before) { return AlikeSlots::of(step, before); }

  [[nodiscard]] __device__ __forceinline__ int cell_of(int plane) const {
    return alike_cell(f_.level.i, plane);
  }

  template <int Slot>
  __device__ __forceinline__ void ask_for_residual(int plane) {
    shared_.r[Slot].ask(f_.r + cell_of(plane) * f_.level.at.plane, place_);
  }

  [[nodiscard]] __device__ __forceinline__ float residual(int in_slot, int row, int column) const {
    return shared_.r[in_slot].value(place_.thread(), row, column);
  }

  /// From e = 0.
  template <int Step>
  __device__ __forceinline__ void relax_red() {
    Patch<float, rows>& e = e_[Step];
#pragma unroll
    for (int row = 0; row < rows; ++row) {
      const int column = column_of(row, red, Step & 1);
      e.at[row][column] =
          started(f_.level.omega_before[red], planes_[Step].z, residual(Step, row, column));
      e.at[row][1 - column] = 0.0F;
    }
  }

  template <int Step>
  __device__ __forceinline__ void relax_black() {
    constexpr int parity = (Step + 1) & 1;
    constexpr int here = slot(Step, 1);
    const Beside beside =
        find<black, parity>(shared_.red[(Step + 1) & 1], place_.warp, place_.lane);
    relax_alike<black, parity>(f_.level, f_.level.omega_before[black], planes_[here],
                               e_[slot(Step, 2)], e_[here], e_[Step], beside,
                               [&](int row, int column) { return residual(here, row, column); });
  }

  template <int Step>
  __device__ __forceinline__ void restrict_plane(int plane) {
    const Patch<float, rows> rest = rest_of<Step>();
    if (plane >= slab_.first && plane < slab_.end) {
      restriction_.add(rest, plane, Step % 2 == 1, place_);
      write(plane, e_[slot(Step, 2)]);
    }
  }

  /// r - L e in the plane before the last one.
  template <int Step>
  [[nodiscard]] __device__ __forceinline__ Patch<float, rows> rest_of() const {
    constexpr int here_slot = slot(Step, 2);
    const Patch<float, rows>& here = e_[here_slot];
    const float4& along_i = planes_[here_slot];
    const Beside beside = find(shared_.relaxed[(Step + 1) & 1], place_.warp, place_.lane);
    const float diagonal = (along_i.x + along_i.y) + f_.level.alike.diagonal();
    Patch<float, rows> result;
#pragma unroll
    for (int row = 0; row < rows; ++row) {
      const float left = __shfl_up_sync(~0U, here.at[row][1], 1);
      const float right = __shfl_down_sync(~0U, here.at[row][0], 1);
#pragma unroll
      for (int column = 0; column < 2; ++column) {
        const Faces<float> e = beyond_faces(row, column, e_[slot(Step, 3)], here, e_[slot(Step, 1)],
                                            beside, column == 0 ? left : right);
        const float sum = neighbour_sum(alike_coefficients(f_.level.alike, along_i), e);
        result.at[row][column] =
            inner_residual(diagonal, here.at[row][column], sum, residual(here_slot, row, column));
      }
    }
    return result;
  }

  __device__ __forceinline__ void write(int plane, const Patch<float, rows>& e) const {
    float* const to = f_.e + plane * f_.level.at.plane;
#pragma unroll
    for (int row = 0; row < rows; ++row) {
      if (place_.writes_row[row]) {
        *pair_at(to, place_.bytes[row]) = {e.at[row][0], e.at[row][1]};
      }
    }
  }

  const DescendArguments& f_;
  AlikeDescentShared& shared_;
  AlikePlace<rows, alike_descent_warps> place_;
  Slab slab_;
  AlikeRestriction<rows, true> restriction_;
  float4 planes_[AlikeSlots::period] = {};
  Patch<float, rows> e_[AlikeSlots::period] = {};
};

static __global__ void __launch_bounds__(alike_descent_threads, alike_descent_blocks)
    alike_descend_kernel(const __grid_constant__ DescendArguments arguments) {
  AlikeDescentBlock(arguments, dynamic_shared<AlikeDescentShared>()).run();
}

}  // namespace bankfull::poisson::multigrid::cuda
