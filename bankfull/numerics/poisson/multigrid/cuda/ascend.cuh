#pragma once

#include "bankfull/numerics/poisson/multigrid/cuda/march.cuh"
#include "bankfull/numerics/poisson/multigrid/cuda/transfer.cuh"
#include "bankfull/numerics/poisson/multigrid/point.hpp"
#include "bankfull/numerics/poisson/multigrid/traffic.hpp"

#include <cuda_pipeline.h>
#include <utility>

namespace bankfull::poisson::multigrid::cuda {

/// The way up on one level: w = e + the interpolated correction of the next level, two red-black
/// sweeps on w for the residual r, then p += w / scale (Adds) or p = w. e is absent where it is 0.
template <class Real>
struct AscendArguments {
  LevelView level;
  const float* coarse;
  const float* r;
  const float* e;  ///< or nullptr
  Real* p;
  const double* scale;    ///< of r and w, a power of two, where p is not
  int planes;             ///< of a slab
  const double* plane_p;  ///< Adds: p of each plane, which then is not read; or nullptr
};

/// The traffic of a level: r, the next level's correction, and p (Adds) or e are read, p is
/// written. A solve's first cycle from nothing reads no p, and counts as the others.
template <bool Adds, class Real>
Traffic ascent_traffic(const Level& level) {
  const double cells = cells_of(level);
  const double changed = (Adds ? sizeof(Real) : sizeof(float)) * cells;
  return {.bytes_read = sizeof(float) * (cells + parents_of(level)) + changed,
          .bytes_written = sizeof(Real) * cells,
          .flops = interpolation_flops(level) + flops_of_sweeps(level, 2) +
                   (Adds ? CellFlops::correction * cells : 0.0)};
}

/// p + w / scale, exact but for the addition.
template <class Real>
__device__ __forceinline__ Pair<Real> corrected(const Pair<Real>& p, const Pair<Real>& w,
                                                Real unscaled) {
  return {fma(w.x, unscaled, p.x), fma(w.y, unscaled, p.y)};
}

/// A value of all cells of a plane.
template <class Real>
__device__ __forceinline__ Pair<Real> in_plane(const double* of_planes, int plane) {
  const auto value = static_cast<Real>(__ldg(of_planes + plane));
  return {value, value};
}

inline constexpr int ascend_stages = 4;  ///< half-sweeps
inline constexpr int ascend_reach = 4;
inline constexpr int ascend_period = 6;  ///< planes of which a thread has values

/// What is on its way from memory for each thread's own cells, two rows of a plane. Registers are
/// so short that compilers spill what they have asked for, and wait for it before they do.
template <class Real, bool Seams>
struct AscendInputs {
  float2 r[ascend_period][2][block_threads];
  Pair<Real> p[2][block_threads];
};

/// With seams edges take the room of some GPUs: inputs stay in registers.
template <class Real>
struct AscendInputs<Real, true> {};

template <class Real, bool Seams>
struct AscendShared {
  /// What each half-sweep takes from other warps, for odd and even steps.
  Edges<Seams> edges[2][ascend_stages];
  AscendInputs<Real, Seams> inputs;
};

/// One block of the way up. At step n it forms w of plane n and relaxes planes n - 1 to n - 4, each
/// for the next time.
template <class Real, bool Adds, bool Seams>
class AscendBlock {
 public:
  __device__ __forceinline__ AscendBlock(const AscendArguments<Real>& arguments,
                                         AscendShared<Real, Seams>& shared)
      : f_(arguments),
        shared_(shared),
        place_(f_.level, margin_of(ascend_reach)),
        sweeper_(f_.level, place_.cells),
        interpolation_(f_.level, f_.coarse, place_.cells),
        slab_(f_.level, f_.planes, ascend_reach) {}

