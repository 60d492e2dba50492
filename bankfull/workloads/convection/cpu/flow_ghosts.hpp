#pragma once

#include "bankfull/workloads/convection/cpu/flow.hpp"
#include "bankfull/workloads/convection/cpu/ghost_rows.hpp"
#include "bankfull/workloads/convection/drive.hpp"

#include <vector>

namespace bankfull::convection {

/// The ghosts of all fields of a flow. They are not worth streaming where many of their lines are
/// in caches already, or on the way there after the cells beside them.
template <class Real>
class FlowGhosts {
 public:
  FlowGhosts(const FlowOnCpu<Real>& flow, const std::vector<Continuations>& rules)
      : flow_(flow), streams_(flow.is_larger_than(flow.partly_cached_bytes)) {
    for (const Continuations& of_field : rules) {
      ghosts_.emplace_back(of_field, flow.grid, flow.block);
    }
  }

  void move_walls(const std::vector<VaryingWall>& walls, double time) {
    for (const VaryingWall& wall : walls) {
      ghosts_[static_cast<std::size_t>(wall.field)].set_varying(wall.axis, wall.side,
                                                                wall.share * wall.value.at(time));
    }
  }

  /// At the ends of a row; a stream_store_fence must follow.
  void close_rows(FieldSet<Real>& fields, std::int64_t i, std::int64_t j) const {
    for (int field = 0; field < flow_.count; ++field) {
      const GhostRows<Real>& ghosts = ghosts_[static_cast<std::size_t>(field)];
      streams_ ? ghosts.stream_ends(fields[field], i, j) : ghosts.close(fields[field], i, j);
    }
  }

  /// Rows beyond the ends of planes and rows; others are closed, and those of other ranks in place.
  void fill_ghost_rows(FieldSet<Real>& fields) const {
    // Two planes beyond the ends, and in between two rows of each plane.
    const Extents& n = flow_.n;
    const std::int64_t beyond = n.nj + 2;
    flow_.executor.each(2 * (beyond + n.ni), [&](std::int64_t row) {
      const std::int64_t inside = row - beyond;
      if (inside < 0) {
        fill_ghost_row(fields, -1, row - 1);
      } else if (inside < 2 * n.ni) {
        fill_ghost_row(fields, inside / 2, inside % 2 == 0 ? -1 : n.nj);
      } else {
        fill_ghost_row(fields, n.ni, inside - 2 * n.ni - 1);
      }
    });
  }

 private:
  void fill_ghost_row(FieldSet<Real>& fields, std::int64_t i, std::int64_t j) const {
    for (int field = 0; field < flow_.count; ++field) {
      ghosts_[static_cast<std::size_t>(field)].fill(fields[field], i, j);
    }
  }

  const FlowOnCpu<Real>& flow_;
  bool streams_;
  std::vector<GhostRows<Real>> ghosts_;
};

}  // namespace bankfull::convection
