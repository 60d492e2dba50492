#pragma once

#include "bankfull/core/base/gpu_arch.hpp"
#include "bankfull/core/exec/dynamic_shared.cuh"
#include "bankfull/numerics/poisson/direct/cuda/three_pass/data.cuh"
#include "bankfull/numerics/poisson/direct/cuda/three_pass/sides.cuh"
#include "bankfull/numerics/poisson/direct/three_pass/rows.hpp"

#include <algorithm>
#include <cstdint>

namespace bankfull::poisson::three_pass {

/// Blocks of passes 1 and 3 for rows of N cells, and Radix values of q. A thread has up to 16
/// points of a pair of rows, later mode k = thread of all rows. Where 12 points are taken along one
/// axis and 16 along the other, some threads have no part in one of both phases.
template <class Real, int N, int Radix>
struct RowShape {
  using Steps = RowTransform<Real, N>;
  using Rows = RowsOfBlock<Radix>;

  static constexpr int modes = N / 2;
  static constexpr int transformers = Rows::pairs * Steps::lanes;
  static constexpr int threads = std::max(transformers, modes);
  /// With 12 points a thread fp32 has registers for more. fp64 would spill them: pass 1 of a
  /// velocity with 384 x 384 x 192 cells takes 0.297 ms on an H200 with more, 0.251 without.
  static constexpr bool fits_more =
      std::max(Steps::taken, Rows::count) < radix && sizeof(Real) == 4;
  static constexpr int warps_per_multiprocessor = fits_more ? 20 : threads_per_multiprocessor / 32;
  static constexpr int blocks_per_multiprocessor = warps_per_multiprocessor / ((threads + 31) / 32);

  /// A block of one warp would wait for many loads, one after the other: in pass 1 further threads
  /// load with it, and have no part in what follows. With 64 x 64 columns pass 1 of a velocity
  /// takes 0.70 to 0.77 of the time on an H200 (fp64). Where a block has more warps anyway, it may
  /// take longer: 1.03 with 128 x 128 x 64 cells, 1.26 with 96 x 96 x 96. So may it where there are
  /// many blocks, as of longer planes, for which nobody has measured it.
  static constexpr bool loads_together = threads <= 32 && Radix == 2;
  static constexpr int loaders = 128;
  static constexpr int forward_threads = loads_together ? loaders : threads;
  static constexpr int forward_blocks_per_multiprocessor =
      warps_per_multiprocessor / ((forward_threads + 31) / 32);

  struct Memory {
    Complex<Real> lines[Rows::pairs * Steps::shared_points];
    Complex<Real> twists[Rows::count];
  };
};

template <class Real, int N, int Radix>
class PlaneRows {
 public:
  using Shape = RowShape<Real, N, Radix>;
  using Memory = typename Shape::Memory;

  __device__ __forceinline__ explicit PlaneRows(const Data<Real>& data)
      : data_(data),
        first_m_(static_cast<int>(blockIdx.x) % Rows::blocks_per_plane * Rows::together),
        plane_(static_cast<int>(blockIdx.x) / Rows::blocks_per_plane),
        shared_(dynamic_shared<Memory>()) {}

  template <class Side>
  __device__ __forceinline__ void forward(const Side& side) const {
    if constexpr (Shape::loads_together) {
      load_together(side);
      __syncthreads();
    }
    if (has_row()) {
      const Taken taken = taken_rows(side);
      leave_twists();
      const Line x = transform_row(taken);
      sync_rows();
      leave_row(x);
    }
    __syncthreads();
    if (has_mode()) {
      Column x = Modes::separate(thread_now(), shared_.lines, Steps::shared_points);
      transform_groups<Radix, Real>(x);
      store_spectrum(x);
    }
  }

  __device__ __forceinline__ void back() const {
    if (has_mode()) {
      Column x = load_spectrum();
      exchange_parts<Real, Rows::count>(x);
      transform_groups<Radix, Real>(x);
      exchange_parts<Real, Rows::count>(x);
      Modes::join(thread_now(), x, shared_.lines, Steps::shared_points);
    }
    __syncthreads();
    if (has_row()) {
      const Taken taken = take_row_exchanged();
      sync_rows();
      store_rows_exchanged(transform_row(taken));
    }
  }

 private:
  using Steps = typename Shape::Steps;
  using Taken = typename Steps::Taken;
  using Line = typename Steps::Line;
  using Rows = typename Shape::Rows;
  using Modes = RowModes<Real, N, Rows::count>;
  using Column = Points<Real, Rows::count>;  ///< one mode of all rows

