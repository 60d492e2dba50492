#pragma once

#include "bankfull/core/base/host_device.hpp"
#include "bankfull/core/field/box.hpp"
#include "bankfull/workloads/himeno/cuda/tiles.hpp"
#include "bankfull/workloads/himeno/point.hpp"

#include <cstddef>
#include <string>

namespace bankfull::himeno {

/// Iterations in one pass.
inline constexpr int fused_iterations = 3;

/// Layers of points around a tile that the iterations before the last update as well.
inline constexpr int fused_layers = fused_iterations - 1;

/// Columns of a tile of the fused schedule and of its region, the points that a block computes: the
/// tile and two points more on every side. A region begins `edge` columns before its first aligned
/// column, so that every access is aligned.
struct FusedShape {
  int group = 4;     ///< points of a thread, 16 bytes
  int columns = 64;  ///< of a tile
  int edge = 2 * fused_layers;

  [[nodiscard]] BANKFULL_HOST_DEVICE constexpr int width() const { return edge + columns; }
  [[nodiscard]] BANKFULL_HOST_DEVICE constexpr int groups() const { return width() / group; }

  /// Of a plane of the present pressure, with a group more on each side.
  [[nodiscard]] BANKFULL_HOST_DEVICE constexpr int pressure_width() const {
    return width() + 2 * group;
  }

  /// Column of the first tile's first output: tile t begins at columns * t + first_column().
  [[nodiscard]] BANKFULL_HOST_DEVICE constexpr int first_column() const {
    return fused_layers - edge;
  }
};

BANKFULL_HOST_DEVICE constexpr FusedShape fused_shape(std::size_t element_bytes) {
  const int group = 16 / static_cast<int>(element_bytes);
  return {.group = group, .columns = 16 * group};
}

/// Threads of a block that compute; with more, the registers per thread do not suffice.
inline constexpr int fused_computing_threads = 256;
inline constexpr int fused_computing_warps = fused_computing_threads / 32;

/// Registers are moved between groups of four warps: one such group copies.
inline constexpr int fused_threads = fused_computing_threads + 128;

/// Planes of pressure in shared memory: three in use, three in flight.
inline constexpr int fused_pressure_slots = 6;

/// Planes of the result of an iteration that the next one reads at once.
inline constexpr int fused_result_slots = 3;

inline constexpr int fused_max_coefficient_slots = 8;

/// Shared memory for the barriers of all slots.
inline constexpr int fused_barrier_bytes = 512;

/// What the GPU has for the fused schedule.
struct FusedResources {
  int multiprocessors = 0;  ///< each runs one block
  int shared_bytes = 0;     ///< dynamic shared memory of a block, at least 64 KiB
};

/// The last rows of a grid, if these are too few for a tile. A tile of them would leave most
/// threads without work, so it has several strips of FusedShape::columns side by side in the grid,
/// whose regions are one below the other in the rows of threads and in shared memory.
struct FusedStrips {
  int of_tile = 0;
  int rows = 0;
  int first_row = 0;  ///< of the grid
  int tiles = 0;

  [[nodiscard]] BANKFULL_HOST_DEVICE constexpr int region_rows() const {
    return rows + 2 * fused_layers;
  }
  [[nodiscard]] BANKFULL_HOST_DEVICE constexpr bool have(const Tile& tile) const {
    return tiles > 0 && tile.j == first_row;
  }

  /// Elements from one strip to the next in a slot of pressure.
  [[nodiscard]] BANKFULL_HOST_DEVICE constexpr int pressure_pitch(std::size_t element_bytes) const {
    return whole_lines(fused_shape(element_bytes).pressure_width() * (region_rows() + 2),
                       element_bytes);
  }
  /// The same in a slot of coefficients.
  [[nodiscard]] BANKFULL_HOST_DEVICE constexpr int coefficient_pitch(
      std::size_t element_bytes) const {
    return whole_lines(fused_shape(element_bytes).width() * region_rows() * coefficient_count,
                       element_bytes);
  }

