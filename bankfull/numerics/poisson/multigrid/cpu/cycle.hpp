#pragma once

#include "bankfull/core/base/expects.hpp"
#include "bankfull/core/comm/root_rows.hpp"
#include "bankfull/numerics/poisson/multigrid/cpu/stages.hpp"
#include "bankfull/numerics/poisson/multigrid/cpu/window_halo.hpp"
#include "bankfull/numerics/poisson/multigrid/rank_levels.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace bankfull::poisson::multigrid {

class CpuCycle;

/// The levels that are too small to be shared, on the root: its cycles correct the last level that
/// ranks have windows of.
class GatheredLevels {
 public:
  /// Collective. `last` outlives it.
  GatheredLevels(const RankLevels& levels, const CpuLevel& last, const Communicator& ranks,
                 const Team& team);
  ~GatheredLevels();
  GatheredLevels(const GatheredLevels&) = delete;
  GatheredLevels& operator=(const GatheredLevels&) = delete;

  /// Collective: from r of `last` e, halo included.
  void v_cycle();
  void full_multigrid();

 private:
  template <class Cycle>
  void correct(const Cycle& cycle);

  const CpuLevel& last_;
  std::array<Window, 2> window_;  ///< of this rank
  Extents cells_;                 ///< of the whole level
  RootRows<float> blocks_;
  RootRows<float> windows_;
  std::unique_ptr<CpuCycle> whole_;  ///< null but on the root
};

/// V-cycles in fp32 on the levels of a domain, by a team of threads: one pipeline down and one
/// pipeline up a level, or, where a level stays in the caches of the threads, stage after stage. On
/// ranks all that is not const is collective.
class CpuCycle {
 public:
  CpuCycle(const std::vector<Level>& levels, const Team& team);

  /// `ranks` are null where there is one only.
  CpuCycle(const RankLevels& levels, const Communicator* ranks, const Team& team);

  /// Memory of the fields; the workspaces of threads are small beside it.
  static std::int64_t bytes(const std::vector<Level>& levels);
  static std::int64_t bytes(const RankLevels& levels, bool is_root);

  [[nodiscard]] const CpuLevel& finest() const { return *levels_.front(); }
  [[nodiscard]] bool has_coarse() const { return levels_.size() > 1; }

  /// The correction of the finest level's r, by one V-cycle from zero.
  void v_cycle() { v_cycle_on(0); }

  /// The same for a pipeline that did the way down to level 1 itself.
  void v_cycle_from_below();

  /// The same by full multigrid.
  void full_multigrid();

  /// The pipelines of a V-cycle on level l: e from zero and the next level's r; e with the next
  /// level's e and swept.
  void descend(std::size_t l);
  void ascend(std::size_t l);

  /// Runs the stages that make(workspace) returns as a tuple, on the finest level.
  template <class Make>
  void run_on_finest(const Make& make) {
    run(0, make);
  }

  /// The halos of e and r of a level that ranks share; nothing on one rank.
  void exchange_e(std::size_t l);
  void exchange_r(std::size_t l);

  /// The largest magnitude that stages recorded since the last call.
  [[nodiscard]] std::int64_t take_largest();

  /// The way down from level l: what first(smoother, workspace) makes, which ends with the first
  /// half-sweep, the rest of the sweeps before the coarse correction, and the restriction. Calls
  /// body(make) with a maker of all these stages.
  template <class First, class Body>
  void with_way_down(std::size_t l, const First& first, const Body& body) const {
    with_sweeps(*levels_[l], levels_[l]->sweeps_before,
                [&](auto smoother, auto sweeps) { body(way_down<sweeps>(l, smoother, first)); });
  }

 private:
  /// body(smoother, number of sweeps) with those of a level.
  template <class Body>
  static void with_sweeps(const CpuLevel& level, int sweeps, const Body& body) {
    expects(sweeps == 1 || sweeps == 2, "one or two sweeps before and after the correction");
    const auto with_smoother = [&](auto number) {
      level.lines.exist() ? body(ByLines{}, number) : body(ByPoints{}, number);
    };
    if (sweeps == 1) {
      with_smoother(std::integral_constant<std::size_t, 1>{});
    } else {
      with_smoother(std::integral_constant<std::size_t, 2>{});
    }
  }

  template <std::size_t Sweeps, class By, class First>
  [[nodiscard]] auto way_down(std::size_t l, By smoother, const First& first) const {
    return [this, l, smoother, &first](CpuWorkspace& work) {
      return std::tuple_cat(
          first(smoother, work),
          half_sweeps<By>(*levels_[l], work, Colour::black,
                          std::make_index_sequence<2 * Sweeps - 1>{}),
          std::tuple(Restriction(*levels_[l], *levels_[l + 1], work, From::what_is_there)));
    };
  }

  /// Half-sweeps of alternating colours.
  template <class By, std::size_t... N>
  static auto half_sweeps(const CpuLevel& level, CpuWorkspace& work, Colour first,
                          std::index_sequence<N...> /*numbers*/) {
    const Colour second = first == Colour::red ? Colour::black : Colour::red;
    return std::tuple(
        By::half_sweep(level, work, N % 2 == 0 ? first : second, From::what_is_there)...);
  }

