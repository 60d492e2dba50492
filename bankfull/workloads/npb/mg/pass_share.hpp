#pragma once

#include "bankfull/core/exec/team.hpp"

#include <cstdint>

namespace bankfull::npb::mg {

/// A thread's part of a pass over a grid.
struct PassShare {
  Range planes;
  Range rows;

  friend constexpr bool operator==(const PassShare&, const PassShare&) = default;
};

/// What a pass goes through.
struct PassShape {
  std::int64_t planes;
  std::int64_t rows;
  std::int64_t block;   ///< rows that go through planes together
  std::int64_t beyond;  ///< planes that a thread forms beyond its own
};

/// Divides a pass among a team. A thread forms again what its neighbours form at the ends of its
/// planes: with few planes per thread that is much, and groups of threads then have the same
/// planes, and different blocks of rows. Threads of a group follow each other, so that a group's
/// planes lie where its threads touched them first.
PassShare pass_share(const PassShape& shape, int member, int members);

}  // namespace bankfull::npb::mg
