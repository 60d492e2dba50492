#include "bankfull/numerics/poisson/multigrid/cpu/stages.hpp"
#include "bankfull/numerics/poisson/multigrid/traffic.hpp"
#include "tests/counting.hpp"
#include "tests/numerics/poisson/domains.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <string>
#include <vector>

// The model of multigrid's pipelines against what their stages read, write and compute.
namespace bankfull::poisson::multigrid {
namespace {

using Inner = counting::Counted<float>;
using OuterValue = counting::Counted<double>;

/// A level and the next coarser one; passes over them are counted.
class CountedPipelines {
 public:
  CountedPipelines(const Level& fine, const Level& coarse)
      : axes_(fine),
        team_(1),
        fine_(fine, team_),
        coarse_(coarse, team_),
        work_(fine_),
        outer_{CpuAxes<OuterValue>(fine), CpuField<OuterValue>(fine.extents(), team_),
               CpuField<OuterValue>(fine.extents(), team_)} {
    leave_out_ghosts(axes_, fine_);
    leave_out_ghosts(coarse, coarse_);
    each_row(axes_, [&](std::int64_t i, std::int64_t j) {
      for (const CpuField<OuterValue>* field : {&outer_.p, &outer_.f}) {
        counting::Ledger::mine().leave_out(field->row(i, j) - 1);
        counting::Ledger::mine().leave_out(field->row(i, j) + axes_.k.cells);
      }
    });
    // The inverse diagonals, which rows share, are no part of the model.
    relax(Colour::red, From::what_is_there);
    relax(Colour::black, From::what_is_there);
  }

  Traffic way_down_from_outer_residual() {
    return counting::traffic_of([&] { correct_and_descend(); });
  }

  /// The way up and the next way down.
  Traffic turn() {
    return counting::traffic_of([&] {
      ascend();
      correct_and_descend();
    });
  }

  Traffic inner_way_down() {
    return counting::traffic_of([&] { descend(); });
  }

  Traffic half_sweep_from_zero() {
    return counting::traffic_of([&] { relax(Colour::red, From::zero); });
  }

  Traffic way_up() {
    return counting::traffic_of([&] { ascend(); });
  }

 private:
  void correct_and_descend() {
    run(Correction<OuterValue, Inner>(outer_, fine_, work_, 0.5, From::what_is_there));
    run(Defect<OuterValue, Inner>(outer_, fine_, work_, Outer<OuterValue>{0.1, 2.0},
                                  From::what_is_there));
    descend();
  }

  void ascend() {
    run(Interpolation<Inner>(fine_, coarse_, work_,
                             axes_.sweeps_before > 0 ? From::what_is_there : From::zero));
    for (int n = 0; n < axes_.sweeps_after; ++n) {
      relax(Colour::red, From::what_is_there);
      relax(Colour::black, From::what_is_there);
    }
  }

  template <class Body>
  static void each_row(const Level& level, const Body& body) {
    for (std::int64_t i = 0; i < level.i.cells; ++i) {
      for (std::int64_t j = 0; j < level.j.cells; ++j) {
        body(i, j);
      }
    }
  }

  static void leave_out_ghosts(const Level& level, const CpuLevelOf<Inner>& fields) {
    each_row(level, [&](std::int64_t i, std::int64_t j) {
      for (const SplitField<Inner>* field : {&fields.e, &fields.r}) {
        const SplitRow<Inner> row = field->row(i, j);
        counting::Ledger::mine().leave_out(row.odd - 1);
        for (const int parity : {0, 1}) {
          counting::Ledger::mine().leave_out(row.half(parity) + half_count(level.k.cells, parity));
        }
      }
    });
  }

  /// One stage of a pipeline on all its rows. In a pipeline stages follow each other from row to
  /// row.
  template <class Stage>
  static void run(const Stage& stage) {
    const Range rows{0, stage.rows().count()};
    for (std::int64_t i = 0; i < stage.planes().count(); ++i) {
      stage(i, rows, rows);
    }
  }

  void relax(Colour colour, From from) {
    if (axes_.has_lines()) {
      run(LineRelaxation<Inner>(fine_, work_, {colour, Inner(1.2F), from}));
    } else {
      run(Relaxation<Inner>(fine_, work_, {colour, Inner(1.2F), from}));
    }
  }

  void descend() {
    if (axes_.sweeps_before == 0) {
      run(Restriction<Inner>(fine_, coarse_, work_, From::zero));
      return;
    }
    relax(Colour::red, From::zero);
    relax(Colour::black, From::what_is_there);
    for (int n = 1; n < axes_.sweeps_before; ++n) {
      relax(Colour::red, From::what_is_there);
      relax(Colour::black, From::what_is_there);
    }
    run(Restriction<Inner>(fine_, coarse_, work_, From::what_is_there));
  }

