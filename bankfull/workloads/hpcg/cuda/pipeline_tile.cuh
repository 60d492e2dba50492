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

/// Consecutive slots of a part, as they stand in memory.
struct Slots {
  std::int64_t first = 0;
  unsigned count = 0;
  ValuePlace values = {};  ///< of the first
};

/// Where in the ring some slots lie.
struct SlotsPlace {
  unsigned value = 0;
  unsigned column = 0;  ///< or codes
  unsigned base = 0;    ///< of codes
};

/// Where in the ring the data of a tile lie.
struct Layout {
  SlotsPlace main = {};
  SlotsPlace coarse = {};
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
  std::int64_t first_slot = 0;  ///< as it stands in memory
  std::int64_t coarse_first = 0;
  SlotRange main[slices_per_tile] = {};    ///< of the part that is multiplied
  SlotRange coarse[slices_per_tile] = {};  ///< with columns of coarse classes
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
inline constexpr unsigned vector_bytes = tile_rows * sizeof(double);

/// Columns as the copy engine brings them. Its copies begin and end at multiples of 16 bytes.
template <class Columns>
struct ColumnCopies;

template <>
struct ColumnCopies<FullColumns> {
  static constexpr unsigned slot_bytes = slice_height * sizeof(std::int32_t);

  static __device__ __forceinline__ unsigned column_bytes(const Slots& slots) {
    return slots.count * slot_bytes;
  }
  static __device__ __forceinline__ unsigned base_bytes(const Slots& /*slots*/) { return 0U; }
  static __device__ __forceinline__ void bring(const FullColumns& columns, const Slots& slots,
                                               std::uint32_t ring, const SlotsPlace& to,
                                               const CopyBarrier& ready) {
    copy_once(ring + to.column, columns.column + slots.first * slice_height, column_bytes(slots),
              ready);
  }
};

template <>
struct ColumnCopies<PackedSlices> {
  static constexpr int per_word = PackedSlices::per_word;
  static constexpr unsigned word_bytes = slice_height * sizeof(std::uint32_t);
  static constexpr int base_unit = 16 / static_cast<int>(sizeof(std::int32_t));

  static __device__ __forceinline__ unsigned column_bytes(const Slots& slots) {
    const auto before = static_cast<unsigned>(slots.first % per_word);
    return (before + slots.count + per_word - 1) / per_word * word_bytes;
  }
  static __device__ __forceinline__ unsigned base_bytes(const Slots& slots) {
    const auto before = static_cast<unsigned>(slots.first % base_unit);
    return (before + slots.count + base_unit - 1) / base_unit * 16U;
  }
  static __device__ __forceinline__ void bring(const PackedSlices& columns, const Slots& slots,
                                               std::uint32_t ring, const SlotsPlace& to,
                                               const CopyBarrier& ready) {
    copy_once(ring + to.column, columns.code + slots.first / per_word * slice_height,
              column_bytes(slots), ready);
    copy_once(ring + to.base, columns.base + slots.first / base_unit * base_unit, base_bytes(slots),
              ready);
  }
};

template <class Columns>
struct ColumnCopies<Halved<Columns>> : ColumnCopies<Columns> {};

/// Brings values, one block by each lane of a warp.
__device__ __forceinline__ void bring_values(const double* value, const Slots& slots,
                                             std::uint32_t to, const CopyBarrier& ready) {
  constexpr std::uint32_t in_block = value_block_slots<slice_height>;
  const std::uint32_t first = slots.values.first;
  const std::uint32_t block = first / in_block + threadIdx.x % 32;
  const std::uint32_t begin = max(first, block * in_block);
  const std::uint32_t end = min(first + slots.count, (block + 1) * in_block);
  if (begin < end) {
    const std::uint32_t stored = stored_slot<slice_height>(slots.values.second, begin);
    copy_once(to + (begin - first) * value_bytes, value + std::int64_t{stored} * slice_height,
              (end - begin) * value_bytes, ready);
  }
}

template <class Columns>
__device__ __forceinline__ SlotsPlace place_of(unsigned begin, const Slots& slots) {
  SlotsPlace at;
  at.value = begin;
  at.column = at.value + slots.count * value_bytes;
  at.base = at.column + ColumnCopies<Columns>::column_bytes(slots);
  return at;
}

template <class Columns>
__device__ __forceinline__ Layout layout_of(unsigned begin, const Slots& main, const Slots& coarse,
                                            int vectors) {
  Layout at;
  at.main = place_of<Columns>(begin, main);
  at.coarse = place_of<Columns>(at.main.base + ColumnCopies<Columns>::base_bytes(main), coarse);
  at.vectors = at.coarse.base + ColumnCopies<Columns>::base_bytes(coarse);
  at.end = at.vectors + static_cast<unsigned>(vectors) * vector_bytes;
  return at;
}

/// Columns in the ring.
template <class Columns>
struct BroughtColumns;

template <>
struct BroughtColumns<FullColumns> {
  const std::int32_t* column;

