#pragma once

#include "bankfull/core/comm/decomposition.hpp"

#include <cstdint>
#include <functional>
#include <vector>

namespace bankfull {

/// The ghost cells that an exchange fills.
struct HaloShape {
  /// How many nonzero components the offsets of neighbours have at most.
  enum class Reach : int {
    faces = 1,    ///< neighbours along one axis: 7-point stencils
    edges = 2,    ///< and along two: 19-point stencils
    corners = 3,  ///< and along three: 27-point stencils
  };

  int width = 1;               ///< layers of ghost cells, at least 1
  Reach reach = Reach::faces;  ///< which neighbours' cells are copied

  /// Equal in width and reach.
  friend constexpr bool operator==(const HaloShape&, const HaloShape&) = default;
};

/// One face, edge or corner of a block. Boxes are in local cell indices: 0 is the block's first.
struct HaloRegion {
  Offset offset;  ///< towards the neighbour
  Box interior;   ///< own cells that the neighbour's ghosts copy
  Box ghosts;     ///< own ghosts that copy the neighbour's cells
};

/// Everything that two ranks exchange. A neighbour in several directions (few ranks along a
/// periodic axis) gets a single message.
struct HaloMessage {
  int rank = 0;                      ///< the other rank, or this one where an axis wraps around
  std::vector<HaloRegion> sent;      ///< in message order
  std::vector<HaloRegion> received;  ///< likewise; region n answers region n of the other rank

  /// Cells of one field in each direction.
  [[nodiscard]] std::int64_t cells() const;
};

/// The messages of a rank in ascending order of ranks, including one to itself if an axis wraps
/// around. `wanted` excludes neighbours; both sides of a pair must agree.
/// Throws UsageError if a block is thinner than the halo.
std::vector<HaloMessage> halo_messages(
    const Decomposition& decomposition, int rank, const HaloShape& shape,
    const std::function<bool(const Offset&)>& wanted = [](const Offset&) { return true; });

/// Cells that the busiest rank sends to others in one exchange of one field. Throws UsageError
/// if a block is thinner than the halo.
std::int64_t busiest_halo_cells(const Decomposition& decomposition, const HaloShape& shape);

/// Messages that the busiest rank sends to others in one exchange, whatever the number of fields.
/// Throws UsageError if a block is thinner than the halo.
int busiest_halo_messages(const Decomposition& decomposition, const HaloShape& shape);

}  // namespace bankfull
