#include "bankfull/core/measure/quietness.hpp"

#include "tests/alone.hpp"

#include <chrono>
#include <gtest/gtest.h>

namespace bankfull {
namespace {

TEST(Quietness, IsNoisyBeyondEachBound) {
  EXPECT_FALSE(Quietness{}.noisy());
  EXPECT_FALSE((Quietness{.spread = max_quiet_spread}.noisy()));
  EXPECT_TRUE((Quietness{.spread = 0.21}.noisy()));
  EXPECT_TRUE((Quietness{.ceiling_drift = 0.11}.noisy()));
  EXPECT_TRUE((Quietness{.foreign_load = 0.5}.noisy()));
  EXPECT_TRUE((Quietness{.steal = 0.06}.noisy()));
}

TEST(Quietness, LoadBeforeTheRunIsNoDisturbance) {
  EXPECT_FALSE((Quietness{.load_before = 62.0}.noisy())) << "it may have been a run of our own";
}

TEST(Quietness, LoadOfTheHostDoesNotDisturbAGpu) {
  EXPECT_FALSE((Quietness{.foreign_load = 1.0, .on_cpu = false}.noisy()));
  EXPECT_TRUE((Quietness{.spread = 0.5, .on_cpu = false}.noisy()));
}

TEST(Quietness, SaysWhatDisturbedAndByHowMuch) {
  const auto reasons = Quietness{.spread = 0.5, .steal = 0.3}.disturbances();
  ASSERT_EQ(reasons.size(), 2U);
  EXPECT_EQ(reasons[0], "repeats spread by 50 %, quiet up to 20 %");
  EXPECT_EQ(reasons[1], "the hypervisor withheld 30 %, quiet up to 5 %");
}

TEST(ProcessorTimes, AreReadFromTheFirstLineOfProcStat) {
  const ProcessorTimes times =
      ProcessorTimes::parse("cpu  100 10 40 800 20 5 5 20 7 0\ncpu0 1 1 1 1 1 1 1 1 0 0\n", 10.0);
  EXPECT_DOUBLE_EQ(times.capacity_seconds, 100.0);
  EXPECT_DOUBLE_EQ(times.busy_seconds, 16.0);
  EXPECT_DOUBLE_EQ(times.stolen_seconds, 2.0);
}

TEST(ProcessorTimes, AreZeroWhereTheyCannotBeRead) {
  EXPECT_EQ(ProcessorTimes::parse("", 100.0).capacity_seconds, 0.0);
  EXPECT_EQ(ProcessorTimes::parse("cpu 1 2", 100.0).capacity_seconds, 0.0);
}

TEST(ProcessorTimes, WhatThisRunDidNotUseIsForeign) {
  const Quietness load =
      ProcessorTimes{
          .capacity_seconds = 10.0, .busy_seconds = 8.0, .stolen_seconds = 0.5, .own_seconds = 6.0}
          .load();
  EXPECT_DOUBLE_EQ(load.foreign_load, 0.2);
  EXPECT_DOUBLE_EQ(load.steal, 0.05);
  EXPECT_EQ((ProcessorTimes{.capacity_seconds = 10.0, .busy_seconds = 5.9, .own_seconds = 6.0}
                 .load()
                 .foreign_load),
            0.0)
      << "ticks are coarser than the time of a process";
}

TEST(ProcessorTimes, OfLessThanASecondSayNothing) {
  const ProcessorTimes blink{.capacity_seconds = 0.9, .busy_seconds = 0.9, .stolen_seconds = 0.5};
  EXPECT_EQ(blink.load().foreign_load, 0.0);
  EXPECT_EQ(blink.load().steal, 0.0);
}

TEST(LoadWatch, DoesNotCountThisProcessAsForeign) {
  const LoadWatch watch;
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(50);
  while (std::chrono::steady_clock::now() < end) {
  }
  const Quietness now = watch.so_far(alone());
  EXPECT_GE(now.foreign_load, 0.0);
  EXPECT_LE(now.foreign_load, 1.0);
  EXPECT_GE(now.load_before, 0.0);
}

}  // namespace
}  // namespace bankfull
