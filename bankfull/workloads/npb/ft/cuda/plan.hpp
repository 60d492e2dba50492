#pragma once

#include "bankfull/workloads/npb/ft/cuda/shape.hpp"

#include <algorithm>
#include <cstdint>

namespace bankfull::npb::ft::cuda {

/// How the transforms of a class run on a GPU, and their memory. On several ranks each has a range
/// of the planes for the transforms of rows and columns, and a range of the columns for those along
/// the depth.
struct Plan {
  Shape shape{};  ///< of the whole field
  int rank = 0;
  int ranks = 1;
  int iterations = 0;

  // Prefetch distance in tiles, as a share of the tiles that a GPU processes at once; 0: no
  // prefetching.
  double lines_ahead = 0.0;
  double columns_ahead = 0.0;

  /// On several ranks, where the transport allows it, the transforms along the depth for the next
  /// time run concurrently with those of columns and rows, in this many blocks per multiprocessor;
  /// 0: after them.
  double lines_beside = 0.0;

  /// Multiplies the decay: 1, but where the verification is checked.
  double decay_scale = 1.0;

  [[nodiscard]] Shape own_planes() const { return shape.part(shape.depth / ranks, shape.columns); }
  [[nodiscard]] Shape own_lines() const { return shape.part(shape.depth, shape.columns / ranks); }
  /// The columns of a rank's planes that another rank has in lines.
  [[nodiscard]] Shape piece() const {
    return shape.part(shape.depth / ranks, shape.columns / ranks);
  }
  [[nodiscard]] int first_plane() const { return rank * piece().depth; }
  [[nodiscard]] int first_column() const { return rank * piece().columns; }

  [[nodiscard]] std::int64_t table_size() const { return shape.depth + shape.side; }
  [[nodiscard]] std::int64_t decay_factors() const { return iterations * table_size(); }
  [[nodiscard]] std::int64_t terms() const { return iterations * checksum_points; }

  /// Terms of a checksum are added by groups of planes: as many whatever the number of ranks, for
  /// the same bits, but one for each rank at least.
  [[nodiscard]] int groups() const { return std::max(32, ranks); }
  [[nodiscard]] int own_groups() const { return groups() / ranks; }
  [[nodiscard]] int planes_per_group() const { return shape.depth / groups(); }
  [[nodiscard]] std::int64_t sums() const { return std::int64_t{iterations} * own_groups(); }

  /// GPU memory on one rank.
  [[nodiscard]] std::int64_t bytes() const {
    // As lines and as planes; other ranks already write the next planes.
    const int fields = ranks == 1 ? 2 : 3;
    return (fields * own_lines().points() + table_size() + terms() + sums()) *
               static_cast<std::int64_t>(sizeof(Complex)) +
           decay_factors() * static_cast<std::int64_t>(sizeof(double));
  }
};

/// Planes of a tile of planes on this many ranks: a tile of lines writes whole cache lines for
/// another rank.
inline int planes_together(const FtParameters& ft, int ranks, Tiles tiles) {
  const int planes = planes_together(ft.ny, tiles);
  if (ranks == 1) {
    return planes;
  }
  constexpr int line_points = 128 / static_cast<int>(sizeof(Complex));
  const int lines = shape_of(ft, planes, tiles).lines_of_tile();
  return std::max(planes, std::min(columns_together(ft.ny, tiles), line_points / lines));
}

inline Plan plan_of(const FtParameters& ft, int ranks = 1, int rank = 0,
                    Tiles tiles = Tiles::small) {
  const Shape shape = shape_of(ft, planes_together(ft, ranks, tiles), tiles);
  // Blocks of the longest lines occupy their multiprocessors alone.
  const bool alone = shape.lines_of_tile() * shape.depth > 4096;
  return {.shape = shape,
          .rank = rank,
          .ranks = ranks,
          .iterations = ft.iterations,
          .lines_ahead = 0.5,
          .columns_ahead = 0.5,
          .lines_beside = alone ? 0.5 : 0.75};
}

/// All pieces are whole tiles on powers of two up to this one.
inline int max_ranks(const FtParameters& ft) {
  const Shape shape = plan_of(ft, 2).shape;
  return std::min(shape.depth >> shape.log2_planes, shape.columns >> shape.log2_columns);
}

}  // namespace bankfull::npb::ft::cuda
