#include "bankfull/app/thresholds.hpp"

#include "tests/alone.hpp"

#include <gtest/gtest.h>

namespace bankfull {
namespace {

/// One second for 4 GB and 8 Gflop, with a ceiling of 5 GB/s.
Measurement measured(const std::string& name, std::vector<Figure> parameters = {}) {
  return {.name = name,
          .parameters = std::move(parameters),
          .seconds = summarise({1.0}),
          .work = {.traffic = {.bytes_read = 3e9, .bytes_written = 1e9, .flops = 8e9}},
          .ceiling = Ceiling{.name = "copy", .bytes_per_second = 5e9}};
}

ExitCode judged(const RunResult& result, const Thresholds& thresholds) {
  return judge_thresholds(result, thresholds, alone());
}

TEST(Thresholds, AreLeastValues) {
  const RunResult result{.workload = "npb", .problem = {}, .measurements = {measured("npb cg")}};
  EXPECT_EQ(judged(result, {}), ExitCode::ok);
  EXPECT_EQ(judged(result, {.min_gbs = 3.9}), ExitCode::ok);
  EXPECT_EQ(judged(result, {.min_gbs = 4.1}), ExitCode::below_threshold);
  EXPECT_EQ(judged(result, {.min_gflops = 7.9}), ExitCode::ok);
  EXPECT_EQ(judged(result, {.min_gflops = 8.1}), ExitCode::below_threshold);
  EXPECT_EQ(judged(result, {.min_percent = 79.0}), ExitCode::ok);
  EXPECT_EQ(judged(result, {.min_percent = 81.0}), ExitCode::below_threshold);
}

TEST(Thresholds, NeedAFigure) {
  Measurement cached = measured("npb cg");
  cached.cache = CacheFit::partly;
  const RunResult result{.workload = "npb", .problem = {}, .measurements = {cached}};
  EXPECT_THROW(judged(result, {.min_percent = 1.0}), UsageError);
  EXPECT_EQ(judged(result, {.min_gbs = 1.0}), ExitCode::ok);
  const RunResult nothing{.workload = "npb", .problem = {}};
  EXPECT_THROW(judged(nothing, {.min_gflops = 1.0}), UsageError);
}

TEST(Thresholds, AreNotOfStepsAndSmallMessages) {
  const RunResult hpcg{
      .workload = "hpcg",
      .problem = {},
      .measurements = {measured("hpcg"),
                       measured("step", {{.name = "step", .value = std::string("SpMV")}})}};
  EXPECT_TRUE(is_judged(hpcg.measurements[0], hpcg));
  EXPECT_FALSE(is_judged(hpcg.measurements[1], hpcg));
  const RunResult probe{
      .workload = "probe",
      .problem = {},
      .measurements = {
          measured("copy", {{.name = "working_set", .value = 1e9}}),
          measured("latency", {{.name = "stride", .value = std::int64_t{64}}}),
          measured("small", {{.name = "message_size", .value = std::int64_t{8}}}),
          measured("large", {{.name = "message_size", .value = std::int64_t{1 << 20}}})}};
  EXPECT_TRUE(is_judged(probe.measurements[0], probe));
  EXPECT_FALSE(is_judged(probe.measurements[1], probe));
  EXPECT_FALSE(is_judged(probe.measurements[2], probe));
  EXPECT_TRUE(is_judged(probe.measurements[3], probe));
}

}  // namespace
}  // namespace bankfull
