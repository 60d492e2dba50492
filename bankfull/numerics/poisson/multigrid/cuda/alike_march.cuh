#pragma once

#include "bankfull/numerics/poisson/multigrid/cuda/alike.cuh"
#include "bankfull/numerics/poisson/multigrid/cuda/march.cuh"
#include "bankfull/numerics/poisson/multigrid/point.hpp"

#include <cuda_pipeline.h>
#include <utility>

namespace bankfull::poisson::multigrid::cuda {

// Sweeps over levels with alike planes (has_alike_planes) march as those of all levels do, see
// march.cuh, and leave the same bits, with fewer instructions for a cell, of which those marches
// have more than memory leaves time for. A thread has `Rows` rows of two cells, so that regions are
// larger and fewer of their cells are formed for neighbours alone. Coefficients of j and k are
// arguments of the kernel, which instructions read where they are; those of i and the inverse of
// the diagonal stand in one table; cells lie at offsets of 32 bits from a plane, which is the same
// for all threads.

/// Values of a thread's own cells on their way from memory: asked for planes ahead, without
/// registers that would wait for them.
template <class T, int Rows, int Threads>
struct Arrivals {
  Pair<T> at[std::size_t{Rows}][std::size_t{Threads}];

  /// Of a plane of a field.
  template <int Warps>
  __device__ __forceinline__ void ask(const T* plane, const AlikePlace<Rows, Warps>& place) {
#pragma unroll
    for (int n = 0; n < Rows; ++n) {
      ask_row(plane, place, n);
    }
  }

  template <int Warps>
  __device__ __forceinline__ void ask_row(const T* plane, const AlikePlace<Rows, Warps>& place,
                                          int row) {
    __pipeline_memcpy_async(&at[row][place.thread()], pair_at(plane, place.bytes[row]),
                            sizeof(Pair<T>));
  }

  /// Of a cell of this thread.
  [[nodiscard]] __device__ __forceinline__ T value(int thread, int row, int column) const {
    return reinterpret_cast<const T*>(&at[row][0])[2 * thread + column];
  }
};

/// Arrivals of some planes, or of none.
template <class Plane, int Planes>
struct ArrivingPlanes {
  Plane at[std::size_t{Planes}];
};
template <class Plane>
struct ArrivingPlanes<Plane, 0> {};

/// `plane`: of AlikePlanes::planes.
__device__ __forceinline__ Faces<float> alike_coefficients(const AlikePlanes& alike,
                                                           const float4& plane) {
  return {plane.x, plane.y, alike.j.x, alike.j.y, alike.k.x, alike.k.y};
}

/// Relaxes the cells of one colour of a plane, which lies between `before` and `after`.
/// `residual(row, column)`: what they are relaxed for.
template <Colour Of, int PlaneParity, int Rows, class Residual>
__device__ __forceinline__ void relax_alike(const LevelView& level, float omega,
                                            const float4& plane, const Patch<float, Rows>& before,
                                            Patch<float, Rows>& here,
                                            const Patch<float, Rows>& after, const Beside& beside,
                                            const Residual& residual) {
#pragma unroll
  for (int row = 0; row < Rows; ++row) {
    const int column = column_of(row, Of, PlaneParity);
    const float outer = column == 0 ? __shfl_up_sync(~0U, here.at[row][1], 1)
                                    : __shfl_down_sync(~0U, here.at[row][0], 1);
    const float sum = neighbour_sum(alike_coefficients(level.alike, plane),
                                    beyond_faces(row, column, before, here, after, beside, outer));
    here.at[row][column] =
        relaxed(omega, plane.z, here.at[row][column], sum, residual(row, column));
  }
}

/// Linear interpolation from the coarse cells for a thread's cells, i coarsened. Coarsened: j and k
/// are, too.
template <int Rows, bool Coarsened>
class AlikeInterpolation {
 public:
  template <int Warps>
  __device__ __forceinline__ AlikeInterpolation(const LevelView& level, const float* coarse,
                                                const AlikePlace<Rows, Warps>& place)
      : level_(level), coarse_(coarse) {
    constexpr auto word = static_cast<unsigned>(sizeof(float));
    if constexpr (Coarsened) {
      const auto row_bytes = [&](int parent) {
        return word * static_cast<unsigned>(parent * level.coarse_at.row);
      };
      const auto cell = [&](int row) { return level.j.cell_at(place.j + row); };
      row_[0] = row_bytes(level.j.other_parent(cell(0)));
#pragma unroll
      for (int n = 0; n < Rows / 2; ++n) {
        row_[n + 1] = row_bytes(level.j.parent(cell(2 * n)));
      }
      row_[Rows / 2 + 1] = row_bytes(level.j.other_parent(cell(Rows - 1)));
      const int column = level.k.pair_at(place.k);
      column_[0] = word * static_cast<unsigned>(level.k.other_parent(column));
      column_[1] = word * static_cast<unsigned>(level.k.parent(column));
      column_[2] = word * static_cast<unsigned>(level.k.other_parent(column + 1));
    } else {
#pragma unroll
      for (int n = 0; n < Rows; ++n) {
        row_[n] = place.bytes[n];  // coarse planes have the same rows
      }
    }
  }

