#pragma once

#include "bankfull/core/base/gpu_arch.hpp"
#include "bankfull/core/exec/dynamic_shared.cuh"
#include "bankfull/numerics/poisson/direct/cuda/three_pass/data.cuh"
#include "bankfull/numerics/poisson/direct/cuda/three_pass/sides.cuh"
#include "bankfull/numerics/poisson/direct/three_pass/rows.hpp"

#include <cstdint>

namespace bankfull::poisson::three_pass {

/// Blocks of passes 1 and 3 for rows of N cells, and Radix values of q. A thread has 16 points of a
/// pair of rows, later mode k = thread of 16 rows.
template <class Real, int N, int Radix>
struct RowShape {
  using Steps = RowTransform<Real, N>;
  using Rows = RowsOfBlock<Radix>;

  static constexpr int threads = N / 2;
  static constexpr int blocks_per_multiprocessor = threads_per_multiprocessor / threads;
  static_assert(threads == row_pairs * Steps::lanes);

  struct Memory {
    Complex<Real> lines[row_pairs * Steps::shared_points];
    Complex<Real> twists[radix];
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
    Line x = load_rows(side);
    leave_twists();
    transform_row(x);
    __syncwarp();
    leave_row(x);
    __syncthreads();
    x = RowModes<Real, N>::separate(thread_now(), shared_.lines, Steps::shared_points);
    transform_groups<Radix>(x);
    store_spectrum(x);
  }

  __device__ __forceinline__ void back() const {
    Line x = load_spectrum();
    exchange_parts<Real, radix>(x);
    transform_groups<Radix>(x);
    exchange_parts<Real, radix>(x);
    RowModes<Real, N>::join(thread_now(), x, shared_.lines, Steps::shared_points);
    __syncthreads();
    x = take_row_exchanged();
    __syncwarp();
    transform_row(x);
    store_rows_exchanged(x);
  }

 private:
  using Line = Points<Real>;
  using Steps = typename Shape::Steps;
  using Rows = typename Shape::Rows;

  /// One of a team that transforms a pair of rows.
  struct Member {
    int thread = thread_now();
    [[nodiscard]] __device__ __forceinline__ int lane() const { return thread % Steps::lanes; }
    [[nodiscard]] __device__ __forceinline__ int pair() const { return thread / Steps::lanes; }
  };

  [[nodiscard]] __device__ __forceinline__ Complex<Real>* line_of(const Member& role) const {
    return shared_.lines + role.pair() * Steps::shared_points;
  }

  /// The cell of this lane in the first row of its pair.
  [[nodiscard]] __device__ __forceinline__ Real* row_of(const Member& role) const {
    return data_.field + plane_ * data_.plane_pitch +
           (first_m_ + Rows::j(role.pair())) * data_.row_pitch + role.lane();
  }
  /// How far the other row of the pair is from there.
  [[nodiscard]] __device__ __forceinline__ std::int64_t partner() const {
    return Rows::j(row_pairs) * data_.row_pitch;
  }

  template <class Side>
  [[nodiscard]] __device__ __forceinline__ Line load_rows(const Side& side) const {
    const Member role;
    const int j = first_m_ + Rows::j(role.pair());
    const auto row = side.row(plane_, j);
    const auto other = side.row(plane_, j + Rows::j(row_pairs));
    Line x;
#pragma unroll
    for (int t = 0; t < radix; ++t) {
      const int k = role.lane() + t * Steps::lanes;
      const int next = t + 1 < radix ? k + 1 : (k + 1) % N;
      x[t] = {row.at(k, next), other.at(k, next)};
    }
    return x;
  }
  __device__ __forceinline__ void store_rows_exchanged(const Line& x) const {
    Real* const row = row_of(Member());
    Real* const other = row + partner();
#pragma unroll
    for (int t = 0; t < radix; ++t) {
      row[t * Steps::lanes] = x[t].im;
      other[t * Steps::lanes] = x[t].re;
    }
  }

