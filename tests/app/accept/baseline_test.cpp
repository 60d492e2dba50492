#include "bankfull/app/accept/baseline.hpp"

#include "bankfull/core/base/error.hpp"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

namespace bankfull::accept {
namespace {

namespace fs = std::filesystem;
using recorded::RecordedRun;

RecordedRun run_on(const std::string& board, double gflops, bool noisy = false) {
  RecordedRun run{.file = {}, .date = "2026-11-23T10:00:00Z", .command = {}, .result = {}};
  run.context = {
      {.key = "system", .title = {}, .facts = {{.name = "host", .value = std::string("node")}}},
      {.key = "gpu0",
       .title = {},
       .facts = {{.name = "name", .value = std::string("NVIDIA X")},
                 {.name = "uuid", .value = board}}}};
  run.result.workload = "himeno";
  run.result.problem = {{.name = "device", .value = std::string("cuda:0")}};
  run.result.measurements = {{.name = "himeno L fp32 tuned",
                              .parameters = {},
                              .seconds = summarise({1.0}),
                              .work = {.traffic = {.bytes_read = 1.0, .flops = gflops * 1e9}}}};
  run.result.measurements.front().quietness.spread = noisy ? 1.0 : 0.0;
  return run;
}

TEST(Baseline, IsTheMedianOverBoards) {
  const auto baselines = make_baselines(
      {run_on("a", 100.0), run_on("a", 102.0), run_on("b", 104.0), run_on("c", 98.0)});
  ASSERT_EQ(baselines.size(), 1U);
  EXPECT_EQ(baselines[0].model, "NVIDIA X");
  const BaselineEntry* const entry = baselines[0].find("himeno L fp32 tuned");
  ASSERT_NE(entry, nullptr);
  EXPECT_DOUBLE_EQ(entry->median, 101.0);  // of 101, 104 and 98
  EXPECT_EQ(entry->boards, 3);
  EXPECT_EQ(entry->runs, 4);
  EXPECT_NEAR(entry->spread, 6.0 / 101.0, 1e-12);
}

TEST(Baseline, LeavesOutWhatWasNoisyFailedOrOfSeveralRanks) {
  RecordedRun failed = run_on("b", 50.0);
  failed.result.checks = {{.name = "gosa", .value = 2.0, .reference = 1.0, .tolerance = 1e-9}};
  RecordedRun joint = run_on("b", 200.0);
  joint.context.push_back(
      {.key = "ranks", .title = {}, .facts = {{.name = "ranks", .value = std::int64_t{2}}}});
  const auto baselines =
      make_baselines({run_on("a", 100.0), run_on("a", 50.0, true), failed, joint});
  ASSERT_EQ(baselines.size(), 1U);
  EXPECT_EQ(baselines[0].entries.at(0).runs, 1);
}

TEST(Baseline, IsReadAsItWasWritten) {
  const Baseline baseline = make_baselines({run_on("a", 100.0), run_on("b", 104.0)}).at(0);
  const fs::path file = fs::path(testing::TempDir()) / "baseline_test.json";
  std::ofstream(file) << to_json(baseline);
  EXPECT_EQ(to_json(read_baseline(file)), to_json(baseline));
  std::ofstream(file) << "{}";
  EXPECT_THROW(static_cast<void>(read_baseline(file)), UsageError);
  fs::remove(file);
}

TEST(Baseline, FilesHaveTheNamesOfTheirModels) {
  EXPECT_EQ(baseline_file_name("NVIDIA H100 80GB HBM3"), "nvidia-h100-80gb-hbm3.json");
  EXPECT_EQ(baseline_file_name("Intel(R) Xeon(R) @ 2.80GHz, 2 threads"),
            "intel-r-xeon-r-2-80ghz-2-threads.json");
}

}  // namespace
}  // namespace bankfull::accept
