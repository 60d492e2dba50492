#include "bankfull/workloads/convection/run.hpp"

#include "bankfull/core/field/for_cells.hpp"
#include "bankfull/workloads/convection/flow.hpp"
#include "bankfull/workloads/convection/measured.hpp"
#include "bankfull/workloads/convection/validation.hpp"
#include "tests/alone.hpp"
#include "tests/workloads/convection/cases.hpp"

#include <algorithm>
#include <any>
#include <cmath>
#include <cstdint>
#include <gtest/gtest.h>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

namespace bankfull::convection {
namespace {

/// For callers that need only the result.
class NoRecorder final : public Recorder {
 public:
  void record(const SeriesRow& /*row*/) override {}
  void snapshot(const SnapshotMoment& /*moment*/, const Grid& /*grid*/,
                const FlowReader& /*flow*/) override {}
};

Problem small_problem() {
  Problem problem =
      busy_problem({8, 6, 7}, {FlowEnds::periodic, FlowEnds::periodic, FlowEnds::no_slip}, 1, 0);
  problem.time_step.fixed = 0.001;
  problem.steps = 60;
  return problem;
}

class CountingRecorder final : public Recorder {
 public:
  void begin() override { ++begins; }
  void record(const SeriesRow& row) override {
    steps.push_back(row.step);
    rows.push_back(row);
  }
  void snapshot(const SnapshotMoment& moment, const Grid& /*grid*/,
                const FlowReader& /*flow*/) override {
    snapshots.push_back(moment.number);
    moments.push_back(moment);
  }

