#include "bankfull/app/recorded/recorded_run.hpp"

#include "bankfull/core/base/error.hpp"
#include "bankfull/core/measure/verdict_names.hpp"

#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

namespace bankfull::recorded {
namespace {

namespace fs = std::filesystem;

const fs::path results = BANKFULL_RECORDED_RESULTS;

nlohmann::json document_of(const fs::path& file) {
  std::ifstream in(file);
  return nlohmann::json::parse(in);
}

RunResult example() {
  RunResult result{.workload = "example", .problem = {{.name = "size", .value = std::string("M")}}};
  result.measurements = {
      {.name = "sweep",
       .parameters = {{.name = "stride", .value = std::int64_t{64}, .unit = "B"}},
       .seconds = summarise({2.0, 1.0, 3.0}),
       .work = {.traffic = {.bytes_read = 3e9, .bytes_written = 1e9, .flops = 8e9},
                .model = "three fields read, one written",
                .working_set_bytes = 4e9},
       .ceiling = Ceiling{.name = "copy", .bytes_per_second = 4e9, .rates = {3.9e9, 4e9}},
       .figures = {{.name = "rating", .value = 5.5, .unit = "GFLOPS"},
                   {.name = "verified", .value = true}},
       .notes = {"a note"},
       .cache = CacheFit::partly,
       .quietness = {.spread = 1.0, .foreign_load = 0.5},
       .energy = EnergyUse{.joules = 30.0,
                           .seconds = 6.0,
                           .timed_seconds = 5.5,
                           .uncertainty = 0.02,
                           .covers = "GPU boards",
                           .domains = {{.name = "gpu", .value = 30.0, .unit = "J"}}},
       .throttled = std::vector<ThrottledShare>{{.reason = Throttle::power_cap, .share = 0.5}}}};
  result.machine.parts = {{.kind = "host",
                           .name = "host a",
                           .during = {{.name = "load_average", .min = 1.0, .max = 2.0}},
                           .limits = {"thermally throttled"}}};
  result.series = {{.name = "bandwidth",
                    .x_name = "working set",
                    .x_unit = "B",
                    .y_name = "rate",
                    .y_unit = "B/s",
                    .points = {{1.0, 2.0}, {3.0, 4.0}}}};
  result.checks = {{.name = "gosa", .value = 1.0, .reference = 1.0, .tolerance = 1e-9}};
  result.ended_by = "SIGTERM";
  return result;
}

TEST(RecordedRun, IsTheResultThatWasWritten) {
  const Invocation invocation{
      .command_line = "bankfull example",
      .options = {{"repeat", "3", "command line"}, {"json", "", "default"}}};
  const RecordedRun run = parse_run(to_json(example(), invocation, RankSurvey{}), "a.json");
  EXPECT_EQ(run.command, "bankfull example");
  ASSERT_EQ(run.options.size(), 2U);
  EXPECT_EQ(run.options[0].value, "3");
  EXPECT_EQ(run.options[1].value, "");
  EXPECT_TRUE(fact(run, "cpu", "model").has_value());
  EXPECT_FALSE(fact(run, "cpu", "colour").has_value());
  // What is written again is the same but for the date.
  auto again = nlohmann::json::parse(to_json(run.result, invocation, RankSurvey{}));
  auto before = nlohmann::json::parse(to_json(example(), invocation, RankSurvey{}));
  again["context"].erase("date");
  before["context"].erase("date");
  EXPECT_EQ(again, before);
}

TEST(RecordedRun, ReadsEveryRecordedResult) {
  int read = 0;
  for (const auto& entry : fs::directory_iterator(results)) {
    if (entry.path().extension() != ".json") {
      continue;
    }
    const RecordedRun run = read_run(entry.path());
    const auto document = document_of(entry.path());
    EXPECT_EQ(verdict_names.to_string(run.result.verdict()), document.at("verdict"))
        << entry.path();
    ASSERT_EQ(run.result.measurements.size(), document.at("measurements").size());
    if (run.schema_version == 2) {
      EXPECT_EQ(run.result.noisy(), document.at("quietness") == "noisy") << entry.path();
    }
    for (std::size_t n = 0; n < run.result.measurements.size(); ++n) {
      const auto& recorded = document.at("measurements").at(n);
      const Measurement& m = run.result.measurements[n];
      if (recorded.contains("percent_of_bankfull") && run.schema_version == 2) {
        EXPECT_NEAR(*m.percent_of_bankfull(), recorded.at("percent_of_bankfull").get<double>(),
                    1e-9)
            << entry.path() << " " << m.name;
      }
    }
    EXPECT_FALSE(device_text(run).empty());
    EXPECT_EQ(run.date.size(), std::string("2026-11-23T14:12:32Z").size()) << entry.path();
    ++read;
  }
  EXPECT_GT(read, 100);
}

TEST(RecordedRun, NamesTheFileThatIsNone) {
  for (const std::string text : {"", "[]", "{}", "{\"schema\": \"bankfull/run-result\"}",
                                 "{\"schema\": \"other\", \"schema_version\": 2}",
                                 "{\"schema\": \"bankfull/run-result\", \"schema_version\": 3}"}) {
    try {
      static_cast<void>(parse_run(text, "some.json"));
      FAIL() << text;
    } catch (const UsageError& error) {
      EXPECT_TRUE(std::string(error.what()).starts_with("some.json ")) << error.what();
      EXPECT_EQ(std::string(error.what()).find("json.exception"), std::string::npos)
          << error.what();
    }
  }
  EXPECT_THROW(static_cast<void>(read_runs("no-such-folder")), UsageError);
}

/// A folder of its own with some files, by name and text.
class FolderOf {
 public:
  explicit FolderOf(const std::vector<std::pair<std::string, std::string>>& files)
      : path(fs::path(testing::TempDir()) / fmt::format("recorded-{}", getpid())) {
    fs::create_directory(path);
    for (const auto& [name, text] : files) {
      std::ofstream(path / name) << text;
    }
  }
  ~FolderOf() { fs::remove_all(path); }
  FolderOf(const FolderOf&) = delete;
  FolderOf& operator=(const FolderOf&) = delete;

