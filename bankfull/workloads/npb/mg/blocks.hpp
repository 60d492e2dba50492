#pragma once

#include "bankfull/core/comm/decomposition.hpp"
#include "bankfull/workloads/npb/classes.hpp"

#include <string>

namespace bankfull::npb::mg {

/// How ranks share the grids of a class: equal blocks of the finest grid, and of each coarser one
/// blocks half as wide, which lie on those of the finer one. A level is the log2 of its grid's
/// side.
class Blocks {
 public:
  /// For a number of ranks that `refusal_of` does not refuse.
  Blocks(Class size, int ranks);

  /// Why so many ranks get no blocks, as the rest of a sentence about the class; empty where they
  /// do.
  static std::string refusal_of(Class size, int ranks);

  /// Cut as `cuts` says: powers of two that leave two points a rank along each axis.
  Blocks(int finest, const RankGrid& cuts) : finest_(finest), cuts_(cuts) {}

  /// Of a grid and all coarser ones on one rank.
  static Blocks whole(int finest) { return {finest, RankGrid{}}; }

  [[nodiscard]] int finest() const { return finest_; }

  /// The coarsest level that is cut; all ranks hold it and all below it whole, and compute the same
  /// there. On one rank the coarsest of all.
  [[nodiscard]] int coarsest() const;

  [[nodiscard]] const RankGrid& cuts() const { return cuts_; }
  [[nodiscard]] bool is_cut() const { return cuts_.count() > 1; }

  [[nodiscard]] Decomposition at(int level) const;

  /// Of every rank.
  [[nodiscard]] Extents block(int level) const { return at(level).largest_block(); }

  /// The longest sides of the grids that a rank has, whole ones too.
  [[nodiscard]] Extents longest_sides() const;

 private:
  int finest_;
  RankGrid cuts_;
};

}  // namespace bankfull::npb::mg
