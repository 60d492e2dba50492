#pragma once

#include "bankfull/core/exec/bulk_copy.cuh"
#include "bankfull/workloads/hpcg/cuda/chunks.cuh"
#include "bankfull/workloads/hpcg/cuda/sweeps.cuh"

#include <cstddef>
#include <cstdint>

namespace bankfull::hpcg::cuda {

inline constexpr int slices_per_tile = static_cast<int>(tile_rows) / slice_height;

// The data of the pipeline (pipeline.cuh): tiles of chunks, in a ring in shared memory.
namespace pipeline {

inline constexpr int groups = 3;
/// A multiple of the groups: a stage always belongs to the same group.
inline constexpr int stages = 4 * groups;
inline constexpr int roles = 3;  ///< beside the consumers', one warp each
inline constexpr int threads = roles * 32 + groups * static_cast<int>(tile_rows);
inline constexpr std::int32_t no_tile = -1;

/// The part of the matrix that a step of a sweep reads.
enum class Main { lower, upper };

/// Where in the ring the data of a tile lie.
struct Layout {
  unsigned value = 0;
  unsigned column = 0;
  unsigned coarse_value = 0;
  unsigned coarse_column = 0;
  unsigned vectors = 0;
  unsigned end = 0;
};

/// A tile in a stage. Its slots are counted from the first that was brought.
struct Tile {
  std::int32_t number = no_tile;  ///< rows [number tile_rows, ...); no_tile at the end
  std::int32_t chunk = 0;
  bool first = false;  ///< of its chunk
  bool last = false;
  Layout layout = {};
  std::int64_t first_slot = 0;             ///< as it stands in memory
  SlotRange main[slices_per_tile] = {};    ///< of the part that is multiplied
  SlotRange coarse[slices_per_tile] = {};  ///< of `upper`, with columns of coarse classes
  bool others[slices_per_tile] = {};       ///< slices with columns of other ranks
  double sum[slices_per_tile] = {};        ///< of the terms of each slice
};

/// Synchronisation between the warps of a block: one barrier of each kind per stage.
struct Shared {
  std::uint64_t known[static_cast<std::size_t>(stages)];  ///< the producer has filled in the tile
  std::uint64_t ready[static_cast<std::size_t>(stages)];  ///< its data and its x are there
  std::uint64_t swept[static_cast<std::size_t>(stages)];
  std::uint64_t free[static_cast<std::size_t>(stages)];  ///< the signal warp has seen it
  unsigned size[static_cast<std::size_t>(stages)];       ///< bytes of the ring that it holds
  Tile tile[static_cast<std::size_t>(stages)];
};

/// A stage at its n-th use, counted over all stages.
struct Use {
  int stage;
  unsigned parity;
  explicit __device__ __forceinline__ Use(int n)
      : stage(n % stages), parity(static_cast<unsigned>(n / stages) % 2U) {}
};

__device__ __forceinline__ CopyBarrier barrier(const std::uint64_t& at) {
  return {shared_address(&at)};
}

inline constexpr unsigned value_bytes = slice_height * sizeof(double);  ///< of a slot
template <class Columns>
inline constexpr unsigned column_bytes = slice_height * sizeof(std::int32_t);
template <>
inline constexpr unsigned column_bytes<SlimColumns> = slice_height * sizeof(std::uint16_t);
inline constexpr unsigned vector_bytes = tile_rows * sizeof(double);

/// For this many slots, separately fetched coarse slots, and vectors.
template <class Columns>
__device__ __forceinline__ Layout layout_of(unsigned begin, unsigned slots, unsigned coarse_slots,
                                            int vectors) {
  Layout at;
  at.value = begin;
  at.column = at.value + slots * value_bytes;
  at.coarse_value = at.column + slots * column_bytes<Columns>;
  at.coarse_column = at.coarse_value + coarse_slots * value_bytes;
  at.vectors = at.coarse_column + coarse_slots * column_bytes<Columns>;
  at.end = at.vectors + static_cast<unsigned>(vectors) * vector_bytes;
  return at;
}

__device__ __forceinline__ const void* columns_from(const FullColumns& columns, std::int64_t slot) {
  return columns.column + slot * slice_height;
}
__device__ __forceinline__ const void* columns_from(const SlimColumns& columns, std::int64_t slot) {
  return columns.offset + slot * slice_height;
}

/// Columns in the ring.
template <class Columns>
struct BroughtColumns {
  const std::int32_t* column;
  __device__ __forceinline__ BroughtColumns(const FullColumns& /*columns*/, const void* brought,
                                            std::int64_t /*first*/)
      : column(static_cast<const std::int32_t*>(brought)) {}
  __device__ __forceinline__ std::int32_t at(int slot, int lane) const {
    return column[slot * slice_height + lane];
  }
};

/// The bases stay where they are: one number for all lanes.
template <>
struct BroughtColumns<SlimColumns> {
  const std::uint16_t* offset;
  const std::int32_t* base;
  __device__ __forceinline__ BroughtColumns(const SlimColumns& columns, const void* brought,
                                            std::int64_t first)
      : offset(static_cast<const std::uint16_t*>(brought)), base(columns.base + first) {}
  __device__ __forceinline__ std::int32_t at(int slot, int lane) const {
    return __ldg(base + slot) + offset[slot * slice_height + lane];
  }
};

/// Slots in the ring.
template <class Columns>
struct Brought {
  const double* value;
  BroughtColumns<Columns> columns;

  template <int Slots>
  __device__ __forceinline__ double add_batch(int& slot, int lane, const double* x,
                                              double sum) const {
    double gathered[static_cast<std::size_t>(Slots)];
#pragma unroll
    for (int n = 0; n < Slots; ++n) {
      gathered[n] = x[columns.at(slot + n, lane)];
    }
#pragma unroll
    for (int n = 0; n < Slots; ++n) {
      sum = fma(value[(slot + n) * slice_height + lane], gathered[n], sum);
    }
    slot += Slots;
    return sum;
  }

  /// sum + the entries of some slots times their x.
  __device__ __forceinline__ double add(const SlotRange& slots, int lane, const double* x,
                                        double sum) const {
    int slot = slots.begin;
    while (slot + 13 <= slots.end) {
      sum = add_batch<13>(slot, lane, x, sum);
    }
    if (slot + 8 <= slots.end) {
      sum = add_batch<8>(slot, lane, x, sum);
    }
    if (slot + 4 <= slots.end) {
      sum = add_batch<4>(slot, lane, x, sum);
    }
    if (slot + 2 <= slots.end) {
      sum = add_batch<2>(slot, lane, x, sum);
    }
    if (slot < slots.end) {
      sum = add_batch<1>(slot, lane, x, sum);
    }
    return sum;
  }
};

/// A consumer's data of its row.
template <class Columns>
struct Row {
  const LevelArguments<Columns>& a;
  std::int64_t number;
  int lane;
  Brought<Columns> matrix;  ///< the part that is multiplied
  SlotRange slots;
  Brought<Columns> coarse;  ///< the coarse slots of `upper`, where they are not in that part
  SlotRange coarse_slots;
  bool others;  ///< whether its slice has columns of other ranks
  const double* vectors;

  /// One of the step's vectors.
  __device__ __forceinline__ double vector(int n) const { return vectors[n * tile_rows]; }
  [[nodiscard]] __device__ __forceinline__ double times(const double* x) const {
    return matrix.add(slots, lane, x, 0.0);
  }
};

}  // namespace pipeline
}  // namespace bankfull::hpcg::cuda