  /// body(make) with a maker of the stages down from level l, and up to it.
  template <class Body>
  void with_descent(std::size_t l, const Body& body) const;
  template <class Body>
  void with_ascent(std::size_t l, const Body& body) const;
  template <class Body>
  void with_coarsest(const Body& body) const;

  /// The team runs the stages that make(workspace) returns.
  template <class Make>
  void run(std::size_t l, const Make& make) const;
  template <class Make>
  void run_pipeline(const CpuLevel& level, const Make& make) const;

  /// The same by the calling thread alone, and by a thread beside all others of its team.
  template <class Make>
  void run_alone(const CpuLevel& level, const Make& make) const;
  template <class Make>
  void run_by_stages(std::size_t l, int thread, const Make& make) const;

  /// body(thread) by all threads.
  template <class Body>
  void by_team(const Body& body) const;

  /// Within a region of the team, by all its threads.
  static void meet();

  friend class GatheredLevels;

  [[nodiscard]] bool is_shared(std::size_t l) const { return l < halos_.size(); }
  void choose_members();
  void v_cycle_on(std::size_t l);
  void cycle_by_stages(std::size_t l, int thread) const;
  void solve_coarsest();
  void improve_interpolated(std::size_t l);

  Team team_;
  std::vector<std::unique_ptr<CpuLevel>> levels_;          ///< the last one may be gathered
  std::vector<std::unique_ptr<WindowHalo<float>>> halos_;  ///< of those that ranks share
  std::unique_ptr<GatheredLevels> gathered_;               ///< null on one rank
  std::vector<std::unique_ptr<CpuWorkspace>> work_;        ///< one per thread
  std::vector<int> members_;     ///< threads that do a level by stages; 0: a pipeline does it
  std::size_t first_joint_ = 0;  ///< from this level on one parallel region does a V-cycle
};

/// A pipeline over a level, in slabs that leave room in the cache for the planes between stages.
template <class... Stages>
StagePipeline<Stages...> pipeline_of(const CpuLevel& level, const std::tuple<Stages...>& stages) {
  constexpr auto count = static_cast<std::int64_t>(sizeof...(Stages));
  constexpr std::int64_t outer = (outer_planes_of<Stages>() + ... + 0);
  return pipeline_for(level.shape(2 * count + 3 + outer), stages);
}

template <class Body>
void CpuCycle::with_descent(std::size_t l, const Body& body) const {
  const auto first = [this, l](auto smoother, CpuWorkspace& work) {
    return std::tuple(smoother.half_sweep(*levels_[l], work, Colour::red, From::zero));
  };
  with_way_down(l, first, body);
}

template <class Body>
void CpuCycle::with_ascent(std::size_t l, const Body& body) const {
  const CpuLevel& level = *levels_[l];
  with_sweeps(level, level.sweeps_after, [&](auto smoother, auto sweeps) {
    body([&](CpuWorkspace& work) {
      return std::tuple_cat(
          std::tuple(Interpolation(level, *levels_[l + 1], work, From::what_is_there)),
          half_sweeps<decltype(smoother)>(level, work, Colour::red,
                                          std::make_index_sequence<2 * sweeps>{}));
    });
  });
}

/// A single cell's e stays 0; a single line is solved by one half-sweep.
template <class Body>
void CpuCycle::with_coarsest(const Body& body) const {
  const CpuLevel& coarsest = *levels_.back();
  if (coarsest.lines.exist()) {
    body([&](CpuWorkspace& work) {
      return std::tuple(ByLines::half_sweep(coarsest, work, Colour::red, From::zero));
    });
  }
}

template <class Make>
void CpuCycle::run(std::size_t l, const Make& make) const {
  if (members_[l] == 0) {
    run_pipeline(*levels_[l], make);
  } else if (members_[l] == 1) {
    run_alone(*levels_[l], make);
  } else {
    by_team([&](int thread) { run_by_stages(l, thread, make); });
  }
}

template <class Make>
void CpuCycle::run_alone(const CpuLevel& level, const Make& make) const {
  auto stages = make(*work_.front());
  const auto pipeline = pipeline_of(level, stages);
  if (pipeline.members(1) == 0) {
    pipeline.run_in_turn(stages);
    return;
  }
  pipeline.run_inside(0, 1, stages);
  pipeline.run_between(0, 1, stages);
}

template <class Make>
void CpuCycle::run_by_stages(std::size_t l, int thread, const Make& make) const {
  auto stages = make(*work_[static_cast<std::size_t>(thread)]);
  pipeline_of(*levels_[l], stages).run_by_stages(thread, members_[l], stages, meet);
}

template <class Body>
void CpuCycle::by_team(const Body& body) const {
#pragma omp parallel num_threads(team_.threads())
  { body(share_number()); }
}

template <class Make>
void CpuCycle::run_pipeline(const CpuLevel& level, const Make& make) const {
  auto stages = make(*work_.front());
  const auto pipeline = pipeline_of(level, stages);
  const int members = pipeline.members(team_.threads());
  if (members <= 1) {
    run_alone(level, make);
    return;
  }
#pragma omp parallel num_threads(team_.threads())
  {
    const int member = share_number();
    auto mine = make(*work_[static_cast<std::size_t>(member)]);
    if (member < members) {
      pipeline.run_inside(member, members, mine);
    }
#pragma omp barrier
    if (member < members) {
      pipeline.run_between(member, members, mine);
    }
  }
}

}  // namespace bankfull::poisson::multigrid
