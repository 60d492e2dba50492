#include "bankfull/core/comm/decomposition.hpp"

#include "bankfull/core/base/error.hpp"
#include "bankfull/core/field/for_cells.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <ostream>
#include <vector>

namespace bankfull {

void PrintTo(const RankGrid& grid, std::ostream* out) { *out << to_string(grid); }

namespace {

using ::testing::HasSubstr;

const std::vector<Extents> odd_shapes{{1, 1, 1}, {7, 5, 3}, {13, 2, 9}, {4, 11, 17}, {31, 1, 6}};
const std::vector<RankGrid> rank_grids{{1, 1, 1}, {2, 1, 1}, {1, 2, 3}, {2, 2, 2},
                                       {4, 1, 3}, {3, 2, 1}, {1, 1, 3}, {7, 1, 1}};

bool fits(const RankGrid& grid, const Extents& cells) {
  return grid.i <= cells.ni && grid.j <= cells.nj && grid.k <= cells.nk;
}

std::string refusal(const std::function<void()>& action) {
  try {
    action();
  } catch (const UsageError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Decomposition, BlocksTileTheGridOnce) {
  for (const Extents& cells : odd_shapes) {
    for (const RankGrid& grid : rank_grids) {
      if (!fits(grid, cells)) {
        continue;
      }
      const Decomposition decomposition(cells, grid);
      std::vector<int> owners(static_cast<std::size_t>(cells.count()), 0);
      for (int rank = 0; rank < decomposition.ranks(); ++rank) {
        const Box block = decomposition.block(rank);
        EXPECT_FALSE(block.empty());
        for (std::int64_t i = block.i0; i < block.i1; ++i) {
          for (std::int64_t j = block.j0; j < block.j1; ++j) {
            for (std::int64_t k = block.k0; k < block.k1; ++k) {
              ++owners.at(static_cast<std::size_t>((i * cells.nj + j) * cells.nk + k));
            }
          }
        }
      }
      EXPECT_THAT(owners, ::testing::Each(1)) << to_string(grid);
    }
  }
}

TEST(Decomposition, KnowsItsSmallestAndLargestBlock) {
  const Decomposition decomposition({13, 11, 6}, {4, 3, 2});
  EXPECT_EQ(decomposition.smallest_block(), (Extents{3, 3, 3}));
  EXPECT_EQ(decomposition.largest_block(), (Extents{4, 4, 3}));
  EXPECT_EQ(decomposition.block(0).extents(), (Extents{4, 4, 3}));
  EXPECT_EQ(decomposition.block(23).extents(), (Extents{3, 3, 3}));
}

TEST(Decomposition, OfPairsGivesEachParentToTheRankOfItsFirstCell) {
  Decomposition fine({13, 11, 6}, {4, 3, 1});
  for (const std::array<bool, 3> paired :
       {std::array{true, true, true}, std::array{true, false, true},
        std::array{true, true, false}}) {
    const Decomposition coarse = fine.of_pairs(paired);
    std::int64_t cells = 0;
    for (int rank = 0; rank < fine.ranks(); ++rank) {
      const Box block = coarse.block(rank);
      cells += block.extents().count();
      for_cells(block, [&](std::int64_t i, std::int64_t j, std::int64_t k) {
        const std::array<std::int64_t, 3> first{paired[0] ? 2 * i : i, paired[1] ? 2 * j : j,
                                                paired[2] ? 2 * k : k};
        const Box owner = fine.block(rank);
        EXPECT_TRUE(first[0] >= owner.i0 && first[0] < owner.i1 && first[1] >= owner.j0 &&
                    first[1] < owner.j1 && first[2] >= owner.k0 && first[2] < owner.k1);
      });
    }
    EXPECT_EQ(cells, coarse.cells().count());
    fine = coarse;
  }
  EXPECT_EQ(fine.cells(), (Extents{2, 3, 2}));
  EXPECT_EQ(fine.smallest_block().ni, 0);
  EXPECT_EQ(fine.largest_block().ni, 1);
}

TEST(Decomposition, NumbersRanksWithKFastest) {
  const Decomposition decomposition({8, 8, 8}, {2, 3, 4});
  EXPECT_EQ(decomposition.place(0), (RankGrid{0, 0, 0}));
  EXPECT_EQ(decomposition.place(1), (RankGrid{0, 0, 1}));
  EXPECT_EQ(decomposition.place(4), (RankGrid{0, 1, 0}));
  EXPECT_EQ(decomposition.place(23), (RankGrid{1, 2, 3}));
  for (int rank = 0; rank < decomposition.ranks(); ++rank) {
    EXPECT_EQ(decomposition.rank_at(decomposition.place(rank)), rank);
  }
}

TEST(Decomposition, NeighboursAreMutual) {
  const Extents cells{8, 8, 8};
  for (const Periodicity periodic :
       {Periodicity{}, Periodicity{true, false, false}, Periodicity{true, true, true}}) {
    for (const RankGrid& grid : rank_grids) {
      const Decomposition decomposition(cells, grid, periodic);
      for (int rank = 0; rank < decomposition.ranks(); ++rank) {
        for (int n = 0; n < 27; ++n) {
          const Offset offset{n / 9 - 1, n / 3 % 3 - 1, n % 3 - 1};
          const auto other = decomposition.neighbour(rank, offset);
          if (other) {
            EXPECT_EQ(decomposition.neighbour(*other, offset.reversed()), rank);
          }
          EXPECT_TRUE(other || periodic != (Periodicity{true, true, true}));
        }
      }
    }
  }
}

TEST(Decomposition, PeriodicAxesWrapAround) {
  const Decomposition two({4, 4, 4}, {2, 1, 1}, {true, true, false});
  EXPECT_EQ(two.neighbour(0, {-1, 0, 0}), 1);
  EXPECT_EQ(two.neighbour(0, {+1, 0, 0}), 1);
  EXPECT_EQ(two.neighbour(0, {0, -1, 0}), 0);
  EXPECT_EQ(two.neighbour(0, {0, 0, -1}), std::nullopt);
  const Decomposition closed({4, 4, 4}, {2, 1, 1});
  EXPECT_EQ(closed.neighbour(0, {-1, 0, 0}), std::nullopt);
  EXPECT_EQ(closed.neighbour(0, {+1, 0, 0}), 1);
}

TEST(Decomposition, RefusesRanksWithoutCells) {
  EXPECT_THROW(Decomposition({4, 4, 4}, {5, 1, 1}), UsageError);
  EXPECT_THROW(Decomposition({4, 4, 4}, {1, 0, 1}), UsageError);
  EXPECT_THROW(Decomposition({0, 4, 4}, {1, 1, 1}), UsageError);
}

TEST(Decomposition, RefusesMoreThanCanBeCounted) {
  constexpr std::int64_t many = std::int64_t{1} << 32;  // whose square is 0 in 64 bits
  EXPECT_THAT(refusal([] { Decomposition({many, many, 1}, {1, 1, 1}); }), HasSubstr("counted"));
  EXPECT_THAT(refusal([] {
                Decomposition({65536, 65536, 1}, {65536, 65536, 1});
              }),
              HasSubstr("counted"));
}

TEST(ChooseDecomposition, TakesTheLeastCommunication) {
  const auto chosen = [](const Extents& cells, int ranks) {
    return choose_decomposition(cells, ranks, {.strided_cost = 1}).grid();
  };
  EXPECT_EQ(chosen({512, 512, 1024}, 1), (RankGrid{1, 1, 1}));
  EXPECT_EQ(chosen({512, 512, 1024}, 2), (RankGrid{1, 1, 2}));
  EXPECT_EQ(chosen({512, 512, 1024}, 4), (RankGrid{2, 1, 2}));
  EXPECT_EQ(chosen({512, 512, 1024}, 16), (RankGrid{2, 2, 4}));
  EXPECT_EQ(chosen({64, 64, 64}, 8), (RankGrid{2, 2, 2}));
  EXPECT_EQ(chosen({64, 64, 64}, 2), (RankGrid{2, 1, 1}));
  EXPECT_EQ(chosen({16, 400, 400}, 4), (RankGrid{1, 2, 2}));
  EXPECT_EQ(chosen({100, 300, 200}, 13), (RankGrid{1, 13, 1}));
}

TEST(ChooseDecomposition, CellsAcrossKCostAsMuchAsInTheProgramByDefault) {
  const Extents cells{512, 512, 1024};
  EXPECT_EQ(choose_decomposition(cells, 2).grid(), (RankGrid{2, 1, 1}));
  EXPECT_EQ(DecompositionRules{}.strided_cost, cells_per_sector(sizeof(float)));
}

TEST(ChooseDecomposition, RefusesAHaloWithoutWidth) {
  const auto choose = [] {
    static_cast<void>(choose_decomposition({8, 8, 8}, 2, {.halo_width = 0}));
  };
  EXPECT_EQ(refusal(choose), "a halo of width 0 has no cells; use at least 1");
}

TEST(ChooseDecomposition, RefusesALimitOfNoRanks) {
  EXPECT_THAT(refusal([] {
                choose_decomposition({8, 8, 8}, 2, {.max_grid = {4, 0, 1}});
              }),
              HasSubstr("at most 4x0x1 ranks"));
}

TEST(ChooseDecomposition, AWrappingAxisCutInTwoHasTwoNeighbours) {
  // Both cuts have equal faces, but the periodic one must be exchanged twice.
  EXPECT_EQ(choose_decomposition({8, 8, 8}, 2, {.periodic = {true, false, false}}).grid(),
            (RankGrid{1, 2, 1}));
  EXPECT_EQ(face_cells(Decomposition({8, 8, 8}, {2, 1, 1}, {true, true, true})), 2 * 64);
  EXPECT_EQ(face_cells(Decomposition({8, 8, 8}, {1, 1, 1}, {true, true, true})), 0);
  EXPECT_EQ(face_cells(Decomposition({9, 8, 8}, {3, 2, 1})), 2 * 8 * 4 + 3 * 8);
}

TEST(ChooseDecomposition, NoAllowedGridIsBetter) {
  for (const Extents& cells : {Extents{64, 48, 80}, Extents{37, 53, 29}, Extents{9, 200, 31}}) {
    for (int ranks = 1; ranks <= 130; ++ranks) {
      const std::vector<RankGrid> grids = allowed_grids(cells, ranks);
      if (grids.empty()) {
        continue;
      }
      const std::int64_t best = face_cells(choose_decomposition(cells, ranks, {.strided_cost = 1}));
      for (const RankGrid& grid : grids) {
        EXPECT_EQ(grid.count(), ranks);
        EXPECT_LE(best, face_cells(Decomposition(cells, grid)));
      }
    }
  }
}

TEST(ChooseDecomposition, AllowsEveryFactorisationOnce) {
  std::vector<RankGrid> expected;
  for (int i = 1; i <= 60; ++i) {
    for (int j = 1; j <= 60; ++j) {
      for (int k = 1; k <= 60; ++k) {
        if (i * j * k == 60 && i <= 20 && j <= 9 && k <= 33) {
          expected.push_back({i, j, k});
        }
      }
    }
  }
  EXPECT_EQ(allowed_grids({20, 9, 33}, 60), expected);
}

TEST(ChooseDecomposition, RespectsTheRules) {
  const Extents cells{64, 64, 64};
  EXPECT_EQ(choose_decomposition(cells, 8, {.max_grid = {1, 8, 8}}).grid().i, 1);
  EXPECT_EQ(choose_decomposition(cells, 7, {.max_grid = {1, 1, 8}}).grid(), (RankGrid{1, 1, 7}));
  for (const RankGrid& grid : allowed_grids({12, 12, 3}, 6, {.halo_width = 4})) {
    EXPECT_EQ(grid.k, 1);
    EXPECT_LE(std::max(grid.i, grid.j), 3);
  }
  // Only a periodic axis must be as thick as the halo without being cut.
  EXPECT_EQ(choose_decomposition({12, 12, 3}, 1, {.halo_width = 4}).ranks(), 1);
  EXPECT_TRUE(
      allowed_grids({12, 12, 3}, 1, {.periodic = {false, false, true}, .halo_width = 4}).empty());
}

TEST(ChooseDecomposition, SaysHowManyRanksWork) {
  EXPECT_EQ(refusal([] {
              static_cast<void>(choose_decomposition({3, 3, 3}, 7));
            }),
            "7 ranks cannot split 3x3x3 cells: each needs at least 1 cell along every axis cut; "
            "use up to 6 ranks");
  EXPECT_THAT(refusal([] {
                static_cast<void>(choose_decomposition({3, 3, 3}, 1000));
              }),
              HasSubstr("use up to 27 ranks"));
  EXPECT_THAT(refusal([] {
                static_cast<void>(choose_decomposition({8, 1, 1}, 5, {.halo_width = 3}));
              }),
              HasSubstr("at least 3 cells along every axis cut; use up to 2 ranks"));
  EXPECT_THAT(refusal([] {
                static_cast<void>(choose_decomposition({1, 1, 1}, 2));
              }),
              HasSubstr("use 1 rank"));
  EXPECT_THAT(refusal([] {
                static_cast<void>(choose_decomposition(
                    {8, 8, 1}, 4, {.periodic = {false, false, true}, .halo_width = 2}));
              }),
              HasSubstr("along every axis cut or periodic; use more cells"));
  EXPECT_THAT(refusal([] {
                static_cast<void>(choose_decomposition({8, 8, 8}, 0));
              }),
              HasSubstr("use at least 1"));
}

TEST(ChooseDecomposition, IsQuickForAMillionRanks) {
  const auto begin = std::chrono::steady_clock::now();
  // 720720 has more divisors than any smaller number; 999983 is prime.
  EXPECT_EQ(choose_decomposition({4096, 4096, 4096}, 720720).ranks(), 720720);
  EXPECT_THROW(static_cast<void>(choose_decomposition({100, 100, 100}, 999983)), UsageError);
  EXPECT_THROW(static_cast<void>(choose_decomposition({999982, 999982, 999982}, 999983)),
               UsageError);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  EXPECT_LT(seconds.count(), 5.0);
}

TEST(Imbalance, IsTheProductOfTheRatiosToTheLeast) {
  EXPECT_EQ(imbalance({4, 4, 4}), 1.0);
  EXPECT_EQ(imbalance({4, 5, 6}), 6.0 / 4.0 * (5.0 / 4.0));
  EXPECT_EQ(imbalance({6, 4, 5}), imbalance({4, 5, 6}));
  EXPECT_EQ(imbalance({1, 1, 127}), 127.0);
}

TEST(RankGridText, IsUnderstood) {
  EXPECT_EQ(parse_rank_grid("--ranks-grid", "2x3x16"), (RankGrid{2, 3, 16}));
  EXPECT_EQ(to_string(parse_rank_grid("--ranks-grid", "1x1x1")), "1x1x1");
}

TEST(RankGridText, IsRefusedWithItsOption) {
  for (const std::string text :
       {"", "2", "2x2", "2x2x", "x2x2", "2x2x2x2", "0x1x1", "-1x1x1", "+1x1x1", " 1x1x1", "1x1x1 ",
        "1.0x1x1", "1X1X1", "2x2x99999999999999999999", "2097152x1x1", "4096x4096x4096"}) {
    const std::string message =
        refusal([&] { static_cast<void>(parse_rank_grid("--ranks-grid", text)); });
    EXPECT_THAT(message, HasSubstr("--ranks-grid " + text));
    EXPECT_THAT(message, HasSubstr("; use IxJxK such as 2x2x1"));
  }
}

}  // namespace
}  // namespace bankfull
