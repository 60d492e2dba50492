#include "bankfull/core/base/error.hpp"
#include "bankfull/workloads/convection/end_of_run.hpp"
#include "bankfull/workloads/convection/run.hpp"
#include "tests/alone.hpp"
#include "tests/workloads/convection/cases.hpp"
#include "tests/workloads/convection/kept_state.hpp"

#include <algorithm>
#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <string>
#include <vector>

namespace bankfull::convection {
namespace {

/// All that a run reports, and its states.
class KeepingRecorder final : public Recorder {
 public:
  void record(const SeriesRow& row) override { rows.push_back(row); }
  bool wants_statistics() override { return wanted_rows > 0 && rows.size() % wanted_rows == 0; }
  void snapshot(const SnapshotMoment& moment, const Grid& grid, const FlowReader& flow) override {
    snapshots[moment.number] = flow.whole(grid, 4).fields;
    times.push_back(moment.time);
    for (const KnownRange& known : moment.scalars) {
      ranges[moment.number].insert(ranges[moment.number].end(),
                                   {known.range.least, known.range.most, known.holds ? 1.0 : 0.0});
    }
  }
  void statistics(const StatisticsSoFar& all) override {
    found = all.profiles;
    spectra = all.spectra;
    told += all.at_end ? 0 : 1;
  }
  void probe(const ProbeReading& reading) override { readings.push_back(reading); }
  void checkpoint(const CheckpointMoment& moment,
                  const std::function<void(StateWriter&)>& save) override {
    KeptState& state = states[moment.step];
    save(state);
    taken.push_back(moment.taken);
    EXPECT_EQ(state.counts("clock/steps").front(), moment.step);
    EXPECT_EQ(state.numbers("clock/progress").front(), moment.time);
    if (static_cast<std::int64_t>(states.size()) == stop_after) {
      stopped = true;
    }
  }

  std::vector<SeriesRow> rows;
  std::map<std::int64_t, std::vector<std::vector<double>>> snapshots;
  std::vector<double> times;
  std::map<std::int64_t, std::vector<double>> ranges;  ///< of pictures
  std::vector<Profile> found;
  std::vector<Spectrum> spectra;
  int told = 0;                 ///< statistics, while the run went on
  std::size_t wanted_rows = 0;  ///< between two wishes for statistics
  std::vector<ProbeReading> readings;
  std::map<std::int64_t, KeptState> states;
  std::vector<TimeTaken> taken;  ///< at each of them
  std::int64_t stop_after = 0;   ///< so many states
  bool stopped = false;
};

class EndedByRecorder final : public Interruption {
 public:
  explicit EndedByRecorder(const KeepingRecorder& recorder) : recorder_(recorder) {}
  [[nodiscard]] bool requested() const override { return recorder_.stopped; }
  [[nodiscard]] std::string cause() const override { return "a test"; }

