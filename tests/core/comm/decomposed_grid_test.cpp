#include "bankfull/core/base/error.hpp"
#include "bankfull/core/comm/grid_fields.hpp"
#include "tests/refusal_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <type_traits>
#include <utility>

namespace bankfull {
namespace {

using ::testing::HasSubstr;

TEST(DecomposedGrid, HasTheHaloAroundItsBlock) {
  const auto alone = make_self_communicator();
  const DecomposedGrid grid(*alone, {4, 5, 6}, {.halo = {.width = 2}});
  EXPECT_EQ(grid.block(), (Box{0, 4, 0, 5, 0, 6}));
  EXPECT_EQ(grid.with_ghosts(), (Box{-2, 6, -2, 7, -2, 8}));
  EXPECT_EQ(grid.layout(sizeof(double)).ghosts(), 2);
}

TEST(DecomposedGrid, RefusesWhatCannotBeShared) {
  const auto alone = make_self_communicator();
  const auto made_of = [&alone](const Extents& cells, const GridOptions& options) {
    return [=, &alone] { const DecomposedGrid grid(*alone, cells, options); };
  };
  EXPECT_THAT(refusal_text(made_of({0, 5, 6}, {})), HasSubstr("0x5x6 cells"));
  EXPECT_THAT(refusal_text(made_of({4, 5, 6}, {.halo = {.width = 0}})), HasSubstr("width 0"));
  EXPECT_THAT(refusal_text(made_of({4, 5, 6}, {.rank_grid = RankGrid{2, 1, 1}})),
              HasSubstr("2x1x1 ranks is for 2, and there are 1"));
  EXPECT_THAT(refusal_text(made_of(
                  {1, 5, 6},
                  {.periodic = {.i = true}, .halo = {.width = 2}, .rank_grid = RankGrid{1, 1, 1}})),
              HasSubstr("halo"));
}

TEST(GridFields, OutliveTheirGrid) {
  const auto alone = make_self_communicator();
  GridFields<float> fields(DecomposedGrid(*alone, {4, 5, 6}, {.periodic = {.i = true}}), 1,
                           Team(1));
  fields[0](3, 2, 1) = 7.0F;
  fields.exchange_halo({0});
  EXPECT_EQ(fields[0](-1, 2, 1), 7.0F);
  EXPECT_EQ(fields.interior_values(0).size(), 4U * 5U * 6U);
}

static_assert(!std::is_constructible_v<GridFields<float>, const DecomposedGrid&, int, Stream>,
              "a temporary stream would not outlive the fields");

TEST(GridFields, RefuseWhatTheyDoNotHave) {
  const auto alone = make_self_communicator();
  const DecomposedGrid grid(*alone, {4, 5, 6});
  EXPECT_THAT(refusal_text([&] { const GridFields<float> none(grid, 0, Team(1)); }),
              HasSubstr("0 fields"));
  GridFields<float> fields(grid, 2, Team(1));
  EXPECT_THAT(refusal_text([&] { fields.exchange_halo({2}); }), HasSubstr("field 2"));
  EXPECT_THAT(refusal_text([&] { fields.exchange_halo({}); }), HasSubstr("no fields"));
  EXPECT_THAT(refusal_text([&] { fields.finish_halo(); }), HasSubstr("no exchange"));
  EXPECT_THAT(refusal_text([&] { static_cast<void>(fields[2]); }), HasSubstr("field 2"));
  EXPECT_THAT(refusal_text([&] { static_cast<void>(std::as_const(fields)[-1]); }),
              HasSubstr("field -1"));
  EXPECT_THAT(refusal_text([&] { static_cast<void>(fields.interior_values(2)); }),
              HasSubstr("field 2"));
  fields.start_halo({0});
  EXPECT_THAT(refusal_text([&] { fields.start_halo({1}); }), HasSubstr("second exchange"));
  fields.finish_halo();
}

}  // namespace
}  // namespace bankfull
