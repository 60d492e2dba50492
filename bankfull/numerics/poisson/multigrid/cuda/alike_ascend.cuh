#pragma once

#include "bankfull/numerics/poisson/multigrid/cuda/alike_march.cuh"
#include "bankfull/numerics/poisson/multigrid/cuda/ascend.cuh"

namespace bankfull::poisson::multigrid::cuda {

/// How the way up goes over a level with alike planes. Adds, HasE: see AscendArguments.
template <class Real_, bool Adds_, bool HasE_, bool Coarsened_, int Rows_, int Warps_>
struct AlikeAscent {
  using Real = Real_;
  static constexpr bool adds = Adds_;
  static constexpr bool has_e = HasE_;
  static constexpr bool coarsened = Coarsened_;
  static constexpr int rows = Rows_;
  static constexpr int warps = Warps_;
  static constexpr int threads = 32 * Warps_;
  static constexpr int region_rows = Rows_ * Warps_;
};

/// On the finest level.
template <class Real, bool Coarsened>
using AlikeCorrection = AlikeAscent<Real, true, false, Coarsened, 4, 10>;

/// Below it. Large regions form fewer cells for their neighbours, small ones leave fewer
/// multiprocessors without work.
template <bool HasE>
using SmallAlikeAscent = AlikeAscent<float, false, HasE, true, 4, 8>;
template <bool HasE>
using LargeAlikeAscent = AlikeAscent<float, false, HasE, true, 4, 12>;

/// Planes from one's asking for e or p to its use.
inline constexpr int alike_lead = 2;

template <class Ascent>
struct AlikeAscentShared {
  template <class T>
  using PlaneOf = Arrivals<T, Ascent::rows, Ascent::threads>;

  /// As in AscendShared.
  Edges<false, Ascent::warps> edges[2][ascend_stages];
  PlaneOf<float> r[AlikeSlots::period];
  ArrivingPlanes<PlaneOf<float>, Ascent::has_e ? alike_lead + 1 : 0> e;
  ArrivingPlanes<PlaneOf<typename Ascent::Real>, Ascent::adds ? alike_lead + 1 : 0> p;
};

/// One block of the way up, as AscendBlock.
template <class Ascent>
class AlikeAscentBlock {
 public:
  using Real = typename Ascent::Real;
  using Shared = AlikeAscentShared<Ascent>;

  __device__ __forceinline__ AlikeAscentBlock(const AscendArguments<Real>& arguments,
                                              Shared& shared)
      : f_(arguments),
        shared_(shared),
        place_(f_.level, margin_of(ascend_reach)),
        interpolation_(f_.level, f_.coarse, place_),
        slab_(f_.level, f_.planes, ascend_reach) {}

  __device__ __forceinline__ void run() {
    clear<Ascent::threads>(shared_);
    if constexpr (Ascent::adds) {
      unscaled_ = static_cast<Real>(1.0 / *f_.scale);
    }
    planes_[0] = __ldg(f_.level.alike.planes + cell_of(slab_.start));
    ask_for_residual<0>(slab_.start);
    ask_for_e<0>(slab_.start);
    ask_for_e<1>(slab_.start + 1);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    interpolation_.begin(slab_.start);
    for (int plane = slab_.start; plane < slab_.end + ascend_reach; plane += AlikeSlots::period) {
      AlikeSlots::turn(*this, plane);
    }
  }

  template <int Step>
  __device__ __forceinline__ void step(int plane) {
    if (plane >= slab_.end + ascend_reach) {
      return;
    }
    ask_for_output<Step>(plane - ascend_reach + alike_lead);
    ask_for_residual<slot(Step, -1)>(plane + 1);
    ask_for_e<Step + alike_lead>(plane + alike_lead);
    __pipeline_commit();
    if constexpr (Step % 2 == 1) {
      interpolation_.go_on(plane);
    }
    __pipeline_wait_prior(alike_lead);  // but for what this step and the one before it asked for
    form<Step>();
    planes_[slot(Step, -1)] = __ldg(f_.level.alike.planes + cell_of(plane + 1));
    relax<Step, 1>();
    relax<Step, 2>();
    relax<Step, 3>();
    relax<Step, 4>();
    write<Step>(plane - ascend_reach, w_[slot(Step, ascend_reach)]);
    publish<Step, 0>();
    publish<Step, 1>();
    publish<Step, 2>();
    publish<Step, 3>();
    wait_for_neighbours<Ascent::warps>(place_.warp);
  }

 private:
  static constexpr int rows = Ascent::rows;

  static constexpr int slot(int step, int before) { return AlikeSlots::of(step, before); }

  [[nodiscard]] __device__ __forceinline__ int cell_of(int plane) const {
    return alike_cell(f_.level.i, plane);
  }

  template <class T>
  [[nodiscard]] __device__ __forceinline__ T* plane_of(T* field, int cell) const {
    return field + cell * f_.level.at.plane;
  }

