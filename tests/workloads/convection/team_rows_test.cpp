#include "bankfull/workloads/convection/cpu/team_rows.hpp"

#include "bankfull/core/exec/team.hpp"
#include "tests/sleeping_member.hpp"
#include "tests/workloads/convection/agreement.hpp"
#include "tests/workloads/convection/cases.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <vector>

namespace bankfull::convection {
namespace {

struct Row {
  std::int64_t i;
  std::int64_t j;
  friend bool operator==(const Row&, const Row&) = default;
};

std::vector<Row> rows_in_order(const RowPieces& pieces, const RowShare& whole) {
  std::vector<Row> rows;
  for (std::int64_t n = 0; n < pieces.count(whole); ++n) {
    const RowPiece piece = pieces.piece(whole, n);
    for (std::int64_t j = piece.rows.begin; j < piece.rows.end; ++j) {
      rows.push_back({piece.plane, j});
    }
  }
  return rows;
}

TEST(RowPieces, AreAllRowsBlockByBlock) {
  for (const std::int64_t block : {1, 4, 7, 20}) {
    for (const std::int64_t most : {1, 3, 4, 50}) {
      const RowPieces pieces = RowPieces::of_blocks(block, most);
      const std::int64_t in_block = pieces.rows * pieces.in_block;
      EXPECT_LE(pieces.rows, std::min(most, block));
      EXPECT_GE(in_block, block);
      EXPECT_LT(in_block, block + pieces.in_block);
      const RowShare whole{{3, 6}, {2, 19}};
      std::vector<Row> expected;
      for (std::int64_t j0 = whole.rows.begin; j0 < whole.rows.end; j0 += in_block) {
        for (std::int64_t i = whole.planes.begin; i < whole.planes.end; ++i) {
          for (std::int64_t j = j0; j < std::min(j0 + in_block, whole.rows.end); ++j) {
            expected.push_back({i, j});
          }
        }
      }
      EXPECT_EQ(rows_in_order(pieces, whole), expected);
    }
  }
}

TEST(TeamRows, DoAllRowsOnceAndFindTheLargest) {
  for (const Extents& n : {Extents{12, 40, 256}, {2, 100, 256}, {30, 1, 5000}, {5, 3, 7}}) {
    for (const int threads : {1, 2, 3}) {
      const TeamRows rows(n, threads, std::int64_t{32} * n.nk, 8);
      std::vector<int> done(static_cast<std::size_t>(n.ni * n.nj), 0);
      const auto body = [&](std::int64_t i, std::int64_t j) {
        ++done[static_cast<std::size_t>(i * n.nj + j)];
        return static_cast<double>(i == n.ni / 2 && j == n.nj - 1 ? 7 : j % 5);
      };
      EXPECT_EQ(rows.largest_of_rows(body), 7.0);
      EXPECT_EQ(rows.largest_of_rows_in_blocks(3, body), 7.0);
      EXPECT_EQ(rows.largest_of_rows_in_blocks(1, body), 7.0);
      rows.each_row(body);
      rows.each_own_row(body);
      EXPECT_EQ(std::count(done.begin(), done.end(), 5), n.ni * n.nj);
    }
  }
}

TEST(TeamRows, AMemberThatSleepsChangesNoBitOfAFlow) {
  constexpr int threads = 3;
  for (const PressureSolver solver : {PressureSolver::direct, PressureSolver::multigrid}) {
    Problem problem = busy_problem(
        {40, 48, 48}, {FlowEnds::no_slip, FlowEnds::periodic, FlowEnds::periodic}, 1, 0);
    problem.solver = solver;
    problem.time_step.fixed = 0.001;
    const Reached alone = reached(problem, 2);
    problem.threads = threads;
    for (int member = 0; member < threads; ++member) {
      const SleepingMember sleeper(threads, member);
      const Reached together = reached(problem, 2);
      EXPECT_EQ(together.state.fields, alone.state.fields);
      EXPECT_EQ(together.diagnosis.kinetic_energy, alone.diagnosis.kinetic_energy);
      EXPECT_EQ(together.diagnosis.courant_rate, alone.diagnosis.courant_rate);
    }
  }
}

}  // namespace
}  // namespace bankfull::convection
