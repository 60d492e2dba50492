#include "bankfull/core/exec/for_each.hpp"

#include "bankfull/core/field/field_set.hpp"

#include <cmath>
#include <gtest/gtest.h>

namespace bankfull {
namespace {

class ForEach : public ::testing::TestWithParam<int> {};

TEST_P(ForEach, VisitsEveryCellOnce) {
  const Box box{-1, 6, -1, 4, -1, 9};
  FieldSet<double> fields(Layout({5, 3, 8}, 1, sizeof(double)), 1, Device::cpu());
  const FieldView<double> visits = fields[0];
  const Team team(GetParam());
  for_each(team, box, [=](auto i, auto j, auto k) { visits(i, j, k) = 0.0; });
  for_each(team, box, [=](auto i, auto j, auto k) { visits(i, j, k) += 1.0; });
  EXPECT_EQ(reduce_sum(team, box, [=](auto i, auto j, auto k) { return visits(i, j, k); }),
            static_cast<double>(box.extents().count()));
}

TEST_P(ForEach, EmptyBoxIsNoWork) {
  const Box empty{0, 0, 0, 4, 0, 4};
  for_each(Team(GetParam()), empty, [](auto, auto, auto) { FAIL(); });
  EXPECT_EQ(reduce_sum(Team(GetParam()), empty, [](auto, auto, auto) { return 1.0; }), 0.0);
}

TEST_P(ForEach, SumDoesNotDependOnTheTeam) {
  const Box box{0, 13, 0, 7, 0, 31};
  const auto term = [](std::int64_t i, std::int64_t j, std::int64_t k) {
    return std::sin(static_cast<double>(i * 1000 + j * 100 + k));
  };
  EXPECT_EQ(reduce_sum(Team(GetParam()), box, term), reduce_sum(Team(1), box, term));
}

INSTANTIATE_TEST_SUITE_P(Teams, ForEach, ::testing::Values(1, 2, 3, 8));

}  // namespace
}  // namespace bankfull
