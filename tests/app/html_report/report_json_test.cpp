#include "bankfull/app/html_report/report_json.hpp"

#include "bankfull/app/html_report/base64.hpp"
#include "bankfull/app/html_report/comparisons.hpp"
#include "bankfull/app/html_report/histories.hpp"
#include "bankfull/app/html_report/kernels.hpp"
#include "bankfull/app/html_report/machines.hpp"
#include "bankfull/app/html_report/page.hpp"
#include "bankfull/app/html_report/pictures.hpp"
#include "bankfull/app/html_report/verdicts.hpp"
#include "bankfull/core/base/error.hpp"

#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

namespace bankfull::html_report {
namespace {

namespace fs = std::filesystem;

const fs::path results = BANKFULL_RECORDED_RESULTS;

Measurement sweep(double seconds) {
  return {.name = "sweep",
          .parameters = {{.name = "size", .value = std::string("M")},
                         {.name = "iterations", .value = std::int64_t{7}}},
          .seconds = summarise({seconds, 1.01 * seconds, 0.99 * seconds}),
          .work = {.traffic = {.bytes_read = 3e9, .bytes_written = 1e9, .flops = 8e9}},
          .ceiling = Ceiling{.name = "copy", .bytes_per_second = 8e9}};
}

ReportRun run_of(const Measurement& measurement, const std::string& host = "node") {
  ReportRun one;
  one.run.file = "a.json";
  one.run.context = {{"system", "", {{.name = "host", .value = host}}},
                     {"cpu", "", {{.name = "model", .value = std::string("CPU of a kind")}}}};
  one.run.result = {.workload = "example",
                    .problem = {{.name = "device", .value = std::string("cpu")}},
                    .measurements = {measurement},
                    .checks = {{.name = "gosa", .value = 1.0, .reference = 1.0, .tolerance = 0.1}}};
  return one;
}

/// What takes its place in a folder of its own.
class Folder : public testing::Test {
 protected:
  Folder() : path_(fs::temp_directory_path() / ("report-test-" + std::to_string(getpid()))) {
    fs::create_directories(path_ / "slices");
  }
  ~Folder() override { fs::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  void write(const fs::path& name, const std::string& text) const {
    std::ofstream(path_ / name, std::ios::binary) << text;
  }

  fs::path path_;
};

TEST(Base64, IsThatOfRfc4648) {
  EXPECT_EQ(base64(""), "");
  EXPECT_EQ(base64("f"), "Zg==");
  EXPECT_EQ(base64("fo"), "Zm8=");
  EXPECT_EQ(base64("foobar"), "Zm9vYmFy");
  EXPECT_EQ(base64("\xff\xfe"), "//4=");
}

TEST(Verdicts, TellTheWorstFirst) {
  ReportRun good = run_of(sweep(1.0));
  ReportRun bad = good;
  bad.run.result.checks.front().value = 2.0;
  ReportRun noisy = good;
  noisy.run.result.measurements.front().quietness.spread = 0.5;
  ReportRun ended = good;
  ended.run.result.ended_by = "SIGTERM";
  EXPECT_EQ(overall(counts_of({good})), "verified");
  EXPECT_EQ(sentence(counts_of({good})), "The run is verified.");
  EXPECT_EQ(overall(counts_of({good, noisy})), "noisy");
  EXPECT_EQ(overall(counts_of({good, noisy, ended})), "incomplete");
  EXPECT_EQ(overall(counts_of({noisy, bad})), "failed");
  EXPECT_EQ(sentence(counts_of({good, bad})),
            "1 of 2 runs failed its verification. 1 of 2 runs is verified.");
  const auto faults = faults_of({.runs = {good, noisy, bad}});
  ASSERT_EQ(faults.size(), 2U);
  EXPECT_EQ(faults[0].run, 2U);
  EXPECT_EQ(faults[0].text, "Verification failed: gosa is 2, not 1 to within 10 %.");
  EXPECT_EQ(faults[1].kind, "noisy");
}

TEST(Machines, AreOneForEachHost) {
  const auto machines =
      machines_of({run_of(sweep(1.0)), run_of(sweep(1.0), "other"), run_of(sweep(1.0))});
  ASSERT_EQ(machines.size(), 2U);
  EXPECT_EQ(machines[0].runs, (std::vector<std::size_t>{0, 2}));
  EXPECT_EQ(machines[0].facts.front(), std::make_pair(std::string("host"), std::string("node")));
}

TEST(Kernels, AreTheSameWhateverTheIterations) {
  ReportRun other = run_of(sweep(2.0));
  other.run.result.measurements.front().parameters[1].value = std::int64_t{9};
  const auto kernels = kernels_of({run_of(sweep(1.0)), other});
  ASSERT_EQ(kernels.size(), 1U);
  EXPECT_EQ(kernels[0].places.size(), 2U);
  EXPECT_EQ(kernels[0].label, "sweep");
}

TEST(Kernels, AreNamedByTheSettingsThatDiffer) {
  ReportRun other = run_of(sweep(2.0));
  other.run.result.measurements.front().parameters[0].value = std::string("L");
  const auto kernels = kernels_of({run_of(sweep(1.0)), other});
  ASSERT_EQ(kernels.size(), 2U);
  EXPECT_EQ(kernels[0].label, "sweep (size M)");
  EXPECT_EQ(kernels[1].label, "sweep (size L)");
}

TEST(Comparison, IsOfSpeeds) {
  const auto all = comparisons_of({run_of(sweep(1.0))}, {run_of(sweep(2.0))});
  ASSERT_EQ(all.size(), 1U);
  EXPECT_DOUBLE_EQ(all[0].change.ratio.value, 2.0);
  EXPECT_EQ(all[0].change.outcome, compare::Outcome::faster);
  const auto alike = comparisons_of({run_of(sweep(1.0))}, {run_of(sweep(1.01))});
  EXPECT_NE(alike.front().change.outcome, compare::Outcome::faster);
  EXPECT_NE(alike.front().change.outcome, compare::Outcome::slower);
  Measurement renamed = sweep(1.0);
  renamed.name = "another";
  EXPECT_TRUE(comparisons_of({run_of(sweep(1.0))}, {run_of(renamed)}).empty());
}

TEST(Comparison, NamesTheSettingsThatTellMeasurementsApart) {
  ReportRun other = run_of(sweep(1.0));
  other.run.result.measurements.front().parameters[0].value = std::string("L");
  const auto all = comparisons_of({run_of(sweep(1.0)), other}, {run_of(sweep(2.0)), other});
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].label, "sweep (size M)");
  EXPECT_EQ(all[1].label, "sweep (size L)");
}

/// A run of `day` in November.
ReportRun run_on(int day, double seconds, const std::string& host = "node") {
  ReportRun one = run_of(sweep(seconds), host);
  one.run.date = fmt::format("2026-11-{:02}T10:00:00Z", day);
  return one;
}

TEST(Histories, AreOfSeveralDatesOnOneMachine) {
  EXPECT_TRUE(histories_of({run_on(1, 1.0)}).empty());
  EXPECT_TRUE(histories_of({run_on(1, 1.0), run_on(1, 1.0)}).empty());
  EXPECT_TRUE(histories_of({run_on(1, 1.0), run_on(2, 1.0, "other")}).empty());
  ReportRun undated = run_on(2, 1.0);
  undated.run.date.clear();
  EXPECT_TRUE(histories_of({run_on(1, 1.0), undated}).empty());
  EXPECT_EQ(histories_of({run_on(1, 1.0), run_on(2, 1.0)}).size(), 1U);
}

TEST(Histories, AreJudgedAsByHistory) {
  // Given in any order, shown by date, with the places of the runs in the report.
  const auto all = histories_of({run_on(4, 1.1), run_on(1, 1.0), run_on(2, 1.0), run_on(5, 1.1),
                                 run_on(3, 1.0), run_on(9, 5.0, "other")});
  ASSERT_EQ(all.size(), 1U);
  const History& history = all[0];
  EXPECT_EQ(history.label, "sweep");
  EXPECT_EQ(history.machine, 0U);
  EXPECT_EQ(history.steps, 1U);
  ASSERT_EQ(history.points.size(), 5U);
  EXPECT_EQ(history.points[0].run, 1U);
  EXPECT_EQ(history.points[3].run, 0U);
  EXPECT_NEAR(history.points[0].relative, 1.0, 1e-9);
  EXPECT_NEAR(history.points[3].relative, 1.0 / 1.1, 1e-9);
  EXPECT_TRUE(history.points[3].remark.starts_with("step: 9.1 % slower"))
      << history.points[3].remark;
  EXPECT_FALSE(history.points[3].changes.empty());
  ASSERT_TRUE(history.latest);
  EXPECT_NEAR(history.latest->ratio.value, 1.0 / 1.1, 1e-9);
}

TEST(Histories, HaveTheLargestChangesFirst) {
  const auto two = [](int day, double first, double second) {
    ReportRun one = run_on(day, first);
    Measurement other = sweep(second);
    other.parameters[0].value = std::string("L");
    one.run.result.measurements.push_back(other);
    return one;
  };
  const auto all = histories_of({two(1, 1.0, 1.0), two(2, 1.0, 1.2), two(3, 1.0, 1.2)});
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].label, "sweep (size L)");
  EXPECT_EQ(all[1].label, "sweep (size M)");
  EXPECT_EQ(all[1].largest_change, 0.0);
}

