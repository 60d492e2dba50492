#include "bankfull/core/measure/known_ceilings.hpp"

#include "bankfull/core/base/error.hpp"
#include "bankfull/core/measure/context.hpp"
#include "bankfull/core/measure/run_result_json.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace bankfull {
namespace {

const std::string home = ceiling_home(Device::cpu(), 2, 1);

RunResult run_with_ceiling() {
  RunResult result{.workload = "example"};
  result.problem = {{.name = "device", .value = std::string("cpu")},
                    {.name = "threads", .value = std::int64_t{2}}};
  result.measurements = {{.name = "sweep",
                          .parameters = {},
                          .seconds = summarise({1.0}),
                          .ceiling = Ceiling{.name = "copy",
                                             .bytes_per_second = 25.0,
                                             .working_set_bytes = 100.0,
                                             .seconds = summarise({4.0}),
                                             .rates = {20.0, 25.0},
                                             .key = "1 read : 1 write, fp64"}}};
  return result;
}

nlohmann::json recorded(const RunResult& result = run_with_ceiling()) {
  return nlohmann::json::parse(to_json(result, {}, {}));
}

/// What is said of a file with this text.
std::string refusal(const std::string& text, const std::string& here = home) {
  try {
    static_cast<void>(parse_ceilings(text, "file.json", here));
  } catch (const UsageError& error) {
    return error.what();
  }
  return {};
}

TEST(KnownCeilings, AreThoseOfTheResult) {
  const std::vector<Ceiling> ceilings = parse_ceilings(recorded().dump(), "file.json", home);
  ASSERT_EQ(ceilings.size(), 1U);
  const Ceiling& ceiling = ceilings.front();
  EXPECT_EQ(ceiling.key, "1 read : 1 write, fp64");
  EXPECT_EQ(ceiling.bytes_per_second, 25.0);
  EXPECT_EQ(ceiling.drift(), 0.2);
  EXPECT_EQ(ceiling.source, "file.json");
}

TEST(KnownCeilings, OfAnotherMachineAreRefusedByBothNames) {
  for (const std::string& other : {ceiling_home(Device::cpu(), 1, 1),
                                   ceiling_home(Device::cpu(), 2, 4), std::string("a Cray")}) {
    const std::string said = refusal(recorded().dump(), other);
    EXPECT_NE(said.find(home), std::string::npos) << said;
    EXPECT_NE(said.find(other), std::string::npos) << said;
  }
}

TEST(KnownCeilings, OfAGpuAreKnownByItsName) {
  nlohmann::json document = recorded();
  document["problem"]["device"]["value"] = "cuda:1";
  document["context"]["gpu1"]["name"]["value"] = "a GPU";
  document["context"]["system"]["host"]["value"] = "here";
  EXPECT_EQ(parse_ceilings(document.dump(), "file.json", "GPU a GPU of host here, 1 rank").size(),
            1U);
}

TEST(KnownCeilings, OfAnotherHostAreRefused) {
  nlohmann::json document = recorded();
  document["context"]["system"]["host"]["value"] = "elsewhere";
  EXPECT_NE(refusal(document.dump()).find("elsewhere"), std::string::npos);
}

TEST(KnownCeilings, OfSeveralNumbersOfRanksAreRefused) {
  RunResult scaling = run_with_ceiling();
  scaling.measurements.push_back(scaling.measurements.front());
  EXPECT_EQ(refusal(recorded(scaling).dump()), "") << "the same ceiling twice is one";
  Ceiling other = scaling.measurements.back().ceiling.value_or(Ceiling{});
  other.bytes_per_second = 50.0;
  other.rates = {50.0};
  scaling.measurements.back().ceiling = other;
  EXPECT_NE(refusal(recorded(scaling).dump()).find("several ceilings"), std::string::npos);
}

TEST(KnownCeilings, TakenFromAFileOrNotOfTheirRatesAreRefused) {
  nlohmann::json document = recorded();
  document["measurements"][0]["ceiling"]["source"] = "other.json";
  EXPECT_NE(refusal(document.dump()).find("other.json"), std::string::npos);
  document = recorded();
  document["measurements"][0]["ceiling"]["bytes_per_second"] = 1e-300;
  EXPECT_NE(refusal(document.dump()).find("no rate"), std::string::npos);
}

TEST(KnownCeilings, WhatIsNoSuchResultIsRefused) {
  for (const char* text : {"", "no JSON", "[]", "3", "{\"schema\": \"bankfull/context\"}"}) {
    EXPECT_NE(refusal(text).find("--ceiling file.json"), std::string::npos) << text;
  }
  nlohmann::json document = recorded();
  document["schema_version"] = 1;
  EXPECT_NE(refusal(document.dump()).find("schema version 1, not 2"), std::string::npos);
  document = recorded();
  document["measurements"][0]["ceiling"].erase("key");
  EXPECT_NE(refusal(document.dump()).find("cannot be read"), std::string::npos);
  document = recorded();
  document["measurements"][0]["ceiling"]["bytes_per_second"] = -1.0;
  EXPECT_NE(refusal(document.dump()).find("has no rate"), std::string::npos);
  RunResult without = run_with_ceiling();
  without.measurements.front().ceiling.reset();
  EXPECT_NE(refusal(recorded(without).dump()).find("holds no ceiling"), std::string::npos);
}

TEST(RangesText, JoinsNeighbours) {
  EXPECT_EQ(ranges_text({}), "");
  EXPECT_EQ(ranges_text({3}), "3");
  EXPECT_EQ(ranges_text({0, 1, 2, 3, 8, 10, 11}), "0-3,8,10-11");
}

}  // namespace
}  // namespace bankfull
