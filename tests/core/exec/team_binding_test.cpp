#include "bankfull/core/exec/team_binding.hpp"

#include "bankfull/core/exec/run_on_team.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <omp.h>
#include <set>
#include <thread>
#include <vector>

namespace bankfull {
namespace {

/// So many cores of `threads` hardware threads each, numbered core by core.
std::vector<Processor> some_cores(int cores, int threads = 1) {
  std::vector<Processor> all;
  for (int n = 0; n < cores * threads; ++n) {
    all.push_back({.number = n, .core = n / threads * threads});
  }
  return all;
}

TEST(TeamPlaces, SharesOfTheCoresCoverAllOnceInOrder) {
  for (const int cores : {1, 2, 7, 64}) {
    const TeamPlaces places(some_cores(cores), PlaceWidth::share);
    for (int members = 1; members <= cores; ++members) {
      std::vector<int> together;
      for (int member = 0; member < members; ++member) {
        const std::vector<int> own = places.of_member(member, members);
        EXPECT_GE(static_cast<int>(own.size()), cores / members);
        EXPECT_LE(static_cast<int>(own.size()), cores / members + 1);
        together.insert(together.end(), own.begin(), own.end());
      }
      std::vector<int> all(static_cast<std::size_t>(cores));
      std::generate(all.begin(), all.end(), [n = 0]() mutable { return n++; });
      EXPECT_EQ(together, all);
    }
  }
}

TEST(TeamPlaces, SingleCoresAreSpread) {
  const TeamPlaces places(some_cores(8, 2), PlaceWidth::core);
  EXPECT_EQ(places.of_member(0, 2), (std::vector<int>{0, 1}));
  EXPECT_EQ(places.of_member(1, 2), (std::vector<int>{8, 9}));
  EXPECT_EQ(places.of_member(7, 8), (std::vector<int>{14, 15}));
}

TEST(TeamPlaces, MoreThreadsThanCoresTakeHardwareThreads) {
  const TeamPlaces places(some_cores(3, 2), PlaceWidth::share);
  std::set<int> taken;
  for (int member = 0; member < 5; ++member) {
    const std::vector<int> own = places.of_member(member, 5);
    ASSERT_EQ(own.size(), 1U);
    taken.insert(own.front());
  }
  EXPECT_EQ(taken.size(), 5U);
  EXPECT_EQ(places.of_member(6, 7).size(), 6U) << "nobody has a place of its own";
}

/// What each thread of a team may run on.
std::vector<std::vector<int>> masks_of_team(int threads) {
  std::vector<std::vector<int>> masks(static_cast<std::size_t>(threads));
  run_on_team(Team(threads), [&] {
    const auto member = static_cast<std::size_t>(share_number());  // which binds the thread
    masks[member] = processors_of_this_thread();
  });
  return masks;
}

class Binding : public testing::Test {
 protected:
  void SetUp() override {
    if (process_processors().size() < 2) {
      GTEST_SKIP() << "one processor leaves nothing to choose";
    }
    for (const int number : process_processors()) {
      processors_.push_back({.number = number, .core = number});
    }
  }

  [[nodiscard]] const std::vector<int>& all() const { return process_processors(); }
  [[nodiscard]] int count() const { return static_cast<int>(processors_.size()); }

  std::vector<Processor> processors_;
};

TEST_F(Binding, EachThreadIsBoundAndSetFreeAgain) {
  {
    const TeamBinding binding(TeamPlaces(processors_, PlaceWidth::share), count());
    EXPECT_EQ(processors_of_this_thread(), (std::vector<int>{all().front()}));
    const auto masks = masks_of_team(count());
    for (std::size_t n = 0; n < masks.size(); ++n) {
      EXPECT_EQ(masks[n], (std::vector<int>{all()[n]}));
    }
  }
  EXPECT_EQ(processors_of_this_thread(), all());
  for (const auto& mask : masks_of_team(count())) {
    EXPECT_EQ(mask, all());
  }
}

TEST_F(Binding, ThreadsThatATeamGrowsByAreBoundToo) {
  const TeamBinding binding(TeamPlaces(processors_, PlaceWidth::core), count());
  for (const int threads : {count(), 2, 1, count()}) {
    masks_of_team(threads);
  }
  const auto masks = masks_of_team(count());
  for (std::size_t n = 0; n < masks.size(); ++n) {
    EXPECT_EQ(masks[n], (std::vector<int>{all()[n]}));
  }
}

TEST_F(Binding, TeamsOfMoreThreadsThanProcessorsRunAnywhere) {
  const TeamBinding binding(TeamPlaces(processors_, PlaceWidth::core), count());
  for (const auto& mask : masks_of_team(count() + 1)) {
    EXPECT_EQ(mask, all());
  }
}

TEST_F(Binding, IsLiftedForAWhile) {
  const TeamBinding binding(TeamPlaces(processors_, PlaceWidth::core), count());
  {
    const LiftedBinding lifted;
    EXPECT_EQ(processors_of_this_thread(), all());
    for (const auto& mask : masks_of_team(count())) {
      EXPECT_EQ(mask, all());
    }
  }
  EXPECT_EQ(processors_of_this_thread().size(), 1U);
  EXPECT_EQ(masks_of_team(count()).back(), (std::vector<int>{all().back()}));
}

TEST_F(Binding, OtherThreadsAreStartedUnbound) {
  const TeamBinding binding(TeamPlaces(processors_, PlaceWidth::core), 1);
  std::vector<int> inherited;
  std::vector<int> unbound;
  std::thread([&] { inherited = processors_of_this_thread(); }).join();
  {
    const UnboundStart start;
    std::thread([&] { unbound = processors_of_this_thread(); }).join();
  }
  EXPECT_EQ(inherited.size(), 1U);
  EXPECT_EQ(unbound, all());
  EXPECT_EQ(processors_of_this_thread().size(), 1U) << "only while threads are started";
}

}  // namespace
}  // namespace bankfull
