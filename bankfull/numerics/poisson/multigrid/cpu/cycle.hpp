#pragma once

#include "bankfull/core/base/expects.hpp"
#include "bankfull/core/comm/root_rows.hpp"
#include "bankfull/core/machine/cpu.hpp"
#include "bankfull/numerics/poisson/multigrid/cpu/stages.hpp"
#include "bankfull/numerics/poisson/multigrid/cpu/window_halo.hpp"
#include "bankfull/numerics/poisson/multigrid/rank_levels.hpp"
#include "bankfull/numerics/poisson/multigrid/traffic.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
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
  /// `second_level_bytes`: of the cache of a core, for which slabs are; see slab_bytes.
  CpuCycle(const std::vector<Level>& levels, const Team& team,
           std::int64_t second_level_bytes = second_level_cache_of_core());

  /// `ranks` are null where there is one only.
  CpuCycle(const RankLevels& levels, const Communicator* ranks, const Team& team);

  /// Memory of the fields; the workspaces of threads are small beside it.
  static std::int64_t bytes(const std::vector<Level>& levels);
  static std::int64_t bytes(const RankLevels& levels, bool is_root);

  [[nodiscard]] const CpuLevel& finest() const { return *levels_.front(); }
  [[nodiscard]] bool has_coarse() const { return levels_.size() > 1; }

  /// The correction of the finest level's r, by one V-cycle from zero.
  void v_cycle() { v_cycle_on(0); }

  /// The same by full multigrid.
  void full_multigrid();

  // Both but for the finest level's way up, and of the first but for its way down: these can be
  // parts of a turn.

  void v_cycle_below();
  void full_multigrid_below();

  /// The pipelines of a V-cycle on level l: e from zero and the next level's r; e, or zero, plus
  /// the next level's e, and swept.
  void descend(std::size_t l);
  void ascend(std::size_t l, From from);

  /// What the way up of a V-cycle starts from; that of full multigrid from what is there.
  [[nodiscard]] From start_of_way_up(std::size_t l) const {
    return levels_[l]->sweeps_before > 0 ? From::what_is_there : From::zero;
  }

  /// From the way up of a cycle on the finest level to the way down of the next: the stages
  /// correct(workspace), which takes e, and form(workspace), which makes r, and before them the way
  /// up from what it is given, if any, and after them the way down if asked for. In one pipeline
  /// where kind_of_turn says so.
  template <class Correct, class Form>
  void turn(std::optional<From> from, bool goes_down, const Correct& correct, const Form& form);

  /// The bits are the same.
  [[nodiscard]] Turn kind_of_turn() const;

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

 private:
  /// body(smoother) with that of a level.
  template <class Body>
  static void with_smoother(const CpuLevel& level, const Body& body) {
    level.lines.exist() ? body(ByLines{}) : body(ByPoints{});
  }

  /// body(number of sweeps), which is one of `Numbers`.
  template <std::size_t... Numbers, class Body>
  static void with_number(int sweeps, const Body& body) {
    const auto runs = [&](auto number) {
      const bool is_it = static_cast<std::size_t>(sweeps) == number;
      is_it ? body(number) : void();
      return is_it;
    };
    const bool has_run = (runs(std::integral_constant<std::size_t, Numbers>{}) || ...);
    expects(has_run, "a number of sweeps that there are pipelines for");
  }

  /// body(smoother, number of sweeps).
  template <std::size_t... Numbers, class Body>
  static void with_sweeps(const CpuLevel& level, int sweeps, const Body& body) {
    with_smoother(level, [&](auto smoother) {
      with_number<Numbers...>(sweeps, [&](auto number) { body(smoother, number); });
    });
  }

  /// After the stages that form r: the sweeps before the coarse correction and the restriction.
  template <std::size_t Sweeps, class By, class... Forming>
  [[nodiscard]] auto way_down(std::size_t l, By smoother, CpuWorkspace& work,
                              const std::tuple<Forming...>& forming) const {
    const CpuLevel& level = *levels_[l];
    if constexpr (Sweeps == 0) {
      return std::tuple_cat(forming,
                            std::tuple(Restriction(level, *levels_[l + 1], work, From::zero)));
    } else {
      const HalfSweep<float> first{Colour::red, level.omega_before[0], From::zero};
      return std::tuple_cat(smoother.joined(forming, smoother.half_sweep(level, work, first)),
                            rest_of_way_down<Sweeps>(l, smoother, work));
    }
  }

  /// From the first black half-sweep on.
  template <std::size_t Sweeps, class By>
  [[nodiscard]] auto rest_of_way_down(std::size_t l, By /*smoother*/, CpuWorkspace& work) const {
    const CpuLevel& level = *levels_[l];
    const auto omega = [&](std::size_t n) { return level.omega_before[(n + 1) % 2]; };
    return std::tuple_cat(
        half_sweeps<By>(level, work, Colour::black, omega,
                        std::make_index_sequence<2 * Sweeps - 1>{}),
        std::tuple(Restriction(level, *levels_[l + 1], work, From::what_is_there)));
  }

  /// The interpolation and the sweeps after it.
  template <std::size_t Sweeps, class By>
  [[nodiscard]] auto way_up(std::size_t l, By /*smoother*/, CpuWorkspace& work, From from) const {
    const CpuLevel& level = *levels_[l];
    const auto omega = [&](std::size_t n) { return level.omega_after[n]; };
    return std::tuple_cat(
        std::tuple(Interpolation(level, *levels_[l + 1], work, from)),
        half_sweeps<By>(level, work, Colour::red, omega, std::make_index_sequence<2 * Sweeps>{}));
  }

  /// Half-sweeps of alternating colours; omega(n): of the n-th.
  template <class By, class Omega, std::size_t... N>
  static auto half_sweeps(const CpuLevel& level, CpuWorkspace& work, Colour first,
                          const Omega& omega, std::index_sequence<N...> /*numbers*/) {
    const Colour second = first == Colour::red ? Colour::black : Colour::red;
    return std::tuple(By::half_sweep(
        level, work,
        HalfSweep<float>{N % 2 == 0 ? first : second, omega(N), From::what_is_there})...);
  }

  /// body(make) with a maker of the stages down from level l, and up to it.
  template <class Body>
  void with_descent(std::size_t l, const Body& body) const;
  template <class Body>
  void with_ascent(std::size_t l, From from, const Body& body) const;
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
  void descend_interpolated(std::size_t l);

  Team team_;
  std::int64_t second_level_bytes_;
  std::vector<std::unique_ptr<CpuLevel>> levels_;          ///< the last one may be gathered
  std::vector<std::unique_ptr<WindowHalo<float>>> halos_;  ///< of those that ranks share
  std::unique_ptr<GatheredLevels> gathered_;               ///< null on one rank
  std::vector<std::unique_ptr<CpuWorkspace>> work_;        ///< one per thread
  std::vector<int> members_;     ///< threads that do a level by stages; 0: a pipeline does it
  std::size_t first_joint_ = 0;  ///< from this level on one parallel region does a V-cycle
};