  __device__ __forceinline__ void run() {
    clear(shared_);
    if constexpr (Adds) {
      unscaled_ = static_cast<Real>(1.0 / *f_.scale);
    }
    planes_[0] = PlaneOfMarch::at(f_.level.i, slab_.start);
    interpolation_.begin(planes_[0].cell);
    ask_for_residual<0>(planes_[0].cell);
    if (f_.e != nullptr) {
      asked_e_ = load(f_.e, planes_[0].cell);
    }
    for (int plane = slab_.start; plane < slab_.end + ascend_reach; plane += ascend_period) {
      steps(plane, std::make_integer_sequence<int, ascend_period>{});
    }
  }

 private:
  [[nodiscard]] __device__ __forceinline__ Quad<float> load(const float* field, int cell) const {
    return place_.load(field + cell * f_.level.at.plane);
  }

  template <int... Step>
  __device__ __forceinline__ void steps(int plane, std::integer_sequence<int, Step...>) {
    (step<Step>(plane + Step), ...);
  }

  /// The slot of the plane `before` the one of this step.
  static constexpr int slot(int step, int before) {
    return (step - before + 2 * ascend_period) % ascend_period;
  }

  template <int Step>
  __device__ __forceinline__ void step(int plane) {
    if (plane >= slab_.end + ascend_reach) {
      return;
    }
    PlaneOfMarch& next = planes_[slot(Step, -1)];
    next = planes_[Step].next(f_.level.i);
    ask_for_output(plane - ascend_reach);
    ask_for_residual<slot(Step, -1)>(next.cell);
    w_[Step] = form(next.cell);
    wait_for_residuals();
    relax<Step, 1>();
    relax<Step, 2>();
    relax<Step, 3>();
    relax<Step, 4>();
    write(plane - ascend_reach, w_[slot(Step, ascend_reach)]);
    publish<Step, 0>();
    publish<Step, 1>();
    publish<Step, 2>();
    publish<Step, 3>();
    wait_for_neighbours<warps>(place_.warp);
  }

  /// Asks for what the next plane's cell needs.
  __device__ __forceinline__ Quad<float> form(int next) {
    Quad<float> w = interpolation_.take();
    interpolation_.prepare(next);
    if (f_.e != nullptr) {
#pragma unroll
      for (int n = 0; n < 4; ++n) {
        w.at[n / 2][n % 2] += asked_e_.at[n / 2][n % 2];
      }
      asked_e_ = load(f_.e, next);
    }
    return w;
  }

  [[nodiscard]] __device__ __forceinline__ int thread() const {
    return 32 * place_.warp + place_.lane;
  }

  template <int Slot>
  __device__ __forceinline__ void ask_for_residual(int cell) {
    if constexpr (Seams) {
      r_[Slot] = load(f_.r, cell);
    } else {
      const float* const plane = f_.r + cell * f_.level.at.plane;
#pragma unroll
      for (int row = 0; row < 2; ++row) {
        __pipeline_memcpy_async(&shared_.inputs.r[Slot][row][thread()], plane + place_.offset[row],
                                sizeof(float2));
      }
      __pipeline_commit();
    }
  }

  /// For those of the plane before this step's: two planes' of them may be under way, and outputs.
  __device__ __forceinline__ static void wait_for_residuals() {
    if constexpr (!Seams) {
      __pipeline_wait_prior(Adds ? 3 : 2);
    }
  }

  template <int Slot>
  [[nodiscard]] __device__ __forceinline__ Quad<float> residual() const {
    if constexpr (Seams) {
      return r_[Slot];
    } else {
      const float2 first = shared_.inputs.r[Slot][0][thread()];
      const float2 second = shared_.inputs.r[Slot][1][thread()];
      return {{{first.x, first.y}, {second.x, second.y}}};
    }
  }

  /// Half-sweep number Stage, from 1 on.
  template <int Step, int Stage>
  __device__ __forceinline__ void relax() {
    constexpr Colour colour = Stage % 2 == 1 ? red : black;
    constexpr int parity = (Step + Stage) & 1;
    const Edges<Seams>& edges = shared_.edges[(Step + 1) & 1][Stage - 1];
    Beside beside;
    if constexpr (Seams) {
      beside = find(edges, place_.warp, place_.lane);
    } else {
      beside = find<colour, parity>(edges, place_.warp, place_.lane);
    }
    sweeper_.template relax<colour, parity>(
        f_.level.omega_after[Stage - 1], planes_[slot(Step, Stage)], w_[slot(Step, Stage + 1)],
        w_[slot(Step, Stage)], w_[slot(Step, Stage - 1)], beside, residual<slot(Step, Stage)>());
  }