  int begins = 0;
  std::vector<std::int64_t> steps;
  std::vector<SeriesRow> rows;
  std::vector<std::int64_t> snapshots;
  std::vector<SnapshotMoment> moments;
};

/// Ceilings that no memory reaches, so that a run measures none.
MeasurePolicy known_ceilings() {
  MeasurePolicy policy{.ceiling = CeilingRule::file};
  for (const std::string mix : {"1 read : 1 write", "3 read : 1 write", "4 read : 3 write"}) {
    policy.known_ceilings.push_back(
        {.name = mix, .bytes_per_second = 1e15, .key = mix + ", fp64", .source = "known.json"});
  }
  return policy;
}

RunResult run_with(const Problem& problem, const Cadence& cadence, Recorder& recorder) {
  NoProgress progress;
  const MeasurePolicy policy = known_ceilings();
  const Plan plan(problem, policy.ceiling);
  return run(plan, {{alone(), progress, policy}, cadence, recorder});
}

std::vector<std::string> parts_of(const RunResult& result) {
  std::vector<std::string> parts;
  for (const Measurement& m : result.measurements) {
    parts.push_back(std::get<std::string>(m.parameters.front().value));
  }
  return parts;
}

TEST(ConvectionRun, MeasuresTheStepAndItsParts) {
  NoRecorder recorder;
  Problem problem = small_problem();
  problem.solver = PressureSolver::multigrid;
  const RunResult result = run_with(problem, {}, recorder);
  EXPECT_TRUE(result.verified());
  EXPECT_EQ(parts_of(result), (std::vector<std::string>{"step", "advance", "divergence", "pressure",
                                                        "projection", "ghosts", "cold stage"}));
  for (std::size_t part = 1; part <= stage_parts; ++part) {
    const Measurement& m = result.measurements[part];
    EXPECT_FALSE(m.work.model.empty()) << m.name;
    EXPECT_GT(m.work.working_set_bytes, 0.0) << m.name;
    EXPECT_EQ(m.seconds.samples.size(), 7U) << m.name;
  }
  const Measurement& step = result.measurements.front();
  EXPECT_GT(step.seconds.samples.size(), 1U);
  EXPECT_EQ(step.quietness.spread, 0.0) << "steps differ: their spread is no noise";
  EXPECT_GT(result.measurements[1].percent_of_bankfull().value_or(0.0), 0.0);
}

TEST(ConvectionRun, AStepDoesTheWorkOfItsParts) {
  NoRecorder recorder;
  const RunResult result = run_with(small_problem(), {}, recorder);
  double bytes = 0.0;
  for (std::size_t part = 1; part <= stage_parts; ++part) {
    bytes += result.measurements[part].work.traffic.bytes();
  }
  EXPECT_DOUBLE_EQ(result.measurements.front().work.traffic.bytes(), bytes);
}

/// Steps take different numbers of cycles: what a time is compared with has as many as it had.
TEST(ConvectionRun, TheWorkOfAStageGrowsWithTheCyclesOfMultigrid) {
  Problem problem = small_problem();
  problem.solver = PressureSolver::multigrid;
  const auto flow = make_integrator(Plan(problem, CeilingRule::none));
  const auto bytes = [&](double cycles, StagePart part) {
    return flow->work_with(cycles)[static_cast<std::size_t>(part)].traffic.bytes();
  };
  const double of_a_cycle = bytes(4.0, StagePart::pressure) - bytes(3.0, StagePart::pressure);
  EXPECT_GT(of_a_cycle, 0.0);
  EXPECT_DOUBLE_EQ(bytes(5.5, StagePart::pressure),
                   bytes(4.0, StagePart::pressure) + 1.5 * of_a_cycle);
  EXPECT_EQ(bytes(4.0, StagePart::advance), bytes(3.0, StagePart::advance));
  const StageWork work = flow->work_with(5.5);
  EXPECT_NE(work[static_cast<std::size_t>(StagePart::pressure)].model.find("for 5.5 cycles"),
            std::string::npos);
}

TEST(ConvectionRun, ATimeIsComparedWithTheTrafficOfItsOwnCycles) {
  Problem problem = small_problem();
  problem.solver = PressureSolver::multigrid;
  NoProgress progress;
  const MeasurePolicy policy = known_ceilings();
  const RunContext context{alone(), progress, policy};
  const Experiment experiment(problem.device, problem.threads, context);
  const Plan plan(problem, policy.ceiling);
  const auto flow = make_integrator(plan);
  flow->load(InitialFlow(problem, plan.grid()));
  RunOutcome outcome;
  outcome.diagnosis = flow->diagnose();
  outcome.seconds_per_step = {3.0, 1.0, 2.0};
  outcome.cycles_per_solve = {7.0, 5.0, 4.0};
  StageSamples samples;
  samples.parts.fill({1.0});
  samples.cycles = {3.0};
  const RunResult result = result_of(*flow, outcome, samples, experiment);
  EXPECT_DOUBLE_EQ(result.measurements.front().work.traffic.bytes(),
                   sum_of(flow->work_with(4.0)).traffic.bytes());
  constexpr auto pressure = static_cast<std::size_t>(StagePart::pressure);
  EXPECT_DOUBLE_EQ(result.measurements[1 + pressure].work.traffic.bytes(),
                   flow->work_with(3.0)[pressure].traffic.bytes());
}

TEST(ConvectionRun, AStepOfRungeKuttaDoesTheWorkOfThreeStages) {
  NoRecorder recorder;
  Problem problem = small_problem();
  const double bytes = run_with(problem, {}, recorder).measurements.front().work.traffic.bytes();
  problem.scheme = TimeScheme::runge_kutta;
  EXPECT_DOUBLE_EQ(run_with(problem, {}, recorder).measurements.front().work.traffic.bytes(),
                   3.0 * bytes);
}

TEST(ConvectionRun, TheReferenceHasNoPercentage) {
  NoRecorder recorder;
  Problem problem = small_problem();
  problem.schedule = Schedule::reference;
  problem.steps = 10;
  const RunResult result = run_with(problem, {}, recorder);
  EXPECT_TRUE(result.verified());
  EXPECT_EQ(parts_of(result), std::vector<std::string>{"step"});
  const Measurement& step = result.measurements.front();
  EXPECT_FALSE(step.percent_of_bankfull().has_value());
  EXPECT_FALSE(step.bytes_per_second().has_value());
  EXPECT_GT(step.work.working_set_bytes, 0.0);
}

TEST(ConvectionRun, CallsItsRecorderAtTheCadenceAskedFor) {
  CountingRecorder recorder;
  run_with(small_problem(), {.series_steps = 25, .snapshots = 3}, recorder);
  EXPECT_EQ(recorder.begins, 1);
  EXPECT_EQ(recorder.steps, (std::vector<std::int64_t>{0, 25, 50, 60}));
  EXPECT_EQ(recorder.snapshots, (std::vector<std::int64_t>{0, 1, 2}));
  EXPECT_EQ(recorder.moments[1].step, 30);
  EXPECT_NEAR(recorder.moments[1].time, 0.03, 1e-12);
}

/// Beside walls at 0 and 1: within them and, at its beginning, beyond; with a source, through a
/// heated wall, and by mixed walls of a reservoir at 3.
TEST(ConvectionRun, RecordsWhatItKnowsOfScalarsBeforehand) {
  Problem problem;
  problem.axes = {
      {{.upper = 2.0, .cells = 4, .periodic = true}, {.cells = 1, .periodic = true}, {.cells = 4}}};
  problem.viscosity = 1.0;
  Scalar between;
  between.walls[2] = {WallScalar::fixed(1.0), WallScalar::fixed(0.0)};
  between.initial = [](double, double, double z) { return 1.0 - z; };
  problem.scalars.assign(5, between);
  problem.scalars[1].initial = [](double, double, double z) { return z > 0.5 ? 2.0 : -1.0; };
  problem.scalars[2].source = [](double, double, double) { return 1.0; };
  problem.scalars[3].walls[2][0] = WallScalar::heated(1.0);
  problem.scalars[4].walls[2][0] = WallScalar::mixed(1.0, 3.0);
  problem.time_step.fixed = 1e-3;
  problem.steps = 40;
  CountingRecorder recorder;
  run_with(problem, {.snapshots = 3}, recorder);
  ASSERT_EQ(recorder.moments.size(), 3U);
  for (const SnapshotMoment& moment : recorder.moments) {
    const std::vector<KnownRange>& known = moment.scalars;
    ASSERT_EQ(known.size(), 5U);
    const auto is = [&](std::size_t s, double least, double most, bool holds) {
      EXPECT_EQ(known[s].range.least, least) << s;
      EXPECT_EQ(known[s].range.most, most) << s;
      EXPECT_EQ(known[s].holds, holds) << s;
    };
    is(0, 0.0, 1.0, true);
    is(1, -1.0, 2.0, true);
    is(2, 0.0, 1.0, false);
    is(3, 0.0, 0.875, false);  // the centre of the lowest cell
    is(4, 0.0, 3.0, true);
  }
}

/// Taylor and Green's vortices in the plane of x and z: by the discrete equations they decay by the
/// same factor in every step.
Problem decaying_vortices() {
  Problem problem;
  for (const std::size_t axis : {std::size_t{0}, std::size_t{2}}) {
    problem.axes[axis] = {.upper = 2.0, .cells = 12, .periodic = true};
  }
  problem.axes[1] = {.cells = 1, .periodic = true};
  problem.viscosity = 0.05;
  constexpr double turn = std::numbers::pi;
  problem.initial_velocity[0] = [](double x, double, double z) {
    return std::sin(turn * x) * std::cos(turn * z);
  };
  problem.initial_velocity[2] = [](double x, double, double z) {
    return -std::cos(turn * x) * std::sin(turn * z);
  };
  problem.scheme = TimeScheme::runge_kutta;
  problem.time_step.fixed = 0.03;
  problem.steps = 23;
  return problem;
}

TEST(ConvectionRun, RowsContainWhatTheTimeSchemeAddedOverTheirLastTwoSteps) {
  const Problem problem = decaying_vortices();
  const double dt = problem.time_step.fixed;
  const double wave = 12.0 * std::sin(std::numbers::pi / 12.0);
  const double rate = -problem.viscosity * 2.0 * wave * wave;
  const double z = rate * dt;
  const double factor = std::pow(1.0 + z + z * z / 2.0 + z * z * z / 6.0, 2);  // of the energy
  CountingRecorder sparse;
  CountingRecorder dense;
  run_with(problem, {.series_steps = 10}, sparse);
  run_with(problem, {.series_steps = 1}, dense);
  ASSERT_EQ(sparse.steps, (std::vector<std::int64_t>{0, 10, 20, 23}));
  for (const CountingRecorder* recorder : {&sparse, &dense}) {
    for (const SeriesRow& row : recorder->rows) {
      EXPECT_EQ(row.time_scheme.has_value(), row.step > 1) << row.step;
      if (row.time_scheme) {
        const double last = row.diagnosis.kinetic_energy;
        const double middle = last / factor;
        const double first = middle / factor;
        const double terms = 2.0 * rate * (first + 4.0 * middle + last) / 6.0;
        EXPECT_NEAR(row.time_scheme->energy, (last - first) / (2.0 * dt) - terms, 1e-13 * last);
        EXPECT_LT(row.time_scheme->energy, -1e-9 * last) << "this scheme damps too much";
      }
    }
  }
  EXPECT_EQ(sparse.rows[2].diagnosis.kinetic_energy, dense.rows[20].diagnosis.kinetic_energy);
}

/// A run to a time that is no multiple of its steps.
TEST(ConvectionRun, TheLastRowContainsTheTimeSchemeToo) {
  for (const double end : {0.3, 0.31, 0.3001, 0.329}) {
    Problem problem = decaying_vortices();
    problem.steps = 0;
    problem.end_time = end;
    CountingRecorder recorder;
    run_with(problem, {.series_steps = 1000}, recorder);
    ASSERT_EQ(recorder.rows.size(), 2U);
    EXPECT_TRUE(recorder.rows.back().time_scheme.has_value()) << end;
  }
}

/// Where the program chooses both steps and rows, a row waits until its budgets can be told.
TEST(ConvectionRun, RowsOfChosenStepsContainTheTimeSchemeToo) {
  Problem problem = small_problem();
  problem.time_step = {.courant = 0.3};
  problem.steps = 0;
  problem.end_time = 10.0;
  problem.noise = 50.0;  // which is soon gone: steps grow
  CountingRecorder recorder;
  run_with(problem, {}, recorder);
  EXPECT_GT(recorder.rows.size(), 50U);
  double longest = 0.0;
  for (const SeriesRow& row : recorder.rows) {
    longest = std::max(longest, row.dt);
    EXPECT_EQ(row.time_scheme.has_value(), row.step > 1) << row.step;
  }
  EXPECT_GT(longest, 2.0 * recorder.rows.front().dt);
}

/// A layer at rest, stably stratified: internal waves bound its steps, or how much a bounded scalar
/// exchanges, or its end.
std::vector<Problem> problems_with_short_first_steps() {
  Problem layer;
  layer.axes = {
      {{.upper = 2.0, .cells = 8, .periodic = true}, {.cells = 1, .periodic = true}, {.cells = 8}}};
  layer.viscosity = 1e-4;
  layer.noise = 1e-6;
  Scalar& scalar = layer.scalars.emplace_back();
  scalar.diffusivity = 1e-4;
  scalar.buoyancy = {0.0, 0.0, 40.0};
  scalar.walls[2] = {WallScalar::fixed(0.0), WallScalar::fixed(1.0)};
  scalar.initial = [](double, double, double z) { return z; };
  layer.time_step = {.courant = 0.5, .longest = 1.0};
  layer.steps = 3;
  std::vector<Problem> problems{layer, layer, layer};
  problems[1].scalars[0].buoyancy = {};
  problems[1].scalars[0].diffusivity = 0.3;
  problems[1].scalars[0].advection = Advection::bounded;
  problems[1].noise = 10.0;
  problems[1].scheme = TimeScheme::runge_kutta;
  problems[1].time_step.courant = 1.7;
  problems[2].steps = 0;
  problems[2].end_time = 1e-3;
  return problems;
}

TEST(ConvectionRun, TheFirstRowDescribesTheFirstStep) {
  std::vector<StepLimit> limits;
  for (Problem problem : problems_with_short_first_steps()) {
    for (const Schedule schedule : {Schedule::tuned, Schedule::reference}) {
      problem.schedule = schedule;
      CountingRecorder recorder;
      run_with(problem, {.series_steps = 1}, recorder);
      ASSERT_GE(recorder.rows.size(), 2U);
      const SeriesRow& start = recorder.rows[0];
      const SeriesRow& first = recorder.rows[1];
      EXPECT_EQ(start.dt, first.time);
      EXPECT_EQ(start.dt, first.dt);
      EXPECT_EQ(start.limit, first.limit) << to_string(start.limit);
      EXPECT_EQ(start.courant, first.courant);
      limits.push_back(start.limit);
    }
  }
  EXPECT_EQ(limits[0], StepLimit::waves);
  EXPECT_EQ(limits[2], StepLimit::bounds);
  EXPECT_EQ(limits[4], StepLimit::end);
}

/// Keeps <height T> of each picture too.
class MomentRecorder final : public Recorder {
 public:
  void record(const SeriesRow& row) override { rows.push_back(row); }
  void snapshot(const SnapshotMoment& /*moment*/, const Grid& grid,
                const FlowReader& flow) override {
    const FlowState state = flow.whole(grid, 4);
    const Extents n = grid.extents();
    double sum = 0.0;
    for_cells(box_of(n), [&](std::int64_t i, std::int64_t j, std::int64_t k) {
      const double part =
          grid.axis(0).width(i) * grid.axis(1).width(j) * grid.axis(2).width(k) / grid.volume();
      sum += part * grid.place(3, i, j, k)[2] *
             state.fields[3][static_cast<std::size_t>((i * n.nj + j) * n.nk + k)];
    });
    moments.push_back(sum);
  }

