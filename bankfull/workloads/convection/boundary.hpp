#pragma once

#include "bankfull/core/base/host_device.hpp"
#include "bankfull/workloads/convection/grid.hpp"
#include "bankfull/workloads/convection/problem.hpp"

#include <cstdint>
#include <vector>

namespace bankfull::convection {

/// How a field continues beyond one end of one storage axis: its ghost value there is
///
///   factor * (value beside it) + constant + varying + slope . (position of the ghost's centre),
///
/// or, where the axis is periodic, the value at the other end. Walls lie midway between a ghost
/// and the value beside it, but for the velocity through them, which is zero on the wall itself.
struct Continuation {
  bool wraps = false;
  double factor = 0.0;
  double constant = 0.0;
  double varying = 0.0;  ///< share times the part of the wall's value that varies with time
  double change = 0.0;   ///< of `varying` from the beginning of a stage to its end
  double slope[3] = {};  ///< along the storage axes
  double share = 0.0;    ///< of the wall's value in the ghost's
  bool goes_on = false;  ///< beyond this end of a block lie another rank's cells, in place
};

/// The rules of one field: [storage axis][lower, upper].
struct Continuations {
  Continuation at[3][2] = {};
};

/// The rules of all fields of a problem at a time: velocity along the storage axes, then scalars.
std::vector<Continuations> continuations_of(const Problem& problem, const Grid& grid,
                                            double time = 0.0);

/// Centres of the cells along the storage axes, images beyond the ends included: centre of cell n
/// at [n + 1].
struct CentreLines {
  const double* along[3] = {};
};

/// Operations of `continued` along one axis beyond an end with this rule; of a row of them a CPU
/// forms once what is the same for all.
inline int flops_of(const Continuation& rule) {
  int flops = rule.wraps ? 0 : 2;
  for (const double slope : rule.slope) {
    flops += slope != 0.0 ? 2 : 0;
  }
  return flops;
}

/// Which faces of a cell are walls, along the storage axes.
struct CellOnWalls {
  bool lower[3] = {};
  bool upper[3] = {};
};

/// Whether velocity `field` lies on a wall at index (i, j, k): it is zero there, always. Indices
/// are those of a block of the grid, mostly all of it.
struct WallFaces {
  bool walled[3] = {};      ///< the axis ends at walls
  bool goes_on[3][2] = {};  ///< beyond this end of the block another rank has the grid

  [[nodiscard]] BANKFULL_HOST_DEVICE bool at_end(int axis, int side) const {
    return walled[axis] && !goes_on[axis][side];
  }

  /// Whether the last cell of the block is the neighbour of its first.
  [[nodiscard]] BANKFULL_HOST_DEVICE bool closes(int axis) const {
    return !walled[axis] && !goes_on[axis][0];
  }

  template <class Index>
  BANKFULL_HOST_DEVICE CellOnWalls around(const Index (&index)[3], const Index (&cells)[3]) const {
    CellOnWalls found;
    for (int axis = 0; axis < 3; ++axis) {
      found.lower[axis] = at_end(axis, 0) && index[axis] == 0;
      found.upper[axis] = at_end(axis, 1) && index[axis] == cells[axis] - 1;
    }
    return found;
  }

  template <int A>
  BANKFULL_HOST_DEVICE bool holds(std::int64_t index_along_a) const {
    return at_end(A, 0) && index_along_a == 0;
  }
};

WallFaces wall_faces_of(const Grid& grid);

/// The rules of the whole grid's fields for a block of it, which continues where the grid does not
/// end.
std::vector<Continuations> continuations_of_block(std::vector<Continuations> rules,
                                                  const Grid& grid, const Box& block);

/// The same for a block of the grid.
WallFaces wall_faces_of(const Grid& grid, const Box& block);

/// The value at (index...) of a field, at a ghost cell or an inner one, found from inner values
/// alone. `value(i, j, k)` reads an inner one. Corners are the continuation along k of what lies
/// beyond j, of what lies beyond i. Where a block continues, its neighbours' cells count as inner
/// ones. The value's type is what `value` returns.
template <class Centres, class Read>
BANKFULL_HOST_DEVICE auto continued(const Continuations& rules, const Centres& centres,
                                    const std::int64_t (&cells)[3], const std::int64_t (&index)[3],
                                    const Read& value) {
  std::int64_t inner[3] = {index[0], index[1], index[2]};
  for (int axis = 0; axis < 3; ++axis) {
    if (index[axis] >= 0 && index[axis] < cells[axis]) {
      continue;
    }
    const bool upper = index[axis] >= cells[axis];
    const Continuation& rule = rules.at[axis][upper ? 1 : 0];
    if (!rule.goes_on) {
      inner[axis] = upper == rule.wraps ? 0 : cells[axis] - 1;
    }
  }
  auto result = value(inner[0], inner[1], inner[2]);
  for (int axis = 0; axis < 3; ++axis) {
    if (index[axis] == inner[axis]) {
      continue;
    }
    const Continuation& rule = rules.at[axis][index[axis] >= cells[axis] ? 1 : 0];
    if (rule.wraps) {
      continue;
    }
    result = rule.factor * result + (rule.constant + rule.varying);
    for (int b = 0; b < 3; ++b) {
      if (rule.slope[b] != 0.0) {
        result += rule.slope[b] * centres.along[b][index[b] + 1];
      }
    }
  }
  return result;
}

}  // namespace bankfull::convection
