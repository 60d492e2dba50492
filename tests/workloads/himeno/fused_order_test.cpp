#include "bankfull/core/exec/for_each.hpp"
#include "bankfull/core/field/for_cells.hpp"
#include "bankfull/workloads/himeno/cpu/fused.hpp"
#include "bankfull/workloads/himeno/fields.hpp"
#include "bankfull/workloads/himeno/reference.hpp"
#include "tests/sleeping_member.hpp"
#include "tests/workloads/himeno/schedules.hpp"

#include <algorithm>
#include <functional>
#include <gtest/gtest.h>
#include <numeric>
#include <random>
#include <string>
#include <vector>

// Which order a plan takes, and how the blocks are cut, depends on the caches of the machine, and
// what threads take from each other on luck; here all of them are run.
namespace bankfull::himeno {
namespace {

constexpr GridSize odd_grid{13, 21, 39};

struct FusedOutcome {
  std::vector<float> pressure;
  std::vector<double> gosa;
  friend bool operator==(const FusedOutcome&, const FusedOutcome&) = default;
};

std::vector<float> pressure_of(const Fields<float>& fields) {
  std::vector<float> pressure(static_cast<std::size_t>(fields.interior().extents().count()));
  for_each(Team(1), fields.interior(), copy_pressures(fields, fields.interior(), pressure.data()));
  return pressure;
}

void fill(Fields<float>& fields) {
  for_each(Team(1), fields.whole(),
           initialise(fields, {.kind = InitialState::Kind::random, .seed = 5}));
}

using Pass = std::function<void(FusedSweep<float>&, const SweepView<float>&, RowSums&)>;

void by_a_team(FusedSweep<float>& sweep, const SweepView<float>& view, RowSums& sums) {
  sweep(view, sums);
}

FusedOutcome after_passes(int passes, const GridSize& grid, const FusedPassPlan& plan,
                          const Pass& run_pass = by_a_team) {
  const Domain domain = whole_domain(grid);
  Fields<float> fields(domain, Device::cpu());
  fill(fields);
  const Fields<float>& present = fields;
  const Layout& layout = present.layout();
  FusedSweep<float> sweep(layout, domain.updated(0), plan);
  FusedOutcome outcome;
  for (int pass = 0; pass < passes; ++pass) {
    RowSums sums(domain.interior(), plan.sweeps);
    run_pass(sweep, {layout.interior(), present.all(), present.pressure(), fields.next()}, sums);
    fields.advance();
    for (int n = 0; n < plan.sweeps; ++n) {
      outcome.gosa.push_back(sums.total(Team(1), n));
    }
  }
  outcome.pressure = pressure_of(fields);
  return outcome;
}

std::vector<float> after_reference_sweeps(int sweeps, const GridSize& grid) {
  Fields<float> fields(whole_domain(grid), Device::cpu());
  fill(fields);
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    reference_sweep(fields, fields.interior());
    fields.advance();
  }
  return pressure_of(fields);
}

TEST(FusedOrders, GiveTheSameBits) {
  for (const TeamGrid& grid : {TeamGrid{1, 1}, TeamGrid{2, 2}, TeamGrid{1, 3}}) {
    for (const int sweeps : {2, 3, 4}) {
      for (const std::int64_t strip_rows : {2, 5, 64}) {
        FusedPassPlan plan{.sweeps = sweeps, .strip_rows = strip_rows, .grid = grid};
        const FusedOutcome plane_by_plane = after_passes(1, odd_grid, plan);
        plan.row_by_row = true;
        EXPECT_EQ(after_passes(1, odd_grid, plan), plane_by_plane)
            << sweeps << " sweeps, strips of " << strip_rows << " rows";
      }
    }
  }
}

/// Two passes: the second finds what the first has left.
void expect_bits_of_the_reference(const GridSize& size, const FusedPassPlan& plan,
                                  const Pass& run_pass = by_a_team) {
  SCOPED_TRACE(std::to_string(plan.sweeps) + " sweeps, strips of " +
               std::to_string(plan.strip_rows) + " rows, " + std::to_string(plan.grid.i) + " x " +
               std::to_string(plan.grid.j) + " blocks" + (plan.row_by_row ? ", row by row" : ""));
  const FusedOutcome outcome = after_passes(2, size, plan, run_pass);
  EXPECT_EQ(outcome.pressure, after_reference_sweeps(2 * plan.sweeps, size));
  const FusedPassPlan alone{.sweeps = plan.sweeps, .strip_rows = 1 << 20};
  EXPECT_EQ(outcome.gosa, after_passes(2, size, alone).gosa);
}

class FusedBlocks : public ::testing::TestWithParam<GridSize> {
 protected:
  /// Cut along i, along j and along both.
  static std::vector<TeamGrid> grids() {
    std::vector<TeamGrid> grids;
    const Extents n = GetParam().interior();
    for (const TeamGrid& grid :
         {TeamGrid{1, 1}, TeamGrid{2, 1}, TeamGrid{1, 2}, TeamGrid{2, 2}, TeamGrid{3, 2},
          TeamGrid{1, 7}, TeamGrid{7, 1}, TeamGrid{5, 3}, TeamGrid{8, 2}}) {
      if (grid.i <= n.ni && grid.j <= n.nj) {
        grids.push_back(grid);
      }
    }
    return grids;
  }
};

TEST_P(FusedBlocks, GiveTheBitsOfTheReference) {
  for (const TeamGrid& grid : grids()) {
    for (const int sweeps : {2, 4}) {
      for (const std::int64_t strip_rows : {2, 9}) {
        for (const bool row_by_row : {false, true}) {
          expect_bits_of_the_reference(
              GetParam(),
              {.sweeps = sweeps, .strip_rows = strip_rows, .row_by_row = row_by_row, .grid = grid});
        }
      }
    }
  }
}

/// One after the other, so that the first takes from all others what can be taken.
void one_after_the_other(bool last_first, FusedSweep<float>& sweep, const SweepView<float>& view,
                         RowSums& sums) {
  std::vector<int> order(static_cast<std::size_t>(sweep.plan().threads()));
  std::iota(order.begin(), order.end(), 0);
  if (last_first) {
    std::reverse(order.begin(), order.end());
  }
  sweep.begin_pass();
  for (const int thread : order) {
    sweep.take_part(thread, view, sums);
  }
}

TEST_P(FusedBlocks, GiveThemWhereTheFirstThreadTakesAllThatItCan) {
  for (const TeamGrid& grid : grids()) {
    for (const bool last_first : {false, true}) {
      for (const std::int64_t strip_rows : {2, 3}) {
        expect_bits_of_the_reference(
            GetParam(), {.sweeps = 3, .strip_rows = strip_rows, .row_by_row = true, .grid = grid},
            [&](FusedSweep<float>& sweep, const SweepView<float>& view, RowSums& sums) {
              one_after_the_other(last_first, sweep, view, sums);
            });
      }
    }
  }
}

std::vector<GridSize> shapes() {
  std::vector<GridSize> grids = awkward_grids();
  grids.push_back({12, 67, 7});
  return grids;
}

INSTANTIATE_TEST_SUITE_P(Shapes, FusedBlocks, ::testing::ValuesIn(shapes()));

TEST(FusedBlocksWhoseOwnerSleeps, GiveTheBitsOfTheReference) {
  const GridSize size{21, 203, 85};
  for (int sleeper = 0; sleeper < 4; ++sleeper) {
    const SleepingMember member(4, sleeper);
    expect_bits_of_the_reference(
        size, {.sweeps = 4, .strip_rows = 3, .row_by_row = true, .grid = {2, 2}});
  }
}

/// A rank sweeps layers of its neighbours' points too. The initial state is a function of the
/// point, so one rank's pass needs no others.
std::vector<float> rank_after_one_pass(const Domain& domain, const FusedPassPlan& plan) {
  Fields<float> fields(domain, Device::cpu());
  fill(fields);
  const Fields<float>& present = fields;
  const Layout& layout = present.layout();
  RowSums sums(domain.interior(), plan.sweeps);
  FusedSweep<float>(layout, domain.updated(domain.ghosts - 1), plan)(
      {layout.interior(), present.all(), present.pressure(), fields.next()}, sums);
  fields.advance();
  return pressure_of(fields);
}

TEST(FusedBlocksOfRanks, GiveTheBitsOfTheReference) {
  const GridSize grid{19, 29, 37};
  const Extents n = grid.interior();
  const std::vector<float> whole = after_reference_sweeps(3, grid);
  for (int rank = 0; rank < 6; ++rank) {
    const Domain domain{
        .grid = grid, .decomposition = Decomposition(n, {2, 3, 1}), .rank = rank, .ghosts = 3};
    std::vector<float> expected;
    for_cells(domain.block(), [&](std::int64_t i, std::int64_t j, std::int64_t k) {
      expected.push_back(whole[static_cast<std::size_t>((i * n.nj + j) * n.nk + k)]);
    });
    for (const TeamGrid& blocks : {TeamGrid{1, 1}, TeamGrid{1, 2}, TeamGrid{3, 2}}) {
      const FusedPassPlan plan{.sweeps = 3, .strip_rows = 2, .row_by_row = true, .grid = blocks};
      EXPECT_EQ(rank_after_one_pass(domain, plan), expected) << rank << ' ' << blocks.threads();
    }
  }
}

/// Far more threads than the machine has cores: most have their rows taken before they begin.
TEST(FusedBlocksThatOutnumberTheCores, GiveTheBitsOfTheReference) {
  const FusedPassPlan plan{.sweeps = 4, .strip_rows = 2, .row_by_row = true, .grid = {15, 4}};
  const GridSize grid{17, 150, 21};
  EXPECT_EQ(after_passes(3, grid, plan).pressure, after_reference_sweeps(12, grid));
}

TEST(FusedSweepBytes, AreAsPlanned) {
  const Domain domain = whole_domain({34, 80, 100});
  const Layout layout(domain.interior(), 1, sizeof(float));
  for (const TeamGrid& grid : {TeamGrid{1, 1}, TeamGrid{2, 2}, TeamGrid{4, 1}}) {
    const FusedPassPlan plan{.sweeps = 4, .strip_rows = 5, .grid = grid};
    const FusedSweep<float> sweep(layout, domain.updated(0), plan);
    const auto planned = static_cast<double>(bytes_between_sweeps(plan, layout, sizeof(float)));
    EXPECT_NEAR(static_cast<double>(sweep.bytes()), planned, 0.05 * planned);
  }
}

/// Blocks of one thread after the other along j.
detail::SharedBlocks blocks_of_rows(std::int64_t rows, int threads, int sweeps,
                                    std::int64_t strip_rows) {
  return {{5, rows, 9},
          {0, 5, 0, rows, 0, 9},
          {.sweeps = sweeps, .strip_rows = strip_rows, .grid = {1, threads}}};
}

TEST(SharedBlocks, AreClaimedInStripsOfAboutTheSameHeight) {
  for (const std::int64_t rows : {1, 2, 3, 4, 5, 7, 64, 254}) {
    for (const std::int64_t strip_rows : {2, 3, 8, 1000}) {
      for (const int sweeps : {2, 4}) {
        detail::SharedBlocks blocks = blocks_of_rows(rows, 1, sweeps, strip_rows);
        std::int64_t next = 0;
        while (const std::optional<detail::Strip> strip = blocks.claim(0)) {
          EXPECT_EQ(strip->rows.begin, next);
          EXPECT_GE(strip->rows.size(), 2);
          EXPECT_LE(strip->rows.size(), blocks.max_rows());
          EXPECT_EQ(strip->block_end, rows);
          next = strip->rows.end;
        }
        EXPECT_EQ(next, rows + sweeps - 1);
      }
    }
  }
}

TEST(SharedBlocks, AreHalvedBehindWhatIsClaimed) {
  detail::SharedBlocks blocks = blocks_of_rows(80, 2, 4, 8);
  while (blocks.claim(0)) {
  }
  const Range begun = blocks.claim(1)->rows;
  const std::optional<Block> taken = blocks.steal(0);
  ASSERT_TRUE(taken);
  EXPECT_EQ(taken->planes, (Range{0, 5}));
  EXPECT_EQ(taken->rows, (Range{begun.end + (80 - begun.end) / 2, 80}));
  EXPECT_EQ(blocks.claim(1)->block_end, taken->rows.begin);
  EXPECT_EQ(blocks.claim(0)->rows.begin, taken->rows.begin - 3);
}

TEST(SharedBlocks, OfFewRowsAreLeftToTheirThread) {
  detail::SharedBlocks blocks = blocks_of_rows(20, 2, 4, 8);
  while (blocks.claim(0)) {
  }
  ASSERT_TRUE(blocks.claim(1));
  EXPECT_FALSE(blocks.steal(0));
}

/// Whatever is claimed and cut in whatever order.
TEST(SharedBlocks, HaveEachRowOnceInTheSweepThatIsStored) {
  constexpr int threads = 5;
  constexpr int sweeps = 3;
  constexpr std::int64_t rows = 211;
  std::mt19937 random(1);
  std::uniform_int_distribution next_thread(0, threads - 1);
  for (int order = 0; order < 100; ++order) {
    detail::SharedBlocks blocks = blocks_of_rows(rows, threads, sweeps, 4);
    std::vector<std::optional<Block>> present(threads);
    for (int thread = 0; thread < threads; ++thread) {
      present[static_cast<std::size_t>(thread)] = blocks.own(thread);
    }
    std::vector<int> visits(rows);
    const auto any = [](const std::optional<Block>& block) { return block.has_value(); };
    while (std::any_of(present.begin(), present.end(), any)) {
      const int thread = next_thread(random);
      std::optional<Block>& block = present[static_cast<std::size_t>(thread)];
      if (!block) {
        continue;
      }
      if (const std::optional<detail::Strip> strip = blocks.claim(thread)) {
        const std::int64_t begin = std::max(strip->rows.begin - (sweeps - 1), block->rows.begin);
        for (std::int64_t j = begin; j < strip->rows.end - (sweeps - 1); ++j) {
          ++visits[static_cast<std::size_t>(j)];
        }
      } else {
        block = blocks.steal(thread);
      }
    }
    EXPECT_EQ(visits, std::vector<int>(rows, 1));
  }
}

}  // namespace
}  // namespace bankfull::himeno
