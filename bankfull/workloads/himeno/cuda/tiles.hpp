#pragma once

#include "bankfull/core/base/host_device.hpp"
#include "bankfull/core/field/box.hpp"

#include <cstdint>

namespace bankfull::himeno {

/// Where one block of threads works: points k, j and planes [first, last).
struct Tile {
  int k, j, first, last;
};

/// Tiles of columns x rows x planes points that cover `extents` once; the last ones reach beyond.
/// They are numbered with k fastest, then j, then i.
struct TileGrid {
  int columns = 1;
  int rows = 1;
  int planes = 1;
  int tiles_k = 0;
  int tiles_j = 0;
  int chunks = 0;  ///< along i
  int ni = 0;

  BANKFULL_HOST_DEVICE int count() const { return tiles_k * tiles_j * chunks; }

  BANKFULL_HOST_DEVICE Tile tile(int number) const {
    const int row_of_tiles = number / tiles_k;
    const int chunk = row_of_tiles / tiles_j;
    return at(number - row_of_tiles * tiles_k, row_of_tiles - chunk * tiles_j, chunk);
  }

  BANKFULL_HOST_DEVICE Tile at(int tile_k, int tile_j, int chunk) const {
    const int first = chunk * planes;
    const int last = first + planes;
    return {tile_k * columns, tile_j * rows, first, last < ni ? last : ni};
  }
};

constexpr int tiles_for(std::int64_t points, int of) {
  return static_cast<int>((points + of - 1) / of);
}

constexpr TileGrid tile_grid(const Extents& extents, int columns, int rows, int planes) {
  return {.columns = columns,
          .rows = rows,
          .planes = planes,
          .tiles_k = tiles_for(extents.nk, columns),
          .tiles_j = tiles_for(extents.nj, rows),
          .chunks = tiles_for(extents.ni, planes),
          .ni = static_cast<int>(extents.ni)};
}

}  // namespace bankfull::himeno
