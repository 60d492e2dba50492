#include "bankfull/workloads/npb/ft/cuda/piece_steps.hpp"
#include "bankfull/workloads/npb/ft/cuda/plan.hpp"

#include <gtest/gtest.h>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace bankfull::npb::ft::cuda {
namespace {

template <int Apart>
void expect_found(int length, int extent) {
  for (int first = 0; first < Apart; ++first) {
    int log2_extent = 0;
    while (1 << log2_extent < extent) {
      ++log2_extent;
    }
    const PieceSteps<Apart> steps{log2_extent, first};
    for (int point = 0; point * Apart < length; ++point) {
      const int element = first + point * Apart;
      EXPECT_EQ(steps.rank_of(point), element / extent);
      EXPECT_EQ(steps.begin() + steps.steps_to(point) * Apart, element % extent);
    }
  }
}

TEST(FtPieceSteps, FindEveryPointOfAnAxis) {
  for (int extent = 1; extent <= 64; extent *= 2) {
    expect_found<4>(64, extent);
    expect_found<8>(64, extent);
    expect_found<64>(64, extent);
  }
}

FtParameters parameters(std::int64_t nx, std::int64_t ny, std::int64_t nz) {
  return {.nx = nx, .ny = ny, .nz = nz, .iterations = 1};
}

/// Places of all points of a field, each of which is in one place.
using Places = std::set<std::tuple<int, std::int64_t>>;

/// A field whose depth differs from its side, on a number of ranks.
struct Cut {
  Plan plan;

  [[nodiscard]] int owner_of_plane(int plane) const { return plane / plan.piece().depth; }
  [[nodiscard]] int owner_of_column(int column) const { return column / plan.piece().columns; }

  template <class Body>
  void each_point(const Body& body) const {
    for (int plane = 0; plane < plan.shape.depth; ++plane) {
      for (int row = 0; row < plan.shape.side; ++row) {
        for (int column = 0; column < plan.shape.columns; ++column) {
          body(plane, row, column);
        }
      }
    }
  }
};

class FtPieces : public testing::TestWithParam<int> {
 protected:
  Cut cut_{plan_of(parameters(64, 64, 32), GetParam())};
};

TEST_P(FtPieces, HoldEveryPointOnce) {
  const Shape piece = cut_.plan.piece();
  Places planes;
  Places lines;
  cut_.each_point([&](int plane, int row, int column) {
    const int pair = cut_.owner_of_plane(plane) * cut_.plan.ranks + cut_.owner_of_column(column);
    const int there = plane % piece.depth;
    const int beside = column % piece.columns;
    planes.emplace(pair, piece.in_planes(there, row, beside));
    lines.emplace(pair, piece.in_lines(there, row, beside));
    ASSERT_LT(piece.in_planes(there, row, beside), piece.points());
    ASSERT_LT(piece.in_lines(there, row, beside), piece.points());
  });
  const auto points = static_cast<std::size_t>(cut_.plan.shape.points());
  EXPECT_EQ(planes.size(), points);
  EXPECT_EQ(lines.size(), points);
}

/// Lines are cut where they stand; a tile of them has the same columns in pieces and in lines, and
/// of each piece what lies together.
TEST_P(FtPieces, MakeUpLines) {
  const Shape whole = cut_.plan.shape;
  const Shape own = cut_.plan.own_lines();
  const Shape piece = cut_.plan.piece();
  const std::int64_t width = std::int64_t{1} << (whole.log2_line_rows + whole.log2_line_columns);
  cut_.each_point([&](int plane, int row, int column) {
    const int beside = column % own.columns;
    const std::int64_t at = own.in_lines(plane, row, beside);
    ASSERT_EQ(whole.in_lines(plane, row, column), cut_.owner_of_column(column) * own.points() + at);
    const std::int64_t tile = at / (width * own.depth);
    ASSERT_EQ(piece.in_lines(plane % piece.depth, row, beside),
              (tile * piece.depth + plane % piece.depth) * width + at % width);
  });
}

/// A tile of planes has a column of a piece from end to end.
TEST_P(FtPieces, HaveWholeTilesOfPlanes) {
  const Shape piece = cut_.plan.piece();
  const std::int64_t tile = std::int64_t{piece.side} << (piece.log2_planes + piece.log2_columns);
  EXPECT_EQ(piece.points() % tile, 0);
  cut_.each_point([&](int plane, int row, int column) {
    const int there = plane % piece.depth;
    const int beside = column % piece.columns;
    ASSERT_EQ(piece.in_planes(there, row, beside) / tile, piece.in_planes(there, 0, beside) / tile);
  });
}

/// The contiguous points of a tile of lines for another rank.
TEST(FtPlan, WritesLinesOfTheCache) {
  for (const Class size : {Class::s, Class::w, Class::a, Class::b, Class::c, Class::d}) {
    const Shape shape = plan_of(ft_parameters(size), 2).shape;
    EXPECT_GE(lines_together(shape.depth) << shape.log2_planes, 8) << to_string(size);
  }
}

TEST(FtPlan, TakesLessMemoryOnMoreRanks) {
  for (const Class size : all_classes) {
    const FtParameters& ft = ft_parameters(size);
    const auto one = static_cast<double>(plan_of(ft).bytes());
    for (int ranks = 2; ranks <= max_ranks(ft); ranks *= 2) {
      const auto each = static_cast<double>(plan_of(ft, ranks).bytes());
      EXPECT_GE(each, 1.5 * one / ranks);
      // Tables are small beside fields, but in class S.
      EXPECT_LT(each, (size == Class::s ? 2.0 : 1.6) * one / ranks + 4e6);
    }
  }
}

TEST(FtPlan, GroupsPlanesAlikeOnAnyRanks) {
  for (int ranks = 1; ranks <= 8; ranks *= 2) {
    const Plan plan = plan_of(parameters(64, 64, 2048), ranks, ranks - 1);
    EXPECT_EQ(plan.planes_per_group(), 64);
    EXPECT_EQ(plan.own_groups() * plan.planes_per_group(), plan.own_planes().depth);
  }
}

std::string name_of(const testing::TestParamInfo<int>& info) {
  return std::to_string(info.param) + "ranks";
}

INSTANTIATE_TEST_SUITE_P(Ranks, FtPieces, testing::Values(1, 2, 4, 8), name_of);

TEST(FtOnGpus, RefusesRanksWithoutTiles) {
  const Problem problem{.size = Class::s, .device = Device::cuda(0)};
  EXPECT_EQ(refusal_of_ranks(problem, 1), "");
  EXPECT_EQ(refusal_of_ranks(problem, 16), "");
  EXPECT_NE(refusal_of_ranks(problem, 3).find("powers of two up to 16"), std::string::npos);
  EXPECT_NE(refusal_of_ranks(problem, 32).find("powers of two up to 16"), std::string::npos);
}

}  // namespace
}  // namespace bankfull::npb::ft::cuda