  /// Leaves for half-sweep Stage + 1 what it will need at the next step.
  template <int Step, int Stage>
  __device__ __forceinline__ void publish() {
    Edges<Seams>& edges = shared_.edges[Step & 1][Stage];
    const Quad<float>& w = w_[slot(Step, Stage)];
    if constexpr (Seams) {
      leave(edges, place_.warp, place_.lane, w);
    } else {
      leave<Stage % 2 == 0 ? black : red, (Step + Stage) & 1>(edges, place_.warp, place_.lane, w);
    }
  }

  [[nodiscard]] __device__ __forceinline__ bool writes(int plane) const {
    return plane >= slab_.first && plane < slab_.end;
  }

  [[nodiscard]] __device__ __forceinline__ Pair<Real>* output(int plane, int row) const {
    return reinterpret_cast<Pair<Real>*>((f_.p + plane * f_.level.at.plane) + place_.offset[row]);
  }

  __device__ __forceinline__ void ask_for_output(int plane) {
    if constexpr (Adds) {
#pragma unroll
      for (int row = 0; row < 2; ++row) {
        if (!writes(plane) || !place_.writes_row[row]) {
          continue;
        }
        if (f_.plane_p != nullptr) {
          output_slot(row) = in_plane<Real>(f_.plane_p, plane);
        } else if constexpr (Seams) {
          output_slot(row) = *output(plane, row);
        } else {
          __pipeline_memcpy_async(&output_slot(row), output(plane, row), sizeof(Pair<Real>));
        }
      }
      if constexpr (!Seams) {
        __pipeline_commit();
      }
    }
  }

  /// Of what was asked for in this step; after it only residuals were.
  [[nodiscard]] __device__ __forceinline__ Pair<Real>& output_slot(int row) {
    if constexpr (Seams) {
      return p_[row];
    } else {
      return shared_.inputs.p[row][thread()];
    }
  }

  __device__ __forceinline__ void write(int plane, const Quad<float>& w) {
    if constexpr (Adds && !Seams) {
      __pipeline_wait_prior(1);
    }
    if (!writes(plane)) {
      return;
    }
#pragma unroll
    for (int row = 0; row < 2; ++row) {
      if (place_.writes_row[row]) {
        Pair<Real> result{static_cast<Real>(w.at[row][0]), static_cast<Real>(w.at[row][1])};
        if constexpr (Adds) {
          result = corrected(output_slot(row), result, unscaled_);
        }
        if (place_.k + 1 == f_.level.k.cells) {
          result.y = 0;  // what stands beside the last column must stay a number
        }
        *output(plane, row) = result;
      }
    }
  }

  const AscendArguments<Real>& f_;
  AscendShared<Real, Seams>& shared_;
  Place<Seams> place_;
  Sweeper<Seams> sweeper_;
  Interpolation interpolation_;
  Slab slab_;
  PlaneOfMarch planes_[ascend_period] = {};
  Quad<float> w_[ascend_period] = {};
  Quad<float> r_[Seams ? ascend_period : 1] = {};
  Quad<float> asked_e_ = {};
  Pair<Real> p_[Seams ? 2 : 1] = {};
  Real unscaled_ = 1;
};

template <class Real, bool Adds, bool Seams>
__global__ void __launch_bounds__(block_threads, 1)
    ascend_kernel(const __grid_constant__ AscendArguments<Real> arguments) {
  AscendBlock<Real, Adds, Seams>(arguments, dynamic_shared<AscendShared<Real, Seams>>()).run();
}

}  // namespace bankfull::poisson::multigrid::cuda
