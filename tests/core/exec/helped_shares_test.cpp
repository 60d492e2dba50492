#include "bankfull/core/exec/helped_shares.hpp"

#include "bankfull/core/exec/run_on_team.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <gtest/gtest.h>
#include <thread>
#include <vector>

namespace bankfull {
namespace {

TEST(HelpedItems, EveryItemIsDoneOnce) {
  for (const int threads : {1, 2, 3}) {
    for (const std::int64_t count : {0, 1, 2, 7, 12, 13, 200}) {
      for (const std::int64_t at_once : {1, 3, 300}) {
        std::vector<int> done(static_cast<std::size_t>(count), 0);
        HelpedItems items(threads, count, at_once);
        run_on_team(Team(threads), [&] {
          items.each([&](std::int64_t n) { ++done[static_cast<std::size_t>(n)]; });
        });
        EXPECT_EQ(std::count(done.begin(), done.end(), 1), count);
      }
    }
  }
}

/// Who did which of the items, the last member having waited in its first one for up to
/// `patience` until all were begun.
std::vector<int> members_of(std::int64_t count, std::int64_t at_once,
                            std::chrono::milliseconds patience) {
  constexpr int threads = 3;
  std::vector<int> by(static_cast<std::size_t>(count), -1);
  std::atomic<std::int64_t> begun{0};
  HelpedItems items(threads, count, at_once);
  run_on_team(Team(threads), [&] {
    const auto end = std::chrono::steady_clock::now() + patience;
    items.each([&](std::int64_t n) {
      ++begun;
      by[static_cast<std::size_t>(n)] = share_number();
      while (share_number() == threads - 1 && begun < count &&
             std::chrono::steady_clock::now() < end) {
        std::this_thread::yield();
      }
    });
  });
  return by;
}

TEST(HelpedItems, MembersThatAreDoneHelpOneThatWaits) {
  const std::vector<int> by = members_of(60, 1, std::chrono::seconds(20));
  EXPECT_LE(std::count(by.begin(), by.end(), 2), 1);
}

TEST(HelpedItems, FewItemsAreDoneByThoseWhoseTheyAre) {
  const std::vector<int> by = members_of(12, 1, std::chrono::milliseconds(10));
  EXPECT_EQ(by, (std::vector<int>{0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2}));
  EXPECT_EQ(members_of(12, 4, std::chrono::milliseconds(10)), by);
}

}  // namespace
}  // namespace bankfull
