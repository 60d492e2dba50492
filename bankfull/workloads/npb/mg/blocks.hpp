#pragma once

#include "bankfull/core/comm/decomposition.hpp"
#include "bankfull/core/comm/halo_regions.hpp"
#include "bankfull/workloads/npb/classes.hpp"

#include <string>

namespace bankfull::npb::mg {

/// The decomposition of the grids of a class: equal blocks of the finest grid, and of each coarser
/// one blocks half as wide, which lie on those of the finer one. A level is the log2 of its grid's
/// side.
class Blocks {
 public:
  /// Ranks hold levels up to this one (16 points per side) whole, unless there are many ranks along
  /// an axis. All coarser levels together take a CPU less time than two messages, so every rank
  /// computes them itself.
  static constexpr int whole_level = 4;

  /// For a number of ranks that `refusal_of` does not refuse.
  Blocks(Class size, int ranks, int whole = whole_level);

  /// Why so many ranks get no blocks, as the rest of a sentence about the class; empty where they
  /// do.
  static std::string refusal_of(Class size, int ranks);

  /// Cut as `cuts` says: powers of two that leave two points per rank along each axis.
  Blocks(int finest, const RankGrid& cuts, int whole = whole_level)
      : finest_(finest), whole_(whole), cuts_(cuts) {}

  /// A grid and all coarser ones on one rank.
  static Blocks whole(int finest) { return {finest, RankGrid{}}; }

  [[nodiscard]] int finest() const { return finest_; }

  /// The coarsest level that is cut; all ranks hold it and all below it whole, and compute the same
  /// there; coarser than the finest. On one rank the coarsest of all.
  [[nodiscard]] int coarsest() const;

  [[nodiscard]] const RankGrid& cuts() const { return cuts_; }
  [[nodiscard]] bool is_cut() const { return cuts_.count() > 1; }

  [[nodiscard]] Decomposition at(int level) const;

  /// The block of every rank.
  [[nodiscard]] Extents block(int level) const { return at(level).largest_block(); }

  /// The longest sides of the grids that a rank has, whole ones too.
  [[nodiscard]] Extents longest_sides() const;

 private:
  int finest_;
  int whole_;
  RankGrid cuts_;
};

/// Whether the offset to a neighbour is along cut axes only; the others wrap around in the block.
bool lies_along(const RankGrid& cuts, const Offset& offset);

/// The shape of exchanges between blocks.
constexpr HaloShape halo_shape(int width) {
  return {.width = width, .reach = HaloShape::Reach::corners};
}

}  // namespace bankfull::npb::mg
