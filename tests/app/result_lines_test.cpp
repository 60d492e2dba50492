#include "bankfull/app/result_lines.hpp"

#include "bankfull/app/report.hpp"
#include "bankfull/core/machine/cpu.hpp"

#include <gtest/gtest.h>

namespace bankfull {
namespace {

Measurement sweep() {
  return {.name = "sweep",
          .parameters = {{.name = "size", .value = std::string("M")},
                         {.name = "stride", .value = std::int64_t{64}, .unit = "B"}},
          .seconds = summarise({2.0, 1.0, 3.0}),
          .work = {.traffic = {.bytes_read = 3e9, .bytes_written = 1e9, .flops = 8e9},
                   .working_set_bytes = 4e9},
          .ceiling = Ceiling{.name = "copy", .bytes_per_second = 4e9},
          .figures = {{.name = "rating", .value = 5.5, .unit = "GFLOPS"},
                      {.name = "setup", .value = 0.25, .unit = "s"},
                      {.name = "nominal_bandwidth", .value = 7e9, .unit = "B/s"}},
          .quietness = {.spread = 1.0}};
}

RunResult result_of(const std::vector<Measurement>& measurements) {
  RunResult result{.workload = "example"};
  result.measurements = measurements;
  return result;
}

TEST(ResultLines, HaveUnitsInTheirKeys) {
  EXPECT_EQ(result_lines(result_of({sweep()})),
            "RESULT example size=M stride_bytes=64 seconds=2 seconds_min=1 spread_percent=100 "
            "gflops=4 bandwidth_gbs=2 ceiling_gbs=4 percent=50 rating_gflops=5.5 "
            "setup_seconds=0.25 nominal_bandwidth_gbs=7 cache=beyond host=" +
                survey_cpu().host_name + " timing=noisy verdict=not_applicable\n");
}

TEST(ResultLines, StayOneLineWhateverTheirValuesAre) {
  Measurement m = sweep();
  m.parameters = {{.name = "size", .value = std::string("M M\nRESULT \x1b[2J\xff")},
                  {.name = "long", .value = std::string(100'000, 'x')}};
  const std::string line = result_lines(result_of({m}));
  EXPECT_EQ(line.find(R"(RESULT example size=M_M\nRESULT_\x1b[2J\xff long=xxx)"), 0U) << line;
  EXPECT_EQ(line.find('\n'), line.size() - 1);
  EXPECT_LT(line.size(), 1000U);
}

TEST(ResultLines, LackWhatDoesNotApply) {
  const Measurement bare{.name = "bare", .parameters = {}, .seconds = summarise({2.0})};
  EXPECT_EQ(result_lines(result_of({bare})),
            "RESULT example seconds=2 seconds_min=2 host=" + survey_cpu().host_name +
                " timing=quiet verdict=not_applicable\n");
}

TEST(ResultLines, OfRepeatsThatDifferInWorkHaveNoSpread) {
  Measurement m = sweep();
  m.quietness.spread = 0.0;
  const std::string line = result_lines(result_of({m}));
  EXPECT_EQ(line.find("spread_percent="), std::string::npos);
  EXPECT_NE(line.find(" timing=quiet "), std::string::npos);
}

TEST(ResultLines, SeparateNoiseFromErrors) {
  RunResult result = result_of({sweep()});
  result.checks = {{.name = "sum", .value = 1.0, .reference = 1.0, .tolerance = 0.1}};
  EXPECT_NE(result_lines(result).find(" timing=noisy verdict=verified\n"), std::string::npos);
  result.checks.front().value = 2.0;
  result.measurements.front().quietness.spread = 0.1;
  EXPECT_NE(result_lines(result).find(" timing=quiet verdict=failed\n"), std::string::npos);
}

/// A sweep at 500 W on a GPU that reached its power limit.
RunResult measured_with_energy() {
  Measurement m = sweep();
  m.energy = EnergyUse{.joules = 3000.0, .seconds = 6.0, .timed_seconds = 6.0};
  m.throttled = std::vector<ThrottledShare>{{.reason = Throttle::power_cap, .share = 0.34},
                                            {.reason = Throttle::thermal, .share = 0.001}};
  RunResult result = result_of({m});
  result.machine.parts = {
      {.kind = "gpu",
       .name = "GPU 0 of host a",
       .settings = {{.name = "power_limit", .value = 700.0, .unit = "W"}},
       .during = {{.name = "temperature", .min = 41.0, .max = 63.0, .unit = "C"},
                  {.name = "power", .min = 80.0, .max = 699.6, .unit = "W"},
                  {.name = "sm_clock", .min = 1980.0, .max = 1980.0, .unit = "MHz"}},
       .limits = {"power-capped"},
       .findings = {"power-capped for 34 % of the run", "ecc corrected: 1 during the run"},
       .is_throttling_known = true},
      {.kind = "host", .name = "host a"}};
  return result;
}

TEST(ResultLines, HaveEnergyAndTheStateOfTheMachine) {
  const std::string line = result_lines(measured_with_energy());
  EXPECT_NE(line.find(" percent=50 joules=1000 watts=500 gflops_per_watt=0.008 "),
            std::string::npos)
      << line;
  EXPECT_NE(line.find(" timing=noisy machine=power-capped verdict="), std::string::npos) << line;
}

TEST(ResultLines, OfAMeasurementThatWasNotThrottledSaySo) {
  RunResult result = measured_with_energy();
  result.measurements.front().throttled =
      std::vector<ThrottledShare>{{.reason = Throttle::power_cap, .share = 0.0}};
  EXPECT_NE(result_lines(result).find(" machine=not_throttled "), std::string::npos)
      << "the run was, but at other times";
  result.measurements.front().throttled.reset();
  EXPECT_NE(result_lines(result).find(" machine=power-capped "), std::string::npos);
  result.machine.parts.back().limits = {"held back by its cgroup"};
  EXPECT_NE(result_lines(result).find(" machine=power-capped,_held_back_by_its_cgroup "),
            std::string::npos);
}

TEST(ReportMeasurements, HasEnergyAndTheStateOfTheMachine) {
  const std::string text = report_measurements(measured_with_energy());
  EXPECT_NE(text.find("energy  GFLOPS/W"), std::string::npos) << text;
  EXPECT_NE(text.find("1.00 kJ     0.008"), std::string::npos) << text;
  EXPECT_NE(text.find("50.0 % (noisy) (power-capped)\n"), std::string::npos) << text;
  EXPECT_NE(text.find("  state: 41..63 C, up to 700 W of 700 W, 1980 MHz, power-capped\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("  GPU 0 of host a: ecc corrected: 1 during the run\n"), std::string::npos)
      << text;
}

TEST(ReportMachine, SaysWhyThereIsNoEnergy) {
  RunResult result = measured_with_energy();
  result.measurements.front().energy = EnergyUse{.unknown_because = "it is secret"};
  EXPECT_NE(report_machine(result).find("power-capped; energy unknown: it is secret\n"),
            std::string::npos)
      << report_machine(result);
  EXPECT_EQ(report_measurements(result).find("GFLOPS/W"), std::string::npos);
  EXPECT_EQ(report_machine(RunResult{.workload = "example"}), "");
}

TEST(ReportMachine, OfAHostAlone) {
  RunResult result = result_of({sweep()});
  result.machine.parts = {
      {.kind = "host",
       .name = "host a",
       .settings = {{.name = "governor", .value = std::string("performance")}},
       .during = {{.name = "slowest_processor", .min = 2100.0, .max = 2200.0, .unit = "MHz"},
                  {.name = "fastest_processor", .min = 2800.0, .max = 3700.0, .unit = "MHz"},
                  {.name = "load_average", .min = 0.1, .max = 2.0}}}};
  EXPECT_EQ(report_machine(result),
            "  state: 2100..3700 MHz, governor performance, load up to 2, throttling unknown\n");
}

TEST(ResultKey, RepeatsNoUnit) {
  const auto key = [](const char* name, const char* unit) {
    return result_key({.name = name, .value = 1.0, .unit = unit});
  };
  EXPECT_EQ(key("event_seconds", "s"), "event_seconds");
  EXPECT_EQ(key("seconds_per_iteration", "s"), "seconds_per_iteration");
  EXPECT_EQ(key("ns_per_cell", "ns"), "ns_per_cell");
  EXPECT_EQ(key("share", "%"), "share_percent");
  EXPECT_EQ(key("score", "Pentium III 600"), "score");
  EXPECT_EQ(key("clock", "MHz"), "clock_mhz");
}

TEST(ReportMeasurements, MarksNoiseAndCachesAndSaysWhyOnce) {
  Measurement cached = sweep();
  cached.cache = CacheFit::inside;
  const std::string text = report_measurements(result_of({sweep(), cached}));
  EXPECT_NE(text.find("50.0 % (noisy)\n"), std::string::npos) << text;
  EXPECT_NE(text.find("50.0 % (cache) (noisy)\n"), std::string::npos) << text;
  const std::string why = "(noisy): repeats spread by 100 %, quiet up to 20 %\n";
  ASSERT_NE(text.find(why), std::string::npos) << text;
  EXPECT_EQ(text.find(why), text.rfind(why));
}

TEST(ReportMeasurements, ShowsWhatIsNotStatedAsADash) {
  const Measurement bare{.name = "bare", .parameters = {}, .seconds = summarise({2.0})};
  EXPECT_EQ(report_measurements(result_of({bare})),
            "  measurement  median  spread  GFLOPS  GB/s  ceiling  of bankfull\n"
            "  bare         2.00 s       -       -     -        -            -\n");
}

}  // namespace
}  // namespace bankfull