  /// The first plane, which is even.
  __device__ __forceinline__ void begin(int plane) {
    const int cell = alike_cell(level_.i, plane);
    ask(level_.i.other_parent(cell));
    here_ = taken();
    ask(level_.i.parent(cell));
    go_on(plane - 1);
  }

  /// At each odd plane: from here on the cells lie between the next two coarse planes.
  __device__ __forceinline__ void go_on(int plane) {
    before_ = here_;
    here_ = taken();
    ask(level_.i.other_parent(alike_cell(level_.i, plane + 2)));
  }

  /// The values in a plane. `weight`: of its parent along i.
  template <int PlaneParity>
  [[nodiscard]] __device__ __forceinline__ Patch<float, Rows> take(float weight) const {
    const float second = PlaneParity == 0 ? weight : 1.0F - weight;
    Patch<float, Rows> result;
#pragma unroll
    for (int n = 0; n < 2 * Rows; ++n) {
      result.at[n / 2][n % 2] =
          interpolated(second, here_.at[n / 2][n % 2], before_.at[n / 2][n % 2]);
    }
    return result;
  }

 private:
  static constexpr int asked_rows = Coarsened ? Rows / 2 + 2 : Rows;
  static constexpr int asked_columns = Coarsened ? 3 : 2;

  __device__ __forceinline__ void ask(int plane) {
    const auto* const at = reinterpret_cast<const char*>(coarse_ + plane * level_.coarse_at.plane);
#pragma unroll
    for (int n = 0; n < asked_rows; ++n) {
      if constexpr (Coarsened) {
#pragma unroll
        for (int c = 0; c < asked_columns; ++c) {
          asked_[n][c] = __ldg(reinterpret_cast<const float*>(at + (row_[n] + column_[c])));
        }
      } else {
        const float2 pair = __ldg(reinterpret_cast<const float2*>(at + row_[n]));
        asked_[n][0] = pair.x;
        asked_[n][1] = pair.y;
      }
    }
  }

  [[nodiscard]] __device__ __forceinline__ Patch<float, Rows> taken() const {
    Patch<float, Rows> result;
    if constexpr (Coarsened) {
      const float along_j[2] = {level_.alike.interpolation_j, 1.0F - level_.alike.interpolation_j};
      const float along_k[2] = {level_.alike.interpolation_k, 1.0F - level_.alike.interpolation_k};
#pragma unroll
      for (int row = 0; row < Rows; ++row) {
        const int later = row / 2 + row % 2 + 1;  // of the two coarse rows around it
        float in_row[3];
#pragma unroll
        for (int c = 0; c < 3; ++c) {
          in_row[c] = interpolated(along_j[row % 2], asked_[later][c], asked_[later - 1][c]);
        }
        result.at[row][0] = interpolated(along_k[0], in_row[1], in_row[0]);
        result.at[row][1] = interpolated(along_k[1], in_row[2], in_row[1]);
      }
    } else {
#pragma unroll
      for (int n = 0; n < 2 * Rows; ++n) {
        result.at[n / 2][n % 2] = asked_[n / 2][n % 2];
      }
    }
    return result;
  }

  const LevelView& level_;
  const float* coarse_;
  unsigned row_[std::size_t{asked_rows}];
  unsigned column_[3] = {};
  Patch<float, Rows> before_ = {};
  Patch<float, Rows> here_ = {};
  float asked_[std::size_t{asked_rows}][std::size_t{asked_columns}];
};

/// The slots of planes of which a thread has values, in turn.
struct AlikeSlots {
  static constexpr int period = 6;

  /// Of the plane `before` the one of this step.
  static constexpr int of(int step, int before) { return (step - before + 2 * period) % period; }

  /// One step of a march, march.step<slot>(plane), for each slot: where a slot is known when this
  /// is compiled, what it has is in registers.
  template <class March>
  __device__ __forceinline__ static void turn(March& march, int plane) {
    turn(march, plane, std::make_integer_sequence<int, period>{});
  }

 private:
  template <class March, int... Step>
  __device__ __forceinline__ static void turn(March& march, int plane,
                                              std::integer_sequence<int, Step...> /*slots*/) {
    (march.template step<Step>(plane + Step), ...);
  }
};

}  // namespace bankfull::poisson::multigrid::cuda