  __device__ __forceinline__ void leave_row(const Line& x) const {
    const Member role;
    Complex<Real>* const line = line_of(role) + role.lane();
#pragma unroll
    for (int v = 0; v < radix; ++v) {
      line[v * Steps::lanes] = x[v];
    }
  }
  [[nodiscard]] __device__ __forceinline__ Line take_row_exchanged() const {
    const Member role;
    const Complex<Real>* const line = line_of(role) + role.lane();
    Line x;
#pragma unroll
    for (int v = 0; v < radix; ++v) {
      x[v] = exchanged(line[v * Steps::lanes]);
    }
    return x;
  }

  /// Teams are within warps.
  __device__ __forceinline__ void transform_row(Line& x) const {
    const Member role;
    Complex<Real>* const line = line_of(role);
    transform_groups<radix>(x);
    Steps::leave(role.lane(), x, line);
    if constexpr (Steps::lanes == 32) {
      const Complex<Real> root = constant_at(data_.roots_k + role.lane());
      const Complex<Real> root_of_sums =
          constant_at(data_.roots_k + Steps::u_of(role.lane()) * (N / 32));
      __syncwarp();
      const Sums<Real> sums = Steps::take_sums(role.lane(), root_of_sums, line);
      x = sums_in_order<Real>(Steps::parity_of(role.lane()), sums.kept,
                              from_partner<radix, Real>(sums.given));
      transform<Real, radix>(x, root);
    } else {
      Points<Real, Steps::own_u> roots;
#pragma unroll
      for (int n = 0; n < Steps::own_u; ++n) {
        roots[n] = constant_at(data_.roots_k + role.lane() + n * Steps::lanes);
      }
      __syncwarp();
      x = Steps::finish(role.lane(), roots, line);
    }
  }

  /// Of row n after the transforms over q: r is where q was.
  __device__ __forceinline__ Complex<Real>* place(int k, int row) const {
    constexpr Tiles<Real> tiles(N, Radix);
    const int r = Rows::q(row);
    return data_.spectrum + tiles.tile(k, r) * data_.tile_pitch +
           Tiles<Real>::within(plane_, first_m_ + Rows::m(row), tiles.column(k, r));
  }

  /// exp(-2 pi i m r / nj)
  __device__ __forceinline__ Complex<Real> twist(int row) const {
    return constant_at(data_.roots_j + (first_m_ + Rows::m(row)) * Rows::q(row));
  }

  /// Twists times the scale in shared memory. From global memory the compiler would load all of
  /// them phases too early, and spill.
  __device__ __forceinline__ void leave_twists() const {
    const int row = thread_now();
    if (row < radix) {
      shared_.twists[row] = scaled(twist(row), data_.side_scale[plane_]);
    }
  }

  __device__ __forceinline__ void store_spectrum(const Line& x) const {
    const int thread = thread_now();
    if (thread == 0) {
#pragma unroll
      for (int row = 0; row < radix; ++row) {
        const Complex<Real> mirrored = x[row - Rows::q(row) + (Radix - Rows::q(row)) % Radix];
        const Complex<Real> factor = shared_.twists[row];
        *place(0, row) = fused_product(first_of_two(x[row], mirrored), factor);
        *place(N / 2, row) = fused_product(second_of_two(x[row], mirrored), factor);
      }
    } else {
#pragma unroll
      for (int row = 0; row < radix; ++row) {
        *place(thread, row) = fused_product(x[row], shared_.twists[row]);
      }
    }
  }

  [[nodiscard]] __device__ __forceinline__ Line load_spectrum() const {
    const int thread = thread_now();
    Line x;
#pragma unroll
    for (int row = 0; row < radix; ++row) {
      x[row] = *place(thread, row);
    }
    if (thread == 0) {
#pragma unroll
      for (int row = 0; row < radix; ++row) {
        x[row] = two_as_one(x[row], *place(N / 2, row));
      }
    }
#pragma unroll
    for (int row = 0; row < radix; ++row) {
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
__global__ void __launch_bounds__(RowShape<Real, N, Radix>::threads,
                                  RowShape<Real, N, Radix>::blocks_per_multiprocessor)
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
