#include "bankfull/app/compare/history.hpp"

#include "bankfull/app/compare/history_report.hpp"
#include "tests/app/compare/runs.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace bankfull::compare {
namespace {

constexpr double threshold = 0.03;
constexpr std::size_t all = 1000;

/// A run of day `day`.
RecordedRun run_on(int day, double seconds) {
  RecordedRun run = run_taking({seconds, 1.002 * seconds, 0.998 * seconds});
  run.date = fmt::format("2026-11-{:02}T10:00:00Z", day);
  return run;
}

/// Runs of consecutive days, with a driver of each.
std::vector<RecordedRun> runs_taking(const std::vector<double>& seconds) {
  std::vector<RecordedRun> runs;
  for (const double one : seconds) {
    runs.push_back(run_on(static_cast<int>(runs.size()) + 1, one));
  }
  return runs;
}

Course course_of(const std::vector<RecordedRun>& runs) {
  return courses_of(runs, all, threshold).at(0);
}

TEST(History, IsInTheOrderOfDates) {
  const std::vector<RecordedRun> runs{run_on(3, 1.1), run_on(1, 1.0), run_on(2, 1.0)};
  const Course course = course_of(runs);
  ASSERT_EQ(course.entries.size(), 3U);
  EXPECT_EQ(course.entries[0].occurrence.run->date, "2026-11-01T10:00:00Z");
  EXPECT_FALSE(course.entries[0].ratio);
  EXPECT_NEAR(*course.entries[2].ratio, 1.0 / 1.1, 1e-9);
  EXPECT_TRUE(course.has_regressed());
}

TEST(History, WithoutChangesHasNoSteps) {
  const std::vector<RecordedRun> runs = runs_taking({1.0, 1.01, 0.99, 1.0, 1.005});
  const Course course = course_of(runs);
  EXPECT_TRUE(course.steps.empty());
  EXPECT_FALSE(course.has_regressed());
}

TEST(History, MarksAStepWithWhatChanged) {
  std::vector<RecordedRun> runs = runs_taking({1.0, 1.0, 1.0, 1.1, 1.1, 1.1});
  for (std::size_t n = 3; n < runs.size(); ++n) {
    fact_of(runs[n], "system", "driver").value = std::string("580");
  }
  const Course course = course_of(runs);
  ASSERT_EQ(course.steps.size(), 1U);
  EXPECT_EQ(course.steps[0].entry, 3U);
  EXPECT_EQ(course.steps[0].change.outcome, Outcome::slower);
  const std::string report = report_course(course);
  EXPECT_NE(report.find("changed: system.driver 570 -> 580"), std::string::npos) << report;
}

TEST(History, TakesOneBadRunForNoStep) {
  const std::vector<RecordedRun> runs = runs_taking({1.0, 1.0, 1.0, 1.3, 1.0, 1.0});
  EXPECT_TRUE(course_of(runs).steps.empty());
}

TEST(History, FindsStepsThereAndBack) {
  const std::vector<RecordedRun> runs = runs_taking({1.0, 1.0, 1.1, 1.1, 1.0, 1.0});
  const Course course = course_of(runs);
  ASSERT_EQ(course.steps.size(), 2U);
  EXPECT_EQ(course.steps[0].change.outcome, Outcome::slower);
  EXPECT_EQ(course.steps[1].change.outcome, Outcome::faster);
}

TEST(History, LeavesOutInvalidRuns) {
  std::vector<RecordedRun> runs = runs_taking({1.0, 9.0, 1.0, 1.0});
  runs[1].result.checks[0].value = 2.0;
  const Course course = course_of(runs);
  EXPECT_FALSE(course.entries[1].defect.empty());
  EXPECT_TRUE(course.steps.empty());
  EXPECT_NEAR(*course.entries[3].ratio, 1.0, 1e-9);
  runs[3].result.checks[0].value = 2.0;
  EXPECT_TRUE(course_of(runs).has_regressed());
}

TEST(History, OfTheLastRunsLeavesOutTheOthers) {
  const std::vector<RecordedRun> runs = runs_taking({2.0, 1.0, 1.0, 1.0});
  EXPECT_EQ(courses_of(runs, 3, threshold).at(0).entries.size(), 3U);
}

TEST(Bars, AreBetweenTheExtremesOrInTheMiddle) {
  EXPECT_EQ(bars({1.0, 2.0, 1.5}, 0.1), "▁█▅");
  EXPECT_EQ(bars({1.0, 1.001}, 0.1), "▄▅");
  EXPECT_EQ(bars({1.0, 1.0}, 0.0), "██");
  EXPECT_EQ(bars({}, 0.1), "");
}

}  // namespace
}  // namespace bankfull::compare
