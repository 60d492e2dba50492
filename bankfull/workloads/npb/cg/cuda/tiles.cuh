#pragma once

#include "bankfull/core/memory/buffer.hpp"
#include "bankfull/workloads/npb/cg/cuda/slots.hpp"

#include <bit>
#include <cstdint>

namespace bankfull::npb::cg::cuda {

/// The matrix as products read it, in GPU memory. Slices follow one another in the order of
/// `Tiling::tile`; a slice is made of slots, one entry of each thread of a warp.
struct TilesView {
  /// In the place of a row where a slice has fewer.
  static constexpr std::uint16_t no_row = 0xffff;

  Tiling tiling;
  // What follows from the tiling, for divisions are slow.
  int tile_slices;
  int row_lanes_log;  ///< of base 2

  const std::uint16_t* row_order;  ///< rows within the group, `tile_rows` of each tile
  const SlicePlace* slices;
  std::byte* columns;  ///< of HalvedMemory; within the panel
  std::byte* values;   ///< likewise; 0 where a slice is longer than a piece
};

/// Owns it.
struct Tiles {
  Tiling tiling;
  std::int64_t nonzeros = 0;  ///< without the padding of slices
  Buffer<std::uint16_t> row_order;
  Buffer<SlicePlace> slices;
  HalvedMemory columns;
  HalvedMemory values;

  [[nodiscard]] TilesView view() const {
    return {tiling,
            tiling.tile_slices(),
            std::countr_zero(static_cast<unsigned>(tiling.row_lanes)),
            row_order.data(),
            slices.data(),
            columns.view().memory,
            values.view().memory};
  }
  /// Bytes that a product reads, but for the padding of slices.
  [[nodiscard]] std::int64_t read_bytes() const {
    constexpr std::int64_t entry_bytes = sizeof(double) + sizeof(std::uint16_t);
    return entry_bytes * nonzeros + static_cast<std::int64_t>(row_order.bytes() + slices.bytes());
  }
  /// Bytes in memory, all padding included.
  [[nodiscard]] std::int64_t bytes() const {
    return static_cast<std::int64_t>(row_order.bytes() + slices.bytes() + columns.bytes() +
                                     values.bytes());
  }
};

}  // namespace bankfull::npb::cg::cuda
