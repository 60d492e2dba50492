// The pipelines of the multigrid on the CPU, one at a time. Arguments: cells along each axis.
// Compare the bytes per second, by the stated traffic, with `streams_cpu`.

#include "bankfull/numerics/poisson/multigrid/cpu/cycle.hpp"
#include "bankfull/numerics/poisson/multigrid/traffic.hpp"

#include <benchmark/benchmark.h>
#include <optional>
#include <tuple>
#include <vector>

namespace bankfull::poisson::multigrid {
namespace {

/// A cube between walls along one axis.
struct Fixture {
  explicit Fixture(std::int64_t cells)
      : domain{axis(cells, false), axis(cells, true), axis(cells, true)},
        levels(levels_of(domain)),
        team(Team::default_threads()),
        cycle(levels, team),
        outer{CpuAxes<double>(levels.front()), CpuField<double>(domain.extents(), team),
              CpuField<double>(domain.extents(), team)} {}

  static std::vector<Level> levels_of(const Domain& domain) {
    std::vector<Level> result = make_levels(domain);
    set_short_cycle(&result, 1);
    return result;
  }

  static Axis axis(std::int64_t cells, bool periodic) {
    return {std::vector<double>(static_cast<std::size_t>(cells), 1.0), periodic};
  }

  Domain domain;
  std::vector<Level> levels;
  Team team;
  CpuCycle cycle;
  CpuOuter<double> outer;
};

/// The correction and the way down, with the way up before them if asked for.
void turn(Fixture* f, std::optional<From> way_up) {
  f->cycle.turn(
      way_up, true,
      [f](CpuWorkspace& work) {
        return Correction<double>(f->outer, f->cycle.finest(), work, 1.0, From::what_is_there);
      },
      [f](CpuWorkspace& work) {
        return Defect<double>(f->outer, f->cycle.finest(), work, {0.0, 1.0}, From::what_is_there);
      });
}

void sweep(Fixture* f) {
  f->cycle.run_on_finest([f](CpuWorkspace& work) {
    const CpuLevel& level = f->cycle.finest();
    return std::tuple(Relaxation<float>(level, work, {.colour = Colour::red}),
                      Relaxation<float>(level, work, {.colour = Colour::black}));
  });
}

template <class Run>
void measure(benchmark::State& state, const Run& run, const Traffic& traffic, Fixture* fixture) {
  for (auto _ : state) {
    run(fixture);
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(traffic.bytes()) * state.iterations());
  // Seconds.
  const auto cells = static_cast<double>(fixture->domain.extents().count());
  state.counters["a_cell"] = benchmark::Counter(
      cells, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

void way_down(benchmark::State& state) {
  Fixture f(state.range(0));
  measure(
      state, [](Fixture* fixture) { turn(fixture, std::nullopt); },
      way_down_traffic(f.levels.front(), sizeof(double)), &f);
}

void way_up(benchmark::State& state) {
  Fixture f(state.range(0));
  measure(
      state, [](Fixture* fixture) { fixture->cycle.ascend(0, fixture->cycle.start_of_way_up(0)); },
      way_up_traffic(f.levels.front()), &f);
}

void one_sweep(benchmark::State& state) {
  Fixture f(state.range(0));
  // Reads e and r, writes e.
  const double field = sizeof(float) * static_cast<double>(f.domain.extents().count());
  measure(state, sweep, {2.0 * field, field, 0.0}, &f);
}

void whole_cycle(benchmark::State& state) {
  Fixture f(state.range(0));
  const auto run = [](Fixture* fixture) {
    fixture->cycle.v_cycle_below();
    turn(fixture, fixture->cycle.start_of_way_up(0));
  };
  measure(state, run, cycle_traffic(f.levels, sizeof(double), f.cycle.kind_of_turn()), &f);
}

BENCHMARK(way_down)->Arg(48)->Arg(128)->Arg(256)->UseRealTime();
BENCHMARK(way_up)->Arg(48)->Arg(128)->Arg(256)->UseRealTime();
BENCHMARK(one_sweep)->Arg(48)->Arg(128)->Arg(256)->UseRealTime();
BENCHMARK(whole_cycle)->Arg(48)->Arg(128)->Arg(256)->UseRealTime();

}  // namespace
}  // namespace bankfull::poisson::multigrid

BENCHMARK_MAIN();
