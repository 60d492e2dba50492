#include "bankfull/core/base/error.hpp"
#include "bankfull/core/exec/run_on_team.hpp"

#include <gtest/gtest.h>
#include <new>
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

TEST(Team, RefusesToHaveNoThreads) { EXPECT_THROW(Team(0), UsageError); }

TEST(RunOnTeam, EveryThreadRunsTheBody) {
  std::vector<int> calls(3, 0);
  run_on_team(Team(3), [&] { ++calls[static_cast<std::size_t>(share_number())]; });
  EXPECT_EQ(calls, (std::vector<int>{1, 1, 1}));
}

TEST(RunOnTeam, ThrowsWhatOneThreadThrewWhenAllAreDone) {
  std::vector<int> done(3, 0);
  const auto body = [&] {
    if (share_number() == 1) {
      throw std::bad_alloc();
    }
    done[static_cast<std::size_t>(share_number())] = 1;
  };
  EXPECT_THROW(run_on_team(Team(3), body), std::bad_alloc);
  EXPECT_EQ(done, (std::vector<int>{1, 0, 1}));
}

TEST(RunOnTeam, ThrowsOnceWhereAllThreadsThrow) {
  EXPECT_THROW(run_on_team(Team(3), [] { throw std::bad_alloc(); }), std::bad_alloc);
}

}  // namespace
}  // namespace bankfull
