#pragma once

#include "bankfull/core/base/host_device.hpp"
#include "bankfull/core/field/box.hpp"

#include <cstdint>

namespace bankfull::convection {

/// Columns whose divergence is formed by one block as they go the way down.
struct DescentTile {
  static constexpr int columns = 32;
  static constexpr int rows = 8;
  static constexpr int planes = 4;  ///< at a time: so many loads are under way

  BANKFULL_HOST_DEVICE static constexpr int tiles(int count, int of) {
    return (count + of - 1) / of;
  }

  /// Elements of TileEdges: of rows, and of columns.
  static std::int64_t row_edges(const Extents& n) {
    return n.ni * tiles(static_cast<int>(n.nj), rows) * n.nk;
  }
  static std::int64_t column_edges(const Extents& n) {
    return n.ni * tiles(static_cast<int>(n.nk), columns) * n.nj;
  }
};

/// What tiles read of the first row and the first cells of their neighbours, kept before these
/// change it: eliminated velocities 1 and 2.
template <class Real>
struct TileEdges {
  Real* of_rows;     ///< velocity 1: [plane][tile][cell]
  Real* of_columns;  ///< velocity 2: [plane][tile][row]
  int cells[3];

  BANKFULL_HOST_DEVICE int row_tiles() const {
    return DescentTile::tiles(cells[1], DescentTile::rows);
  }
  BANKFULL_HOST_DEVICE int column_tiles() const {
    return DescentTile::tiles(cells[2], DescentTile::columns);
  }
  BANKFULL_HOST_DEVICE Real& row(std::int64_t i, int tile, int k) const {
    return of_rows[(i * row_tiles() + tile) * cells[2] + k];
  }
  BANKFULL_HOST_DEVICE Real& column(std::int64_t i, int tile, int j) const {
    return of_columns[(i * column_tiles() + tile) * cells[1] + j];
  }
};

/// The next row or column of cells, around a periodic end.
struct EdgeNeighbour {
  bool outside = false;  ///< it does not belong to the tile
  bool exists = false;   ///< no wall lies between; on a wall the velocity is zero
  int index = 0;

  /// Of row or column `at` of so many in all, and in a tile.
  BANKFULL_HOST_DEVICE static EdgeNeighbour of(int at, int cells, int tile, bool walled) {
    const bool ends = at + 1 == cells;
    return {(at + 1) % tile == 0 || ends, !(ends && walled), ends ? 0 : at + 1};
  }

  /// Whether it is read from the TileEdges.
  [[nodiscard]] BANKFULL_HOST_DEVICE bool is_kept() const { return outside && exists; }
};

}  // namespace bankfull::convection
