#pragma once

#include "bankfull/workloads/npb/ft/cuda/piece_steps.hpp"
#include "bankfull/workloads/npb/ft/cuda/points.cuh"
#include "bankfull/workloads/npb/ft/ft.hpp"

#include <cstdint>

// How a pass accesses a field: whole, or in pieces that ranks write for each other. Both have the
// same interface.

namespace bankfull::npb::ft::cuda {

struct WholeField {
  Field data;

  template <class Fft>
  [[nodiscard]] __device__ __forceinline__ double2* tile(unsigned number) const {
    return data + std::int64_t{number} * tile_points<Fft>;
  }

  /// The points of a thread along the depth, or along a row.
  struct Walk {
    Field data;
    int first;

    /// Element that the first point has in what holds it.
    [[nodiscard]] __device__ __forceinline__ int begin() const { return first; }
    /// `offset` is that of the first point, `step` leads to the next.
    [[nodiscard]] __device__ __forceinline__ double2* at(int point, std::int64_t offset,
                                                         std::int64_t step) const {
      return data + offset + point * step;
    }
  };
  template <class Fft>
  [[nodiscard]] __device__ __forceinline__ Walk along_depth(const Fft& fft) const {
    return {data, fft.element(0)};
  }
  template <class Fft>
  [[nodiscard]] __device__ __forceinline__ Walk along_row(const Fft& fft) const {
    return {data, fft.element(0)};
  }

  /// The memory that holds a column, and the column's number in it.
  struct Column {
    Field data;
    int number;
  };
  [[nodiscard]] __device__ __forceinline__ Column column(int number) const {
    return {data, number};
  }
};

/// A piece for each rank: some planes of it, or for it, and some columns of these.
struct FieldPieces {
  Complex* const* of_rank;  ///< changes between passes only

  // Sizes of all pieces, as exponents of two.
  int log2_planes;
  int log2_columns;
  int log2_points;

  [[nodiscard]] __device__ __forceinline__ double2* operator[](int rank) const {
    return reinterpret_cast<double2*>(
        __ldg(reinterpret_cast<const unsigned long long*>(of_rank + rank)));
  }

  template <class Fft>
  [[nodiscard]] __device__ __forceinline__ double2* tile(unsigned number) const {
    constexpr int log2_tile = detail::log2_of(tile_points<Fft>);
    const unsigned tiles = 1U << (log2_points - log2_tile);
    return (*this)[static_cast<int>(number >> (log2_points - log2_tile))] +
           (std::int64_t{number & (tiles - 1)} << log2_tile);
  }

  template <class Fft>
  struct Walk {
    const FieldPieces& pieces;
    PieceSteps<Fft::threads_per_column> steps;

    [[nodiscard]] __device__ __forceinline__ int begin() const { return steps.begin(); }
    [[nodiscard]] __device__ __forceinline__ double2* at(int point, std::int64_t offset,
                                                         std::int64_t step) const {
      return pieces[steps.rank_of(point)] + offset + steps.steps_to(point) * step;
    }
  };
  template <class Fft>
  [[nodiscard]] __device__ __forceinline__ Walk<Fft> along_depth(const Fft& fft) const {
    return {*this, {log2_planes, fft.element(0)}};
  }
  template <class Fft>
  [[nodiscard]] __device__ __forceinline__ Walk<Fft> along_row(const Fft& fft) const {
    return {*this, {log2_columns, fft.element(0)}};
  }

  [[nodiscard]] __device__ __forceinline__ WholeField::Column column(int number) const {
    return {(*this)[number >> log2_columns], number & ((1 << log2_columns) - 1)};
  }
};

/// As from a single address.
template <class Walk, int Count>
__device__ __forceinline__ void load_points(const Walk& walk, std::int64_t offset,
                                            std::int64_t step, Points<Count>& x) {
#pragma unroll
  for (int i = 0; i < Count; ++i) {
    x[i] = __ldcs(walk.at(i, offset, step));
  }
}
template <class Walk, int Count>
__device__ __forceinline__ void store_points(const Walk& walk, std::int64_t offset,
                                             std::int64_t step, const Points<Count>& x) {
#pragma unroll
  for (int i = 0; i < Count; ++i) {
    *walk.at(i, offset, step) = x[i];
  }
}

}  // namespace bankfull::npb::ft::cuda
