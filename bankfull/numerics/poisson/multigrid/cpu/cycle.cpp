#include "bankfull/numerics/poisson/multigrid/cpu/cycle.hpp"

#include <algorithm>

namespace bankfull::poisson::multigrid {

namespace {

/// Planes and rows of the gathered level that each rank has: its blocks or its windows.
std::vector<Box> parts_of(const RankLevels& levels, bool with_halo) {
  const RankLevel& last = levels.shared.back();
  std::vector<Box> parts;
  for (int rank = 0; rank < last.cut.ranks(); ++rank) {
    const RankLevel part = rank_level(levels.gathered.front(), last.cut, rank, last.halo);
    const auto [i0, i1] = with_halo ? part.i.whole() : part.i.block();
    const auto [j0, j1] = with_halo ? part.j.whole() : part.j.block();
    parts.push_back({i0, i1, j0, j1, 0, 1});
  }
  return parts;
}

}  // namespace

GatheredLevels::GatheredLevels(const RankLevels& levels, const CpuLevel& last,
                               const Communicator& ranks, const Team& team)
    : last_(last),
      window_{levels.shared.back().i, levels.shared.back().j},
      cells_(levels.gathered.front().extents()),
      blocks_(ranks, parts_of(levels, false), last.r.layout().interior().nk),
      windows_(ranks, parts_of(levels, true), last.e.layout().interior().nk) {
  if (ranks.is_root()) {
    whole_ = std::make_unique<CpuCycle>(levels.gathered, team);
  }
}

GatheredLevels::~GatheredLevels() = default;

void GatheredLevels::v_cycle() {
  correct([](CpuCycle& cycle) { cycle.v_cycle(); });
}

void GatheredLevels::full_multigrid() {
  correct([](CpuCycle& cycle) { cycle.full_multigrid(); });
}

template <class Cycle>
void GatheredLevels::correct(const Cycle& cycle) {
  const auto in_window = [&](const SplitField<float>& field) {
    return [&](std::int64_t i, std::int64_t j) {
      return field.row(i - window_[0].begin, j - window_[1].begin).even;
    };
  };
  const auto in_whole = [&](const SplitField<float>& field) {
    return [&](std::int64_t i, std::int64_t j) {
      return field.row(wrapped(i, cells_.ni), wrapped(j, cells_.nj)).even;
    };
  };
  // Others than the root have no whole fields, and are asked for none.
  const CpuLevel& whole = whole_ ? *whole_->levels_.front() : last_;
  blocks_.gather(in_window(last_.r), in_whole(whole.r));
  if (whole_) {
    cycle(*whole_);
  }
  windows_.scatter(in_whole(whole.e), in_window(last_.e));
}

CpuCycle::CpuCycle(const std::vector<Level>& levels, const Team& team) : team_(team) {
  for (const Level& level : levels) {
    levels_.push_back(std::make_unique<CpuLevel>(level, team));
  }
  for (int thread = 0; thread < team.threads(); ++thread) {
    work_.push_back(std::make_unique<CpuWorkspace>(*levels_.front()));
  }
}

CpuCycle::CpuCycle(const RankLevels& levels, const Communicator* ranks, const Team& team)
    : CpuCycle(levels_of(levels.shared), team) {
  if (ranks == nullptr) {
    return;
  }
  for (std::size_t l = 0; l + 1 < levels.shared.size(); ++l) {
    halos_.push_back(std::make_unique<WindowHalo<float>>(*ranks, levels.shared[l],
                                                         levels_[l]->e.layout(), 1, team));
  }
  gathered_ = std::make_unique<GatheredLevels>(levels, *levels_.back(), *ranks, team);
}

std::int64_t CpuCycle::bytes(const RankLevels& levels, bool is_root) {
  return bytes(levels_of(levels.shared)) + (is_root ? bytes(levels.gathered) : 0);
}

void CpuCycle::exchange_e(std::size_t l) {
  if (is_shared(l)) {
    halos_[l]->exchange(levels_[l]->e);
  }
}

void CpuCycle::exchange_r(std::size_t l) {
  if (is_shared(l)) {
    halos_[l]->exchange(levels_[l]->r);
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
    exchange_r(l + 1);
    v_cycle_on(l + 1);
    ascend(l);
  } else {
    solve_coarsest();
  }
}

/// A single cell's e stays 0; a single line is solved by one half-sweep.
void CpuCycle::solve_coarsest() {
  if (gathered_) {
    gathered_->v_cycle();
    return;
  }
  const CpuLevel& coarsest = *levels_.back();
  if (coarsest.lines.exist()) {
    run(coarsest, [&](CpuWorkspace& work) {
      return std::tuple(ByLines::half_sweep(coarsest, work, Colour::red, From::zero));
    });
  }
}

void CpuCycle::v_cycle_from_below() {
  exchange_r(1);
  v_cycle_on(1);
  ascend(0);
}

void CpuCycle::full_multigrid() {
  for (std::size_t l = 0; l + 1 < levels_.size(); ++l) {
    run(*levels_[l], [this, l](CpuWorkspace& work) {
      return std::tuple(Restriction(*levels_[l], *levels_[l + 1], work, From::zero));
    });
    exchange_r(l + 1);
  }
  gathered_ ? gathered_->full_multigrid() : solve_coarsest();
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
  exchange_e(l + 1);
  with_way_down(l, first, [this, l](const auto& make) { run(*levels_[l], make); });
  exchange_r(l + 1);
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
  exchange_e(l);
  exchange_e(l + 1);
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
