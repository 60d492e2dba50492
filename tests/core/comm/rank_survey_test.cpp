#include "bankfull/core/comm/rank_survey.hpp"

#include "bankfull/core/exec/team.hpp"

#include <gtest/gtest.h>

namespace bankfull {
namespace {

TEST(RankSurvey, OneProcessSharesWithNobody) {
  const auto ranks = make_self_communicator();
  EXPECT_EQ(sharers_on_node(*ranks, {1, 2}).count, 1);
  EXPECT_EQ(sharers_of_gpus(*ranks).place, 0);
  EXPECT_EQ(default_threads(*ranks), Team::default_threads());
  const RankSurvey survey = survey_ranks(*ranks);
  EXPECT_EQ(survey.ranks, 1);
  EXPECT_EQ(survey.nodes, 1);
  EXPECT_EQ(survey.ranks_per_node, 1);
  EXPECT_EQ(survey.default_threads, Team::default_threads());
}

}  // namespace
}  // namespace bankfull
