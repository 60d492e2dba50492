#pragma once

#include "bankfull/numerics/poisson/multigrid/cuda/corrector.cuh"
#include "bankfull/numerics/poisson/multigrid/cuda/march.cuh"
#include "bankfull/numerics/poisson/multigrid/cuda/transfer.cuh"
#include "bankfull/numerics/poisson/multigrid/traffic.hpp"

#include <utility>

namespace bankfull::poisson::multigrid::cuda {

/// The way down on one level: e = one red-black sweep for the residual r, from 0 or from `start`,
/// then the next level's residual: r - L e, restricted.
struct DescendArguments {
  LevelView level;
  const float* r;
  const float* start;  ///< or nullptr
  float* e;
  float* coarse_r;
  int planes;  ///< of a slab
};

/// The traffic of a level from 0: r is read, e and the next level's r are written.
inline Traffic descent_traffic(const Level& level) {
  return {.bytes_read = sizeof(float) * cells_of(level),
          .bytes_written = sizeof(float) * (cells_of(level) + parents_of(level)),
          .flops = flops_of_sweeps_from_zero(level, 1) + restriction_flops(level)};
}

/// Steps from a plane's arrival to its red half-sweep.
constexpr int red_lag(From from) { return from == From::zero ? 0 : 1; }
constexpr int descend_reach(From from) { return 2 + red_lag(from); }

template <bool Seams>
struct DescendShared {
  // One for odd and one for even steps:
  Edges<Seams> start[2];   ///< cells of the last plane that are not red
  Edges<Seams> red[2];     ///< red cells of the plane relaxed last
  Edges<true> relaxed[2];  ///< all cells of the plane before it
};

/// One block of the way down. At step n it relaxes red cells of plane n, or n - 1 where e is not 0,
/// black ones of the plane before, and restricts the one before that.
template <From Start, bool Seams>
class DescendBlock {
 public:
  __device__ __forceinline__ DescendBlock(const DescendArguments& arguments,
                                          DescendShared<Seams>& shared)
      : f_(arguments),
        shared_(shared),
        place_(f_.level, margin_of(reach)),
        sweeper_(f_.level, place_.cells),
        restriction_(f_.level, f_.coarse_r, place_.j, place_.k, place_.owner),
        slab_(f_.level, f_.planes, reach) {}

  __device__ __forceinline__ void run() {
    clear(shared_);
    planes_[0] = PlaneOfMarch::at(f_.level.i, slab_.start);
    r_[0] = load(f_.r, planes_[0].cell);
    if constexpr (Start == From::what_is_there) {
      asked_e_ = load(f_.start, planes_[0].cell);
    }
    for (int plane = slab_.start; plane < slab_.end + reach; plane += period) {
      steps(plane, std::make_integer_sequence<int, period>{});
    }
  }

 private:
  static constexpr int lag = red_lag(Start);
  static constexpr int reach = descend_reach(Start);
  static constexpr int period = 4 + 2 * lag;  ///< planes of which a thread has values

  [[nodiscard]] __device__ __forceinline__ Quad<float> load(const float* field, int cell) const {
    return place_.load(field + cell * f_.level.at.plane);
  }

  template <int... Step>
  __device__ __forceinline__ void steps(int plane, std::integer_sequence<int, Step...>) {
    (step<Step>(plane + Step), ...);
  }

  /// The slot of the plane `before` the one of this step.
  static constexpr int slot(int step, int before) { return (step - before + 2 * period) % period; }

