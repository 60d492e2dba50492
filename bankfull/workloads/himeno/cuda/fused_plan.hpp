#pragma once

#include "bankfull/core/base/host_device.hpp"
#include "bankfull/core/field/box.hpp"
#include "bankfull/workloads/himeno/cuda/tiles.hpp"

#include <cstddef>
#include <string>

namespace bankfull::himeno {

/// Columns of a tile of the fused schedule and of its region, the points that a block computes: the
/// tile and one point more on every side. A region begins `edge` columns before its first aligned
/// column, so that every access is aligned. Its boxes in shared memory have the region's width, two
/// points more than the tile on each side.
struct FusedShape {
  int group = 4;     ///< points of a thread, 16 bytes
  int columns = 64;  ///< of a tile
  int edge = 4;

  [[nodiscard]] BANKFULL_HOST_DEVICE constexpr int width() const { return edge + columns; }
  [[nodiscard]] BANKFULL_HOST_DEVICE constexpr int groups() const { return width() / group; }

  /// Column of the first tile's first output: tile t begins at columns * t + first_column().
  [[nodiscard]] BANKFULL_HOST_DEVICE constexpr int first_column() const { return 2 - edge; }
};

BANKFULL_HOST_DEVICE constexpr FusedShape fused_shape(std::size_t element_bytes) {
  const int group = 16 / static_cast<int>(element_bytes);
  return {.group = group, .columns = 16 * group};
}

/// Maximum number of threads per block: with more, the registers per thread do not suffice.
inline constexpr int fused_max_threads = 256;

/// Planes of pressure in shared memory: three in use, two in flight.
inline constexpr int fused_pressure_slots = 5;

/// Planes of the first iteration's result: written, read as the plane itself and the one below,
/// and one for warps that lag.
inline constexpr int fused_first_slots = 4;

inline constexpr int fused_max_coefficient_slots = 8;

/// Shared memory for the barriers of all slots.
inline constexpr int fused_barrier_bytes = 512;

/// What the GPU has for the fused schedule.
struct FusedResources {
  int multiprocessors = 0;  ///< each runs one block
  int shared_bytes = 0;     ///< dynamic shared memory of a block
};

/// How the fused schedule divides a grid.
struct FusedPlan {
  TileGrid tiles;             ///< the work: rows x planes of a tile, chunks along i
  int region_rows = 0;        ///< rows of a tile and one more on each side
  int threads = 0;            ///< of a block
  int blocks = 0;             ///< block n does the items n, n + blocks, ...
  int coefficient_slots = 0;  ///< planes of coefficients in flight or in use
  int pressure_slot_bytes = 0;
  int coefficient_slot_bytes = 0;
  int shared_bytes = 0;  ///< of a block
  int window = 0;        ///< steps that a block may be ahead of its neighbours; 0 for any
};

/// The plan with the least (rounds of items over the blocks) x (steps of an item) x (rows of a
/// step); a pure function. `element_bytes` is 4 or 8.
FusedPlan plan_fused(const Extents& interior, std::size_t element_bytes,
                     const FusedResources& resources);

/// "tile 64 x 13, 1 chunk, 132 blocks, 186 KiB shared memory".
std::string describe(const FusedPlan& plan);

}  // namespace bankfull::himeno