  const fs::path path;
};

TEST(RecordedRun, LeavesOutWhatCannotBeReadOfAFolder) {
  const std::string good = to_json(example(), Invocation{}, RankSurvey{});
  const auto changed = [&](const auto& change) {
    auto document = nlohmann::json::parse(good);
    change(document);
    return document.dump();
  };
  const FolderOf folder(
      {{"a-good.json", good},
       {"b-cut.json", good.substr(0, good.size() / 2)},
       {"c-type.json", changed([](auto& d) { d["measurements"][0]["timing"]["median"] = "x"; })},
       {"d-missing.json", changed([](auto& d) { d.erase("problem"); })},
       {"e-new.json", changed([](auto& d) { d["schema_version"] = 99; })},
       {"f-machine.json", changed([](auto& d) { d["machine_state"] = 1; })},
       {"g-other.json", "{\"schema\": \"other\"}"},
       {"h-other.json", "no JSON"}});
  std::vector<std::string> told;
  const auto runs =
      read_runs(folder.path, [&](const std::string& message) { told.push_back(message); });
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs[0].file.filename(), "a-good.json");
  const std::string unreadable = "cannot be read as a result of bankfull: ";
  const std::vector<std::pair<std::string, std::string>> expected{
      {"b-cut.json", unreadable + "it is cut off, or no JSON"},
      {"c-type.json", unreadable + "a part is missing, or of a wrong type"},
      {"d-missing.json", unreadable + "a part is missing, or of a wrong type"},
      {"e-new.json", "has schema version 99; this program reads 1 to 2"},
      {"f-machine.json", unreadable + "a part is missing, or of a wrong type"}};
  ASSERT_EQ(told.size(), expected.size());
  for (std::size_t n = 0; n < told.size(); ++n) {
    EXPECT_EQ(told[n], fmt::format("{} {}; it is left out",
                                   (folder.path / expected[n].first).string(), expected[n].second));
  }
}

TEST(RecordedRun, RefusesAFolderOfWhichNothingCanBeRead) {
  const std::vector<std::pair<std::string, std::string>> cut{
      {"cut.json", "{\"schema\": \"bankfull/run-result\","}};
  const FolderOf folder(cut);
  int told = 0;
  EXPECT_THROW(static_cast<void>(read_runs(folder.path, [&](const std::string&) { ++told; })),
               UsageError);
  EXPECT_EQ(told, 1);
}

TEST(RecordedRun, NamesTheFileWhoseMachineIsNone) {
  const nlohmann::json good = nlohmann::json::parse(to_json(example(), {}, RankSurvey{}));
  for (const char* state :
       {"5", "null", "\"a\"", "[]", "{}", "{\"parts\": 5}", "{\"parts\": null}", "{\"parts\": [7]}",
        "{\"parts\": [{\"kind\": 1, \"name\": \"a\"}]}",
        "{\"parts\": [{\"kind\": \"gpu\", \"name\": \"a\", \"limits\": 3}]}",
        "{\"parts\": [{\"kind\": \"gpu\", \"name\": \"a\", \"counted\": 3}]}"}) {
    nlohmann::json document = good;
    document["machine_state"] = nlohmann::json::parse(state);
    try {
      static_cast<void>(parse_run(document.dump(), "some.json"));
      FAIL() << state;
    } catch (const UsageError& error) {
      const std::string text = error.what();
      EXPECT_TRUE(text.starts_with("some.json cannot be read as a result of bankfull: ")) << text;
      EXPECT_EQ(text.find("json.exception"), std::string::npos) << text;
    }
  }
}

}  // namespace
}  // namespace bankfull::recorded