/// A reproduction of two rows, the first of which has this verdict.
std::string reproduction(const std::string& verdict) {
  return R"({"schema": "bankfull/reproduction", "schema_version": 1, "paper": "p-2020",
    "citation": "Somebody", "values_from": "its table", "steps": [], "context": {},
    "items": [{"item": "table-1", "title": "rates", "rows": [
      {"row": "first", "unit": "GFLOPS", "ours": 3.0, "verdict": ")" +
         verdict + R"(", "device": "CPU", "steps": [],
       "published": [{"machine": "old", "value": 1.5, "ratio": 2.0},
                     {"machine": "none", "value": null, "ratio": null}]},
      {"row": "second", "unit": "", "ours": null, "verdict": "not measured", "reason": "no GPU",
       "steps": [], "published": []}]}]})";
}

TEST_F(Folder, FindsReproductionsBesideResults) {
  write("paper.json", reproduction("verified"));
  write("other.json", "{\"text\": \"bankfull/reproduction\"}");
  fs::copy_file(results / "xeon-himeno-m.json", path_ / "run.json");
  const Inputs both = read_inputs({path_, path_ / "paper.json"});
  ASSERT_EQ(both.reproductions.size(), 1U);
  EXPECT_EQ(both.runs.size(), 1U);
  const reproduce::RecordedRow& row = both.reproductions[0].items.at(0).rows.at(0);
  EXPECT_EQ(row.ours, 3.0);
  EXPECT_EQ(row.published.at(0).ratio, 2.0);
  EXPECT_FALSE(row.published.at(1).value);
  const Inputs alone = read_inputs({path_ / "paper.json"});
  EXPECT_TRUE(alone.runs.empty());
  EXPECT_THROW(require_no_input(path_ / "paper.json", alone), UsageError);
}

