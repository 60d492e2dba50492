#include "bankfull/workloads/probe/run.hpp"

#include "bankfull/core/base/bytes.hpp"
#include "bankfull/workloads/probe/bandwidth.hpp"

#include <algorithm>
#include <gtest/gtest.h>

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

bool has_series(const RunResult& result, const std::string& start) {
  return std::any_of(result.series.begin(), result.series.end(),
                     [&](const Series& series) { return series.name.starts_with(start); });
}

TEST(ProbeRun, BandwidthIsMeasuredAndVerified) {
  NoProgress progress;
  const RunResult result = run(tiny(Part::bandwidth), *make_self_communicator(), progress);
  EXPECT_EQ(result.workload, "probe");
  EXPECT_FALSE(result.checks.empty());
  EXPECT_TRUE(result.verified());
  EXPECT_TRUE(has_series(result, "bandwidth, copy, fp32"));
  EXPECT_TRUE(has_series(result, "bandwidth by threads, "));
  EXPECT_TRUE(has_series(result, "bandwidth by concurrent streams, "));
  EXPECT_FALSE(has_series(result, "latency"));
  ASSERT_FALSE(result.measurements.empty());
  for (const Measurement& measurement : result.measurements) {
    EXPECT_GT(measurement.bytes_per_second(), 1e6) << measurement.name;
  }
  EXPECT_TRUE(result.measurements.front().fits_cache);
  for (const Series& series : result.series) {
    EXPECT_FALSE(series.points.empty()) << series.name;
    EXPECT_TRUE(std::is_sorted(series.points.begin(), series.points.end(),
                               [](const auto& a, const auto& b) { return a.first < b.first; }))
        << series.name;
  }
}

TEST(ProbeRun, LatencyIsMeasuredAndVerified) {
  NoProgress progress;
  const RunResult result = run(tiny(Part::latency), *make_self_communicator(), progress);
  ASSERT_EQ(result.series.size(), 2U);
  EXPECT_EQ(result.series[0].name, "latency, stride 64 B, small pages");
  EXPECT_EQ(result.series[1].name, "latency, stride 4 KiB, small pages");
  for (const auto& [footprint, latency] : result.series[0].points) {
    EXPECT_GT(latency, 0.1);
    EXPECT_LT(latency, 10000.0);
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
