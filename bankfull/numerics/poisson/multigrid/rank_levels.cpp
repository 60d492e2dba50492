#include "bankfull/numerics/poisson/multigrid/rank_levels.hpp"

#include "bankfull/core/base/error.hpp"
#include "bankfull/core/base/expects.hpp"
#include "bankfull/core/comm/axes.hpp"

#include <algorithm>
#include <cstddef>
#include <fmt/format.h>
#include <utility>

namespace bankfull::poisson::multigrid {
namespace {

std::int64_t even_below(std::int64_t n) { return n - (n % 2 + 2) % 2; }
std::int64_t even_above(std::int64_t n) { return n + (n % 2 + 2) % 2; }

/// The window along an axis that is cut. It ends at walls.
Window window_of(const AxisLevel& axis, const Range& block, std::int64_t halo) {
  Window window{even_below(block.begin - halo), even_above(block.end + halo), {}};
  if (!axis.periodic) {
    window.begin = std::max<std::int64_t>(window.begin, 0);
    window.end = std::min(window.end, axis.cells);
  }
  window.own = {block.begin - window.begin, block.end - window.begin};
  return window;
}

/// The axis as a rank has it that has only a window of it.
AxisLevel axis_in(const AxisLevel& whole, const Window& window) {
  AxisLevel part{window.end - window.begin, false, whole.coarsened, {}, {}, {}, {}, {}};
  for (std::int64_t n = window.begin; n < window.end; ++n) {
    const auto from = static_cast<std::size_t>(wrapped(n, whole.cells));
    part.lower.push_back(whole.lower[from]);
    part.upper.push_back(whole.upper[from]);
    part.restriction_weight.push_back(whole.restriction_weight[from]);
    part.interpolation_weight.push_back(whole.interpolation_weight[from]);
    part.widths.push_back(whole.widths[from]);
  }
  part.part = {.own = window.own,
               .goes_on_below = whole.periodic || window.begin > 0,
               .goes_on_above = whole.periodic || window.end < whole.cells};
  return part;
}

Window whole_of(const AxisLevel& axis) { return {0, axis.cells, {0, axis.cells}}; }

/// Where the parent of the window's first cell lies in the window of the next level.
std::int64_t first_parent(const AxisLevel& axis, const Window& fine, const Window& coarse) {
  return (axis.coarsened ? fine.begin / 2 : fine.begin) - coarse.begin;
}

bool can_be_shared(const Level& level, const Decomposition& cut, int halo, std::int64_t min_cells) {
  const auto thinnest = per_axis(cut.smallest_block());
  const auto ranks = per_axis(cut.grid());
  for (const auto& [axis, n] : {std::pair{&level.i, std::size_t{0}}, {&level.j, std::size_t{1}}}) {
    const bool has_seam = axis->periodic && axis->cells % 2 != 0;
    if (ranks[n] > 1 && (thinnest[n] < halo || has_seam)) {
      return false;
    }
  }
  return level.extents().count() >= min_cells * cut.ranks();
}

/// Each half-sweep spoils one more cell, the outer residual another. The restriction to an own
/// parent whose second child is a neighbour's needs the cell beyond that one, too.
int halo_width(const Level& level) {
  return 2 + 2 * std::max({1, level.sweeps_before, level.sweeps_after});
}

}  // namespace

void require_sharing(const Domain& domain, const Sharing& sharing) {
  const RankGrid& grid = sharing.grid;
  const int ranks = sharing.ranks == nullptr ? 1 : sharing.ranks->size();
  require(grid.count() == ranks,
          fmt::format("a grid of {} ranks cannot be that of a communicator of size {}",
                      to_string(grid), ranks),
          "cut the domain for as many ranks as there are");
  require(
      grid.k == 1,
      fmt::format("multigrid does not cut a domain along k, as {} ranks would", to_string(grid)),
      "cut it along i and j");
  const int lines = line_axis_of_schedules(domain);
  require(lines < 0 || per_axis(grid)[static_cast<std::size_t>(lines)] == 1,
          fmt::format("{} ranks cut the lines that multigrid relaxes along {}", to_string(grid),
                      "ijk"[std::max(0, lines)]),
          "do not cut this axis");
}

/// Never thinner than that of the finer level, whose window is interpolated from this one.
std::vector<int> halo_widths(const std::vector<Level>& levels) {
  std::vector<int> widths;
  int width = 0;
  for (const Level& level : levels) {
    width = std::max(width, halo_width(level));
    widths.push_back(width);
  }
  return widths;
}

RankLevel rank_level(const Level& level, const Decomposition& cut, int rank, int halo) {
  const Box block = cut.block(rank);
  const RankGrid& grid = cut.grid();
  RankLevel part{level, cut, whole_of(level.i), whole_of(level.j), halo};
  if (grid.i > 1) {
    part.i = window_of(level.i, {block.i0, block.i1}, part.halo);
    part.level.i = axis_in(level.i, part.i);
  }
  if (grid.j > 1) {
    part.j = window_of(level.j, {block.j0, block.j1}, part.halo);
    part.level.j = axis_in(level.j, part.j);
  }
  return part;
}

std::vector<Level> levels_of(const std::vector<RankLevel>& levels) {
  std::vector<Level> plain;
  plain.reserve(levels.size());
  for (const RankLevel& level : levels) {
    plain.push_back(level.level);
  }
  return plain;
}

RankLevels rank_levels(const std::vector<Level>& levels, const Decomposition& cut, int rank,
                       std::int64_t min_cells, const std::vector<int>& halos) {
  expects(cut.grid().k == 1, "rows are not cut");
  expects(cut.grid().j == 1 || levels.front().line_axis != 1, "lines are not cut");
  RankLevels result;
  Decomposition cut_here = cut;
  for (std::size_t l = 0; l < levels.size(); ++l) {
    const Level& level = levels[l];
    const int halo = halos[l];
    result.shared.push_back(rank_level(level, cut_here, rank, halo));
    if (l > 0) {
      RankLevel& finer = result.shared[l - 1];
      const RankLevel& here = result.shared[l];
      finer.level.i.part.first_parent = first_parent(finer.level.i, finer.i, here.i);
      finer.level.j.part.first_parent = first_parent(finer.level.j, finer.j, here.j);
    }
    const bool is_last = l + 1 == levels.size();
    if (cut.ranks() > 1 && (is_last || !can_be_shared(level, cut_here, halo, min_cells))) {
      result.gathered.assign(levels.begin() + static_cast<std::ptrdiff_t>(l), levels.end());
      break;
    }
    cut_here = cut_here.of_pairs({level.i.coarsened, level.j.coarsened, level.k.coarsened});
  }
  return result;
}

}  // namespace bankfull::poisson::multigrid