  /// Whether that many threads are all of a block, in both passes.
  [[nodiscard]] static constexpr __device__ bool no_other_threads(int count) {
    return count == Shape::threads && !Shape::loads_together;
  }
  [[nodiscard]] static __device__ __forceinline__ bool has_row() {
    return no_other_threads(Shape::transformers) || thread_now() < Shape::transformers;
  }
  [[nodiscard]] static __device__ __forceinline__ bool has_mode() {
    return no_other_threads(Shape::modes) || thread_now() < Shape::modes;
  }

  /// Of the threads with a row: teams are within warps.
  static __device__ __forceinline__ void sync_rows() {
    constexpr int in_last_warp = Shape::transformers % 32;
    if constexpr (in_last_warp == 0 || no_other_threads(Shape::transformers)) {
      __syncwarp();
    } else {
      const bool last = thread_now() / 32 == Shape::transformers / 32;
      __syncwarp(last ? (1U << in_last_warp) - 1U : all_lanes);
    }
  }

  /// One of a team that transforms a pair of rows.
  struct Member {
    int thread = thread_now();
    [[nodiscard]] __device__ __forceinline__ int lane() const { return thread % Steps::lanes; }
    [[nodiscard]] __device__ __forceinline__ int pair() const { return thread / Steps::lanes; }
  };

  [[nodiscard]] __device__ __forceinline__ Complex<Real>* line_of(const Member& role) const {
    return shared_.lines + role.pair() * Steps::shared_points;
  }

  /// The first cell of the first row of its pair.
  [[nodiscard]] __device__ __forceinline__ Real* row_of(const Member& role) const {
    return data_.field + plane_ * data_.plane_pitch +
           (first_m_ + Rows::j(role.pair())) * data_.row_pitch;
  }
  /// How many rows the other one of a pair is from there.
  [[nodiscard]] static __device__ __forceinline__ int partner() { return Rows::j(Rows::pairs); }

  template <class Side>
  [[nodiscard]] __device__ __forceinline__ Taken load_rows(const Side& side) const {
    const Member role;
    const int j = first_m_ + Rows::j(role.pair());
    const auto row = side.row(plane_, j);
    const auto other = side.row(plane_, j + partner());
    Taken x;
#pragma unroll
    for (int t = 0; t < Steps::taken; ++t) {
      const int k = role.lane() + t * Steps::lanes;
      const int next = t + 1 < Steps::taken ? k + 1 : (k + 1) % N;
      x[t] = {row.at(k, next), other.at(k, next)};
    }
    return x;
  }
  /// The block's points, to where row transforms take them from.
  template <class Side>
  __device__ __forceinline__ void load_together(const Side& side) const {
    constexpr int points = Rows::pairs * N;
    constexpr int rounds = (points + Shape::forward_threads - 1) / Shape::forward_threads;
#pragma unroll
    for (int round = 0; round < rounds; ++round) {
      const int n = thread_now() + round * Shape::forward_threads;
      if (points % Shape::forward_threads == 0 || n < points) {
        const int pair = n / N;
        const int k = n % N;
        const int next = (k + 1) % N;
        const int j = first_m_ + Rows::j(pair);
        shared_.lines[pair * Steps::shared_points + k] = {
            side.row(plane_, j).at(k, next), side.row(plane_, j + partner()).at(k, next)};
      }
    }
  }
  template <class Side>
  [[nodiscard]] __device__ __forceinline__ Taken taken_rows(const Side& side) const {
    if constexpr (Shape::loads_together) {
      const Member role;
      const Taken taken = points_of(line_of(role) + role.lane());
      sync_rows();
      return taken;
    } else {
      return load_rows(side);
    }
  }
  __device__ __forceinline__ void store_rows_exchanged(const Line& x) const {
    const Member role;
    Real* const row = row_of(role) + Steps::first_mode(role.lane());
    Real* const other = row + partner() * data_.row_pitch;
#pragma unroll
    for (int i = 0; i < radix; ++i) {
      if (Steps::has_mode(role.lane(), i)) {
        row[Steps::to_mode(i)] = x[i].im;
        other[Steps::to_mode(i)] = x[i].re;
      }
    }
  }

  __device__ __forceinline__ void leave_row(const Line& x) const {
    const Member role;
    Complex<Real>* const line = line_of(role) + Steps::first_mode(role.lane());
#pragma unroll
    for (int i = 0; i < radix; ++i) {
      if (Steps::has_mode(role.lane(), i)) {
        line[Steps::to_mode(i)] = x[i];
      }
    }
  }
  [[nodiscard]] __device__ __forceinline__ Taken take_row_exchanged() const {
    const Member role;
    const Complex<Real>* const line = line_of(role) + role.lane();
    Taken x;
#pragma unroll
    for (int t = 0; t < Steps::taken; ++t) {
      x[t] = exchanged(line[t * Steps::lanes]);
    }
    return x;
  }
  [[nodiscard]] static __device__ __forceinline__ Taken points_of(const Complex<Real>* line) {
    Taken x;
#pragma unroll
    for (int t = 0; t < Steps::taken; ++t) {
      x[t] = line[t * Steps::lanes];
    }
    return x;
  }