TEST_F(Folder, LeavesOutReproductionsThatCannotBeRead) {
  fs::copy_file(results / "xeon-himeno-m.json", path_ / "run.json");
  for (const int version : {1, 2}) {
    write("paper.json", R"({"schema": "bankfull/reproduction", "schema_version": )" +
                            std::to_string(version) + "}");
    const Inputs rest = read_inputs({path_});
    EXPECT_TRUE(rest.reproductions.empty());
    EXPECT_EQ(rest.runs.size(), 1U);
    EXPECT_THROW(static_cast<void>(read_inputs({path_ / "paper.json"})), UsageError);
  }
}

TEST(Verdicts, AreOfRowsOfReproductionsToo) {
  const auto verdict = [](const Inputs& inputs) {
    return nlohmann::json::parse(report_json({.title = "", .inputs = inputs, .date = {}}))
        .at("verdict");
  };
  const auto good = reproduce::parse_reproduction(reproduction("verified"), "paper.json");
  const auto bad = reproduce::parse_reproduction(reproduction("failed"), "paper.json");
  EXPECT_EQ(verdict({.runs = {}, .reproductions = {good}}).at("sentence"), "The row is verified.");
  EXPECT_EQ(verdict({.runs = {}, .reproductions = {good, good}}).at("sentence"),
            "All 2 rows are verified.");
  const auto both = verdict({.runs = {run_of(sweep(1.0))}, .reproductions = {bad}});
  EXPECT_EQ(both.at("overall"), "failed");
  EXPECT_EQ(both.at("sentence"), "The run is verified. The row failed its verification.");
  EXPECT_EQ(both.at("faults").at(0).at("text"), "p-2020 table-1: first: verification failed.");
  EXPECT_FALSE(both.at("faults").at(0).contains("run"));
  auto none = good;
  none.items[0].rows.erase(none.items[0].rows.begin());
  EXPECT_EQ(verdict({.runs = {}, .reproductions = {none}}).at("sentence"), "No row was measured.");
}

