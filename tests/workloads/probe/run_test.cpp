#include "bankfull/workloads/probe/run.hpp"

#include "bankfull/core/base/bytes.hpp"
#include "bankfull/workloads/probe/bandwidth.hpp"
#include "tests/alone.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace bankfull::probe {
namespace {

Problem tiny(Part part) {
  Problem problem;
  problem.part = part;
  problem.threads = 2;
  problem.quick = true;
  problem.repeats = 2;
  problem.precisions = {Precision::fp32};
  problem.operations = {StreamOperation::copy, StreamOperation::mix};
  problem.mix_reads = {2};
  problem.working_set_from = 64 * kib;
  problem.working_set_to = mib;
  problem.n_copy = {1, 3};
  problem.strides = {64, 4096};
  problem.pages = {HostPages::small};
  problem.footprint_to = 256 * kib;
  return problem;
}

RunResult run_alone(const Problem& problem) {
  NoProgress progress;
  return run(make_plan(problem, alone()), {.ranks = alone(), .progress = progress});
}

/// A run of everything that one rank can probe.
const RunResult& tiny_run() {
  static const RunResult result = run_alone(tiny(Part::all));
  return result;
}

bool has_series(const RunResult& result, const std::string& start) {
  return std::any_of(result.series.begin(), result.series.end(),
                     [&](const Series& series) { return series.name.starts_with(start); });
}

TEST(ProbeRun, BandwidthIsMeasuredAndVerified) {
  const RunResult result = run_alone(tiny(Part::bandwidth));
  EXPECT_EQ(result.workload, "probe");
  EXPECT_FALSE(result.checks.empty());
  EXPECT_TRUE(result.verified());
  EXPECT_TRUE(has_series(result, "bandwidth, copy, fp32"));
  EXPECT_TRUE(has_series(result, "bandwidth by threads, "));
  EXPECT_TRUE(has_series(result, "bandwidth by concurrent streams, "));
  EXPECT_FALSE(has_series(result, "latency"));
  ASSERT_FALSE(result.measurements.empty());
  for (const Measurement& measurement : result.measurements) {
    EXPECT_GT(measurement.bytes_per_second().value_or(0.0), 1e6) << measurement.name;
  }
  for (const Series& series : result.series) {
    EXPECT_FALSE(series.points.empty()) << series.name;
    EXPECT_TRUE(std::is_sorted(series.points.begin(), series.points.end(),
                               [](const auto& a, const auto& b) { return a.first < b.first; }))
        << series.name;
  }
}

TEST(ProbeRun, ACacheIsNotCalledMemory) {
  if (last_cache_bytes(Device::cpu()) < 2 * mib) {
    GTEST_SKIP() << "the last cache is unknown or small";
  }
  for (const Measurement& m : tiny_run().measurements) {
    const auto is_memory = [](const std::string& note) {
      return note.find("memory") != std::string::npos;
    };
    const bool is_ceiling = m.name.starts_with("ceiling");
    EXPECT_TRUE(is_ceiling || m.cache == CacheFit::inside) << m.name;
    EXPECT_TRUE(is_ceiling || !m.ceiling) << m.name;
    EXPECT_TRUE(std::none_of(m.notes.begin(), m.notes.end(), is_memory)) << m.name;
  }
}

TEST(ProbeRun, WithoutTimeMeasuresOnePointOfATeam) {
  Problem problem = complete(tiny(Part::bandwidth));
  problem.team_sizes = {1, 2};
  NoProgress progress;
  RunResult result;
  measure_team_sizes(problem, TimeBudget(0.0), {.ranks = alone(), .progress = progress}, result);
  ASSERT_EQ(result.series.size(), 1U);  // of many patterns the first
  EXPECT_EQ(result.series[0].points.size(), 2U);
  const auto left_out = 2 * (patterns(problem).size() - 1);
  EXPECT_EQ(result.notes,
            std::vector<std::string>{"left out to save time (--full measures all): " +
                                     std::to_string(left_out) + " points of bandwidth by threads"});
}

TEST(ProbeRun, CurvesAreOfOnePrecisionUnlessTheProbeIsFull) {
  Problem problem = tiny(Part::bandwidth);
  problem.precisions = {Precision::fp32, Precision::fp64};
  const RunResult usual = run_alone(problem);
  EXPECT_FALSE(has_series(usual, "bandwidth, copy, fp32"));
  EXPECT_TRUE(has_series(usual, "bandwidth, copy, fp64"));
  ASSERT_FALSE(usual.measurements.empty());
  EXPECT_EQ(usual.measurements.front().name, "copy, fp32") << "figures are of both";
  ASSERT_EQ(usual.notes.size(), 1U) << "one line tells all of it";
  EXPECT_TRUE(usual.notes.front().starts_with(
      "left out to save time (--full measures all): bandwidth by working set in fp32, "));
  problem.quick = false;
  problem.full = true;
  const RunResult full = run_alone(problem);
  EXPECT_TRUE(has_series(full, "bandwidth, copy, fp32"));
  EXPECT_TRUE(has_series(full, "bandwidth by concurrent streams, copy, fp32"));
  EXPECT_TRUE(full.notes.empty());
}

TEST(ProbeRun, EveryMeasurementRecordsHowQuietTheMachineWas) {
  const double load = LoadWatch().so_far(alone()).load_before;
  for (const Measurement& m : tiny_run().measurements) {
    EXPECT_EQ(m.quietness.load_before > 0.0, load > 0.0) << m.name;
    EXPECT_EQ(m.quietness.spread, m.seconds.spread()) << m.name;
    EXPECT_TRUE(m.quietness.on_cpu) << m.name;
  }
}

TEST(ProbeRun, PassesAreComparedWithTheCeilingOfTheirMix) {
  Problem problem = tiny(Part::bandwidth);
  problem.operations = {StreamOperation::mix};
  problem.stores = Stores::ordinary;
  NoProgress progress;
  const RunResult result =
      run(make_plan(problem, alone()),
          {.ranks = alone(),
           .progress = progress,
           .policy = {.ceiling = CeilingRule::always, .ceiling_bytes = 64 * mib}});
  ASSERT_EQ(result.measurements.size(), 2U);  // the mix, and its ceiling again
  for (const Measurement& m : result.measurements) {
    ASSERT_TRUE(m.ceiling.has_value()) << m.name;
    EXPECT_EQ(m.ceiling.value_or(Ceiling{}).key, "2 read : 1 write, fp32");
  }
}

TEST(ProbeRun, LatencyIsMeasuredAndVerified) {
  const RunResult result = run_alone(tiny(Part::latency));
  ASSERT_EQ(result.series.size(), 2U);
  EXPECT_EQ(result.series[0].name, "latency, stride 64 B, small pages");
  EXPECT_EQ(result.series[1].name, "latency, stride 4 KiB, small pages");
  for (const auto& [footprint, latency] : result.series[0].points) {
    EXPECT_GT(latency, 0.1);
    EXPECT_LT(latency, 10000.0);
  }
  for (const Measurement& m : result.measurements) {
    EXPECT_FALSE(m.percent_of_bankfull().has_value()) << m.name;
  }
  ASSERT_EQ(result.checks.size(), 1U);
  EXPECT_TRUE(result.verified());
}

TEST(ElementsOf, AreWholeBlocksForEveryThread) {
  const StreamPattern triad{.operation = StreamOperation::triad};
  EXPECT_EQ(elements_of(triad, 24000, 1), 992);
  EXPECT_EQ(elements_of(triad, 1, 4), 64);
  EXPECT_EQ(
      elements_of({.operation = StreamOperation::read, .precision = Precision::fp32}, 4096, 1),
      1024);
}

}  // namespace
}  // namespace bankfull::probe