/// Bytes of the planes between the stages of a slab, of so many stages, on cores with so much of a
/// second-level cache (0: unknown). They leave room for others in 1 MiB. The more stages, the more
/// rows at the ends of slabs are fetched twice: where second-level caches are small, slabs of many
/// stages are thick, and from the last cache. Where they have 2 MiB, the last one is far.
constexpr std::int64_t slab_bytes(std::int64_t stages, std::int64_t second_level_bytes) {
  constexpr std::int64_t mebi = std::int64_t{1} << 20;
  return stages > 5 && second_level_bytes < 2 * mebi ? 3 * mebi : mebi;
}

/// A pipeline over a level, in slabs for such caches.
template <class... Stages>
StagePipeline<Stages...> pipeline_of(const CpuLevel& level, const std::tuple<Stages...>& stages,
                                     std::int64_t second_level_bytes) {
  constexpr auto count = static_cast<std::int64_t>(sizeof...(Stages));
  constexpr std::int64_t outer = (outer_planes_of<Stages>() + ... + 0);
  // Bits of rows with an odd seam depend on the slabs: they must not on the machine.
  const std::int64_t bytes =
      slab_bytes(count, level.axes.j.has_odd_seam() ? 0 : second_level_bytes);
  return pipeline_for(level.shape(2 * count + 3 + outer, bytes), stages);
}

