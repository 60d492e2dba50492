#include "bankfull/core/measure/run_result.hpp"

#include "bankfull/core/measure/run_result_json.hpp"

#include <cstdlib>
#include <gtest/gtest.h>
#include <limits>
#include <nlohmann/json.hpp>

namespace bankfull {
namespace {

RunResult example() {
  RunResult result{.workload = "example"};
  result.problem = {{.name = "size", .value = std::int64_t{64}, .unit = "cells"}};
  result.measurements = {
      {.name = "sweep",
       .parameters = {},
       .seconds = summarise({2.0, 1.0, 3.0}),
       .work = {.traffic = {.bytes_read = 30.0, .bytes_written = 10.0, .flops = 8.0},
                .model = "4 words per cell"},
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

TEST(Measurement, WithoutTrafficHasNoRatesAndNoPercentage) {
  Measurement m = example().measurements.front();
  m.work = {};
  EXPECT_FALSE(m.bytes_per_second().has_value());
  EXPECT_FALSE(m.flops_per_second().has_value());
  EXPECT_FALSE(m.percent_of_bankfull().has_value());
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

TEST(RunResult, ACoarseGridIsAVerdictOfItsOwn) {
  RunResult result = example();
  EXPECT_EQ(result.verdict(), Verdict::verified);
  result.resolution.push_back({.name = "cells", .value = 4.0, .tolerance = 3.0});
  EXPECT_EQ(result.verdict(), Verdict::under_resolved);
  EXPECT_EQ(nlohmann::json::parse(to_json(result, {}, {}))["verdict"], "under-resolved");
  result.checks.push_back({.name = "bad", .value = 2.0, .reference = 1.0, .tolerance = 0.1});
  EXPECT_EQ(result.verdict(), Verdict::failed);
  result.checks.clear();
  EXPECT_EQ(result.verdict(), Verdict::none);
}

TEST(RunResultJson, CarriesOptionsEnvironmentAndAffinity) {
  ASSERT_EQ(setenv("BANKFULL_EXAMPLE", "a=b", 1), 0);
  ASSERT_EQ(setenv("OMPI_MCA_initial_wdir", "/home/somebody", 1), 0);
  const Invocation invocation{.options = {{.name = "size", .value = "M", .source = "environment"},
                                          {.name = "json", .value = "", .source = "default"}}};
  const auto context = nlohmann::json::parse(context_to_json(invocation, {}))["context"];
  unsetenv("BANKFULL_EXAMPLE");
  unsetenv("OMPI_MCA_initial_wdir");
  EXPECT_EQ(context["options"]["size"]["value"], "M");
  EXPECT_EQ(context["options"]["size"]["source"], "environment");
  EXPECT_TRUE(context["options"]["json"]["value"].is_null());
  EXPECT_EQ(context["environment"]["BANKFULL_EXAMPLE"], "a=b");
  EXPECT_FALSE(context["environment"].contains("PATH"));
  EXPECT_FALSE(context["environment"].contains("OMPI_MCA_initial_wdir"));
  EXPECT_FALSE(context["process"]["affinity"]["value"].get<std::string>().empty());
}

TEST(Measurement, SpreadIsOfRepeatsOfTheSameWork) {
  Measurement m = example().measurements.front();
  EXPECT_FALSE(m.spread().has_value()) << "the repeats differ in work";
  m.quietness.spread = m.seconds.spread();
  EXPECT_EQ(m.spread(), 1.0);
  m.seconds = summarise({1.0});
  EXPECT_FALSE(m.spread().has_value()) << "one repeat";
}

TEST(RunResultJson, CarriesEnergyAndTheMachine) {
  RunResult result = example();
  auto json = nlohmann::json::parse(to_json(result, {}, {}));
  EXPECT_FALSE(json.contains("machine_state"));
  EXPECT_FALSE(json["measurements"][0].contains("energy"));
  Measurement& m = result.measurements.front();
  m.energy = EnergyUse{.joules = 30.0,
                       .seconds = 6.0,
                       .timed_seconds = 5.5,
                       .uncertainty = 0.02,
                       .covers = "GPU boards",
                       .domains = {{.name = "gpu", .value = 30.0, .unit = "J"}}};
  m.throttled = std::vector<ThrottledShare>{{.reason = Throttle::power_cap, .share = 0.5}};
  result.machine.parts = {
      {.kind = "gpu", .name = "GPU 0", .limits = {"power-capped"}, .is_throttling_known = true}};
  json = nlohmann::json::parse(to_json(result, {}, {}));
  const auto& energy = json["measurements"][0]["energy"];
  EXPECT_EQ(energy["watts"], 5.0);
  EXPECT_EQ(energy["joules_per_repeat"], 10.0) << "the median is 2 s";
  EXPECT_EQ(energy["flops_per_joule"], 0.8);
  EXPECT_EQ(energy["domains"]["gpu"]["value"], 30.0);
  EXPECT_EQ(json["measurements"][0]["throttled"]["power-capped"], 0.5);
  EXPECT_EQ(json["machine_state"]["verdict"], "power-capped");
  EXPECT_EQ(json["machine_state"]["parts"][0]["name"], "GPU 0");
}

TEST(RunResultJson, CarriesPhasesIfThereAreAny) {
  RunResult result = example();
  EXPECT_FALSE(nlohmann::json::parse(to_json(result, {}, {})).contains("phases"));
  result.phases = {{.name = "starting", .seconds = 0.5}, {.name = "timed sets", .seconds = 2.0}};
  const auto phases = nlohmann::json::parse(to_json(result, {}, {}))["phases"];
  ASSERT_EQ(phases.size(), 2U);
  EXPECT_EQ(phases[1]["name"], "timed sets");
  EXPECT_EQ(phases[1]["seconds"], 2.0);
}

TEST(RunResultJson, SaysWhyEnergyIsUnknownInsteadOfAFigure) {
  RunResult result = example();
  result.measurements.front().energy = EnergyUse{.seconds = 6.0, .unknown_because = "too short"};
  const auto json = nlohmann::json::parse(to_json(result, {}, {}));
  const auto& energy = json["measurements"][0]["energy"];
  EXPECT_EQ(energy["unknown_because"], "too short");
  EXPECT_FALSE(energy.contains("joules"));
  EXPECT_FALSE(energy.contains("watts"));
}

TEST(RunResultJson, CarriesFiguresAndContext) {
  const auto json =
      nlohmann::json::parse(to_json(example(), {.command_line = "bankfull example"}, {}));
  EXPECT_EQ(json["schema_version"], run_result_schema_version);
  EXPECT_EQ(json["verdict"], "verified");
  EXPECT_EQ(json["quietness"], "quiet");
  EXPECT_EQ(json["context"]["command"], "bankfull example");
  EXPECT_TRUE(json["context"].contains("cpu"));
  EXPECT_EQ(json["problem"]["size"]["value"], 64);
  EXPECT_EQ(json["measurements"][0]["timing"]["median"], 2.0);
  EXPECT_EQ(json["measurements"][0]["percent_of_bankfull"], 80.0);
  EXPECT_EQ(json["verification"][0]["passed"], true);
}

}  // namespace
}  // namespace bankfull
