#include "bankfull/core/comm/halo_regions.hpp"

#include "bankfull/core/base/error.hpp"
#include "bankfull/core/base/expects.hpp"
#include "bankfull/core/comm/axes.hpp"
#include "bankfull/core/exec/team.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>
#include <utility>

namespace bankfull {
namespace {

/// The offsets of all neighbours that a reach takes in, in ascending order.
std::vector<Offset> offsets_within(HaloShape::Reach reach) {
  std::vector<Offset> offsets;
  for (int n = 0; n < 27; ++n) {
    const Offset offset{n / 9 - 1, n / 3 % 3 - 1, n % 3 - 1};
    if (offset.axes() >= 1 && offset.axes() <= static_cast<int>(reach)) {
      offsets.push_back(offset);
    }
  }
  return offsets;
}

/// Cells next to one end of an axis of n cells, inside of it; all of them for step 0.
Range inside(std::int64_t n, int step, std::int64_t width) {
  return {step > 0 ? n - width : 0, step < 0 ? width : n};
}

/// The ghosts beyond one end of an axis of n cells; its own cells for step 0.
Range outside(std::int64_t n, int step, std::int64_t width) {
  if (step == 0) {
    return {0, n};
  }
  return step < 0 ? Range{-width, 0} : Range{n, n + width};
}

Box box_of(const PerAxis<Range>& ranges) {
  const auto& [i, j, k] = ranges;
  return {i.begin, i.end, j.begin, j.end, k.begin, k.end};
}

HaloRegion region_towards(const Offset& offset, const Extents& extents, std::int64_t width) {
  const auto n = per_axis(extents);
  const auto step = per_axis(offset);
  return {
      .offset = offset,
      .interior =
          box_of(for_axes([&](std::size_t axis) { return inside(n[axis], step[axis], width); })),
      .ghosts =
          box_of(for_axes([&](std::size_t axis) { return outside(n[axis], step[axis], width); })),
  };
}

/// All ranks refuse alike, whichever of them has the thin block.
void require_thickness(const Decomposition& decomposition, std::int64_t width) {
  const auto n = per_axis(decomposition.smallest_block());
  const auto ranks = per_axis(decomposition.grid());
  const auto wraps = per_axis(decomposition.periodic());
  for (std::size_t axis = 0; axis < n.size(); ++axis) {
    if ((ranks[axis] > 1 || wraps[axis]) && n[axis] < width) {
      const Extents& cells = decomposition.cells();
      throw UsageError(
          fmt::format("{} ranks cut {}x{}x{} cells into blocks of {} along {}, thinner than a "
                      "halo of {}",
                      to_string(decomposition.grid()), cells.ni, cells.nj, cells.nk, n[axis],
                      "ijk"[axis], width),
          ranks[axis] > 1 ? "use fewer ranks along that axis" : "use more cells along that axis");
    }
  }
}

/// Positions of ranks along an axis, one of which is that of the busiest rank: the first blocks are
/// the largest, and the second has neighbours on both sides.
std::vector<int> busy_places(int ranks) {
  return ranks > 2 ? std::vector<int>{0, 1} : std::vector<int>{0};
}

/// One of these is the busiest rank, whatever the shape of the halo.
std::vector<int> busy_ranks(const Decomposition& decomposition) {
  const RankGrid& grid = decomposition.grid();
  std::vector<int> ranks;
  for (const int i : busy_places(grid.i)) {
    for (const int j : busy_places(grid.j)) {
      for (const int k : busy_places(grid.k)) {
        ranks.push_back(decomposition.rank_at({i, j, k}));
      }
    }
  }
  return ranks;
}

/// What one rank sends to another.
struct Sent {
  int to;
  std::int64_t cells;
};

/// One item for each region that a rank sends to others.
std::vector<Sent> sent_by(const Decomposition& decomposition, int rank, const HaloShape& shape) {
  const Extents extents = decomposition.block(rank).extents();
  std::vector<Sent> all;
  for (const Offset& offset : offsets_within(shape.reach)) {
    const std::optional<int> neighbour = decomposition.neighbour(rank, offset);
    if (neighbour && *neighbour != rank) {
      const HaloRegion region = region_towards(offset, extents, shape.width);
      all.push_back({*neighbour, region.interior.extents().count()});
    }
  }
  return all;
}

}  // namespace

std::int64_t HaloMessage::cells() const {
  std::int64_t cells = 0;
  for (const HaloRegion& region : sent) {
    cells += region.interior.extents().count();
  }
  return cells;
}

std::vector<HaloMessage> halo_messages(const Decomposition& decomposition, int rank,
                                       const HaloShape& shape,
                                       const std::function<bool(const Offset&)>& wanted) {
  expects(shape.width >= 1, "a halo has a width");
  require_thickness(decomposition, shape.width);
  const Extents extents = decomposition.block(rank).extents();
  std::map<int, std::vector<HaloRegion>> regions;
  for (const Offset& offset : offsets_within(shape.reach)) {
    const std::optional<int> neighbour = decomposition.neighbour(rank, offset);
    if (neighbour && wanted(offset)) {
      regions[*neighbour].push_back(region_towards(offset, extents, shape.width));
    }
  }
  std::vector<HaloMessage> messages;
  for (const auto& [other, sent] : regions) {
    // The other side sends towards us by the reversed offset, in the order of its offsets.
    std::vector<HaloRegion> received = sent;
    std::sort(received.begin(), received.end(), [](const HaloRegion& a, const HaloRegion& b) {
      return a.offset.reversed() < b.offset.reversed();
    });
    messages.push_back({other, sent, std::move(received)});
  }
  return messages;
}

std::int64_t busiest_halo_cells(const Decomposition& decomposition, const HaloShape& shape) {
  require_thickness(decomposition, shape.width);
  std::int64_t most = 0;
  for (const int rank : busy_ranks(decomposition)) {
    std::int64_t cells = 0;
    for (const Sent& sent : sent_by(decomposition, rank, shape)) {
      cells += sent.cells;
    }
    most = std::max(most, cells);
  }
  return most;
}

int busiest_halo_messages(const Decomposition& decomposition, const HaloShape& shape) {
  require_thickness(decomposition, shape.width);
  std::size_t most = 0;
  for (const int rank : busy_ranks(decomposition)) {
    std::set<int> others;
    for (const Sent& sent : sent_by(decomposition, rank, shape)) {
      others.insert(sent.to);
    }
    most = std::max(most, others.size());
  }
  return static_cast<int>(most);
}

}  // namespace bankfull
