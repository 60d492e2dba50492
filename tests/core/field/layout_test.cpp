#include "bankfull/core/field/layout.hpp"

#include "tests/refusal_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <set>

namespace bankfull {
namespace {

using ::testing::HasSubstr;

struct Shape {
  Extents interior;
  std::int64_t ghosts;
  std::size_t element_bytes;
};

class LayoutOf : public ::testing::TestWithParam<Shape> {};

TEST_P(LayoutOf, FirstInteriorCellOfEveryRowIsAligned) {
  const auto [n, ghosts, bytes] = GetParam();
  const Layout layout(n, ghosts, bytes);
  for (std::int64_t i = -ghosts; i < n.ni + ghosts; ++i) {
    for (std::int64_t j = -ghosts; j < n.nj + ghosts; ++j) {
      const std::int64_t byte =
          (layout.origin() + layout.offset(i, j, 0)) * static_cast<std::int64_t>(bytes);
      EXPECT_EQ(byte % Layout::alignment_bytes, 0);
    }
  }
}

TEST_P(LayoutOf, CellsAreDistinctAndInside) {
  const auto [n, ghosts, bytes] = GetParam();
  const Layout layout(n, ghosts, bytes);
  std::set<std::int64_t> seen;
  for (std::int64_t i = -ghosts; i < n.ni + ghosts; ++i) {
    for (std::int64_t j = -ghosts; j < n.nj + ghosts; ++j) {
      for (std::int64_t k = -ghosts; k < n.nk + ghosts; ++k) {
        const std::int64_t at = layout.origin() + layout.offset(i, j, k);
        EXPECT_GE(at, 0);
        EXPECT_LT(at, layout.size());
        EXPECT_TRUE(seen.insert(at).second);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, LayoutOf,
                         ::testing::Values(Shape{{1, 1, 1}, 0, 4}, Shape{{1, 1, 1}, 1, 8},
                                           Shape{{3, 5, 7}, 1, 4}, Shape{{4, 2, 31}, 2, 8},
                                           Shape{{2, 3, 30}, 1, 4}, Shape{{2, 3, 32}, 1, 4}));

TEST(Layout, GhostsShareThePaddingOfTheRowBefore) {
  EXPECT_EQ(Layout({510, 510, 1022}, 1, 4).row_pitch(), 1024);
}

TEST(Layout, RefusesWhatNoFieldCanHave) {
  EXPECT_THAT(refusal_text([] { Layout({4, 0, 4}, 1, 8); }), HasSubstr("4x0x4 cells has none"));
  EXPECT_THAT(refusal_text([] { Layout({4, 4, 4}, -1, 8); }), HasSubstr("width -1"));
  EXPECT_THAT(refusal_text([] { Layout({4, 4, 4}, 1, 0); }), HasSubstr("of 0 bytes"));
  EXPECT_THAT(refusal_text([] { Layout({4, 4, 4}, 1, 256); }), HasSubstr("divides 128"));
  constexpr std::int64_t many = std::int64_t{1} << 32;  // whose square is 0 in 64 bits
  EXPECT_THAT(refusal_text([] { Layout({many, many, 4}, 1, 8); }), HasSubstr("exceeds all memory"));
}

TEST(Boxes, ContainBoxesWithinThem) {
  const Box outer{-1, 5, 0, 4, 0, 4};
  EXPECT_TRUE(contains(outer, outer));
  EXPECT_TRUE(contains(outer, {0, 4, 0, 4, 1, 2}));
  EXPECT_FALSE(contains(outer, {-2, 4, 0, 4, 0, 4}));
  EXPECT_FALSE(contains(outer, {0, 4, 0, 5, 0, 4}));
  EXPECT_FALSE(contains(outer, {0, 4, 0, 4, -1, 4}));
  EXPECT_FALSE(contains({}, {0, 1, 0, 1, 0, 1}));
  EXPECT_TRUE(contains({}, {7, 7, 0, 1, 0, 1}));  // no cells
}

}  // namespace
}  // namespace bankfull
