#include "bankfull/core/measure/phase_times.hpp"

#include "tests/alone.hpp"

#include <chrono>
#include <gtest/gtest.h>
#include <thread>

namespace bankfull {
namespace {

TEST(PhaseTimes, LastFromOneToTheNext) {
  const Stopwatch watch;
  PhaseTimes times;
  times.enter("long");
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  times.enter("short");
  const std::vector<Phase> phases = times.finish(alone());
  ASSERT_EQ(phases.size(), 2U);
  EXPECT_EQ(phases[0].name, "long");
  EXPECT_EQ(phases[1].name, "short");
  EXPECT_GE(phases[0].seconds, 20e-3);
  EXPECT_GE(phases[1].seconds, 0.0);
  EXPECT_LE(phases[0].seconds + phases[1].seconds, watch.seconds()) << "no time counts twice";
}

TEST(PhaseTimes, WithoutPhasesThereAreNone) { EXPECT_TRUE(PhaseTimes().finish(alone()).empty()); }

}  // namespace
}  // namespace bankfull
