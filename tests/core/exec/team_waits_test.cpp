#include "bankfull/core/exec/team_waits.hpp"

#include "bankfull/core/exec/run_on_team.hpp"
#include "tests/core/machine/fake_system.hpp"

#include <chrono>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <thread>
#include <vector>

namespace bankfull {
namespace {

/// How many threads of a team ran.
int team_works(int threads) {
  std::vector<int> calls(static_cast<std::size_t>(threads), 0);
  run_on_team(Team(threads), [&] { ++calls[static_cast<std::size_t>(share_number())]; });
  int all = 0;
  for (const int each : calls) {
    all += each;
  }
  return all;
}

TEST(ShortWaits, TeamsWorkBesideAnIdleOne) {
  for (const int threads : {2, 3, 1}) {
    const ShortWaits waits(threads, 2);
    EXPECT_EQ(team_works(3), 3);
  }
  EXPECT_EQ(team_works(2), 2);
}

/// Two processors that were busy for so many ticks each.
void write_busy(const FakeSystem& system, long ticks) {
  system.write("proc/stat", fmt::format("cpu 0 0 0 0 0 0 0\ncpu0 {0} 0 0 0 0 0 0 0\n"
                                        "cpu1 {0} 0 0 0 0 0 0 0\n",
                                        ticks));
}

/// Looks until waits are, or are not, short, for ten seconds at most.
void adapt_until(TeamWaits& waits, bool are_short) {
  for (int look = 0; waits.are_short() != are_short; ++look) {
    ASSERT_LT(look, 1000);
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    waits.adapt();
  }
}

TEST(TeamWaits, AreShortWhileOthersUseTheProcessors) {
  const FakeSystem system;
  write_busy(system, 0);
  TeamWaits waits(system.files(), {0, 1}, 2);
  TeamWaits alone(system.files(), {0, 1}, 1);
  waits.adapt();
  EXPECT_FALSE(waits.are_short());
  write_busy(system, 1'000'000);
  adapt_until(waits, true);
  EXPECT_EQ(team_works(2), 2);
  EXPECT_GT(waits.most_taken(), 2.0);
  alone.adapt();
  EXPECT_FALSE(alone.are_short()) << "one thread waits for nobody";
  adapt_until(waits, false);
  EXPECT_GT(waits.most_taken(), 2.0) << "is remembered";
}

}  // namespace
}  // namespace bankfull
