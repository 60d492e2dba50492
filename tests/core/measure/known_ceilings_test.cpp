#include "bankfull/core/measure/known_ceilings.hpp"

#include "bankfull/core/base/error.hpp"
#include "bankfull/core/base/format.hpp"
#include "bankfull/core/measure/context.hpp"
#include "bankfull/core/measure/run_result_json.hpp"
#include "tests/alone.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace bankfull {
namespace {

/// One rank.
const CeilingHome home = ceiling_home(alone(), Device::cpu(), 2);

/// Two on one node.
const CeilingHome uneven{.devices = {"CPU X of host h, 2 threads", "CPU X of host h, 3 threads"}};

RunResult run_with_ceiling() {
  RunResult result{.workload = "example"};
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

nlohmann::json recorded(const RunResult& result = run_with_ceiling(),
                        const CeilingHome& where = home) {
  return nlohmann::json::parse(
      to_json(result, {}, {.nodes = where.nodes, .devices = where.devices}));
}

/// The message for a file with this text.
std::string refusal(const std::string& text, const CeilingHome& here = home) {
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
  const CeilingHome other{.devices = {"GPU Y of host h"}};
  const std::string said = refusal(recorded().dump(), other);
  EXPECT_NE(said.find("is of " + home.devices.front() + ", but this run is on GPU Y of host h"),
            std::string::npos)
      << said;
}

TEST(KnownCeilings, OfAnotherTeamAreRefused) {
  EXPECT_NE(refusal(recorded().dump(), ceiling_home(alone(), Device::cpu(), 1)).find(", 1 thread;"),
            std::string::npos);
}

TEST(KnownCeilings, OfRanksThatDifferAreMatchedRankByRank) {
  const std::string text = recorded(run_with_ceiling(), uneven).dump();
  EXPECT_EQ(parse_ceilings(text, "file.json", uneven).size(), 1U);
  const CeilingHome swapped{.devices = {uneven.devices[0], uneven.devices[0]}};
  EXPECT_NE(
      refusal(text, swapped)
          .find("is of CPU X of host h, 3 threads, but rank 1 is on CPU X of host h, 2 threads"),
      std::string::npos)
      << refusal(text, swapped);
}

TEST(KnownCeilings, OfOtherNumbersOfRanksOrNodesAreRefused) {
  CeilingHome spread = uneven;
  spread.nodes = 2;
  const std::string text = recorded(run_with_ceiling(), uneven).dump();
  EXPECT_NE(refusal(text, spread).find("2 ranks on 1 node, but this run has 2 ranks on 2 nodes"),
            std::string::npos)
      << refusal(text, spread);
  EXPECT_NE(refusal(text).find("2 ranks on 1 node, but this run has 1 rank on 1 node"),
            std::string::npos)
      << refusal(text);
}

TEST(KnownCeilings, ThatDoNotSayWhereTheyWereMeasuredAreRefused) {
  nlohmann::json document = recorded();
  document["context"]["ranks"].erase("devices");
  EXPECT_NE(refusal(document.dump()).find("cannot be read"), std::string::npos);
}

TEST(KnownCeilings, OfPartsOfTheRanksAreRefused) {
  RunResult scaling = run_with_ceiling();
  scaling.workload = "scaling himeno";
  EXPECT_NE(refusal(recorded(scaling).dump()).find("scaling run"), std::string::npos);
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