 private:
  const KeepingRecorder& recorder_;
};

RunResult run_from(const Problem& problem, const Cadence& cadence, KeepingRecorder& recorder,
                   const KeptState* start, const TimeTaken& earlier = {}) {
  NoProgress progress;
  const MeasurePolicy policy{.ceiling = CeilingRule::none};
  const EndedByRecorder interruption(recorder);
  const Plan plan(problem, policy.ceiling);
  return run(
      plan,
      {{alone(), progress, policy, &interruption}, cadence, recorder, nullptr, start, earlier});
}

/// What is told of a whole run: averages among it.
std::vector<decltype(Figure::value)> figures_of(const RunResult& result) {
  std::vector<decltype(Figure::value)> values;
  for (const Figure& figure : result.measurements.front().figures) {
    if (figure.name != "ns_per_cell" && figure.name != "statistics_percent" &&
        figure.name != "run_seconds" && figure.name != "processes") {
      values.push_back(figure.value);
    }
  }
  return values;
}

std::string end_of(const RunResult& result) {
  for (const Figure& figure : result.measurements.front().figures) {
    if (figure.name == "end") {
      return std::get<std::string>(figure.value);
    }
  }
  return "";
}

/// All numbers of all profiles.
std::vector<std::vector<double>> values_in(const std::vector<Profile>& profiles) {
  std::vector<std::vector<double>> values;
  for (const Profile& profile : profiles) {
    values.push_back({profile.from, profile.until, static_cast<double>(profile.samples)});
    for (const ProfileTable& table : profile.tables) {
      for (const ProfileColumn& column : table.columns) {
        values.push_back(column.values);
        values.push_back(column.errors);
      }
    }
  }
  return values;
}

std::vector<std::vector<double>> values_in(const std::vector<Spectrum>& spectra) {
  std::vector<std::vector<double>> values;
  for (const Spectrum& spectrum : spectra) {
    values.push_back({spectrum.from, spectrum.until, static_cast<double>(spectrum.samples)});
    for (const SpectrumAtPlace& at : spectrum.at) {
      for (const ProfileColumn& column : at.columns) {
        values.push_back(column.values);
        values.push_back(column.errors);
      }
    }
  }
  return values;
}

/// What probes have found from a step on.
std::vector<std::vector<double>> readings_from(const std::vector<ProbeReading>& readings,
                                               std::int64_t step) {
  std::vector<std::vector<double>> values;
  for (const ProbeReading& reading : readings) {
    if (reading.step >= step) {
      values.push_back(
          {static_cast<double>(reading.probe), static_cast<double>(reading.step), reading.time});
      values.push_back(reading.values);
    }
  }
  return values;
}

/// What a row says but for the seconds, which differ from run to run.
std::vector<double> numbers_of(const SeriesRow& row) {
  PackedNumbers numbers;
  for (const double value :
       {static_cast<double>(row.step), row.time, row.dt, static_cast<double>(row.limit),
        row.courant, row.nusselt.lower, row.nusselt.thermal, static_cast<double>(row.cycles)}) {
    numbers.add(value);
  }
  numbers.add(row.diagnosis);
  numbers.add(row.resolution.cell_peclet);
  numbers.add(row.resolution.cell_over_batchelor);
  numbers.add(row.resolution.overshoot);
  if (row.time_scheme) {
    numbers.add(row.time_scheme->energy);
    for (const double number : row.time_scheme->numerical_dissipation) {
      numbers.add(number);
    }
  }
  return numbers.values();
}

std::vector<std::vector<double>> numbers_from(const std::vector<SeriesRow>& rows,
                                              std::int64_t step) {
  std::vector<std::vector<double>> found;
  for (const SeriesRow& row : rows) {
    if (row.step >= step) {
      found.push_back(numbers_of(row));
    }
  }
  return found;
}

Problem layer_to_save() {
  Problem problem =
      busy_problem({8, 6, 7}, {FlowEnds::periodic, FlowEnds::periodic, FlowEnds::no_slip}, 1, 0);
  problem.scalars[0].walls[2] = {WallScalar::fixed(1.0), WallScalar::fixed(0.0)};
  problem.solver = PressureSolver::multigrid;
  problem.divergence = 1e-8;
  return problem;
}

struct SavedCase {
  std::string name;
  Problem problem;
  Cadence cadence;
};

void PrintTo(const SavedCase& one, std::ostream* out) { *out << one.name; }

std::vector<SavedCase> saved_cases() {
  std::vector<SavedCase> all;
  Problem fixed = layer_to_save();
  fixed.time_step.fixed = 0.002;
  fixed.steps = 61;
  all.push_back({"FixedSteps", fixed, {.series_steps = 7, .snapshots = 4}});
  const StatisticsRequest always{.name = "", .along = {true, false, true}, .every = 3};
  const StatisticsRequest late{
      .name = "late", .along = {false, true, false}, .from = 0.03, .until = 0.11, .every = 2};
  const SpectrumRequest of_box{.name = "box", .along = 0, .across = 2, .every = 4};
  const SpectrumRequest of_planes{
      .name = "planes", .along = 1, .across = 2, .at = {-0.4, 0.1}, .from = 0.02, .every = 3};
  const ProbeRequest point{
      .name = "point", .points = {{0.1, 0.2, 0.3}}, .fields = {0, 2, 3}, .every = 5};
  const ProbeRequest points{.name = "points",
                            .points = {{0.1, 0.2, 0.3}, {1.2, 0.8, -0.5}},
                            .fields = {3},
                            .time = 0.0151};
  all.push_back({"Statistics",
                 fixed,
                 {.series_steps = 7,
                  .snapshots = 0,
                  .statistics = {always, late},
                  .probes = {point, points},
                  .spectra = {of_box, of_planes}}});
  fixed.until = {.converged = 5.0, .window = 0.04};
  all.push_back({"EndedByNusseltNumbers", fixed, {.series_steps = 3, .snapshots = 4}});
  Problem chosen = layer_to_save();
  chosen.time_step = {.courant = 0.3};
  chosen.steps = 0;
  chosen.end_time = 0.9;
  all.push_back({"ChosenSteps", chosen, {.series_steps = 0, .snapshots = 5, .probes = {points}}});
  chosen.scheme = TimeScheme::runge_kutta;
  chosen.steps = 40;
  all.push_back({"RungeKutta", chosen, {.series_steps = 4, .snapshots = 3}});
  Problem bounded = bounded_cases({{"Layer", chosen, 0}}).front().problem;
  bounded.scheme = TimeScheme::adams_bashforth;
  all.push_back({"Bounded", bounded, {.series_steps = 5, .snapshots = 0}});
  let_vary(chosen);
  chosen.time_step.longest = 0.01;
  all.push_back({"Varying", chosen, {.series_steps = 1, .snapshots = 0}});
  chosen.implicit_diffusion = ImplicitDiffusion::walls;
  all.push_back({"VaryingImplicit", chosen, {.series_steps = 3, .snapshots = 0}});
  return all;
}

class SavedRun : public testing::TestWithParam<SavedCase> {};

TEST_P(SavedRun, GoesOnFromAnyStepAsIfNothingHadHappened) {
  const Problem& problem = GetParam().problem;
  KeepingRecorder plain;
  const RunResult expected = run_from(problem, GetParam().cadence, plain, nullptr);
  Cadence cadence = GetParam().cadence;
  cadence.checkpoints.steps = 1;
  KeepingRecorder whole;
  run_from(problem, cadence, whole, nullptr);
  EXPECT_EQ(numbers_from(whole.rows, 0), numbers_from(plain.rows, 0)) << "saving changed the run";
  ASSERT_GT(whole.states.size(), 15U);
  const std::int64_t end = whole.states.rbegin()->first;
  for (const auto& [step, state] : whole.states) {
    if (step == end || step % 3 != 1) {
      continue;
    }
    KeepingRecorder rest;
    const RunResult found = run_from(problem, cadence, rest, &state);
    ASSERT_EQ(numbers_from(rest.rows, 0), numbers_from(plain.rows, step)) << "from step " << step;
    ASSERT_TRUE(rest.states.at(end) == whole.states.at(end)) << "from step " << step;
    for (const auto& [number, fields] : rest.snapshots) {
      ASSERT_EQ(fields, plain.snapshots.at(number)) << "from step " << step;
      ASSERT_EQ(rest.ranges.at(number), plain.ranges.at(number)) << "from step " << step;
    }
    ASSERT_EQ(found.resolution.size(), expected.resolution.size());
    for (std::size_t n = 0; n < found.resolution.size(); ++n) {
      ASSERT_EQ(found.resolution[n].value, expected.resolution[n].value) << "from step " << step;
    }
    for (std::size_t n = 0; n < found.checks.size(); ++n) {
      ASSERT_EQ(found.checks[n].value, expected.checks[n].value) << found.checks[n].name;
    }
    ASSERT_EQ(figures_of(found), figures_of(expected)) << "from step " << step;
    EXPECT_EQ(found.notes.size(), expected.notes.size() + 1) << "that it went on";
    ASSERT_EQ(values_in(rest.found), values_in(plain.found)) << "from step " << step;
    ASSERT_EQ(values_in(rest.spectra), values_in(plain.spectra)) << "from step " << step;
    ASSERT_EQ(readings_from(rest.readings, 0), readings_from(plain.readings, step))
        << "from step " << step;
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, SavedRun, testing::ValuesIn(saved_cases()),
                         [](const auto& one) { return one.param.name; });

TEST(SavedRun, EndsWhereItsNusseltNumbersHaveSettled) {
  Problem problem = saved_cases().front().problem;
  const Cadence cadence{.series_steps = 3, .snapshots = 0, .checkpoints = {.at_end = true}};
  problem.until = {.converged = 5.0, .window = 0.04};
  KeepingRecorder first;
  const RunResult found = run_from(problem, cadence, first, nullptr);
  const std::int64_t last = first.rows.back().step;
  EXPECT_GE(last, 40);
  EXPECT_LT(last, problem.steps);
  EXPECT_TRUE(first.rows.back().time_scheme.has_value()) << "the last row has all that others have";
  EXPECT_EQ(end_of(found), "converged");
  const KeptState& state = first.states.at(last);
  EXPECT_TRUE(has_ended(problem, state));
  Problem further = problem;
  further.until = {};
  EXPECT_FALSE(has_ended(further, state));
  KeepingRecorder rest;
  KeepingRecorder whole;
  run_from(further, cadence, rest, &state);
  run_from(further, cadence, whole, nullptr);
  EXPECT_EQ(numbers_from(rest.rows, last + 1), numbers_from(whole.rows, last + 1));
}

TEST(SavedRun, HasTheStatisticsThatItWasAskedFor) {
  const SavedCase one = saved_cases()[1];
  ASSERT_EQ(one.name, "Statistics");
  KeepingRecorder plain;
  run_from(one.problem, one.cadence, plain, nullptr);
  ASSERT_EQ(plain.found.size(), 3U);
  EXPECT_EQ(plain.found[0].samples, 20) << "every third of 61 steps";
  EXPECT_EQ(plain.found[0].axis, 0U);
  EXPECT_EQ(plain.found[1].axis, 2U);
  EXPECT_EQ(plain.found[2].window, "late");
  EXPECT_EQ(plain.found[2].from, 0.03);
  EXPECT_NEAR(plain.found[2].until, 0.108, 1e-12);
  EXPECT_EQ(plain.found[2].samples, 20) << "of steps 16 to 54";
  Cadence without = one.cadence;
  without.statistics.clear();
  KeepingRecorder other;
  run_from(one.problem, without, other, nullptr);
  EXPECT_EQ(numbers_from(plain.rows, 0), numbers_from(other.rows, 0)) << "sampling changed the run";
  EXPECT_TRUE(other.found.empty());
}

TEST(SavedRun, ReadsItsProbesWhenTheyAreDue) {
  const SavedCase one = saved_cases()[1];
  KeepingRecorder plain;
  run_from(one.problem, one.cadence, plain, nullptr);
  std::vector<std::int64_t> of_point;
  std::vector<std::int64_t> of_points;
  for (const ProbeReading& reading : plain.readings) {
    (reading.probe == 0 ? of_point : of_points).push_back(reading.step);
    EXPECT_EQ(reading.values.size(), reading.probe == 0 ? 3U : 2U);
  }
  EXPECT_THAT(of_point, testing::ElementsAre(0, 5, 10, 15, 20, 25, 30, 35, 40, 45, 50, 55, 60));
  EXPECT_THAT(of_points, testing::ElementsAre(0, 8, 16, 23, 31, 38, 46, 53, 61));
  ASSERT_EQ(plain.spectra.size(), 2U);
  EXPECT_EQ(plain.spectra[0].samples, 15) << "every fourth of 61 steps";
  EXPECT_EQ(plain.spectra[1].samples, 17) << "of steps 12 to 60";
}

/// Somebody who watches sees what the samples so far say: with checkpoints, and when they ask.
TEST(SavedRun, RecordsItsStatisticsWhileItRuns) {
  SavedCase one = saved_cases()[1];
  one.cadence.series_steps = 2;
  KeepingRecorder with_rows;
  with_rows.wanted_rows = 10;
  run_from(one.problem, one.cadence, with_rows, nullptr);
  EXPECT_EQ(with_rows.told, 3) << "with rows 10, 20 and 30 of 32";
  one.cadence.series_steps = 61;
  one.cadence.checkpoints.steps = 20;
  KeepingRecorder with_checkpoints;
  run_from(one.problem, one.cadence, with_checkpoints, nullptr);
  EXPECT_EQ(with_checkpoints.told, 4) << "with steps 20, 40, 60 and the last one";
}

/// What an interrupted run reports at its end is no part of the run that goes on with it.
TEST(SavedRun, AnInterruptedRunIsSavedBeforeItsLastRow) {
  const SavedCase one = saved_cases().front();
  KeepingRecorder plain;
  run_from(one.problem, one.cadence, plain, nullptr);
  Cadence cadence = one.cadence;
  cadence.checkpoints.steps = 10;
  KeepingRecorder first;
  first.stop_after = 2;
  run_from(one.problem, cadence, first, nullptr);
  const auto& [step, state] = *first.states.rbegin();
  EXPECT_EQ(step, 21) << "one step after the request";
  EXPECT_EQ(first.rows.back().step, 21);
  KeepingRecorder second;
  run_from(one.problem, cadence, second, &state);
  EXPECT_EQ(numbers_from(second.rows, 0), numbers_from(plain.rows, 21));
}

TEST(SavedRun, IsSavedByTimeAndByTheWall) {
  SavedCase one = saved_cases().front();
  one.cadence.checkpoints.time = 0.05;
  KeepingRecorder by_time;
  run_from(one.problem, one.cadence, by_time, nullptr);
  std::vector<std::int64_t> steps;
  for (const auto& [step, state] : by_time.states) {
    steps.push_back(step);
  }
  EXPECT_THAT(steps, testing::ElementsAre(25, 50, 61));
  one.cadence.checkpoints = {.seconds = 1e-9};
  KeepingRecorder by_wall;
  run_from(one.problem, one.cadence, by_wall, nullptr);
  EXPECT_GT(by_wall.states.size(), 2U);
  one.cadence.checkpoints = {.at_end = true};
  KeepingRecorder at_end;
  run_from(one.problem, one.cadence, at_end, nullptr);
  EXPECT_EQ(at_end.states.size(), 1U);
  one.cadence.checkpoints = {};
  KeepingRecorder never;
  run_from(one.problem, one.cadence, never, nullptr);
  EXPECT_TRUE(never.states.empty());
}

TEST(SavedRun, GoesBeyondItsEndWhereThatIsLater) {
  const SavedCase one = saved_cases().front();
  Cadence cadence = one.cadence;
  cadence.checkpoints.at_end = true;
  KeepingRecorder whole;
  run_from(one.problem, cadence, whole, nullptr);
  Problem shorter = one.problem;
  shorter.steps = 30;
  KeepingRecorder first;
  run_from(shorter, cadence, first, nullptr);
  const KeptState& state = first.states.at(30);
  KeepingRecorder second;
  run_from(one.problem, cadence, second, &state);
  EXPECT_EQ(numbers_from(second.rows, 0), numbers_from(whole.rows, 30));
}

/// A run may be killed between its last step and its last row.
TEST(SavedRun, RecordsWhatIsLeftAtItsEnd) {
  const SavedCase one = saved_cases().front();
  Cadence cadence = one.cadence;
  cadence.checkpoints.at_end = true;
  KeepingRecorder whole;
  const RunResult expected = run_from(one.problem, cadence, whole, nullptr);
  KeepingRecorder rest;
  const RunResult found = run_from(one.problem, cadence, rest, &whole.states.at(61));
  EXPECT_EQ(numbers_from(rest.rows, 0), numbers_from(whole.rows, 61));
  EXPECT_EQ(rest.snapshots.at(3), whole.snapshots.at(3));
  EXPECT_TRUE(found.verified());
}

/// Of 21 pictures in 1000 steps the second is due at step 50; the end at step 100 makes ten due
/// there.
TEST(SavedRun, DrawsOneForAllPicturesThatANearerEndMakesLate) {
  Problem problem = saved_cases().front().problem;
  problem.steps = 1000;
  const Cadence cadence{.series_steps = 1, .snapshots = 21, .checkpoints = {.steps = 50}};
  KeepingRecorder first;
  first.stop_after = 1;
  run_from(problem, cadence, first, nullptr);
  problem.steps = 100;
  KeepingRecorder rest;
  run_from(problem, cadence, rest, &first.states.at(50));
  const double dt = problem.time_step.fixed;
  std::vector<double> steps;
  for (const double time : rest.times) {
    steps.push_back(std::round(time / dt));
  }
  EXPECT_THAT(steps, testing::ElementsAre(50, 55, 60, 65, 70, 75, 80, 85, 90, 95, 100));
  EXPECT_EQ(rest.snapshots.rbegin()->first, 11);  // no number is left out: a film needs all
}

double number_of(const RunResult& result, const std::string& name) {
  for (const Figure& figure : result.measurements.front().figures) {
    if (figure.name == name) {
      const auto* const count = std::get_if<std::int64_t>(&figure.value);
      return count != nullptr ? static_cast<double>(*count) : std::get<double>(figure.value);
    }
  }
  return NAN;
}

TEST(SavedRun, RecordsWhatAllOfItsProcessesHaveTaken) {
  SavedCase one = saved_cases().front();
  one.cadence.checkpoints.steps = 20;
  KeepingRecorder first;
  const RunResult whole = run_from(one.problem, one.cadence, first, nullptr);
  EXPECT_EQ(number_of(whole, "processes"), 1.0);
  EXPECT_GT(number_of(whole, "run_seconds"), 0.0);
  ASSERT_GE(first.taken.size(), 2U);
  EXPECT_EQ(first.taken.front().processes, 1);
  EXPECT_GT(first.taken.front().seconds, 0.0);
  EXPECT_GE(first.taken.back().seconds, first.taken.front().seconds);
  EXPECT_GE(number_of(whole, "run_seconds"), first.taken.back().seconds);
  KeepingRecorder second;
  const RunResult rest =
      run_from(one.problem, one.cadence, second, &first.states.begin()->second, {1000.0, 3});
  EXPECT_EQ(number_of(rest, "processes"), 4.0);
  EXPECT_GT(number_of(rest, "run_seconds"), 1000.0);
  EXPECT_EQ(second.taken.back().processes, 4);
  EXPECT_GT(second.taken.back().seconds, 1000.0);
}

}  // namespace
}  // namespace bankfull::convection
