#pragma once

#include "bankfull/core/field/box.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace bankfull {

/// Ranks along i, j and k; also the place of one rank among them.
struct RankGrid {
  int i = 1;
  int j = 1;
  int k = 1;

  [[nodiscard]] constexpr int count() const { return i * j * k; }
  friend constexpr bool operator==(const RankGrid&, const RankGrid&) = default;
};

/// "2x2x1".
std::string to_string(const RankGrid& grid);

/// Understands "2x2x1"; throws UsageError for anything else, naming the option it came from.
RankGrid parse_rank_grid(const std::string& option, const std::string& text);

/// Where a neighbour is: each of -1, 0, +1.
struct Offset {
  int di = 0;
  int dj = 0;
  int dk = 0;

  [[nodiscard]] constexpr Offset reversed() const { return {-di, -dj, -dk}; }
  /// Axes along which the neighbour lies apart: 1 for a face, 2 for an edge, 3 for a corner.
  [[nodiscard]] constexpr int axes() const { return di * di + dj * dj + dk * dk; }
  friend constexpr auto operator<=>(const Offset&, const Offset&) = default;
};

/// Whether the last cell of an axis is the neighbour of its first.
struct Periodicity {
  bool i = false;
  bool j = false;
  bool k = false;
  friend constexpr bool operator==(const Periodicity&, const Periodicity&) = default;
};

/// A grid of cells cut into one block a rank. Ranks are numbered with k fastest. Where an axis does
/// not divide, the first ranks along it have one cell more.
class Decomposition {
 public:
  /// Throws UsageError where a rank would get no cell.
  Decomposition(const Extents& cells, const RankGrid& grid, const Periodicity& periodic = {});

  [[nodiscard]] const Extents& cells() const { return cells_; }
  [[nodiscard]] const RankGrid& grid() const { return grid_; }
  [[nodiscard]] const Periodicity& periodic() const { return periodic_; }
  [[nodiscard]] int ranks() const { return grid_.count(); }

  [[nodiscard]] RankGrid place(int rank) const;
  [[nodiscard]] int rank_at(const RankGrid& place) const;

  /// The cells of a rank in the numbering of the whole grid.
  [[nodiscard]] Box block(int rank) const;

  /// The fewest cells along each axis that a rank has, and the most.
  [[nodiscard]] Extents smallest_block() const;
  [[nodiscard]] Extents largest_block() const;

  /// The same cut of a coarser grid: along some axes (i, j, k) pairs of cells, 0 and 1, 2 and 3 and
  /// so on, are one cell, which belongs to the rank of the first of them. Ranks may be without any.
  [[nodiscard]] Decomposition of_pairs(const std::array<bool, 3>& paired) const;

  /// The same cut of a grid with other rows, that is cells along k, which must not be cut.
  [[nodiscard]] Decomposition with_rows(std::int64_t nk) const;

  /// The rank there; none beyond the end of an axis that is not periodic. It may be `rank` itself.
  [[nodiscard]] std::optional<int> neighbour(int rank, const Offset& offset) const;

 private:
  Extents cells_;
  RankGrid grid_;
  Periodicity periodic_;
  std::array<std::int64_t, 3> cut_cells_{};  ///< of the grid that was cut equally
  std::array<int, 3> pairings_{};            ///< since then
};

/// Elements that are moved in memory for one that lies apart from the others, as the cells of a
/// face across k do: those of a sector of 32 bytes.
int cells_of_a_sector(std::size_t element_bytes);

/// What a choice of ranks along the axes must respect.
struct DecompositionRules {
  Periodicity periodic = {};
  std::int64_t halo_width = 1;  ///< a block must be as thick along every axis that is cut
  RankGrid most{1 << 20, 1 << 20, 1 << 20};  ///< ranks along an axis
  int strided_cost = 1;                      ///< of a cell on faces across k; see cells_of_a_sector
};

/// All grids of `ranks` that the rules allow; none where no split gives every rank its cells.
std::vector<RankGrid> allowed_grids(const Extents& cells, int ranks,
                                    const DecompositionRules& rules = {});

/// The split of `cells` over `ranks` with the least communication: the fewest halo cells of the
/// busiest rank, those across k at their cost; among equals the smallest largest block; among these
/// cuts along i before j before k, whose faces are contiguous in memory. Throws UsageError where no
/// split gives every rank its cells, naming the largest number of ranks below `ranks` that works.
Decomposition choose_decomposition(const Extents& cells, int ranks,
                                   const DecompositionRules& rules = {});

/// Cells on the faces that the busiest rank exchanges with others, for halos of width 1, those
/// across k counted `strided_cost` times. Taken is the largest block with the most neighbours, even
/// where no rank has both.
std::int64_t face_cells(const Decomposition& decomposition, int strided_cost = 1);

/// How far a grid of ranks is from a cube, (max/min) (mid/min) of its three numbers; 1 is best
/// (E. Phillips and M. Fatica, "A CUDA implementation of the High Performance Conjugate Gradient
/// benchmark", PMBS 2014, section 3.3).
double imbalance(const RankGrid& grid);

}  // namespace bankfull
