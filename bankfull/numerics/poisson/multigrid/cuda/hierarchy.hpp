#pragma once

#include "bankfull/numerics/poisson/multigrid/levels.hpp"
#include "bankfull/numerics/poisson/multigrid/rank_levels.hpp"
#include "bankfull/numerics/poisson/sharing.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace bankfull::poisson::multigrid::cuda {

/// A domain with the axis of lines, if there is one, first, then the axes of one cell, which must
/// not be k: rows of one cell would leave warps with nothing to do. The other axes keep their
/// order.
struct Turned {
  Domain domain;
  std::array<int, 3> axis;  ///< which of the given axes is i, j and k now
  bool has_lines;

  explicit Turned(const Domain& given);
};

// Elements from row to row, from plane to plane and of a whole field of a level, or of a window.
std::int64_t row_pitch(const Level& level);
std::int64_t plane_pitch(const Level& level);
std::int64_t field_size(const Level& level);

/// Whether an axis of the level is periodic with an odd number of cells, more than one.
bool has_seams(const Level& level);

/// Whether kernels for levels with alike planes (alike_march.cuh) do this one: i is coarsened, j
/// and k go round an even number of cells of one width and are both coarsened or both not.
bool has_alike_planes(const Level& level);

/// Floats of what differs from plane to plane there; 0 elsewhere.
std::int64_t alike_floats(const Level& level);

/// Floats of the tables of a level's axes.
std::int64_t table_floats(const Level& level);

/// What a GPU's multigrid has of a domain, and where: host code, for kernels and for the sum of
/// memory.
class Hierarchy {
 public:
  /// `shared_bytes`: what one block's levels may take. A domain of cells of many shapes, which
  /// smooth slowly, has its finest level twice: that is three sweeps per cycle more on it. So has
  /// one with lines: the first of both has the outer residual, and no sweeps.
  Hierarchy(const Domain& domain, std::size_t shared_bytes);

  [[nodiscard]] const Turned& turned() const { return turned_; }
  [[nodiscard]] const std::vector<Level>& levels() const { return levels_; }
  [[nodiscard]] int count() const { return static_cast<int>(levels_.size()); }
  [[nodiscard]] const Level& level(int n) const { return levels_[static_cast<std::size_t>(n)]; }

  [[nodiscard]] bool has_lines() const { return turned_.has_lines; }

  /// The first level that one block does with all below; not the finest.
  [[nodiscard]] int bottom() const { return bottom_; }

  [[nodiscard]] std::int64_t field_size(int n) const { return cuda::field_size(level(n)); }
  [[nodiscard]] bool has_seams(int n) const { return cuda::has_seams(level(n)); }

  /// The same of the axes across lines.
  [[nodiscard]] bool has_seams_across(int n) const;

  /// Floats that a level's fields take in the shared memory of the block that does the bottom.
  [[nodiscard]] std::int64_t bottom_floats(int n) const;

  /// Floats of all levels from one on, which is not the finest, and of all tables. With lines all
  /// levels but the finest count.
  [[nodiscard]] std::int64_t floats_from(int first) const;

  /// All GPU memory of a solver for fields of `element_bytes` an element.
  [[nodiscard]] std::int64_t bytes(std::size_t element_bytes) const;

 private:
  [[nodiscard]] std::int64_t line_floats() const;
  [[nodiscard]] std::int64_t bottom_bytes_from(int n) const;

  Turned turned_;
  std::vector<Level> levels_;
  int bottom_ = 1;
};

/// Planes of the finest level beside the own ones in which each cycle corrects p: a residual of own
/// cells and of those beside them reads two.
inline constexpr int corrected_halo = 2;

/// Cells beside the own ones that kernels need on each of these levels, from the finest on. Ranks
/// exchange r alone: each kernel goes over the whole window, each half-sweep and each residual
/// spoils one more cell from its ends inwards, and what is left of the correction is as wide as the
/// next finer level's interpolation needs.
std::vector<int> halos_on_gpus(const std::vector<Level>& levels, const RankGrid& grid);

/// A rank's windows of the levels of a domain, from the finest on to the first one that every rank
/// gathers and solves, as all ranks do: that costs no more than to wait for a rank that does. With
/// lines that is the second one, which has the cells of the first: ranks then gain memory for the
/// fields of the finest level, but no time.
RankLevels windows_on_gpus(const Hierarchy& hierarchy, const Sharing& sharing);

/// How the turned domain is cut.
Decomposition cut_of(const Turned& turned, const Sharing& sharing);

/// Planes of p, and of f, that ranks exchange before a solve: it is corrected in these, or one more
/// where they begin within a pair.
inline constexpr int outer_halo = corrected_halo + 1;

/// All GPU memory of a rank's solver, as Hierarchy::bytes, with its messages.
std::int64_t bytes_of_windows(const Hierarchy& hierarchy, const RankLevels& windows,
                              std::size_t element_bytes);

/// A level with fewer cells is gathered, unless Sharing says otherwise.
inline constexpr std::int64_t min_shared_cells = std::int64_t{1} << 20;

/// Largest shared memory of the block that does the smallest levels, if the GPU has as much, ...
inline constexpr std::size_t max_bottom_bytes = std::size_t{96} << 10;

/// ... and the most cells of its finest level.
inline constexpr std::int64_t max_bottom_cells = 8192;

/// Blocks that survey the right side, at most.
inline constexpr std::int64_t max_survey_blocks = 1024;

/// Fields of a level with lines: the residual and the correction.
inline constexpr int line_level_fields = 2;

/// Fields of a level between the finest and the bottom: the residual, and the correction on the way
/// down and on the way up.
inline constexpr int level_fields = 3;

}  // namespace bankfull::poisson::multigrid::cuda
