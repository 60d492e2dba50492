#include "bankfull/core/field/layout.hpp"

#include <gtest/gtest.h>
#include <set>

namespace bankfull {
namespace {

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

}  // namespace
}  // namespace bankfull