  template <int Step>
  __device__ __forceinline__ void step(int plane) {
    if (plane >= slab_.end + reach) {
      return;
    }
    const PlaneOfMarch next = planes_[Step].next(f_.level.i);
    const Quad<float> asked = load(f_.r, next.cell);
    if constexpr (Start == From::zero) {
      e_[Step] = sweeper_.template relax_zero<red, Step & 1>(f_.level.omega_before[red],
                                                             planes_[Step], r_[Step]);
    } else {
      e_[Step] = asked_e_;
      asked_e_ = load(f_.start, next.cell);
      relax<red, Step, 1>(shared_.start);
    }
    relax<black, Step, lag + 1>(shared_.red);
    restrict_plane<Step>(plane - lag - 2);
    if constexpr (Start == From::what_is_there) {
      publish<black, Step, 0>(shared_.start);
    }
    publish<red, Step, lag>(shared_.red);
    leave(shared_.relaxed[Step & 1], place_.warp, place_.lane, e_[slot(Step, lag + 1)]);
    r_[slot(Step, -1)] = asked;
    planes_[slot(Step, -1)] = next;
    wait_for_neighbours<warps>(place_.warp);
  }

  /// Relaxes what is of this colour in the plane `Lag` before.
  template <Colour Of, int Step, int Lag>
  __device__ __forceinline__ void relax(const Edges<Seams> (&others)[2]) {
    constexpr int parity = (Step + Lag) & 1;
    const Edges<Seams>& edges = others[(Step + 1) & 1];
    Beside beside;
    if constexpr (Seams) {
      beside = find(edges, place_.warp, place_.lane);
    } else {
      beside = find<Of, parity>(edges, place_.warp, place_.lane);
    }
    sweeper_.template relax<Of, parity>(f_.level.omega_before[Of], planes_[slot(Step, Lag)],
                                        e_[slot(Step, Lag + 1)], e_[slot(Step, Lag)],
                                        e_[slot(Step, Lag - 1)], beside, r_[slot(Step, Lag)]);
  }

  template <int Step>
  __device__ __forceinline__ void restrict_plane(int plane) {
    const Beside beside = find(shared_.relaxed[(Step + 1) & 1], place_.warp, place_.lane);
    const Quad<float>& e = e_[slot(Step, lag + 2)];
    const Quad<float> residual =
        sweeper_.residual(planes_[slot(Step, lag + 2)], e_[slot(Step, lag + 3)], e,
                          e_[slot(Step, lag + 1)], beside, r_[slot(Step, lag + 2)]);
    if (plane >= slab_.first && plane < slab_.end) {
      restriction_.add(residual, plane);
      write(plane, e);
    }
  }

  __device__ __forceinline__ void write(int plane, const Quad<float>& e) const {
#pragma unroll
    for (int row = 0; row < 2; ++row) {
      if (place_.writes_row[row]) {
        float* const at = (f_.e + plane * f_.level.at.plane) + place_.offset[row];
        *reinterpret_cast<float2*>(at) = make_float2(e.at[row][0], e.at[row][1]);
      }
    }
  }

  /// Leaves what is of this colour in the plane `Lag` before.
  template <Colour Of, int Step, int Lag>
  __device__ __forceinline__ void publish(Edges<Seams> (&edges)[2]) {
    if constexpr (Seams) {
      leave(edges[Step & 1], place_.warp, place_.lane, e_[slot(Step, Lag)]);
    } else {
      leave<Of, (Step + Lag) & 1>(edges[Step & 1], place_.warp, place_.lane, e_[slot(Step, Lag)]);
    }
  }

  const DescendArguments& f_;
  DescendShared<Seams>& shared_;
  Place<Seams> place_;
  Sweeper<Seams> sweeper_;
  Restriction restriction_;
  Slab slab_;
  PlaneOfMarch planes_[std::size_t{period}] = {};
  Quad<float> e_[std::size_t{period}] = {};
  Quad<float> r_[std::size_t{period}] = {};
  Quad<float> asked_e_ = {};
};

template <From Start, bool Seams>
__global__ void __launch_bounds__(block_threads, 1)
    descend_kernel(const __grid_constant__ DescendArguments arguments) {
  DescendBlock<Start, Seams>(arguments, dynamic_shared<DescendShared<Seams>>()).run();
}

}  // namespace bankfull::poisson::multigrid::cuda