  const Level& axes_;
  Team team_;
  CpuLevelOf<Inner> fine_;
  CpuLevelOf<Inner> coarse_;
  CpuWorkspaceOf<Inner> work_;
  CpuOuter<OuterValue> outer_;
};

/// Whether all rows of a level have the same coefficients beside them, and share their diagonals;
/// where lines run through rows, whether planes share their pivots.
bool rows_are_alike(const Level& level) {
  const auto uniform = [](const std::vector<double>& values) {
    return std::all_of(values.begin(), values.end(),
                       [&](double value) { return value == values.front(); });
  };
  return uniform(level.i.lower) && uniform(level.i.upper) &&
         (level.has_lines() || (uniform(level.j.lower) && uniform(level.j.upper)));
}

/// Flops but where rows with other coefficients form diagonals of their own.
void expect_as_counted(const Level& level, const Traffic& declared, const Traffic& counted) {
  EXPECT_EQ(declared.bytes_read, counted.bytes_read);
  EXPECT_EQ(declared.bytes_written, counted.bytes_written);
  if (rows_are_alike(level)) {
    EXPECT_EQ(declared.flops, counted.flops);
  } else {
    EXPECT_LE(declared.flops, counted.flops);
  }
}

std::vector<NamedDomain> traffic_domains() {
  return {
      {"periodic", {uniform_axis(9, true), uniform_axis(6, true), uniform_axis(7, true)}},
      {"even", {uniform_axis(8, true), uniform_axis(4, true), uniform_axis(10, true)}},
      {"semi", {uniform_axis(8, true), uniform_axis(6, true), uniform_axis(6, true, 3.0)}},
      {"semi", {uniform_axis(8, true, 3.0), uniform_axis(6, true, 3.0), uniform_axis(12, true)}},
      {"channel", {uniform_axis(6, true), uniform_axis(4, true), uniform_axis(9, false)}},
      {"cubes", {uniform_axis(16, true), uniform_axis(8, true), uniform_axis(8, true)}},
      {"walls", {uniform_axis(5, false), uniform_axis(9, false), uniform_axis(6, false)}},
      {"stretched", {stretched_axis(9, false, 1.3), uniform_axis(5, true), uniform_axis(8, false)}},
  };
}

class MultigridTraffic : public testing::TestWithParam<NamedDomain> {};

/// With the cycle that CPUs do, and with the one that other shapes of cells have.
std::vector<std::vector<Level>> both_cycles(const Domain& domain) {
  std::vector<std::vector<Level>> cycles(2, make_levels(domain));
  set_short_cycle(&cycles[0], 1);
  return cycles;
}

TEST_P(MultigridTraffic, PipelinesOfTheFinestLevelAreAsCounted) {
  for (const std::vector<Level>& levels : both_cycles(GetParam().domain)) {
    SCOPED_TRACE(levels[0].sweeps_before);
    CountedPipelines pipelines(levels[0], levels[1]);
    expect_as_counted(levels[0], way_down_traffic(levels[0], sizeof(double)),
                      pipelines.way_down_from_outer_residual());
    expect_as_counted(levels[0], way_up_traffic(levels[0]), pipelines.way_up());
    expect_as_counted(levels[0], turn_traffic(levels[0], sizeof(double)), pipelines.turn());
  }
}

TEST_P(MultigridTraffic, PipelinesOfCoarserLevelsAreAsCounted) {
  for (const std::vector<Level>& levels : both_cycles(GetParam().domain)) {
    for (std::size_t l = 1; l + 1 < levels.size(); ++l) {
      SCOPED_TRACE("level " + std::to_string(l));
      CountedPipelines pipelines(levels[l], levels[l + 1]);
      expect_as_counted(levels[l], inner_way_down_traffic(levels[l]), pipelines.inner_way_down());
      expect_as_counted(levels[l], way_up_traffic(levels[l]), pipelines.way_up());
    }
  }
}

/// With axis j gathered at its ends, which lines run along.
std::vector<NamedDomain> traffic_domains_of_lines() {
  const Axis gathered = gathered_axis(9, false, 3.0);
  return {
      {"even", {uniform_axis(8, true, 0.1), gathered, uniform_axis(6, true, 0.1)}},
      {"odd", {uniform_axis(9, true, 0.1), gathered, uniform_axis(7, true, 0.1)}},
      {"semi", {uniform_axis(4, true, 0.3), gathered, uniform_axis(8, true, 0.1)}},
      {"channel", {uniform_axis(4, true, 0.1), gathered, uniform_axis(5, false, 0.1)}},
      {"around",
       {uniform_axis(4, true, 0.1), gathered_axis(8, true, 2.0), uniform_axis(6, true, 0.1)}},
      {"plane", {uniform_axis(1, true), gathered, uniform_axis(12, true, 0.1)}},
      {"walls", {uniform_axis(5, false, 0.1), gathered, uniform_axis(6, false, 0.1)}},
  };
}

class MultigridTrafficOfLines : public testing::TestWithParam<NamedDomain> {};

TEST_P(MultigridTrafficOfLines, PipelinesAreAsCounted) {
  const std::vector<Level> levels = make_levels_along(GetParam().domain, 1);
  CountedPipelines finest(levels[0], levels[1]);
  expect_as_counted(levels[0], way_down_traffic(levels[0], sizeof(double)),
                    finest.way_down_from_outer_residual());
  for (std::size_t l = 0; l + 1 < levels.size(); ++l) {
    SCOPED_TRACE("level " + std::to_string(l));
    CountedPipelines pipelines(levels[l], levels[l + 1]);
    expect_as_counted(levels[l], inner_way_down_traffic(levels[l]), pipelines.inner_way_down());
    expect_as_counted(levels[l], way_up_traffic(levels[l]), pipelines.way_up());
  }
}

TEST_P(MultigridTrafficOfLines, TheCoarsestIsAsCounted) {
  const Level line = make_levels_along(GetParam().domain, 1).back();
  CountedPipelines pipelines(line, line);
  expect_as_counted(line, coarsest_traffic(line), pipelines.half_sweep_from_zero());
}

INSTANTIATE_TEST_SUITE_P(Gathered, MultigridTrafficOfLines,
                         testing::ValuesIn(traffic_domains_of_lines()), domain_name);

INSTANTIATE_TEST_SUITE_P(Domains, MultigridTraffic, testing::ValuesIn(traffic_domains()),
                         domain_name);

}  // namespace
}  // namespace bankfull::poisson::multigrid
