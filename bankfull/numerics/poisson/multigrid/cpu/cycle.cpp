#include "bankfull/numerics/poisson/multigrid/cpu/cycle.hpp"

#include <algorithm>

namespace bankfull::poisson::multigrid {

namespace {

/// Less than what a team needs to meet a few times.
constexpr std::int64_t few_cells = 16384;

/// Work for one thread between two meetings of those who do a level by stages.
constexpr std::int64_t cells_per_member = 512;

/// What of a level a thread keeps in its second cache while stages go over it one after the other.
constexpr std::int64_t kept_bytes = std::int64_t{1} << 20;

/// p and f of the finest level, in units of fp32.
constexpr std::int64_t outer_fields = 4;

/// Whether the rows of one colour may be done in any order.
bool has_free_rows(const CpuLevel& level) {
  return !level.axes.i.has_odd_seam() && !level.axes.j.has_odd_seam();
}

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

CpuCycle::CpuCycle(const std::vector<Level>& levels, const Team& team,
                   std::int64_t second_level_bytes)
    : team_(team), second_level_bytes_(second_level_bytes) {
  for (const Level& level : levels) {
    levels_.push_back(std::make_unique<CpuLevel>(level, team));
  }
  for (int thread = 0; thread < team.threads(); ++thread) {
    work_.push_back(std::make_unique<CpuWorkspace>(*levels_.front()));
  }
  choose_members();
}

/// Levels that stay in the caches of the threads, or are small, are done by stages, by no more
/// threads than the next finer level.
void CpuCycle::choose_members() {
  int members = team_.threads();
  for (std::size_t l = 0; l < levels_.size(); ++l) {
    const CpuLevel& level = *levels_[l];
    const std::int64_t fields = l == 0 ? 2 + outer_fields : 2;
    const std::int64_t bytes = level.cells() * fields * static_cast<std::int64_t>(sizeof(float));
    const bool is_free = has_free_rows(level);
    if (level.cells() >= few_cells && (!is_free || bytes > kept_bytes * team_.threads())) {
      members_.push_back(0);
      first_joint_ = l + 1;
      continue;
    }
    const std::int64_t enough = is_free ? level.cells() / cells_per_member : 1;
    members = static_cast<int>(std::clamp<std::int64_t>(enough, 1, members));
    members_.push_back(members);
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
  if (l + 1 == levels_.size()) {
    solve_coarsest();
  } else if (l >= first_joint_ && !gathered_ && members_[l] > 1) {
    by_team([this, l](int thread) { cycle_by_stages(l, thread); });
  } else {
    descend(l);
    exchange_r(l + 1);
    v_cycle_on(l + 1);
    ascend(l, start_of_way_up(l));
  }
}

/// Levels of one thread are its own affair: the others wait for the end of all of them.
void CpuCycle::cycle_by_stages(std::size_t l, int thread) const {
  const bool is_alone = members_[l] == 1;
  if (is_alone && thread > 0) {
    return;
  }
  const auto run_mine = [&](const auto& make) {
    is_alone ? run_alone(*levels_[l], make) : run_by_stages(l, thread, make);
  };
  const auto meet_others = [&] { is_alone ? void() : meet(); };
  if (l + 1 == levels_.size()) {
    with_coarsest(run_mine);
    return;
  }
  with_descent(l, run_mine);
  meet_others();
  cycle_by_stages(l + 1, thread);
  meet_others();
  with_ascent(l, start_of_way_up(l), run_mine);
}

void CpuCycle::meet() {
#pragma omp barrier
}

void CpuCycle::solve_coarsest() {
  if (gathered_) {
    gathered_->v_cycle();
    return;
  }
  with_coarsest([this](const auto& make) { run(levels_.size() - 1, make); });
}

void CpuCycle::v_cycle_below() {
  exchange_r(1);
  v_cycle_on(1);
}

void CpuCycle::full_multigrid() {
  full_multigrid_below();
  if (levels_.size() > 1) {
    ascend(0, From::what_is_there);
  }
}

void CpuCycle::full_multigrid_below() {
  for (std::size_t l = 0; l + 1 < levels_.size(); ++l) {
    run(l, [this, l](CpuWorkspace& work) {
      return std::tuple(Restriction(*levels_[l], *levels_[l + 1], work, From::zero));
    });
    exchange_r(l + 1);
  }
  gathered_ ? gathered_->full_multigrid() : solve_coarsest();
  for (std::size_t l = levels_.size() - 1; l-- > 0;) {
    descend_interpolated(l);
    v_cycle_on(l + 1);
    if (l > 0) {
      ascend(l, From::what_is_there);
    }
  }
}

/// e = the coarser level's e, and the way down of a V-cycle from there.
void CpuCycle::descend_interpolated(std::size_t l) {
  const CpuLevel& level = *levels_[l];
  exchange_e(l + 1);
  with_sweeps<1, 2>(level, level.sweeps_interpolated, [&](auto smoother, auto sweeps) {
    run(l, [&](CpuWorkspace& work) {
      const HalfSweep<float> first{Colour::red, level.omega_before[0], From::what_is_there};
      return std::tuple_cat(std::tuple(Interpolation(level, *levels_[l + 1], work, From::zero),
                                       smoother.half_sweep(level, work, first)),
                            this->template rest_of_way_down<sweeps>(l, smoother, work));
    });
  });
  exchange_r(l + 1);
}

void CpuCycle::descend(std::size_t l) {
  with_descent(l, [this, l](const auto& make) { run(l, make); });
}

void CpuCycle::ascend(std::size_t l, From from) {
  if (from == From::what_is_there) {
    exchange_e(l);
  }
  exchange_e(l + 1);
  with_ascent(l, from, [this, l](const auto& make) { run(l, make); });
}

/// Not on ranks, which exchange e between a way up and the correction; nor by lines, which go
/// through whole planes, more than the cache holds; nor where an odd number of rows closes on
/// itself, so that bits depend on the slabs. Near the ends of members' parts all stages come back
/// to planes that others have been in: parts must be thick beside that.
Turn CpuCycle::kind_of_turn() const {
  const CpuLevel& level = finest();
  const std::int64_t stages = 3 + 2 * level.sweeps_after + std::max(0, 2 * level.sweeps_before - 1);
  const bool is_thick = level.axes.i.cells >= 8 * stages * team_.threads();
  const bool is_possible = !is_shared(0) && !level.lines.exist() && has_free_rows(level);
  return is_possible && (members_[0] > 0 || is_thick) ? Turn::in_one_pass : Turn::in_two_passes;
}

}  // namespace bankfull::poisson::multigrid
