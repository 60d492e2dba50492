#include "bankfull/numerics/poisson/multigrid/cpu/cycle.hpp"

#include <algorithm>

namespace bankfull::poisson::multigrid {

CpuCycle::CpuCycle(const std::vector<Level>& levels, const Team& team) : team_(team) {
  for (const Level& level : levels) {
    levels_.push_back(std::make_unique<CpuLevel>(level, team));
  }
  for (int thread = 0; thread < team.threads(); ++thread) {
    work_.push_back(std::make_unique<CpuWorkspace>(*levels_.front()));
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
  if (l + 1 < levels_.size()) {
    descend(l);
    v_cycle_on(l + 1);
    ascend(l);
  } else {
    solve_coarsest();
  }
}

/// A single cell's e stays 0; a single line is solved by one half-sweep.
void CpuCycle::solve_coarsest() {
  const CpuLevel& coarsest = *levels_.back();
  if (coarsest.lines.exist()) {
    run(coarsest, [&](CpuWorkspace& work) {
      return std::tuple(ByLines::half_sweep(coarsest, work, Colour::red, From::zero));
    });
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
  solve_coarsest();
  for (std::size_t l = levels_.size() - 1; l-- > 0;) {
    improve_interpolated(l);
  }
}

/// e = the coarser level's e, and a V-cycle from there.
void CpuCycle::improve_interpolated(std::size_t l) {
  const auto first = [this, l](auto smoother, CpuWorkspace& work) {
    return std::tuple(Interpolation(*levels_[l], *levels_[l + 1], work, From::zero),
                      smoother.half_sweep(*levels_[l], work, Colour::red, From::what_is_there));
  };
  with_way_down(l, first, [this, l](const auto& make) { run(*levels_[l], make); });
  v_cycle_on(l + 1);
  ascend(l);
}

void CpuCycle::descend(std::size_t l) {
  const auto first = [this, l](auto smoother, CpuWorkspace& work) {
    return std::tuple(smoother.half_sweep(*levels_[l], work, Colour::red, From::zero));
  };
  with_way_down(l, first, [this, l](const auto& make) { run(*levels_[l], make); });
}

void CpuCycle::ascend(std::size_t l) {
  const CpuLevel& level = *levels_[l];
  with_sweeps(level, level.sweeps_after, [&](auto smoother, auto sweeps) {
    run(level, [&](CpuWorkspace& work) {
      return std::tuple_cat(
          std::tuple(Interpolation(level, *levels_[l + 1], work, From::what_is_there)),
          half_sweeps<decltype(smoother)>(level, work, Colour::red,
                                          std::make_index_sequence<2 * sweeps>{}));
    });
  });
}

}  // namespace bankfull::poisson::multigrid
