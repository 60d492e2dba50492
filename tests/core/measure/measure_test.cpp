#include "bankfull/core/measure/measure.hpp"

#include "bankfull/core/measure/function_benchmark.hpp"
#include "tests/refusal_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <thread>

namespace bankfull {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Check check_of(double value) { return {.name = "sum", .value = value, .reference = 1.0}; }

TEST(Measure, TimesWarmBenchmarksInTurnAndChecksThem) {
  const auto alone = make_self_communicator();
  int runs = 0;
  int rewinds = 0;
  FunctionBenchmark first("first", {},
                          {.run =
                               [&] {
                                 ++runs;
                                 std::this_thread::sleep_for(std::chrono::milliseconds(2));
                               },
                           .rewind = [&] { ++rewinds; },
                           .checks = [] { return std::vector{check_of(1.0)}; }});
  FunctionBenchmark second("second", {.traffic = {.bytes_read = 1e6}}, {.run = [] {}});
  const RunResult result = measure(*alone, Team(1), {&first, &second},
                                   {.repeats = 3, .policy = {.ceiling = CeilingRule::none}});
  EXPECT_EQ(runs, 4);  // one to warm up
  EXPECT_EQ(rewinds, 4);
  ASSERT_EQ(result.measurements.size(), 2);
  EXPECT_EQ(result.measurements[0].seconds.samples.size(), 3);
  EXPECT_GE(result.measurements[0].seconds.min, 2e-3);
  EXPECT_EQ(result.verdict(), Verdict::verified);
  EXPECT_EQ(exit_code_of(result), ExitCode::ok);
}

TEST(Measure, RefusesNothingToDo) {
  const auto alone = make_self_communicator();
  FunctionBenchmark work("work", {}, {.run = [] {}});
  EXPECT_THAT(refusal_text([&] { measure(*alone, Team(1), {&work}, {.repeats = 0}); }),
              HasSubstr("0 repeats"));
  EXPECT_THAT(refusal_text([&] { measure(*alone, Team(1), {}); }), HasSubstr("nothing"));
  EXPECT_THAT(refusal_text([&] { measure(*alone, Team(1), {&work, nullptr}); }), HasSubstr("null"));
  EXPECT_THAT(refusal_text([] { FunctionBenchmark("idle", {}, {}); }), HasSubstr("idle"));
}

RunResult result_of(const Measurement& measurement) {
  return {.workload = "test", .problem = {}, .measurements = {measurement}};
}

TEST(Summary, HasWhatIsKnown) {
  Measurement measurement{.name = "sweep", .seconds = summarise({0.5})};
  EXPECT_EQ(summary(result_of(measurement)), "sweep: 500 ms\nverdict: not applicable\n");
  measurement.work.traffic = {.bytes_read = 4e9, .bytes_written = 1e9};
  measurement.ceiling = Ceiling{.bytes_per_second = 20e9};
  EXPECT_EQ(summary(result_of(measurement)),
            "sweep: 500 ms, 10.0 GB/s, 50.0 % of bankfull (20.0 GB/s)\nverdict: not applicable\n");
}

TEST(Summary, NamesChecksThatFailed) {
  RunResult result = result_of({.name = "sweep", .seconds = summarise({0.5})});
  result.checks = {check_of(1.0), check_of(2.0)};
  EXPECT_THAT(summary(result), HasSubstr("sum: 2 instead of 1\nverdict: failed\n"));
  EXPECT_THAT(summary(result), Not(HasSubstr("1 instead")));
  EXPECT_EQ(exit_code_of(result), ExitCode::verification_failed);
}

TEST(ExitCodes, OfRunsThatEndedEarly) {
  RunResult result = result_of({.name = "sweep", .seconds = summarise({0.5})});
  result.ended_by = "SIGTERM";
  EXPECT_EQ(exit_code_of(result), ExitCode::interrupted);
}

}  // namespace
}  // namespace bankfull
