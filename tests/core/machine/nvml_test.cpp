#include "bankfull/core/machine/nvml.hpp"

#include "bankfull/core/machine/gpu_state.hpp"
#include "tests/core/machine/fake_driver.hpp"

#include <gtest/gtest.h>

namespace bankfull {
namespace {

const char* const current_driver = BANKFULL_FAKE_NVML;
const char* const old_driver = BANKFULL_FAKE_OLD_NVML;

/// The figure of this name; empty: there is none.
std::optional<double> number_in(const std::vector<Figure>& figures, const std::string& name) {
  for (const Figure& figure : figures) {
    if (figure.name == name) {
      return as_number(figure);
    }
  }
  return std::nullopt;
}

TEST(Nvml, ReadsStateInBaseUnits) {
  FakeDriver driver(current_driver);
  const Nvml nvml(current_driver);
  const GpuMonitor gpu(nvml, fake_bus_id);
  ASSERT_TRUE(gpu.found());
  const auto state = gpu.state();
  EXPECT_EQ(number_in(state, "temperature"), 63.0);
  EXPECT_EQ(number_in(state, "memory_temperature"), 71.0) << "a narrow value of a wide field";
  EXPECT_EQ(number_in(state, "power"), 402.0);
  EXPECT_EQ(number_in(state, "sm_clock"), 1980.0);
  EXPECT_EQ(number_in(state, "memory_clock"), 2619.0);
  EXPECT_EQ(number_in(state, "pcie_width"), 8.0);
  EXPECT_DOUBLE_EQ(number_in(state, "utilisation").value_or(0.0), 0.97);
  const auto settings = gpu.settings();
  EXPECT_EQ(number_in(settings, "power_limit"), 700.0);
  EXPECT_EQ(number_in(settings, "pcie_width_max"), 16.0);
  EXPECT_EQ(number_in(settings, "nvlinks_active"), 2.0);
  EXPECT_EQ(number_in(settings, "nvlink_speed"), 26562.0);
  EXPECT_EQ(number_in(settings, "slowdown_temperature"), 92.0);
}

TEST(Nvml, CountsErrorsOfMemoryAndLinks) {
  FakeDriver driver(current_driver);
  const Nvml nvml(current_driver);
  const auto errors = GpuMonitor(nvml, fake_bus_id).errors();
  EXPECT_EQ(number_in(errors, "ecc_corrected"), 7.0);
  EXPECT_EQ(number_in(errors, "ecc_uncorrected"), 0.0);
  EXPECT_EQ(number_in(errors, "remapped_rows_correctable"), 4.0);
  EXPECT_EQ(number_in(errors, "pcie_replays"), 3.0);
  EXPECT_EQ(number_in(errors, "nvlink_replays"), 2.0) << "one of each active link";
}

TEST(Nvml, CountsEnergyAndThrottling) {
  FakeDriver driver(current_driver);
  driver.reported.power_brake_nanoseconds = 250'000'000;
  const Nvml nvml(current_driver);
  const GpuMonitor gpu(nvml, fake_bus_id);
  EXPECT_EQ(gpu.energy_joules(), 5000.0);
  const ThrottleSeconds seconds = gpu.throttle_seconds();
  EXPECT_EQ(seconds[Throttle::power_cap], 1.0);
  EXPECT_EQ(seconds[Throttle::thermal], 0.0);
  EXPECT_EQ(seconds[Throttle::power_brake], 0.25);
  EXPECT_FALSE(seconds[Throttle::cgroup_quota].has_value()) << "no matter of GPUs";
}

TEST(Nvml, OfAnOldDriverTellsWhatItCan) {
  FakeDriver driver(old_driver);
  driver.reported.event_reasons = 0x4;
  const Nvml nvml(old_driver);
  const GpuMonitor gpu(nvml, fake_bus_id);
  EXPECT_EQ(number_in(gpu.state(), "temperature"), 63.0);
  EXPECT_FALSE(number_in(gpu.state(), "memory_temperature").has_value());
  EXPECT_FALSE(number_in(gpu.errors(), "pcie_replays").has_value());
  EXPECT_FALSE(gpu.energy_joules().has_value());
  const ThrottleSeconds seconds = gpu.throttle_seconds();
  EXPECT_EQ(seconds[Throttle::power_cap], 1.0) << "by the older function";
  EXPECT_FALSE(seconds[Throttle::power_brake].has_value());
  EXPECT_EQ(gpu.throttled_now(), std::vector<Throttle>{Throttle::power_cap});
}

TEST(Nvml, WhatFailsIsAbsent) {
  FakeDriver driver(current_driver);
  driver.reported.energy_result = 3;
  driver.reported.power_result = 999;
  const Nvml nvml(current_driver);
  const GpuMonitor gpu(nvml, fake_bus_id);
  EXPECT_FALSE(gpu.energy_joules().has_value());
  EXPECT_FALSE(number_in(gpu.state(), "power").has_value());
  EXPECT_EQ(number_in(gpu.state(), "temperature"), 63.0) << "the others are still read";
}

TEST(Nvml, KnowsNothingOfOtherGpus) {
  FakeDriver driver(current_driver);
  const Nvml nvml(current_driver);
  const GpuMonitor gpu(nvml, "00000000:2B:00.0");
  EXPECT_FALSE(gpu.found());
  EXPECT_TRUE(gpu.state().empty());
  EXPECT_TRUE(gpu.settings().empty());
  EXPECT_TRUE(gpu.errors().empty());
  EXPECT_FALSE(gpu.throttled_now().has_value());
  EXPECT_FALSE(gpu.throttle_seconds().any_known());
}

TEST(Nvml, IsShutDownOnlyIfItStarted) {
  FakeDriver driver(current_driver);
  {
    const Nvml nvml(current_driver);
    EXPECT_EQ(driver.reported.users, 1);
  }
  EXPECT_EQ(driver.reported.users, 0);
  driver.reported.init_result = 9;
  { EXPECT_EQ(Nvml(current_driver).gpu(fake_bus_id), nullptr); }
  EXPECT_EQ(driver.reported.users, 0);
}

TEST(Nvml, ThatIsMissingYieldsNothing) {
  const Nvml nvml("libbankfull-nowhere.so.1");
  const GpuMonitor gpu(nvml, fake_bus_id);
  EXPECT_FALSE(gpu.found());
  EXPECT_EQ(nvml.driver_version(), "");
  EXPECT_EQ(nvml.sm_clock_mhz(nullptr), 0);
  EXPECT_TRUE(gpu.state().empty());
}

TEST(Throttle, IsReadFromNvmlsBits) {
  EXPECT_TRUE(throttles_in(0).empty());
  EXPECT_TRUE(throttles_in(0x1 | 0x2 | 0x100).empty()) << "idle, or clocks that somebody set";
  EXPECT_EQ(throttles_in(0x4), std::vector<Throttle>{Throttle::power_cap});
  EXPECT_EQ(throttles_in(0x20), std::vector<Throttle>{Throttle::thermal});
  EXPECT_EQ(throttles_in(0x8 | 0x40), std::vector<Throttle>{Throttle::hardware});
  EXPECT_EQ(throttles_in(0x8 | 0x80), std::vector<Throttle>{Throttle::power_brake});
}

}  // namespace
}  // namespace bankfull