  template <int Slot>
  __device__ __forceinline__ void ask_for_residual(int plane) {
    shared_.r[Slot].ask(plane_of(f_.r, cell_of(plane)), place_);
  }

  template <int Step>
  __device__ __forceinline__ void ask_for_e(int plane) {
    if constexpr (Ascent::has_e) {
      shared_.e.at[Step % (alike_lead + 1)].ask(plane_of(f_.e, cell_of(plane)), place_);
    }
  }

  /// Where p of the plane `before` the one of this step arrives.
  static constexpr int output_slot(int step, int before) {
    return (step - before + AlikeSlots::period) % (alike_lead + 1);
  }

  template <int Step>
  __device__ __forceinline__ void ask_for_output(int plane) {
    if constexpr (Ascent::adds) {
      if (!writes(plane)) {
        return;
      }
      auto& arrivals = shared_.p.at[output_slot(Step, ascend_reach - alike_lead)];
      if (f_.plane_p != nullptr) {
        const Pair<Real> of_plane = in_plane<Real>(f_.plane_p, plane);
        for_written_rows([&](int row) { arrivals.at[row][place_.thread()] = of_plane; });
        return;
      }
      const Real* const from = plane_of(f_.p, plane);
      for_written_rows([&](int row) { arrivals.ask_row(from, place_, row); });
    }
  }

  template <class With>
  __device__ __forceinline__ void for_written_rows(const With& with) const {
#pragma unroll
    for (int row = 0; row < rows; ++row) {
      if (place_.writes_row[row]) {
        with(row);
      }
    }
  }

  [[nodiscard]] __device__ __forceinline__ bool writes(int plane) const {
    return plane >= slab_.first && plane < slab_.end;
  }

  template <int Step>
  __device__ __forceinline__ void form() {
    w_[Step] = interpolation_.template take<Step & 1>(planes_[Step].w);
    if constexpr (Ascent::has_e) {
      const auto& e = shared_.e.at[Step % (alike_lead + 1)];
#pragma unroll
      for (int row = 0; row < rows; ++row) {
        const Pair<float> pair = e.at[row][place_.thread()];
        w_[Step].at[row][0] += pair.x;
        w_[Step].at[row][1] += pair.y;
      }
    }
  }

  /// Half-sweep number Stage, from 1 on.
  template <int Step, int Stage>
  __device__ __forceinline__ void relax() {
    constexpr Colour colour = Stage % 2 == 1 ? red : black;
    constexpr int parity = (Step + Stage) & 1;
    constexpr int here = slot(Step, Stage);
    const Beside beside =
        find<colour, parity>(shared_.edges[(Step + 1) & 1][Stage - 1], place_.warp, place_.lane);
    relax_alike<colour, parity>(
        f_.level, f_.level.omega_after[Stage - 1], planes_[here], w_[slot(Step, Stage + 1)],
        w_[here], w_[slot(Step, Stage - 1)], beside,
        [&](int row, int column) { return shared_.r[here].value(place_.thread(), row, column); });
  }

  /// Leaves for half-sweep Stage + 1 what it will need at the next step.
  template <int Step, int Stage>
  __device__ __forceinline__ void publish() {
    leave<Stage % 2 == 0 ? black : red, (Step + Stage) & 1>(
        shared_.edges[Step & 1][Stage], place_.warp, place_.lane, w_[slot(Step, Stage)]);
  }

  template <int Step>
  __device__ __forceinline__ void write(int plane, const Patch<float, rows>& w) {
    if (!writes(plane)) {
      return;
    }
    Real* const to = plane_of(f_.p, plane);
    for_written_rows([&](int row) {
      Pair<Real> result{static_cast<Real>(w.at[row][0]), static_cast<Real>(w.at[row][1])};
      if constexpr (Ascent::adds) {
        result = corrected(shared_.p.at[output_slot(Step, ascend_reach)].at[row][place_.thread()],
                           result, unscaled_);
      }
      *pair_at(to, place_.bytes[row]) = result;
    });
  }

  const AscendArguments<Real>& f_;
  Shared& shared_;
  AlikePlace<rows, Ascent::warps> place_;
  AlikeInterpolation<rows, Ascent::coarsened> interpolation_;
  Slab slab_;
  float4 planes_[AlikeSlots::period] = {};
  Patch<float, rows> w_[AlikeSlots::period] = {};
  Real unscaled_ = 1;
};

template <class Ascent>
__global__ void __launch_bounds__(Ascent::threads, 1)
    alike_ascend_kernel(const __grid_constant__ AscendArguments<typename Ascent::Real> arguments) {
  AlikeAscentBlock<Ascent>(arguments, dynamic_shared<AlikeAscentShared<Ascent>>()).run();
}

}  // namespace bankfull::poisson::multigrid::cuda