 private:
  /// Boxes begin on 128 bytes.
  static BANKFULL_HOST_DEVICE constexpr int whole_lines(int elements, std::size_t element_bytes) {
    const int line = 128 / static_cast<int>(element_bytes);
    return (elements + line - 1) / line * line;
  }
};

/// Planes [first, last) of some tiles, cut into parts that a range of blocks does in turn.
struct FusedParts {
  int first = 0;
  int last = 0;
  int planes = 1;  ///< of a part; the last one of a tile may have fewer
  int first_block = 0;
  int blocks = 0;
};

/// The work of a launch: items that blocks do in turn. The first tiles are an item each, as many as
/// fill all blocks some times over; the others are cut along i, so that they fill the blocks, too:
/// into parts for all blocks, or into parts for most blocks and short ones for the rest of them.
struct FusedItems {
  TileGrid tiles;      ///< of all planes; of all rows or, where there are strips, but the last ones
  FusedStrips strips;  ///< tiles of them follow on those of `tiles`
  int rounds = 0;      ///< tiles that are an item each, of every block
  FusedParts parts;    ///< of the other tiles
  FusedParts shorts;   ///< of the planes that `parts` leave of them

  [[nodiscard]] BANKFULL_HOST_DEVICE int blocks() const { return parts.blocks + shorts.blocks; }
  [[nodiscard]] BANKFULL_HOST_DEVICE int whole() const { return rounds * blocks(); }

  /// Those that are cut, at least one.
  [[nodiscard]] BANKFULL_HOST_DEVICE int others() const { return count<true>() - whole(); }

  /// Tiles; `Strips` says whether there may be strips, which makes no difference but to the speed.
  template <bool Strips>
  [[nodiscard]] BANKFULL_HOST_DEVICE int count() const {
    return Strips ? tiles.count() + strips.tiles : tiles.count();
  }

  /// The block's item with this number; without planes after its last one.
  template <bool Strips>
  [[nodiscard]] BANKFULL_HOST_DEVICE Tile item(int block, int number) const {
    if (number < rounds) {
      return tile<Strips>(number * blocks() + block);
    }
    const FusedParts& own = block < parts.blocks ? parts : shorts;
    const int part = (number - rounds) * own.blocks + block - own.first_block;
    const int others = count<Strips>() - whole();
    const int chunk = part / others;
    Tile tile = this->tile<Strips>(whole() + part - chunk * others);
    tile.first = own.first + chunk * own.planes;
    tile.last = tile.first + own.planes < own.last ? tile.first + own.planes : own.last;
    return tile;
  }

 private:
  template <bool Strips>
  [[nodiscard]] BANKFULL_HOST_DEVICE Tile tile(int number) const {
    if constexpr (Strips) {
      if (number >= tiles.count()) {
        const int columns = strips.of_tile * tiles.columns;
        return {(number - tiles.count()) * columns, strips.first_row, 0, tiles.ni};
      }
    }
    return tiles.tile(number);
  }
};

/// How the fused schedule divides a grid.
struct FusedPlan {
  FusedItems items;
  int region_rows = 0;        ///< rows of a tile and fused_layers more on each side
  int coefficient_slots = 0;  ///< planes of coefficients in flight or in use
  int pressure_slot_bytes = 0;
  int result_slot_bytes = 0;  ///< of a plane between iterations
  int coefficient_slot_bytes = 0;
  int shared_bytes = 0;  ///< of a block
  int window = 0;        ///< steps that a block may be ahead of its neighbours; 0 for any
};

/// The plan with the fewest steps of the busiest block, where short parts must save a hundredth: a
/// step is a chain of latencies, which takes the same time whatever its rows (docs/adr/0034). Of
/// such plans one without strips, then the one with the fewest rows, then the first found, fewer
/// parts before more. A pure function; `element_bytes` is 4 or 8.
FusedPlan plan_fused(const Extents& interior, std::size_t element_bytes,
                     const FusedResources& resources);

/// "tile 64 x 11, 660 whole, 92 in 7 parts, 132 blocks, 203 KiB shared memory", or with "60 in 2
/// parts of 117 planes and 1 of 20" where the parts are of two kinds, and "tile 64 x 11 and 3 of
/// 64 x 1" where the last rows are in strips.
std::string describe(const FusedPlan& plan);

}  // namespace bankfull::himeno
