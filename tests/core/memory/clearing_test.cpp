#include "bankfull/core/memory/clearing.hpp"

#include <gtest/gtest.h>

namespace bankfull {
namespace {

using Seconds = std::chrono::duration<double>;

Clearing::Clock::time_point after(double seconds) {
  return Clearing::Clock::time_point{} +
         std::chrono::duration_cast<Clearing::Clock::duration>(Seconds(1000.0 + seconds));
}

constexpr double bytes_per_second = Clearing::bytes_per_second;

TEST(Clearing, IsOverWhereNothingWasFreed) {
  const Clearing clearing;
  EXPECT_EQ(clearing.seconds_left(after(0.0)), 0.0);
}

TEST(Clearing, TakesTheTimeOfTheBytesThatWereFreed) {
  Clearing clearing;
  clearing.freed(2.0 * bytes_per_second, after(0.0));
  EXPECT_NEAR(clearing.seconds_left(after(0.0)), 2.0, 1e-6);
  EXPECT_NEAR(clearing.seconds_left(after(1.5)), 0.5, 1e-6);
  EXPECT_EQ(clearing.seconds_left(after(2.5)), 0.0);
}

TEST(Clearing, GoesOnWithWhatIsFreedMeanwhile) {
  Clearing clearing;
  clearing.freed(bytes_per_second, after(0.0));
  clearing.freed(bytes_per_second, after(0.25));
  EXPECT_NEAR(clearing.seconds_left(after(0.25)), 1.75, 1e-6);
}

TEST(Clearing, BeginsAnewAfterAPause) {
  Clearing clearing;
  clearing.freed(bytes_per_second, after(0.0));
  clearing.freed(bytes_per_second, after(10.0));
  EXPECT_NEAR(clearing.seconds_left(after(10.5)), 0.5, 1e-6);
}

}  // namespace
}  // namespace bankfull
