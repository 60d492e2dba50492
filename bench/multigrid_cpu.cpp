// The pipelines of the multigrid on the CPU, one at a time. Arguments: cells along each axis.
// Compare the bytes per second, by the stated traffic, with `streams_cpu`.

#include "bankfull/numerics/poisson/multigrid/cpu/cycle.hpp"
#include "bankfull/numerics/poisson/multigrid/traffic.hpp"

#include <benchmark/benchmark.h>
#include <tuple>
#include <vector>

namespace bankfull::poisson::multigrid {
namespace {

/// A cube between walls along one axis.
struct Fixture {
  explicit Fixture(std::int64_t cells)
      : domain{axis(cells, false), axis(cells, true), axis(cells, true)},
        levels(make_levels(domain)),
        team(Team::default_threads()),
        cycle(levels, team),
        outer{CpuAxes<double>(levels.front()), CpuField<double>(domain.extents(), team),
              CpuField<double>(domain.extents(), team)} {}

  static Axis axis(std::int64_t cells, bool periodic) {
    return {std::vector<double>(static_cast<std::size_t>(cells), 1.0), periodic};
  }

  Domain domain;
  std::vector<Level> levels;
  Team team;
  CpuCycle cycle;
  CpuOuter<double> outer;
};

void defect_and_down(Fixture* f) {
  const auto first = [f](auto smoother, CpuWorkspace& work) {
    const CpuLevel& level = f->cycle.finest();
    return std::tuple_cat(
        std::tuple(Correction<double>(f->outer, level, work, 1.0, From::what_is_there)),
        smoother.joined(Defect<double>(f->outer, level, work, {0.0, 1.0}, From::what_is_there),
                        smoother.half_sweep(level, work, Colour::red, From::zero)));
  };
  f->cycle.with_way_down(0, first, [f](const auto& make) { f->cycle.run_on_finest(make); });
}

void sweep(Fixture* f) {
  f->cycle.run_on_finest([f](CpuWorkspace& work) {
    const CpuLevel& level = f->cycle.finest();
    return std::tuple(Relaxation(level, work, Colour::red, From::what_is_there),
                      Relaxation(level, work, Colour::black, From::what_is_there));
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
  measure(state, defect_and_down, way_down_traffic(f.levels.front(), sizeof(double)), &f);
}

void way_up(benchmark::State& state) {
  Fixture f(state.range(0));
  measure(
      state, [](Fixture* fixture) { fixture->cycle.ascend(0); }, way_up_traffic(f.levels.front()),
      &f);
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
    defect_and_down(fixture);
    fixture->cycle.v_cycle_from_below();
  };
  measure(state, run, cycle_traffic(f.levels, sizeof(double)), &f);
}

BENCHMARK(way_down)->Arg(48)->Arg(128)->Arg(256)->UseRealTime();
BENCHMARK(way_up)->Arg(48)->Arg(128)->Arg(256)->UseRealTime();
BENCHMARK(one_sweep)->Arg(48)->Arg(128)->Arg(256)->UseRealTime();
BENCHMARK(whole_cycle)->Arg(48)->Arg(128)->Arg(256)->UseRealTime();

}  // namespace
}  // namespace bankfull::poisson::multigrid

BENCHMARK_MAIN();