template <class Body>
void CpuCycle::with_descent(std::size_t l, const Body& body) const {
  const CpuLevel& level = *levels_[l];
  with_sweeps<0, 1, 2>(level, level.sweeps_before, [&](auto smoother, auto sweeps) {
    body([&](CpuWorkspace& work) {
      return this->template way_down<sweeps>(l, smoother, work, std::tuple());
    });
  });
}

template <class Body>
void CpuCycle::with_ascent(std::size_t l, From from, const Body& body) const {
  const CpuLevel& level = *levels_[l];
  with_sweeps<1, 2>(level, level.sweeps_after, [&](auto smoother, auto sweeps) {
    body(
        [&](CpuWorkspace& work) { return this->template way_up<sweeps>(l, smoother, work, from); });
  });
}

template <class Correct, class Form>
void CpuCycle::turn(std::optional<From> from, bool goes_down, const Correct& correct,
                    const Form& form) {
  if (from && kind_of_turn() == Turn::in_two_passes) {
    ascend(0, *from);
    from.reset();
    exchange_e(0);
  }
  // Lines are never turned in one pass.
  const auto with_start = [&](const auto& body) {
    if (from) {
      with_number<1, 2>(finest().sweeps_after, [&](auto sweeps) {
        body(ByPoints{}, [&](CpuWorkspace& work) {
          return ByPoints::joined(this->template way_up<sweeps>(0, ByPoints{}, work, *from),
                                  correct(work));
        });
      });
    } else {
      with_smoother(finest(), [&](auto smoother) {
        body(smoother, [&](CpuWorkspace& work) { return std::tuple(correct(work)); });
      });
    }
  };
  with_start([&](auto smoother, const auto& start) {
    const auto formed = [&](CpuWorkspace& work) {
      return std::tuple_cat(start(work), std::tuple(form(work)));
    };
    if (!goes_down) {
      run(0, formed);
      return;
    }
    with_number<0, 1, 2>(finest().sweeps_before, [&](auto sweeps) {
      run(0, [&](CpuWorkspace& work) {
        return this->template way_down<sweeps>(0, smoother, work, formed(work));
      });
    });
  });
}

/// A single cell's e stays 0; a single line is solved by one half-sweep.
template <class Body>
void CpuCycle::with_coarsest(const Body& body) const {
  const CpuLevel& coarsest = *levels_.back();
  if (coarsest.lines.exist()) {
    body([&](CpuWorkspace& work) {
      return std::tuple(
          ByLines::half_sweep(coarsest, work, {Colour::red, coarsest.omega_before[0], From::zero}));
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
  const auto pipeline = pipeline_of(level, stages, second_level_bytes_);
  if (pipeline.members(1, stages) == 0) {
    pipeline.run_in_turn(stages);
    return;
  }
  pipeline.run_inside(0, 1, stages);
  pipeline.run_between(0, 1, stages);
}

template <class Make>
void CpuCycle::run_by_stages(std::size_t l, int thread, const Make& make) const {
  auto stages = make(*work_[static_cast<std::size_t>(thread)]);
  pipeline_of(*levels_[l], stages, second_level_bytes_)
      .run_by_stages(thread, members_[l], stages, meet);
}

template <class Body>
void CpuCycle::by_team(const Body& body) const {
#pragma omp parallel num_threads(team_.threads())
  { body(share_number()); }
}

template <class Make>
void CpuCycle::run_pipeline(const CpuLevel& level, const Make& make) const {
  auto stages = make(*work_.front());
  const auto pipeline = pipeline_of(level, stages, second_level_bytes_);
  const int members = pipeline.members(team_.threads(), stages);
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
