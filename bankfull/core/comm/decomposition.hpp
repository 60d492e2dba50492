#pragma once

#include "bankfull/core/field/box.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace bankfull {

/// The number of ranks along i, j and k; also the position of one rank among them.
struct RankGrid {
  int i = 1;  ///< ranks along i, or a position from 0
  int j = 1;  ///< likewise along j
  int k = 1;  ///< likewise along k

  /// The number of ranks in all.
  [[nodiscard]] constexpr int count() const { return i * j * k; }
  /// Equal along each axis; the same count does not suffice.
  friend constexpr bool operator==(const RankGrid&, const RankGrid&) = default;
};

/// "2x2x1".
std::string to_string(const RankGrid& grid);

/// Parses "2x2x1"; throws UsageError for anything else, naming the option it came from.
RankGrid parse_rank_grid(const std::string& option, const std::string& text);

/// The direction of a neighbour: each component is -1, 0 or +1.
struct Offset {
  int di = 0;  ///< -1 towards smaller i, +1 towards larger i
  int dj = 0;  ///< likewise along j
  int dk = 0;  ///< likewise along k

  /// The direction in which the neighbour sees this rank.
  [[nodiscard]] constexpr Offset reversed() const { return {-di, -dj, -dk}; }
  /// The number of nonzero components: 1 for a face, 2 for an edge, 3 for a corner.
  [[nodiscard]] constexpr int axes() const { return di * di + dj * dj + dk * dk; }
  /// By di, then dj, then dk: the order in which a rank sends its regions to another.
  friend constexpr auto operator<=>(const Offset&, const Offset&) = default;
};

/// Whether the last cell of an axis is a neighbour of its first.
struct Periodicity {
  bool i = false;  ///< along i
  bool j = false;  ///< along j
  bool k = false;  ///< along k

  /// Whether the same axes are periodic.
  friend constexpr bool operator==(const Periodicity&, const Periodicity&) = default;
};

/// A grid of cells divided into one block per rank. Ranks are numbered with k fastest. If an axis
/// does not divide evenly, the first ranks along it have one more cell.
class Decomposition {
 public:
  /// Throws UsageError if a rank would get no cells, and for more cells or ranks than can be
  /// counted.
  Decomposition(const Extents& cells, const RankGrid& grid, const Periodicity& periodic = {});

  /// Of the whole grid.
  [[nodiscard]] const Extents& cells() const { return cells_; }
  /// The number of ranks along each axis.
  [[nodiscard]] const RankGrid& grid() const { return grid_; }
  /// The axes along which ranks at both ends are neighbours.
  [[nodiscard]] const Periodicity& periodic() const { return periodic_; }
  /// The number of blocks.
  [[nodiscard]] int ranks() const { return grid_.count(); }

  /// The position of a rank, 0 <= `rank` < ranks(), each component from 0.
  [[nodiscard]] RankGrid place(int rank) const;
  /// The rank at a position within the grid of ranks; one outside does not wrap around.
  [[nodiscard]] int rank_at(const RankGrid& place) const;

  /// The cells of a rank in global indices.
  [[nodiscard]] Box block(int rank) const;

  /// The minimum number of cells of a rank along each axis; 0 is possible after `of_pairs`.
  [[nodiscard]] Extents smallest_block() const;
  /// The maximum number of cells of a rank along each axis; some rank has all three.
  [[nodiscard]] Extents largest_block() const;

  /// The same cut of a coarser grid: along some axes (i, j, k) pairs of cells, 0 and 1, 2 and 3 and
  /// so on, are one cell, which belongs to the rank of the first of them. Ranks may be without any.
  [[nodiscard]] Decomposition of_pairs(const std::array<bool, 3>& paired) const;

  /// The same cut of a grid with other rows, that is cells along k, which must not be cut.
  [[nodiscard]] Decomposition with_rows(std::int64_t nk) const;

  /// The neighbour in that direction; none beyond a non-periodic end. It may be `rank` itself.
  [[nodiscard]] std::optional<int> neighbour(int rank, const Offset& offset) const;

 private:
  Extents cells_;
  RankGrid grid_;
  Periodicity periodic_;
  std::array<std::int64_t, 3> cut_cells_{};  ///< of the grid that was cut equally
  std::array<int, 3> pairings_{};            ///< since then
};

/// Elements moved in memory for each strided element, such as a cell on a face across k: those of
/// a 32-byte sector.
constexpr int cells_per_sector(std::size_t element_bytes) {
  constexpr std::size_t sector_bytes = 32;
  return static_cast<int>(sector_bytes / element_bytes);
}

/// Constraints on the choice of a grid of ranks.
struct DecompositionRules {
  /// Along periodic axes blocks must be as thick as the halo even if these are not cut.
  Periodicity periodic = {};
  std::int64_t halo_width = 1;  ///< minimum thickness of a block along every axis that is cut
  RankGrid max_grid{1 << 20, 1 << 20, 1 << 20};  ///< maximum number of ranks along each axis
  /// Of a cell on faces across k; see cells_per_sector. The default is that of fp32, as of
  /// `bankfull decompose`.
  int strided_cost = cells_per_sector(sizeof(float));
};

/// All grids of `ranks` that the rules allow; empty if no split gives every rank enough cells.
/// Throws UsageError if the halo has no width or an axis no rank.
std::vector<RankGrid> allowed_grids(const Extents& cells, int ranks,
                                    const DecompositionRules& rules = {});

/// The split of `cells` over `ranks` with the least communication: the fewest halo cells of the
/// busiest rank, those across k weighted by their cost. Ties go to the smallest largest block, then
/// to cuts along i before j before k, because of contiguous faces. Throws UsageError if no split
/// gives every rank enough cells, naming the largest number of ranks below `ranks` that works.
Decomposition choose_decomposition(const Extents& cells, int ranks,
                                   const DecompositionRules& rules = {});

/// Cells on the faces that the busiest rank exchanges with others, for halos of width 1, those
/// across k counted `strided_cost` times. Assumes the largest block with the most neighbours, even
/// if no rank has both.
std::int64_t face_cells(const Decomposition& decomposition, int strided_cost = 1);

/// How far a grid of ranks is from a cube: (max/min) (mid/min) of its three factors; 1 is best
/// (E. Phillips and M. Fatica, "A CUDA implementation of the High Performance Conjugate Gradient
/// benchmark", PMBS 2014, section 3.3).
double imbalance(const RankGrid& grid);

}  // namespace bankfull