  __device__ __forceinline__ BroughtColumns(const FullColumns& /*columns*/,
                                            const unsigned char* ring, const SlotsPlace& at,
                                            std::int64_t /*first*/)
      : column(reinterpret_cast<const std::int32_t*>(ring + at.column)) {}

  template <int Count>
  __device__ __forceinline__ void read(int slot, int lane,
                                       std::int32_t (&to)[static_cast<std::size_t>(Count)]) const {
#pragma unroll
    for (int n = 0; n < Count; ++n) {
      to[n] = column[(slot + n) * slice_height + lane];
    }
  }
};

template <>
struct BroughtColumns<PackedSlices> {
  static constexpr int per_word = PackedSlices::per_word;

  const std::uint32_t* code;
  const std::int32_t* base;
  const std::int32_t* escaped;
  int first;  ///< slots before the first one in its word

  __device__ __forceinline__ BroughtColumns(const PackedSlices& columns, const unsigned char* ring,
                                            const SlotsPlace& at, std::int64_t first_slot)
      : code(reinterpret_cast<const std::uint32_t*>(ring + at.column)),
        base(reinterpret_cast<const std::int32_t*>(ring + at.base) +
             first_slot % ColumnCopies<PackedSlices>::base_unit),
        escaped(columns.escaped),
        first(static_cast<int>(first_slot % per_word)) {}

  template <int Count>
  __device__ __forceinline__ void read(int slot, int lane,
                                       std::int32_t (&to)[static_cast<std::size_t>(Count)]) const {
    const int place = first + slot;
    const std::uint32_t* const words = code + place / per_word * slice_height + lane;
    const Codes<Count> codes(static_cast<unsigned>(place % per_word * PackedSlices::bits),
                             [&](int n) { return words[n * slice_height]; });
#pragma unroll
    for (int n = 0; n < Count; ++n) {
      to[n] = base[slot + n];
    }
    if (to[0] >= 0) {
#pragma unroll
      for (int n = 0; n < Count; ++n) {
        to[n] += lane - PackedSlices::raised + codes.of(n);
      }
      return;
    }
#pragma unroll
    for (int n = 0; n < Count; ++n) {
      to[n] = load_once(escaped + (-1 - std::int64_t{to[n]}) * slice_height + lane);
    }
  }
};

template <class Columns>
struct BroughtColumns<Halved<Columns>> : BroughtColumns<Columns> {
  using BroughtColumns<Columns>::BroughtColumns;
};

/// Slots in the ring.
template <class Columns>
struct Brought {
  const double* value;
  BroughtColumns<Columns> columns;

  template <int Count>
  __device__ __forceinline__ double add_batch(int& slot, int lane, const double* x,
                                              double sum) const {
    std::int32_t column[static_cast<std::size_t>(Count)];
    columns.template read<Count>(slot, lane, column);
    double gathered[static_cast<std::size_t>(Count)];
    gather<Count>(x, column, Count, gathered);
#pragma unroll
    for (int n = 0; n < Count; ++n) {
      sum = fma(value[(slot + n) * slice_height + lane], gathered[n], sum);
    }
    slot += Count;
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
  Brought<Columns> coarse;  ///< the copy of the coarse slots of `upper`, where it is brought
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
