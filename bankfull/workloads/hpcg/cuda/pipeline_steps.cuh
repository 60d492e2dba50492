#pragma once

#include "bankfull/workloads/hpcg/cuda/pipeline_tile.cuh"
#include "bankfull/workloads/hpcg/smoother.hpp"

namespace bankfull::hpcg::cuda::pipeline {

// Steps of a sweep. `main` is the part of the matrix that they read, `vectors` the vectors.

struct FromZero {
  static constexpr Main main = Main::lower;
  static constexpr bool apart = false;  ///< whether coarse slots are fetched separately
  static constexpr Outer others = Outer::none;
  static constexpr int vectors = 2;
  template <class Columns>
  static __device__ __forceinline__ const double* vector(const LevelArguments<Columns>& a, int n) {
    return n == 0 ? a.diagonal : a.r;
  }

  template <class Columns>
  static __device__ __forceinline__ double run(const Row<Columns>& row) {
    double* const x = row.a.x;
    x[row.number] = forward_from_zero(row.vector(1), row.times(x), row.vector(0));
    return 0.0;
  }
};

/// The same after the update of r, with the row's term of r.r.
struct UpdateAndFromZero : FromZero {
  static constexpr int vectors = 3;
  template <class Columns>
  static __device__ __forceinline__ const double* vector(const LevelArguments<Columns>& a, int n) {
    return n == 0 ? a.diagonal : n == 1 ? a.r : a.update.ap;
  }

  template <class Columns>
  static __device__ __forceinline__ double run(const Row<Columns>& row) {
    double* const x = row.a.x;
    const double r = row.a.update.of(row.number, row.vector(1), row.vector(2));
    row.a.update.r[row.number] = r;
    x[row.number] = forward_from_zero(r, row.times(x), row.vector(0));
    return r * r;
  }
};

struct AfterZero {
  static constexpr Main main = Main::upper;
  static constexpr bool apart = false;
  static constexpr Outer others = Outer::none;
  static constexpr int vectors = 2;
  template <class Columns>
  static __device__ __forceinline__ const double* vector(const LevelArguments<Columns>& a, int n) {
    return n == 0 ? a.diagonal : a.x;
  }

  template <class Columns>
  static __device__ __forceinline__ double run(const Row<Columns>& row) {
    double* const x = row.a.x;
    const SlotRange before{row.slots.begin, row.coarse_slots.begin};
    const SlotRange after{row.coarse_slots.end, row.slots.end};
    double sum = row.matrix.add(before, row.lane, x, 0.0);
    sum = row.matrix.add(after, row.lane, x, sum);
    __stcs(row.a.u + row.number, sum);
    sum = row.matrix.add(row.coarse_slots, row.lane, x, sum);
    x[row.number] = backward_after_zero(row.vector(1), sum, row.vector(0));
    return 0.0;
  }
};

/// Reads x of coarse rows too: their own chunks wait for this one.
template <Outer Others>
struct Again {
  static constexpr Main main = Main::lower;
  static constexpr bool apart = true;
  static constexpr Outer others = Others;
  static constexpr int vectors = 3;
  template <class Columns>
  static __device__ __forceinline__ const double* vector(const LevelArguments<Columns>& a, int n) {
    return n == 0 ? a.diagonal : n == 1 ? a.r : a.u;
  }

  template <class Columns>
  static __device__ __forceinline__ double run(const Row<Columns>& row) {
    double* const x = row.a.x;
    double upper = row.vector(2);
    if (row.coarse_slots.begin < row.coarse_slots.end) {
      upper = row.coarse.add(row.coarse_slots, row.lane, x, upper);
      row.a.u[row.number] = upper;
    }
    const double outer =
        Others == Outer::some && row.others ? cuda::times(row.a.outer, row.number, x) : 0.0;
    x[row.number] = forward_again(row.vector(1), row.times(x), upper, outer, row.vector(0));
    return 0.0;
  }
};

struct BackAgain {
  static constexpr Main main = Main::upper;
  static constexpr bool apart = false;
  static constexpr Outer others = Outer::none;
  static constexpr int vectors = 3;
  template <class Columns>
  static __device__ __forceinline__ const double* vector(const LevelArguments<Columns>& a, int n) {
    return n == 0 ? a.diagonal : n == 1 ? a.x : n == 2 ? a.u : a.r;
  }

  template <class Columns>
  static __device__ __forceinline__ double run(const Row<Columns>& row) {
    return with_upper(row, row.times(row.a.x));
  }

  template <class Columns>
  static __device__ __forceinline__ double with_upper(const Row<Columns>& row, double upper) {
    const double now = backward_again(row.vector(1), row.vector(2), upper, row.vector(0));
    row.a.x[row.number] = now;
    return now;
  }
};

/// The same with the row's term of r.x, and (D + U) x where that is kept.
struct BackAgainWithProduct : BackAgain {
  static constexpr int vectors = 4;

  template <class Columns>
  static __device__ __forceinline__ double run(const Row<Columns>& row) {
    const double upper = row.times(row.a.x);
    const double now = with_upper(row, upper);
    if (row.a.du != nullptr) {
      __stcs(row.a.du + row.number, diagonal_and_upper(row.vector(0), now, upper));
    }
    return now * row.vector(3);
  }
};

}  // namespace bankfull::hpcg::cuda::pipeline
