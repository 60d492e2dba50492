#include "bankfull/core/measure/run_result.hpp"

#include "bankfull/core/measure/run_result_json.hpp"

#include <gtest/gtest.h>
#include <limits>
#include <nlohmann/json.hpp>

namespace bankfull {
namespace {

RunResult example() {
  RunResult result{.workload = "example"};
  result.problem = {{.name = "size", .value = std::int64_t{64}, .unit = "cells"}};
  result.measurements = {{.name = "sweep",
                          .parameters = {},
                          .seconds = summarise({2.0, 1.0, 3.0}),
                          .traffic = {.bytes_read = 30.0, .bytes_written = 10.0, .flops = 8.0},
                          .traffic_model = "4 words a cell",
                          .ceiling = Ceiling{.name = "copy",
                                             .bytes_per_second = 25.0,
                                             .working_set_bytes = 100.0,
                                             .seconds = summarise({4.0})}}};
  result.checks = {
      {.name = "sum", .value = 1.01, .reference = 1.0, .tolerance = 0.02, .source = "closed form"}};
  return result;
}

TEST(Measurement, RatesComeFromTheMedian) {
  const Measurement m = example().measurements.front();
  EXPECT_EQ(m.bytes_per_second(), 20.0);
  EXPECT_EQ(m.flops_per_second(), 4.0);
  EXPECT_EQ(m.percent_of_bankfull(), 80.0);
}

TEST(Check, ToleranceIsRelativeUnlessTheReferenceIsZero) {
  EXPECT_TRUE((Check{.name = "", .value = 101.0, .reference = 100.0, .tolerance = 0.01}).passed());
  EXPECT_FALSE((Check{.name = "", .value = 103.0, .reference = 100.0, .tolerance = 0.01}).passed());
  EXPECT_TRUE((Check{.name = "", .value = 0.005, .reference = 0.0, .tolerance = 0.01}).passed());
}

TEST(Check, NotANumberNeverPasses) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE((Check{.name = "", .value = nan, .reference = 1.0, .tolerance = 1.0}).passed());
  EXPECT_FALSE((Check{.name = "", .value = nan, .reference = 0.0, .tolerance = 1.0}).passed());
}

TEST(RunResult, OneFailedCheckFailsTheRun) {
  RunResult result = example();
  EXPECT_TRUE(result.verified());
  result.checks.push_back({.name = "bad", .value = 2.0, .reference = 1.0, .tolerance = 0.1});
  EXPECT_FALSE(result.verified());
}

TEST(RunResultJson, CarriesFiguresAndContext) {
  const auto json = nlohmann::json::parse(to_json(example(), "bankfull example", {}));
  EXPECT_EQ(json["schema_version"], run_result_schema_version);
  EXPECT_EQ(json["verdict"], "verified");
  EXPECT_EQ(json["context"]["command"], "bankfull example");
  EXPECT_TRUE(json["context"].contains("cpu"));
  EXPECT_EQ(json["problem"]["size"]["value"], 64);
  EXPECT_EQ(json["measurements"][0]["timing"]["median"], 2.0);
  EXPECT_EQ(json["measurements"][0]["percent_of_bankfull"], 80.0);
  EXPECT_EQ(json["verification"][0]["passed"], true);
}

}  // namespace
}  // namespace bankfull
