#include "bankfull/workloads/npb/mg/blocks.hpp"
#include "bankfull/workloads/npb/mg/cuda/grids.hpp"

#include <gtest/gtest.h>
#include <set>
#include <vector>

namespace bankfull::npb::mg::cuda {
namespace {

constexpr int finest = 5;
constexpr int side = 1 << finest;

const std::vector<RankGrid> all_cuts{{4, 1, 1}, {1, 4, 1}, {1, 1, 4},
                                     {2, 2, 1}, {2, 1, 2}, {2, 4, 8}};

template <class Grid>
std::int64_t offset(const Grid& grid, int i3, int i2, int i1) {
  return grid.plane(i3) + grid.row(i2) + grid.column(i1);
}

/// body(i3, i2, i1) for the points of a block and those around it that kernels use.
template <class Grid, class Body>
void for_points_around(const Grid& grid, const Body& body) {
  constexpr int ghosts = Block::ghosts;
  for (int i3 = -ghosts; i3 < grid.planes() + ghosts; ++i3) {
    for (int i2 = -ghosts; i2 < grid.rows() + ghosts; ++i2) {
      for (int i1 = -ghosts; i1 < grid.columns() + ghosts; ++i1) {
        body(i3, i2, i1);
      }
    }
  }
}

int wrapped(std::int64_t i, int count) { return static_cast<int>((i + count) % count); }

TEST(MgGridsOnGpus, AWholeGridWrapsAround) {
  const Cube cube{side};
  for_points_around(cube, [&](int i3, int i2, int i1) {
    const std::int64_t row = wrapped(i3, side) * side + wrapped(i2, side);
    ASSERT_EQ(offset(cube, i3, i2, i1), row * side + wrapped(i1, side));
  });
}

TEST(MgGridsOnGpus, ABlockHasGhostsAlongAxesThatAreCutAndWrapsAroundAlongOthers) {
  for (const RankGrid& cuts : all_cuts) {
    SCOPED_TRACE(to_string(cuts));
    const Extents points = Blocks(finest, cuts).block(finest);
    const Layout layout(points, Block::ghosts, sizeof(double));
    const Block block = block_with_ghosts(layout, cuts);
    EXPECT_EQ((Extents{block.planes(), block.rows(), block.columns()}), points);
    const auto at = [](int i, int ranks, int count) { return ranks > 1 ? i : wrapped(i, count); };
    for_points_around(block, [&](int i3, int i2, int i1) {
      const std::int64_t expected =
          layout.offset(at(i3, cuts.i, block.planes()), at(i2, cuts.j, block.rows()),
                        at(i1, cuts.k, block.columns()));
      ASSERT_EQ(offset(block, i3, i2, i1), expected);
      ASSERT_GE(layout.origin() + expected, 0);
      ASSERT_LT(layout.origin() + expected, layout.size());
    });
    EXPECT_EQ(block.row(1) - block.row(0), block.rows() > 1 ? block.row_pitch() : 0);
  }
}

/// Kernels copy pairs of columns.
TEST(MgGridsOnGpus, PairsOfColumnsAreAlignedInBlocks) {
  for (const RankGrid& cuts : all_cuts) {
    const Layout layout(Blocks(finest, cuts).block(finest), Block::ghosts, sizeof(double));
    const Block block = block_with_ghosts(layout, cuts);
    for_points_around(block, [&](int i3, int i2, int i1) {
      if (i1 % 2 == 0) {
        ASSERT_EQ((layout.origin() + offset(block, i3, i2, i1)) % 2, 0);
      }
    });
  }
}

TEST(MgGridsOnGpus, PlanesFurtherOnThanGhostsAreTheLastGhost) {
  const RankGrid cuts{4, 1, 1};
  const Block block = block_with_ghosts({Blocks(finest, cuts).block(finest), 2, 8}, cuts);
  EXPECT_EQ(block.plane(block.planes() + 2), block.plane(block.planes() + 1));
  EXPECT_EQ(block.plane(block.planes() + 5), block.plane(block.planes() + 1));
}

TEST(MgGridsOnGpus, AroundABlockOfAWholeGridLiesTheGrid) {
  const Cube cube{side};
  for (const RankGrid& cuts : all_cuts) {
    const Decomposition blocks = Blocks(finest, cuts).at(finest);
    for (int rank = 0; rank < blocks.ranks(); ++rank) {
      const Box box = blocks.block(rank);
      const Block block = block_of_cube(side, box);
      for_points_around(block, [&](int i3, int i2, int i1) {
        ASSERT_EQ(offset(block, i3, i2, i1),
                  offset(cube, wrapped(box.i0 + i3, side), wrapped(box.j0 + i2, side),
                         wrapped(box.k0 + i1, side)));
      });
    }
  }
}

TEST(MgGridsOnGpus, PiecesOfRanksHoldEveryPointOnceInTheBlockOfItsRank) {
  for (const RankGrid& cuts : all_cuts) {
    const Decomposition blocks = Blocks(finest, cuts).at(finest);
    const Pieces pieces{blocks.largest_block(), cuts};
    const Block packed = packed_block(pieces.block);
    bool in_order = true;
    for (int rank = 0; rank < blocks.ranks(); ++rank) {
      const Box box = blocks.block(rank);
      for (int i3 = 0; i3 < packed.planes(); ++i3) {
        for (int i2 = 0; i2 < packed.rows(); ++i2) {
          for (int i1 = 0; i1 < packed.columns(); ++i1) {
            const std::int64_t at = pieces.at(box.i0 + i3, box.j0 + i2, box.k0 + i1);
            ASSERT_EQ(at, rank * pieces.block.count() + offset(packed, i3, i2, i1));
            in_order &= at == ((box.i0 + i3) * side + box.j0 + i2) * side + box.k0 + i1;
          }
        }
      }
    }
    EXPECT_EQ(pieces.are_whole(), in_order) << to_string(cuts);
  }
}

TEST(MgGridsOnGpus, AreGatheredBelowTheFinest) {
  constexpr int gathered = 6;
  EXPECT_EQ(Blocks(5, {4, 1, 1}, gathered).coarsest(), 4);
  EXPECT_EQ(Blocks(7, {4, 1, 1}, gathered).coarsest(), 6);
  EXPECT_EQ(Blocks(9, {4, 1, 1}, gathered).coarsest(), 6);
  EXPECT_EQ(Blocks(9, {128, 1, 1}, gathered).coarsest(), 7);
}

}  // namespace
}  // namespace bankfull::npb::mg::cuda
