#include "bankfull/numerics/poisson/multigrid/cpu/cycle.hpp"

#include <algorithm>

namespace bankfull::poisson::multigrid {

CpuCycle::CpuCycle(const std::vector<Level>& levels, const Team& team) : team_(team) {
  for (const Level& level : levels) {
    levels_.push_back(std::make_unique<CpuLevel>(level, team));
  }
  for (int thread = 0; thread < team.threads(); ++thread) {
    work_.push_back(std::make_unique<CpuWorkspace>(levels.front().k.cells));
  }
}

std::int64_t CpuCycle::bytes(const std::vector<Level>& levels) {
  std::int64_t sum = 0;
  for (const Level& level : levels) {
    sum += CpuLevel::bytes(level);
  }
  return sum;
}

std::int64_t CpuCycle::take_largest() {
  std::int64_t largest = 0;
  for (const auto& work : work_) {
    largest = std::max(largest, work->take_largest());
  }
  return largest;
}

void CpuCycle::v_cycle_on(std::size_t l) {
  // On the coarsest level, a single cell, e stays 0.
  if (l + 1 < levels_.size()) {
    descend(l);
    v_cycle_on(l + 1);
    ascend(l);
  }
}

void CpuCycle::v_cycle_from_below() {
  v_cycle_on(1);
  ascend(0);
}

void CpuCycle::full_multigrid() {
  for (std::size_t l = 0; l + 1 < levels_.size(); ++l) {
    run(*levels_[l], [this, l](CpuWorkspace& work) {
      return std::tuple(Restriction(*levels_[l], *levels_[l + 1], work, From::zero));
    });
  }
  for (std::size_t l = levels_.size() - 1; l-- > 0;) {
    improve_interpolated(l);
  }
}

/// e = the coarser level's e, and a V-cycle from there.
void CpuCycle::improve_interpolated(std::size_t l) {
  const auto first = [this, l](CpuWorkspace& work) {
    return std::tuple(Interpolation(*levels_[l], *levels_[l + 1], work, From::zero),
                      Relaxation(*levels_[l], work, Colour::red, From::what_is_there));
  };
  with_way_down(l, first, [this, l](const auto& make) { run(*levels_[l], make); });
  v_cycle_on(l + 1);
  ascend(l);
}

void CpuCycle::descend(std::size_t l) {
  const auto first = [this, l](CpuWorkspace& work) {
    return std::tuple(Relaxation(*levels_[l], work, Colour::red, From::zero));
  };
  with_way_down(l, first, [this, l](const auto& make) { run(*levels_[l], make); });
}

template <std::size_t Sweeps>
void CpuCycle::ascend_with_sweeps(std::size_t l) {
  run(*levels_[l], [this, l](CpuWorkspace& work) {
    return std::tuple_cat(
        std::tuple(Interpolation(*levels_[l], *levels_[l + 1], work, From::what_is_there)),
        relaxations(*levels_[l], work, Colour::red, std::make_index_sequence<2 * Sweeps>{}));
  });
}

void CpuCycle::ascend(std::size_t l) {
  const int sweeps = levels_[l]->sweeps_after;
  expects(sweeps == 1 || sweeps == 2, "one or two sweeps after the correction");
  if (sweeps == 1) {
    ascend_with_sweeps<1>(l);
  } else {
    ascend_with_sweeps<2>(l);
  }
}

}  // namespace bankfull::poisson::multigrid