  std::vector<SeriesRow> rows;
  std::vector<double> moments;
};

/// What averages of Nusselt numbers differ by is what the flow has stored over the window.
TEST(ConvectionRun, NusseltNumbersDifferByWhatTheFlowStores) {
  Problem problem;
  problem.axes = {{{.upper = 2.0, .cells = 16, .periodic = true},
                   {.cells = 1, .periodic = true},
                   {.lower = -0.5, .upper = 0.5, .cells = 12, .stretching = 1.0}}};
  problem.viscosity = 0.01;
  problem.noise = 0.5;
  Scalar& scalar = problem.scalars.emplace_back();
  scalar.diffusivity = 0.02;
  scalar.buoyancy = {0.0, 0.0, 1.5};
  scalar.walls[2] = {WallScalar::fixed(3.0), WallScalar::fixed(2.0)};
  scalar.initial = [](double x, double /*y*/, double z) {
    return 2.7 - z + 0.3 * std::sin(std::numbers::pi * x);
  };
  problem.scheme = TimeScheme::runge_kutta;
  problem.time_step.fixed = 0.01;
  problem.steps = 200;
  MomentRecorder recorder;
  const RunResult result = run_with(problem, {.series_steps = 1, .snapshots = 3}, recorder);
  const auto averages = std::any_cast<NusseltAverages>(result.attachment);
  ASSERT_EQ(recorder.moments.size(), 3U);
  const double conducted = 0.02;
  const Nusselt& mean = averages.mean;
  const double walls = 0.5 * (mean.lower + mean.upper);
  const Diagnosis& half = recorder.rows[100].diagnosis;
  const Diagnosis& end = recorder.rows[200].diagnosis;
  const auto variance = [](const Diagnosis::OfScalar& T) {
    return 0.5 * T.mean_square - 2.5 * T.mean;
  };
  const auto stored = [&](double from, double to) { return (to - from) / conducted; };
  constexpr double error = 2e-4;  // of the trapezoidal rule
  EXPECT_NEAR(mean.lower - mean.upper, stored(half.scalars[0].mean, end.scalars[0].mean), error);
  EXPECT_NEAR(mean.volume - walls, stored(recorder.moments[1], recorder.moments[2]), error);
  EXPECT_NEAR(mean.thermal - walls, -stored(variance(half.scalars[0]), variance(end.scalars[0])),
              error);
  EXPECT_NEAR(mean.kinetic.value() - mean.volume,
              -stored(half.kinetic_energy, end.kinetic_energy) / 1.5, error);
  EXPECT_GT(std::abs(mean.lower - mean.upper), 100.0 * error);
  EXPECT_GT(std::abs(mean.volume - walls), 100.0 * error);
  EXPECT_GT(std::abs(mean.thermal - walls), 100.0 * error);
  EXPECT_GT(std::abs(mean.kinetic.value() - mean.volume), 100.0 * error);
  EXPECT_LT(averages.by_discretisation, error);
  EXPECT_FALSE(averages.settled());
}

/// The flow that a lid of this velocity drives, after some steps.
Problem lid_driven(double velocity) {
  Problem problem;
  problem.axes = {{{.cells = 16}, {.cells = 1, .periodic = true}, {.cells = 16}}};
  problem.walls[2][1].velocity = {velocity, 0.0, 0.0};
  problem.scheme = TimeScheme::runge_kutta;
  problem.time_step = {.courant = 1.0};
  problem.steps = 30;
  problem.solver = PressureSolver::multigrid;
  return problem;
}

/// Whatever a flow's velocity, multigrid solves for its pressure.
TEST(ConvectionRun, SlowFlowsAreSolvedForByMultigrid) {
  Problem problem = lid_driven(1e-8);
  CountingRecorder iterative;
  EXPECT_TRUE(run_with(problem, {}, iterative).verified());
  problem.schedule = Schedule::reference;  // whose pressure is exact
  CountingRecorder exact;
  run_with(problem, {}, exact);
  const double expected = exact.rows.back().diagnosis.fastest_along[2];
  EXPECT_GT(expected, 1e-10);
  EXPECT_NEAR(iterative.rows.back().diagnosis.fastest_along[2], expected, 1e-6 * expected);
}

/// A check by the rounding of the flow before it was made free of divergence: what that has become
/// would excuse any runaway.
TEST(ConvectionRun, RoundingOfTheFirstProjectionIsThatOfTheFlowBefore) {
  Problem problem = lid_driven(0.0);
  problem.initial_velocity[0] = [](double /*x*/, double /*y*/, double z) { return z; };
  const Plan plan(problem);
  const double velocity = 31.0 / 32.0;
  const double curvature = 2.0 * 4.0 * 256.0;
  const double epsilon = std::numeric_limits<double>::epsilon();
  EXPECT_DOUBLE_EQ(rounding_of_projection(plan, InitialFlow(problem, plan.grid())),
                   epsilon * (64.0 * velocity * 16.0 + velocity * curvature));
  problem.initial_velocity[0] = [](double /*x*/, double /*y*/, double z) { return 1e6 * z; };
  EXPECT_DOUBLE_EQ(rounding_of_projection(plan, InitialFlow(problem, plan.grid())),
                   epsilon * 1e6 * (64.0 * velocity * 16.0 + velocity * curvature));
}

/// Rounding of a pressure of dt times acceleration times length, in a box much longer than its
/// cells are thick, by products with eigenvectors along a second stretched axis.
TEST(ConvectionRun, ADivergenceIsComparedWithTheRoundingOfTheDirectSolver) {
  Problem problem = lid_driven(1.0);
  problem.axes = {{{.upper = 0.01, .cells = 8, .stretching = 5.0},
                   {.cells = 1, .periodic = true},
                   {.upper = 100.0, .cells = 16, .stretching = 3.0}}};
  problem.viscosity = 0.0;
  problem.solver = PressureSolver::automatic;
  const Plan plan(problem);
  if (plan.solver() != PressureSolver::direct) {
    GTEST_SKIP() << "no direct solver of this box";
  }
  Diagnosis flow;
  flow.fastest = 2.0;
  flow.courant_rate = 30.0;
  const double dt = 1e-3;
  const Vector no_force{};
  const std::vector<double> faces = problem.axes[0].faces();
  const double narrowest = faces[1] - faces[0];
  const double ratio =
      poisson::width_ratio(plan.grid().domain().j) * poisson::width_ratio(plan.grid().domain().k);
  ASSERT_GT(ratio, 10.0);
  const double pressure = dt * 2.0 * 30.0 * 100.0;
  const double of_pressure = std::numeric_limits<double>::epsilon() * pressure * 4.0 /
                             (narrowest * narrowest) * std::sqrt(ratio);
  const auto tolerance = [&](const Plan& of, double pace) {
    return check_divergence(of, flow, {.pace = pace, .weight = pace}, no_force).tolerance;
  };
  EXPECT_GT(tolerance(plan, dt), of_pressure);
  EXPECT_LT(tolerance(plan, dt), 1.01 * of_pressure);

  problem.precision = Precision::fp32;
  EXPECT_DOUBLE_EQ(tolerance(Plan(problem), dt), max_divergence / dt) << "more is no flow";
}

/// The pressure carries what a fluid differs by from what is left out of its buoyancy.
TEST(CheckDivergence, KnowsAFluidThatHasGoneFarFromItsWalls) {
  constexpr double gravity = 1e-3;
  constexpr double away = 2e6;
  Problem problem;
  problem.steps = 1;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    problem.axes[axis] = {.upper = 1.0, .cells = 8, .periodic = axis < 2};
  }
  Scalar& scalar = problem.scalars.emplace_back();
  scalar.buoyancy = {0.0, 0.0, gravity};
  scalar.walls[2] = {WallScalar::fixed(300.0), WallScalar::heated(1.0)};
  const Plan plan(problem);
  Diagnosis flow;
  flow.scalars.push_back({.min = 300.0, .max = 300.0 + away, .reference = 300.0});
  const double dt = 5e-3;
  const double curvature = 3.0 * 4.0 * 8.0 * 8.0;
  const double of_pressure =
      std::numeric_limits<double>::epsilon() * dt * gravity * away * curvature;
  EXPECT_GT(check_divergence(plan, flow, {.pace = dt, .weight = dt}, {}).tolerance,
            0.99 * of_pressure);
}

}  // namespace
}  // namespace bankfull::convection
