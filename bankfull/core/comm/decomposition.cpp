#include "bankfull/core/comm/decomposition.hpp"

#include "bankfull/core/base/error.hpp"
#include "bankfull/core/base/expects.hpp"
#include "bankfull/core/comm/axes.hpp"
#include "bankfull/core/exec/team.hpp"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <functional>
#include <limits>
#include <tuple>
#include <vector>

namespace bankfull {
namespace {

constexpr int max_ranks_along_axis = 1 << 20;

std::string name_of(const Extents& cells) {
  return fmt::format("{}x{}x{}", cells.ni, cells.nj, cells.nk);
}

std::string plural(std::int64_t count, const std::string& noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

/// A number of ranks, all digits; 0 for anything else.
int parse_ranks(const std::string& text) {
  int value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  const bool number = error == std::errc{} && stop == end && value >= 1;
  return number && value <= max_ranks_along_axis ? value : 0;
}

std::int64_t max_along(std::size_t axis, const Extents& cells, const DecompositionRules& rules) {
  const std::int64_t n = per_axis(cells)[axis];
  const bool must_hold_halo = per_axis(rules.periodic)[axis];
  const std::int64_t thick_enough = n / rules.halo_width;
  // An axis that is not cut may be thinner than the halo, unless it is its own neighbour.
  const std::int64_t most = must_hold_halo ? thick_enough : std::max<std::int64_t>(thick_enough, 1);
  return std::min<std::int64_t>(most, per_axis(rules.max_grid)[axis]);
}

PerAxis<std::int64_t> max_along_axes(const Extents& cells, const DecompositionRules& rules) {
  return for_axes([&](std::size_t axis) { return max_along(axis, cells, rules); });
}

std::vector<int> divisors_of(int number) {
  std::vector<int> divisors;
  for (std::int64_t d = 1; d * d <= number; ++d) {
    if (number % d == 0) {
      divisors.push_back(static_cast<int>(d));
    }
  }
  for (std::size_t n = divisors.size(); n-- > 0;) {
    const int other = number / divisors[n];
    if (other != divisors[n]) {
      divisors.push_back(other);
    }
  }
  return divisors;
}

/// The largest number up to `bound` that is a product of three within `most`; 0 for none.
std::int64_t largest_product(std::int64_t bound, PerAxis<std::int64_t> most) {
  std::sort(most.begin(), most.end());
  std::int64_t best = 0;
  for (std::int64_t a = 1; a <= std::min(most[0], bound); ++a) {
    for (std::int64_t b = 1; b <= std::min(most[1], bound / a) && best < bound; ++b) {
      best = std::max(best, a * b * std::min(most[2], bound / (a * b)));
    }
  }
  return best;
}

[[noreturn]] void refuse(const Extents& cells, int ranks, const DecompositionRules& rules) {
  if (ranks < 1) {
    throw UsageError(plural(ranks, "rank") + " cannot split anything", "use at least 1");
  }
  const std::string problem =
      fmt::format("{} cannot split {} cells: each needs at least {} along every axis cut{}",
                  plural(ranks, "rank"), name_of(cells), plural(rules.halo_width, "cell"),
                  rules.periodic == Periodicity{} ? "" : " or periodic");
  const std::int64_t works = largest_product(ranks - 1, max_along_axes(cells, rules));
  throw UsageError(
      problem, works > 0 ? fmt::format("use {}{}", works > 1 ? "up to " : "", plural(works, "rank"))
                         : std::string("use more cells"));
}

/// The cells of one of `ranks` along an axis that was cut equally when it had `cut_cells`, and
/// whose cells have since been merged in pairs, so many times.
Range range_along(std::int64_t cut_cells, int pairings, int place, int ranks) {
  const std::int64_t size = std::int64_t{1} << pairings;
  const auto merged = [&](std::int64_t cell) { return (cell + size - 1) / size; };
  const Range range = share(cut_cells, place, ranks);
  return {merged(range.begin), merged(range.end)};
}

/// The largest or the smallest of the sizes of all ranks' ranges along an axis, according to
/// `better`.
template <class Better>
std::int64_t extreme_size(std::int64_t cut_cells, int pairings, int ranks, const Better& better) {
  std::int64_t found = range_along(cut_cells, pairings, 0, ranks).size();
  // Without pairings the first range is the largest and the last the smallest.
  const int step = pairings == 0 ? std::max(1, ranks - 1) : 1;
  for (int place = 0; place < ranks; place += step) {
    const std::int64_t size = range_along(cut_cells, pairings, place, ranks).size();
    found = better(size, found) ? size : found;
  }
  return found;
}

/// What makes one grid of ranks better than another; see `choose_decomposition`.
auto cost_of(const Decomposition& decomposition, int strided_cost) {
  const RankGrid& grid = decomposition.grid();
  return std::tuple(face_cells(decomposition, strided_cost), decomposition.largest_block().count(),
                    -grid.i, -grid.j);
}

}  // namespace

std::string to_string(const RankGrid& grid) {
  return fmt::format("{}x{}x{}", grid.i, grid.j, grid.k);
}

RankGrid parse_rank_grid(const std::string& option, const std::string& text) {
  const auto refuse_text = [&](const std::string& why) {
    throw UsageError(
        fmt::format("{} {} {}", option, text, why),
        fmt::format("use IxJxK such as 2x2x1, each from 1 to {}", max_ranks_along_axis));
  };
  PerAxis<int> ranks{};
  std::size_t begin = 0;
  for (std::size_t axis = 0; axis < ranks.size(); ++axis) {
    const std::size_t end = axis + 1 < ranks.size() ? text.find('x', begin) : text.size();
    if (end == std::string::npos) {
      refuse_text("is not a grid of ranks");
    }
    const std::string part = text.substr(begin, end - begin);
    ranks[axis] = parse_ranks(part);
    if (ranks[axis] == 0) {
      refuse_text(fmt::format("is not a grid of ranks: '{}' is not a number of ranks", part));
    }
    begin = end + 1;
  }
  if (std::int64_t{ranks[0]} * ranks[1] * ranks[2] > std::numeric_limits<int>::max()) {
    refuse_text("has more ranks than any machine");
  }
  return {ranks[0], ranks[1], ranks[2]};
}

Decomposition::Decomposition(const Extents& cells, const RankGrid& grid,
                             const Periodicity& periodic)
    : cells_(cells), grid_(grid), periodic_(periodic), cut_cells_(per_axis(cells)) {
  const auto n = per_axis(cells);
  const auto ranks = per_axis(grid);
  double cells_in_all = 1.0;
  double ranks_in_all = 1.0;
  for (std::size_t axis = 0; axis < n.size(); ++axis) {
    cells_in_all *= static_cast<double>(n[axis]);
    ranks_in_all *= static_cast<double>(ranks[axis]);
    if (ranks[axis] < 1) {
      throw UsageError("a grid of " + to_string(grid) + " ranks has none", "use at least 1x1x1");
    }
    if (n[axis] < ranks[axis]) {
      throw UsageError(fmt::format("{} ranks cannot split {} cells: some would have none",
                                   to_string(grid), name_of(cells)),
                       "use no more ranks than cells along each axis");
    }
  }
  constexpr double most_cells = 4e18;  // what 64 bits count
  if (cells_in_all > most_cells || ranks_in_all > std::numeric_limits<int>::max()) {
    throw UsageError(fmt::format("{} ranks with {} cells are more than can be counted",
                                 to_string(grid), name_of(cells)),
                     "use fewer");
  }
}

RankGrid Decomposition::place(int rank) const {
  expects(rank >= 0 && rank < ranks(), "a rank of this decomposition");
  return {rank / (grid_.j * grid_.k), rank / grid_.k % grid_.j, rank % grid_.k};
}

int Decomposition::rank_at(const RankGrid& place) const {
  return (place.i * grid_.j + place.j) * grid_.k + place.k;
}

Box Decomposition::block(int rank) const {
  const auto at = per_axis(place(rank));
  const auto ranks = per_axis(grid_);
  const auto [i, j, k] = for_axes([&](std::size_t axis) {
    return range_along(cut_cells_[axis], pairings_[axis], at[axis], ranks[axis]);
  });
  return {i.begin, i.end, j.begin, j.end, k.begin, k.end};
}

Extents Decomposition::smallest_block() const {
  const auto ranks = per_axis(grid_);
  const auto [i, j, k] = for_axes([&](std::size_t axis) {
    return extreme_size(cut_cells_[axis], pairings_[axis], ranks[axis], std::less{});
  });
  return {i, j, k};
}

Extents Decomposition::largest_block() const {
  const auto ranks = per_axis(grid_);
  const auto [i, j, k] = for_axes([&](std::size_t axis) {
    return extreme_size(cut_cells_[axis], pairings_[axis], ranks[axis], std::greater{});
  });
  return {i, j, k};
}

Decomposition Decomposition::of_pairs(const std::array<bool, 3>& paired) const {
  Decomposition coarser = *this;
  auto n = per_axis(cells_);
  for (std::size_t axis = 0; axis < paired.size(); ++axis) {
    if (paired[axis]) {
      ++coarser.pairings_[axis];
      n[axis] = (n[axis] + 1) / 2;
    }
  }
  coarser.cells_ = {n[0], n[1], n[2]};
  return coarser;
}

Decomposition Decomposition::with_rows(std::int64_t nk) const {
  expects(grid_.k == 1, "rows are whole");
  Decomposition other = *this;
  other.cells_.nk = nk;
  other.cut_cells_[2] = nk;
  other.pairings_[2] = 0;
  return other;
}

std::optional<int> Decomposition::neighbour(int rank, const Offset& offset) const {
  auto at = per_axis(place(rank));
  const auto step = per_axis(offset);
  const auto ranks = per_axis(grid_);
  const auto wraps = per_axis(periodic_);
  for (std::size_t axis = 0; axis < at.size(); ++axis) {
    at[axis] += step[axis];
    const bool beyond = at[axis] < 0 || at[axis] >= ranks[axis];
    if (beyond && !wraps[axis]) {
      return std::nullopt;
    }
    at[axis] = (at[axis] + ranks[axis]) % ranks[axis];
  }
  return rank_at({at[0], at[1], at[2]});
}

std::vector<RankGrid> allowed_grids(const Extents& cells, int ranks,
                                    const DecompositionRules& rules) {
  require(rules.halo_width >= 1, fmt::format("a halo of width {} has no cells", rules.halo_width),
          "use at least 1");
  const RankGrid& max_grid = rules.max_grid;
  require(max_grid.i >= 1 && max_grid.j >= 1 && max_grid.k >= 1,
          "a grid of at most " + to_string(max_grid) + " ranks has none", "allow at least 1x1x1");
  const auto most = max_along_axes(cells, rules);
  const std::vector<int> divisors = ranks >= 1 ? divisors_of(ranks) : std::vector<int>{};
  std::vector<RankGrid> grids;
  for (const int i : divisors) {
    for (const int j : divisors) {
      const int rest = ranks / i;
      if (j > rest) {
        break;
      }
      const int k = rest / j;
      if (rest % j == 0 && i <= most[0] && j <= most[1] && k <= most[2]) {
        grids.push_back({i, j, k});
      }
    }
  }
  return grids;
}

Decomposition choose_decomposition(const Extents& cells, int ranks,
                                   const DecompositionRules& rules) {
  const std::vector<RankGrid> grids = allowed_grids(cells, ranks, rules);
  if (grids.empty()) {
    refuse(cells, ranks, rules);
  }
  Decomposition best(cells, grids.front(), rules.periodic);
  for (const RankGrid& grid : grids) {
    const Decomposition candidate(cells, grid, rules.periodic);
    if (cost_of(candidate, rules.strided_cost) < cost_of(best, rules.strided_cost)) {
      best = candidate;
    }
  }
  return best;
}

std::int64_t face_cells(const Decomposition& decomposition, int strided_cost) {
  const auto n = per_axis(decomposition.largest_block());
  const auto ranks = per_axis(decomposition.grid());
  const auto wraps = per_axis(decomposition.periodic());
  std::int64_t cells = 0;
  for (std::size_t axis = 0; axis < n.size(); ++axis) {
    // A rank that is its own neighbour sends nothing.
    const int neighbours = ranks[axis] > 1 && wraps[axis] ? 2 : std::min(2, ranks[axis] - 1);
    const std::int64_t cost = axis == 2 ? strided_cost : 1;
    cells += cost * neighbours * n[(axis + 1) % 3] * n[(axis + 2) % 3];
  }
  return cells;
}

double imbalance(const RankGrid& grid) {
  auto ranks = per_axis(grid);
  std::sort(ranks.begin(), ranks.end());
  const double least = ranks[0];
  return (ranks[2] / least) * (ranks[1] / least);
}

}  // namespace bankfull
