#pragma once

#include <algorithm>

namespace bankfull::convection::detail {

inline constexpr int advance_columns = 32;  ///< threads along rows
inline constexpr int advance_rows = 4;
inline constexpr int advance_threads = advance_columns * advance_rows;

/// How blocks of these threads go through a grid.
struct AdvanceShape {
  int columns;      ///< cells along a row of a block
  int blocks;       ///< that share a multiprocessor and its registers
  int most_planes;  ///< of a slab
  int group_cells;  ///< of a plane of a group; see AdvanceTiles
};

/// The order of blocks, which follow their columns through few planes, a slab. A group of rows of
/// tiles goes up through all slabs before the next one does, and has about as many tiles as run at
/// the same time: what neighbours share at their edges, and slabs at their ends, stays in L2, and
/// what is read and written at the same time lies together in memory.
struct AdvanceTiles {
  int columns;
  int group;
  int slabs;
  int groups;

  struct Tile {
    int column;
    int row;
    int slab;
  };

  [[nodiscard]] __host__ __device__ unsigned count() const {
    return static_cast<unsigned>(columns) * static_cast<unsigned>(group) *
           static_cast<unsigned>(slabs) * static_cast<unsigned>(groups);
  }
  [[nodiscard]] __device__ __forceinline__ Tile tile(unsigned number) const {
    const unsigned row = number / static_cast<unsigned>(columns);
    const unsigned slab = row / static_cast<unsigned>(group);
    const unsigned of_groups = slab / static_cast<unsigned>(slabs);
    return {static_cast<int>(number % static_cast<unsigned>(columns)),
            static_cast<int>(of_groups * static_cast<unsigned>(group) +
                             row % static_cast<unsigned>(group)),
            static_cast<int>(slab % static_cast<unsigned>(slabs))};
  }
};

inline AdvanceTiles advance_tiles(const int (&cells)[3], int planes, const AdvanceShape& shape) {
  const auto parts = [](int count, int of) { return (count + of - 1) / of; };
  const int columns = parts(cells[2], shape.columns);
  const int rows = parts(cells[1], advance_rows);
  const int tiles_of_group = shape.group_cells / (shape.columns * advance_rows);
  const int group = std::clamp(tiles_of_group / columns, 1, rows);
  return {columns, group, parts(cells[0], planes), parts(rows, group)};
}

/// Planes of a slab: fewer where the GPU would not be full.
inline int advance_planes(const int (&cells)[3], int multiprocessors, const AdvanceShape& shape) {
  const AdvanceTiles tiles = advance_tiles(cells, cells[0], shape);
  const int wanted = multiprocessors * shape.blocks / static_cast<int>(tiles.count());
  return std::clamp(cells[0] / std::max(1, wanted), 1, shape.most_planes);
}

}  // namespace bankfull::convection::detail
