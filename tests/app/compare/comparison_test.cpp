#include "bankfull/app/compare/comparison.hpp"

#include "bankfull/app/compare/comparison_report.hpp"
#include "bankfull/numerics/random/counter.hpp"
#include "tests/app/compare/runs.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <gtest/gtest.h>
#include <map>
#include <utility>
#include <vector>

namespace bankfull::compare {
namespace {

constexpr double threshold = 0.03;

Comparison compared(const RecordedRun& before, const RecordedRun& after) {
  return compare_runs({before}, {after}, threshold);
}

Change change_of(const RecordedRun& before, const RecordedRun& after) {
  return compared(before, after).measurements.at(0);
}

const std::vector<double> quiet{1.00, 1.01, 0.99, 1.00, 1.005};

std::vector<double> scaled(std::vector<double> samples, double factor) {
  std::ranges::transform(samples, samples.begin(), [&](double sample) { return factor * sample; });
  return samples;
}

TEST(Comparison, TellsSameFromFasterAndSlower) {
  const RecordedRun before = run_taking(quiet);
  EXPECT_EQ(change_of(before, before).outcome, Outcome::same);
  EXPECT_EQ(change_of(before, run_taking(scaled(quiet, 1.01))).outcome, Outcome::same);
  EXPECT_EQ(change_of(before, run_taking(scaled(quiet, 1.10))).outcome, Outcome::slower);
  EXPECT_EQ(change_of(before, run_taking(scaled(quiet, 0.90))).outcome, Outcome::faster);
}

TEST(Comparison, IsPerUnitOfWork) {
  const RecordedRun before = run_taking(quiet);
  RecordedRun after = run_taking(scaled(quiet, 2.0));
  named(after.result.measurements[0].parameters, "iterations").value = std::int64_t{200};
  const Change change = change_of(before, after);
  EXPECT_EQ(change.unit, Unit::iteration);
  EXPECT_NEAR(change.ratio.value, 1.0, 1e-12);
  EXPECT_NEAR(change.after.seconds, 0.01, 1e-12);
}

TEST(Comparison, IsUnclearWithoutAnInterval) {
  const Change change = change_of(run_taking(quiet), run_taking({2.0, 2.0}));
  EXPECT_EQ(change.outcome, Outcome::unclear);
  EXPECT_NE(change.reason.find("fewer than 3 samples"), std::string::npos) << change.reason;
}

TEST(Comparison, IsUnclearWithoutTimes) {
  for (const auto& [before, after] : {std::pair(run_taking(quiet), run_taking({0.0, 0.0, 0.0})),
                                      std::pair(run_taking({0.0, 0.0, 0.0}), run_taking(quiet))}) {
    const Comparison comparison = compared(before, after);
    EXPECT_EQ(comparison.measurements[0].outcome, Outcome::unclear);
    EXPECT_EQ(comparison.measurements[0].reason, "no times");
    EXPECT_EQ(comparison.exit_code(), ExitCode::ok);
    const std::string lines = comparison_lines(comparison);
    EXPECT_EQ(lines.find(" ratio="), std::string::npos) << lines;
    EXPECT_NE(lines.find(" verdict=unclear"), std::string::npos) << lines;
  }
}

TEST(Comparison, IsUnclearWhereTheIntervalIsWide) {
  const std::vector<double> wide{1.0, 1.1, 0.95, 1.05, 1.02};
  const Change change = change_of(run_taking(wide), run_taking(wide));
  EXPECT_EQ(change.outcome, Outcome::unclear);
  EXPECT_NE(change.reason.find("3 %"), std::string::npos) << change.reason;
}

TEST(Comparison, IsUnclearWhereItWasNoisy) {
  RecordedRun after = run_taking(scaled(quiet, 1.5));
  after.result.measurements[0].quietness.foreign_load = 0.5;
  const Change change = change_of(run_taking(quiet), after);
  EXPECT_EQ(change.outcome, Outcome::unclear);
  EXPECT_TRUE(change.reason.starts_with("NEW was noisy")) << change.reason;
}

/// A run whose repeats spread by so much that it is noisy.
RecordedRun scattered(double factor) {
  RecordedRun run = run_taking(scaled({1.00, 1.25, 1.02, 1.20, 1.05, 1.10, 1.15}, factor));
  run.result.measurements[0].quietness.spread = run.result.measurements[0].seconds.spread();
  return run;
}

TEST(Comparison, JudgesNoisyRunsThatAreClearlyApart) {
  const Change slower = change_of(scattered(1.0), scattered(1.5));
  EXPECT_EQ(slower.outcome, Outcome::slower);
  EXPECT_TRUE(slower.reason.starts_with("OLD was noisy: repeats spread")) << slower.reason;
  EXPECT_EQ(change_of(scattered(1.5), scattered(1.0)).outcome, Outcome::faster);
  EXPECT_EQ(change_of(run_taking(quiet), scattered(1.5)).outcome, Outcome::slower);
  // Where intervals meet, scatter decides nothing.
  EXPECT_EQ(change_of(scattered(1.0), scattered(1.05)).outcome, Outcome::unclear);
  EXPECT_EQ(change_of(scattered(1.0), scattered(1.0)).outcome, Outcome::unclear);
}

TEST(Comparison, BlamesOtherProcessesOnlyForWhatTheyCanCause) {
  RecordedRun disturbed = run_taking(scaled(quiet, 1.5));
  disturbed.result.measurements[0].quietness.foreign_load = 0.5;
  // They make no run faster: neither is the other one slower still, nor this one faster, by them.
  EXPECT_EQ(change_of(disturbed, run_taking(scaled(quiet, 2.0))).outcome, Outcome::slower);
  EXPECT_EQ(change_of(run_taking(scaled(quiet, 2.0)), disturbed).outcome, Outcome::faster);
  EXPECT_EQ(change_of(disturbed, run_taking(quiet)).outcome, Outcome::unclear);
}

TEST(Comparison, LeavesOutNoisyRunsWhereOthersAreQuiet) {
  RecordedRun noisy = run_taking(scaled(quiet, 1.5));
  noisy.result.measurements[0].quietness.foreign_load = 0.5;
  const Comparison comparison =
      compare_runs({run_taking(quiet)}, {noisy, run_taking(quiet)}, threshold);
  EXPECT_EQ(comparison.measurements[0].outcome, Outcome::same);
  EXPECT_EQ(comparison.measurements[0].after.runs, 1);
}

TEST(Comparison, OfAFailedRunIsInvalid) {
  RecordedRun failed = run_taking(quiet);
  failed.result.checks[0].value = 2.0;
  const Comparison comparison = compared(run_taking(quiet), failed);
  EXPECT_EQ(comparison.measurements[0].outcome, Outcome::invalid);
  EXPECT_EQ(comparison.exit_code(), ExitCode::verification_failed);
  RecordedRun incomplete = run_taking(quiet);
  incomplete.result.ended_by = "SIGTERM";
  EXPECT_EQ(compared(run_taking(quiet), incomplete).exit_code(), ExitCode::below_threshold);
  // And an old one is no measure of others.
  EXPECT_THROW(require_fair(compared(failed, run_taking(quiet)), "look"), UsageError);
}

TEST(Comparison, RefusesAnotherMachine) {
  RecordedRun other = run_taking(quiet);
  fact_of(other, "cpu", "model").value = std::string("EPYC");
  const Comparison comparison = compared(run_taking(quiet), other);
  try {
    require_fair(comparison, "add --anyway");
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_STREQ(error.what(),
                 "OLD and NEW cannot be compared: processor: Xeon against EPYC; add --anyway");
  }
}

TEST(Comparison, RefusesStrangers) {
  RecordedRun other = run_taking(quiet);
  other.result.workload = "probe";
  EXPECT_THROW(static_cast<void>(compared(run_taking(quiet), other)), UsageError);
}

TEST(Comparison, IsOfCeilingsToo) {
  const auto run_with = [](double rate) {
    RecordedRun run = run_taking(quiet);
    Ceiling ceiling{.name = "copy, streaming",
                    .bytes_per_second = rate,
                    .seconds = summarise(scaled(quiet, 1e9 / rate)),
                    .rates = {rate, rate},
                    .key = "copy"};
    run.result.measurements[0].ceiling = ceiling;
    return run;
  };
  const Comparison comparison = compared(run_with(100e9), run_with(90e9));
  ASSERT_EQ(comparison.ceilings.size(), 1U);
  EXPECT_NEAR(comparison.ceilings[0].ratio.value, 0.9, 1e-9);
  EXPECT_EQ(comparison.ceilings[0].outcome, Outcome::slower);
  EXPECT_EQ(comparison.measurements[0].outcome, Outcome::same);
  EXPECT_EQ(comparison.exit_code(), ExitCode::below_threshold);
}

/// Samples drawn anew, with replacement, from those of a measurement. Not one of them every time,
/// which can happen where there are three: no run takes the same time to the last digit, and an
/// interval without width says nothing of how intervals are formed.
Measurement resampled(const Measurement& measurement, double factor, std::uint64_t seed) {
  const std::vector<double>& samples = measurement.seconds.samples;
  const auto varies = [](const std::vector<double>& values) {
    return std::ranges::adjacent_find(values, std::ranges::not_equal_to()) != values.end();
  };
  std::vector<double> drawn;
  std::uint64_t draw = 0;
  do {
    drawn.clear();
    for (std::size_t n = 0; n < samples.size(); ++n) {
      drawn.push_back(factor * samples[random_bits(seed, draw++) % samples.size()]);
    }
  } while (varies(samples) && !varies(drawn));
  Measurement again = measurement;
  again.seconds = summarise(drawn);
  return again;
}

constexpr double calm = 0.05;  // a spread of samples that lets a loss of as much be seen

/// Quiet measurements of recorded runs whose repeats do the same work, each in a run of its own,
/// with a spread in [least, most).
std::vector<RecordedRun> recorded_with_spread(double least, double most) {
  std::vector<RecordedRun> found;
  for (const RecordedRun& run : recorded::read_runs(BANKFULL_RECORDED_RESULTS)) {
    if (run.result.workload != "himeno" && run.result.workload != "npb") {
      continue;
    }
    for (const Measurement& m : run.result.measurements) {
      const double spread = m.seconds.spread();
      if (!m.quietness.noisy() && m.seconds.samples.size() >= fewest_samples && spread >= least &&
          spread < most) {
        found.push_back(run);
        found.back().result.measurements = {m};
        found.back().result.measurements[0].ceiling.reset();
      }
    }
  }
  return found;
}

/// How many of `trials` had which outcome, where the times of NEW are multiplied by `factor`.
std::map<Outcome, int> outcomes_of(const std::vector<RecordedRun>& runs, double factor,
                                   int trials) {
  std::map<Outcome, int> outcomes;
  for (int trial = 0; trial < trials; ++trial) {
    RecordedRun before = runs[static_cast<std::size_t>(trial) % runs.size()];
    RecordedRun after = before;
    const auto seed = static_cast<std::uint64_t>(2 * trial);
    Measurement& old_measurement = before.result.measurements[0];
    Measurement& new_measurement = after.result.measurements[0];
    old_measurement = resampled(old_measurement, 1.0, seed);
    new_measurement = resampled(new_measurement, factor, seed + 1);
    ++outcomes[change_of(before, after).outcome];
  }
  return outcomes;
}

TEST(Comparison, RaisesFewFalseAlarms) {
  constexpr int trials = 1000;
  const std::vector<RecordedRun> runs = recorded_with_spread(0.0, 1.0);
  ASSERT_GT(runs.size(), 80U);
  auto outcomes = outcomes_of(runs, 1.0, trials);
  // 95 % intervals allow 2.5 % on the side of a loss; the threshold leaves less of them.
  EXPECT_LE(outcomes[Outcome::slower], trials / 200);
  EXPECT_LE(outcomes[Outcome::faster], trials / 200);
  EXPECT_GE(outcomes[Outcome::same], trials / 2);
}

TEST(Comparison, RaisesFewFalseAlarmsOfScatteredRuns) {
  constexpr int trials = 1000;
  std::vector<RecordedRun> runs = recorded_with_spread(max_quiet_spread, 10.0);
  ASSERT_GT(runs.size(), 2U);
  for (RecordedRun& run : runs) {
    Measurement& measurement = run.result.measurements[0];
    measurement.quietness.spread = measurement.seconds.spread();
  }
  auto outcomes = outcomes_of(runs, 1.0, trials);
  EXPECT_LE(outcomes[Outcome::slower], trials / 100);
  EXPECT_LE(outcomes[Outcome::faster], trials / 100);
  // A loss of a third is found in spite of the scatter, or called unclear, never the same.
  auto lost = outcomes_of(runs, 1.5, trials);
  EXPECT_GE(lost[Outcome::slower], trials / 2);
  EXPECT_EQ(lost[Outcome::slower] + lost[Outcome::unclear], trials);
}

TEST(Comparison, FindsALossOfFivePercentInQuietSamples) {
  constexpr int trials = 500;
  auto outcomes = outcomes_of(recorded_with_spread(0.0, calm), 1.0 / 0.95, trials);
  EXPECT_GE(outcomes[Outcome::slower], 95 * trials / 100);
  EXPECT_EQ(outcomes[Outcome::slower] + outcomes[Outcome::unclear], trials);
}

TEST(Comparison, DoesNotPassOverALossOfFivePercentInOthers) {
  constexpr int trials = 500;
  const std::vector<RecordedRun> runs = recorded_with_spread(calm, 1.0);
  ASSERT_GT(runs.size(), 10U);
  auto outcomes = outcomes_of(runs, 1.0 / 0.95, trials);
  EXPECT_LE(outcomes[Outcome::same] + outcomes[Outcome::faster], trials / 200);
  EXPECT_GT(outcomes[Outcome::unclear], 0);
}

}  // namespace
}  // namespace bankfull::compare
