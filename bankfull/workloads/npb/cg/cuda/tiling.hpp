#pragma once

#include "bankfull/core/base/host_device.hpp"

#include <cstdint>

namespace bankfull::npb::cg::cuda {

inline constexpr int warp_threads = 32;

/// Threads of a block of the solver: one block per multiprocessor, with all registers.
inline constexpr int solver_threads = 1024;
inline constexpr int solver_warps = solver_threads / warp_threads;

/// How the matrix, or a block of it, is cut for a GPU. A *tile* is a group of rows by a panel of
/// columns, few enough that a block holds their part of the vector in shared memory, where any
/// order of columns is as good as another. The part of a row in a tile is a *piece* of it. Rows of
/// a tile are sorted by the length of their pieces, the longest first, and cut into slices of one
/// warp.
struct Tiling {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  int panels = 0;
  int panel_columns = 0;  ///< even, so that panels are aligned to 16 bytes
  int groups = 0;
  int group_rows = 0;
  int row_lanes = 1;  ///< threads that share a piece: a power of 2
  int blocks = 0;     ///< of the solver

  /// Each block has one tile and stores sums of pieces; otherwise it processes whole rows and keeps
  /// their sums in shared memory.
  bool one_tile_per_block = true;

  [[nodiscard]] BANKFULL_HOST_DEVICE constexpr int slice_rows() const {
    return warp_threads / row_lanes;
  }
  [[nodiscard]] BANKFULL_HOST_DEVICE constexpr int tile_slices() const {
    return (group_rows + slice_rows() - 1) / slice_rows();
  }
  /// Rounded up to whole slices.
  [[nodiscard]] BANKFULL_HOST_DEVICE constexpr int tile_rows() const {
    return tile_slices() * slice_rows();
  }
  [[nodiscard]] BANKFULL_HOST_DEVICE constexpr std::int64_t tiles() const {
    return std::int64_t{groups} * panels;
  }
  [[nodiscard]] BANKFULL_HOST_DEVICE constexpr std::int64_t slices() const {
    return tiles() * tile_slices();
  }
  [[nodiscard]] BANKFULL_HOST_DEVICE constexpr std::int64_t tile(int group, int panel) const {
    return std::int64_t{group} * panels + panel;
  }
  /// Elements of vectors to multiply by, rounded up to whole copies of 16 bytes.
  [[nodiscard]] BANKFULL_HOST_DEVICE constexpr std::int64_t vector_size() const {
    return (columns + 1) / 2 * 2;
  }
  /// Elements of vectors of sums, likewise.
  [[nodiscard]] BANKFULL_HOST_DEVICE constexpr std::int64_t sums_size() const {
    return (rows + 1) / 2 * 2;
  }
  /// Vectors whose sum is a product.
  [[nodiscard]] BANKFULL_HOST_DEVICE constexpr int product_parts() const {
    return one_tile_per_block ? panels : 1;
  }
  /// What blocks claim: tiles, or groups of rows where a block processes whole rows.
  [[nodiscard]] BANKFULL_HOST_DEVICE constexpr int items() const {
    return one_tile_per_block ? static_cast<int>(tiles()) : groups;
  }
  /// How many of them have their entries in memory of the first half of L2; the last ones have them
  /// in that of the second.
  [[nodiscard]] BANKFULL_HOST_DEVICE constexpr int first_half_items() const { return items() / 2; }
  /// Tiles of these items: the first ones.
  [[nodiscard]] BANKFULL_HOST_DEVICE constexpr std::int64_t first_half_tiles() const {
    return std::int64_t{first_half_items()} * (one_tile_per_block ? 1 : panels);
  }
  /// Shared memory of each of the solver's blocks.
  [[nodiscard]] constexpr std::int64_t shared_bytes() const {
    return 8 * (std::int64_t{panel_columns} + (one_tile_per_block ? 0 : group_rows));
  }
};

/// For this many rows and columns on a GPU with `multiprocessors`, whose blocks have `shared_bytes`
/// each.
Tiling tiling_for(std::int64_t rows, std::int64_t columns, int multiprocessors,
                  std::int64_t shared_bytes);

/// For the whole matrix.
inline Tiling tiling_for(std::int64_t rows, int multiprocessors, std::int64_t shared_bytes) {
  return tiling_for(rows, rows, multiprocessors, shared_bytes);
}

/// Bytes of a matrix in tiles. The padding of slices is not known before the matrix is: this
/// assumes the mean padding for shared pieces, 1 % for rows of unequal lengths, and mean gaps
/// between slices.
std::int64_t tile_bytes(const Tiling& tiling, std::int64_t nonzeros);

/// Additional memory of assembling it, from `vectors` sparse vectors of `stride` slots each.
std::int64_t assembly_bytes(const Tiling& tiling, std::int64_t vectors, std::int64_t stride);

/// The share of the last cache for what stays in it whole.
inline constexpr double whole_share = 0.6;

/// Warps of each of the solver's blocks whose entries are to stay in the last cache from product to
/// product.
int kept_warps(std::int64_t matrix_bytes, std::int64_t cache_bytes);

}  // namespace bankfull::npb::cg::cuda
