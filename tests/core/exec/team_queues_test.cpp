#include "bankfull/core/exec/team_queues.hpp"

#include "bankfull/core/exec/run_on_team.hpp"

#include <gtest/gtest.h>
#include <vector>

namespace bankfull {
namespace {

/// Three members, with as many items as their numbers say, times five.
std::int64_t five_times(int member) { return std::int64_t{5} * member; }

TEST(TeamQueues, EveryItemIsDoneOnce) {
  for (const std::int64_t at_once : {1, 2, 4, 100}) {
    for (int repeat = 0; repeat < 20; ++repeat) {
      std::vector<std::vector<int>> done{{}, std::vector<int>(5), std::vector<int>(10)};
      TeamQueues queues(3, five_times);
      run_on_team(Team(3), [&] {
        queues.run(share_number(), at_once, [&](int owner, const Range& items) {
          for (std::int64_t n = items.begin; n < items.end; ++n) {
            ++done[static_cast<std::size_t>(owner)][static_cast<std::size_t>(n)];
          }
        });
      });
      EXPECT_EQ(done, (std::vector<std::vector<int>>{
                          {}, std::vector<int>(5, 1), std::vector<int>(10, 1)}));
    }
  }
}

struct Claimed {
  int owner;
  Range items;
  friend bool operator==(const Claimed&, const Claimed&) = default;
};

TEST(TeamQueues, AMemberDoesItsOwnItemsInOrderAndThenThoseOfTheMembersAfterIt) {
  std::vector<Claimed> claims;
  TeamQueues queues(3, five_times);
  queues.run(1, 4, [&](int owner, const Range& items) { claims.push_back({owner, items}); });
  EXPECT_EQ(claims, (std::vector<Claimed>{
                        {1, {0, 4}}, {1, {4, 5}}, {2, {0, 4}}, {2, {4, 8}}, {2, {8, 10}}}));
}

TEST(TeamQueues, ThoseWhoComeLateFindNothing) {
  TeamQueues queues(3, five_times);
  queues.run(0, 1, [](int /*owner*/, const Range& /*items*/) {});
  for (int member = 0; member < 3; ++member) {
    queues.run(member, 1, [](int /*owner*/, const Range& /*items*/) { FAIL(); });
  }
}

}  // namespace
}  // namespace bankfull
