#pragma once

#include "bankfull/core/base/pack.hpp"
#include "bankfull/core/field/field_set.hpp"
#include "bankfull/workloads/convection/boundary.hpp"

#include <algorithm>
#include <cstdint>

namespace bankfull::convection {

/// Writes the ghosts of one field row by row; see `continued`, which defines them. Ghosts that are
/// another rank's cells are in place before.
template <class Real>
class GhostRows {
 public:
  GhostRows(const Continuations& rules, const Grid& grid)
      : GhostRows(rules, grid, box_of(grid.extents())) {}

  /// For a block of the grid; indices count from its first cell.
  GhostRows(const Continuations& rules, const Grid& grid, const Box& block)
      : rules_(rules),
        cells_(block.extents()),
        faces_(wall_faces_of(grid, block)),
        centres_{grid.axis(0).centres.data() + block.i0, grid.axis(1).centres.data() + block.j0,
                 grid.axis(2).centres.data() + block.k0} {}

  /// The part of a wall's ghosts that varies with time.
  void set_varying(int axis, int side, double value) { rules_.at[axis][side].varying = value; }

  /// Ghosts at both ends of a row whose cells 0 <= k < nk are in place.
  void close(const FieldView<Real>& field, std::int64_t i, std::int64_t j) const {
    Real* const row = field.row(i, j);
    row[-1] = end(row, rules_.at[2][0], i, j, -1, cells_.nk - 1, 0);
    row[cells_.nk] = end(row, rules_.at[2][1], i, j, cells_.nk, 0, cells_.nk - 1);
  }

  /// The same past the caches, where whole cache lines at the ends of rows hold nothing else: they
  /// are not read to be written. Others must not read them before a stream_store_fence.
  void stream_ends(const FieldView<Real>& field, std::int64_t i, std::int64_t j) const {
    using P = Pack<Real>;
    if (cells_.nk % P::width != 0 || field.row_pitch - cells_.nk < 2 * P::width) {
      close(field, i, j);
      return;
    }
    Real* const row = field.row(i, j);
    const Real lower = end(row, rules_.at[2][0], i, j, -1, cells_.nk - 1, 0);
    const Real upper = end(row, rules_.at[2][1], i, j, cells_.nk, 0, cells_.nk - 1);
    P::of_lanes([&](int n) { return n == P::width - 1 ? lower : Real(0); }).stream(row - P::width);
    P::of_lanes([&](int n) { return n == 0 ? upper : Real(0); }).stream(row + cells_.nk);
  }

  /// A row beyond the ends of i or j, its own ends included.
  void fill(const FieldView<Real>& field, std::int64_t i, std::int64_t j) const {
    const std::int64_t from_i = inner(i, cells_.ni, 0);
    const std::int64_t from_j = inner(j, cells_.nj, 1);
    const Real* from = field.row(from_i, from_j);
    Real* const row = field.row(i, j);
    if (from != row) {  // else it is another rank's, and in place; meanwhile others may read it
      std::copy_n(from, cells_.nk, row);
    }
    if (from_i != i) {
      apply(rules_.at[0][i < 0 ? 0 : 1], i, j, row);
    }
    if (from_j != j) {
      apply(rules_.at[1][j < 0 ? 0 : 1], i, j, row);
    }
    close(field, i, j);
  }

 private:
  [[nodiscard]] std::int64_t inner(std::int64_t at, std::int64_t count, int axis) const {
    if (at >= 0 && at < count) {
      return at;
    }
    const bool upper = at >= count;
    if (faces_.goes_on[axis][upper ? 1 : 0]) {
      return at;
    }
    return upper == rules_.at[axis][upper ? 1 : 0].wraps ? 0 : count - 1;
  }

  /// A rule's part that is the same along a row.
  [[nodiscard]] double constant(const Continuation& rule, std::int64_t i, std::int64_t j) const {
    return (rule.constant + rule.varying) + rule.slope[0] * centres_[0][i + 1] +
           rule.slope[1] * centres_[1][j + 1];
  }

  void apply(const Continuation& rule, std::int64_t i, std::int64_t j, Real* row) const {
    if (rule.wraps) {
      return;
    }
    const double base = constant(rule, i, j);
    for (std::int64_t k = 0; k < cells_.nk; ++k) {
      row[k] = static_cast<Real>(rule.factor * static_cast<double>(row[k]) + base +
                                 rule.slope[2] * centres_[2][k + 1]);
    }
  }

  [[nodiscard]] Real end(const Real* row, const Continuation& rule, std::int64_t i, std::int64_t j,
                         std::int64_t ghost, std::int64_t other_end, std::int64_t beside) const {
    if (rule.wraps) {
      return row[other_end];
    }
    return static_cast<Real>(rule.factor * static_cast<double>(row[beside]) + constant(rule, i, j) +
                             rule.slope[2] * centres_[2][ghost + 1]);
  }

  Continuations rules_;
  Extents cells_;
  WallFaces faces_;
  const double* centres_[3] = {};
};

}  // namespace bankfull::convection