TEST(ReportJson, StaysWithinItsScript) {
  ReportRun evil = run_of(sweep(1.0), "</script><script>alert(1)</script>");
  evil.run.command = "<!-- \xff";
  const std::string json = report_json({.title = "<b>", .inputs = {.runs = {evil}}, .date = {}});
  EXPECT_EQ(json.find('<'), std::string::npos);
  const auto read = nlohmann::json::parse(json);
  EXPECT_EQ(read.at("title"), "<b>");
  EXPECT_EQ(read.at("machines").at(0).at("facts").at(0).at(1),
            "</script><script>alert(1)</script>");
  EXPECT_EQ(read.at("runs").at(0).at("command"), "<!-- \uFFFD");
  EXPECT_TRUE(read.at("baseline").is_null());
  EXPECT_EQ(read.at("runs").at(0).at("measurements").at(0).at("percent"), 50.0);
}

TEST(ReportJson, HoldsEveryRecordedResult) {
  const auto inputs = read_inputs({results, results / "h200-probe.json"});
  const auto read = nlohmann::json::parse(report_json({.title = "", .inputs = inputs, .date = {}}));
  EXPECT_EQ(read.at("runs").size(), inputs.runs.size());
  std::size_t measurements = 0;
  std::size_t places = 0;
  for (const auto& run : read.at("runs")) {
    measurements += run.at("measurements").size();
  }
  for (const auto& kernel : read.at("kernels")) {
    places += kernel.at("places").size();
  }
  EXPECT_EQ(places, measurements);
  EXPECT_GT(read.at("machines").size(), 2U);
}

TEST(Page, HoldsTheData) {
  const std::string page = page_of("{\"title\": 1}");
  EXPECT_NE(page.find("id=\"data\">{\"title\": 1}</script>"), std::string::npos);
  EXPECT_TRUE(page.starts_with("<!DOCTYPE html>"));
}

TEST_F(Folder, GivesTheLastPictureOfEachSlice) {
  const std::string png = "\x89PNG\r\n\x1a\n";
  write("slices.csv",
        "file,time,field,normal,at,least,most\n"
        "slices/w-z-0000.png,0,w,z,0.5,0,1\n"
        "slices/w-z-0001.png,2,w,z,0.5,-1,1\n"
        "slices/none-z-0001.png,2,none,z,0.5,-1,1\n"
        "slices/text-z-0001.png,2,text,z,0.5,-1,1\n"
        "slices/../secret-z-0000.png,2,secret,z,0.5,-1,1\n"
        "/etc/hostname,2,host,z,0.5,-1,1\n"
        "slices/cut-z-00");
  write("slices/w-z-0000.png", png + "first");
  write("slices/w-z-0001.png", png + "last");
  write("slices/text-z-0001.png", "no picture");
  write("secret-z-0000.png", png + "secret");
  const auto pictures = last_pictures(path_ / "run.json");
  ASSERT_EQ(pictures.size(), 1U);
  EXPECT_EQ(pictures[0].slice, "w-z");
  EXPECT_EQ(pictures[0].time, "2");
  EXPECT_EQ(pictures[0].place, "z = 0.5");
  EXPECT_EQ(pictures[0].data_url, "data:image/png;base64," + base64(png + "last"));
  EXPECT_TRUE(last_pictures(path_ / "other.json").empty());
}

TEST_F(Folder, KeepsItsResults) {
  ReportRun one = run_of(sweep(1.0));
  one.run.file = path_ / "a.json";
  write("a.json", "{}");
  EXPECT_THROW(require_no_input(path_ / "slices" / ".." / "a.json", {.runs = {one}}), UsageError);
  EXPECT_NO_THROW(require_no_input(path_ / "report.html", {.runs = {one}}));
}

}  // namespace
}  // namespace bankfull::html_report
