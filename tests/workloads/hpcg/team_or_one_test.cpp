#include "bankfull/workloads/hpcg/cpu/team_or_one.hpp"

#include <gtest/gtest.h>
#include <string>

namespace bankfull::hpcg::cpu {
namespace {

/// Who does so many pieces of work, T the team and 1 one thread, if they take so long.
std::string turns(TeamOrOne& choice, int count, double seconds_of_team, double seconds_of_one) {
  std::string who;
  for (int n = 0; n < count; ++n) {
    who += choice.is_for_team() ? 'T' : '1';
    choice.took(choice.is_for_team() ? seconds_of_team : seconds_of_one);
  }
  return who;
}

TEST(TeamOrOne, TakesTheTeamIfItIsAsFast) {
  TeamOrOne choice;
  EXPECT_EQ(turns(choice, 6, 1.0, 1.0), "1TTTTT");
}

TEST(TeamOrOne, TriesTheTeamLessAndLessOftenWhileItIsSlower) {
  TeamOrOne choice;
  EXPECT_EQ(turns(choice, 16, 2.0, 1.0), "1T1T11T1111T1111");
  EXPECT_EQ(turns(choice, 200, 2.0, 1.0).find(std::string(33, '1')), std::string::npos);
}

TEST(TeamOrOne, ReturnsToTheTeamWhenItIsFasterAgain) {
  TeamOrOne choice;
  static_cast<void>(turns(choice, 100, 2.0, 1.0));
  EXPECT_TRUE(turns(choice, 60, 0.5, 1.0).ends_with("TTTTTTTTTTTTTTTT"));
  // A single slow turn costs one of the thread.
  EXPECT_EQ(turns(choice, 1, 9.0, 1.0), "T");
  EXPECT_EQ(turns(choice, 4, 0.5, 1.0), "1TTT");
}

}  // namespace
}  // namespace bankfull::hpcg::cpu