  [[nodiscard]] __device__ __forceinline__ Line transform_row(Taken taken) const {
    const Member role;
    const int lane = role.lane();
    Complex<Real>* const line = line_of(role);
    transform<Real, Steps::taken>(taken);
    Steps::leave(lane, taken, line);
    if constexpr (Steps::lanes == 32) {
      const Complex<Real> root = constant_at(data_.roots_k + Steps::root_of(lane));
      const Complex<Real> root_of_sums = constant_at(data_.roots_k + Steps::root_of_sums(lane));
      sync_rows();
      const Sums<Real> sums = Steps::take_sums(lane, root_of_sums, line);
      Line x = sums_in_order<Real>(Steps::parity_of(lane), sums.kept,
                                   from_partner<radix, Real>(sums.given));
      transform<Real, radix>(x, root);
      return x;
    } else {
      Points<Real, Steps::own_u> roots;
#pragma unroll
      for (int n = 0; n < Steps::own_u; ++n) {
        roots[n] = constant_at(data_.roots_k + Steps::root_of(lane, n));
      }
      sync_rows();
      return Steps::finish(lane, roots, line);
    }
  }

  /// Of row n after the transforms over q: r is where q was.
  [[nodiscard]] __device__ __forceinline__ Complex<Real>* place(int k, int row) const {
    constexpr Tiles<Real> tiles(N, Radix);
    const int r = Rows::q(row);
    return data_.spectrum + tiles.tile(k, r) * data_.tile_pitch +
           Tiles<Real>::within(plane_, first_m_ + Rows::m(row), tiles.column(k, r));
  }

  /// exp(-2 pi i m r / nj)
  [[nodiscard]] __device__ __forceinline__ Complex<Real> twist(int row) const {
    return constant_at(data_.roots_j + (first_m_ + Rows::m(row)) * Rows::q(row));
  }

  /// Twists times the scale in shared memory. From global memory the compiler would load all of
  /// them phases too early, and spill.
  __device__ __forceinline__ void leave_twists() const {
    const int row = thread_now();
    if (row < Rows::count) {
      shared_.twists[row] = scaled(twist(row), data_.side_scale[plane_]);
    }
  }

  __device__ __forceinline__ void store_spectrum(const Column& x) const {
    const int thread = thread_now();
    if (thread == 0) {
#pragma unroll
      for (int row = 0; row < Rows::count; ++row) {
        const Complex<Real> mirrored = x[Rows::mirrored(row)];
        const Complex<Real> factor = shared_.twists[row];
        *place(0, row) = fused_product(first_of_two(x[row], mirrored), factor);
        *place(N / 2, row) = fused_product(second_of_two(x[row], mirrored), factor);
      }
    } else {
#pragma unroll
      for (int row = 0; row < Rows::count; ++row) {
        *place(thread, row) = fused_product(x[row], shared_.twists[row]);
      }
    }
  }

  [[nodiscard]] __device__ __forceinline__ Column load_spectrum() const {
    const int thread = thread_now();
    Column x;
#pragma unroll
    for (int row = 0; row < Rows::count; ++row) {
      x[row] = *place(thread, row);
    }
    if (thread == 0) {
#pragma unroll
      for (int row = 0; row < Rows::count; ++row) {
        x[row] = two_as_one(x[row], *place(N / 2, row));
      }
    }
#pragma unroll
    for (int row = 0; row < Rows::count; ++row) {
      if (Rows::q(row) > 0) {
        x[row] = fused_product(x[row], conjugate(twist(row)));
      }
    }
    return x;
  }

  const Data<Real>& data_;
  int first_m_;
  int plane_;
  Memory& shared_;
};

template <class Real, int N, int Radix, class Side>
__global__ void __launch_bounds__(RowShape<Real, N, Radix>::forward_threads,
                                  RowShape<Real, N, Radix>::forward_blocks_per_multiprocessor)
    rows_forward(const __grid_constant__ Data<Real> data, const __grid_constant__ Side side) {
  if constexpr (compiled_capability >= cluster_capability) {
    PlaneRows<Real, N, Radix>(data).forward(side);
  }
}

template <class Real, int N, int Radix>
__global__ void __launch_bounds__(RowShape<Real, N, Radix>::threads,
                                  RowShape<Real, N, Radix>::blocks_per_multiprocessor)
    rows_back(const __grid_constant__ Data<Real> data) {
  if constexpr (compiled_capability >= cluster_capability) {
    PlaneRows<Real, N, Radix>(data).back();
  }
}

}  // namespace bankfull::poisson::three_pass
