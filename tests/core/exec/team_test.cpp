#include "bankfull/core/exec/team.hpp"

#include <gtest/gtest.h>
#include <vector>

namespace bankfull {
namespace {

TEST(Share, PartsAreContiguousCompleteAndBalanced) {
  for (const std::int64_t count : {0, 1, 2, 7, 64, 101}) {
    for (const int members : {1, 2, 3, 5, 8, 64}) {
      std::int64_t next = 0;
      for (int member = 0; member < members; ++member) {
        const Range part = share(count, member, members);
        EXPECT_EQ(part.begin, next);
        EXPECT_GE(part.size(), count / members);
        EXPECT_LE(part.size(), count / members + 1);
        next = part.end;
      }
      EXPECT_EQ(next, count);
    }
  }
}

TEST(Team, DefaultHasAThread) { EXPECT_GE(Team::default_threads(), 1); }

}  // namespace
}  // namespace bankfull
