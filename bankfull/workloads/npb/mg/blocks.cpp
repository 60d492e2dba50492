#include "bankfull/workloads/npb/mg/blocks.hpp"

#include "bankfull/core/comm/axes.hpp"
#include "bankfull/workloads/npb/mg/grid.hpp"
#include "bankfull/workloads/npb/mg/mg.hpp"

#include <algorithm>
#include <bit>

namespace bankfull::npb::mg {
namespace {

constexpr Periodicity periodic{true, true, true};

Extents cube(std::int64_t side) { return {side, side, side}; }

DecompositionRules rules() {
  return {.periodic = periodic,
          .halo_width = Grid::ghosts,
          .strided_cost = cells_per_sector(sizeof(double))};
}

Extents points_of(Class size) { return cube(mg_parameters(size).side); }

}  // namespace

Blocks::Blocks(Class size, int ranks, int whole)
    : Blocks(level_count(size), choose_decomposition(points_of(size), ranks, rules()).grid(),
             whole) {}

std::string Blocks::refusal_of(Class size, int ranks) {
  if (!std::has_single_bit(static_cast<unsigned>(ranks))) {
    return "cuts its grids in halves, which takes a power of two of ranks";
  }
  return allowed_grids(points_of(size), ranks, rules()).empty()
             ? "has too few planes, two are needed for each rank along an axis"
             : "";
}

int Blocks::coarsest() const {
  const auto most = static_cast<unsigned>(std::max({cuts_.i, cuts_.j, cuts_.k}));
  return most == 1 ? 1 : std::min(std::max(whole_, std::countr_zero(most)), finest_ - 1);
}

Extents Blocks::longest_sides() const {
  const Extents own = block(finest_);
  const std::int64_t whole = is_cut() ? std::int64_t{1} << coarsest() : 1;
  return {std::max(own.ni, whole), std::max(own.nj, whole), std::max(own.nk, whole)};
}

Decomposition Blocks::at(int level) const {
  return {cube(std::int64_t{1} << level), cuts_, periodic};
}

bool lies_along(const RankGrid& cuts, const Offset& offset) {
  const auto ranks = per_axis(cuts);
  const auto step = per_axis(offset);
  for (std::size_t axis = 0; axis < ranks.size(); ++axis) {
    if (step[axis] != 0 && ranks[axis] == 1) {
      return false;
    }
  }
  return true;
}

}  // namespace bankfull::npb::mg
