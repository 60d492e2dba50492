#include "bankfull/core/exec/for_each.hpp"
#include "bankfull/core/field/for_cells.hpp"
#include "bankfull/workloads/himeno/cpu/fused.hpp"
#include "bankfull/workloads/himeno/fields.hpp"
#include "bankfull/workloads/himeno/reference.hpp"
#include "tests/workloads/himeno/schedules.hpp"

#include <gtest/gtest.h>
#include <string>
#include <vector>

// Which order a plan takes, and how many threads a block gets, depends on the caches of the
// machine; here all of them are run.
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

FusedOutcome after_passes(int passes, const GridSize& grid, const FusedPassPlan& plan) {
  const Domain domain = whole_domain(grid);
  Fields<float> fields(domain, Device::cpu());
  fill(fields);
  const Fields<float>& present = fields;
  const Layout& layout = present.layout();
  FusedSweep<float> sweep(layout, domain.updated(0), plan);
  FusedOutcome outcome;
  for (int pass = 0; pass < passes; ++pass) {
    RowSums sums(domain.interior(), plan.sweeps);
    sweep({layout.interior(), present.all(), present.pressure(), fields.next()}, sums);
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

/// A grid, and how many threads take the strips of a block in turn.
struct InTurn {
  GridSize grid;
  int threads;
};

// GoogleTest looks for this name.
void PrintTo(const InTurn& c, std::ostream* out) {  // NOLINT(readability-identifier-naming)
  *out << name_of(c.grid) << ", " << c.threads << " threads a block";
}

std::vector<InTurn> in_turn() {
  std::vector<InTurn> cases;
  for (const GridSize& grid : awkward_grids()) {
    for (int threads = 1; threads <= 7; ++threads) {
      cases.push_back({grid, threads});
    }
  }
  return cases;
}

class ThreadsInTurn : public ::testing::TestWithParam<InTurn> {
 protected:
  /// Two passes: the second finds what the first has left.
  static void expect_bits_of_the_reference(const FusedPassPlan& plan) {
    const GridSize& size = GetParam().grid;
    const FusedOutcome outcome = after_passes(2, size, plan);
    EXPECT_EQ(outcome.pressure, after_reference_sweeps(2 * plan.sweeps, size));
    const FusedPassPlan alone{.sweeps = plan.sweeps, .strip_rows = 1 << 20};
    EXPECT_EQ(outcome.gosa, after_passes(2, size, alone).gosa);
  }
};

TEST_P(ThreadsInTurn, GiveTheBitsOfTheReference) {
  for (const int sweeps : {2, 4}) {
    for (const std::int64_t strip_rows : {2, 9}) {
      for (const bool row_by_row : {false, true}) {
        SCOPED_TRACE(std::to_string(sweeps) + " sweeps, strips of " + std::to_string(strip_rows) +
                     " rows" + (row_by_row ? ", row by row" : ""));
        expect_bits_of_the_reference({.sweeps = sweeps,
                                      .strip_rows = strip_rows,
                                      .row_by_row = row_by_row,
                                      .threads_per_block = GetParam().threads});
      }
    }
  }
}

TEST_P(ThreadsInTurn, GiveThemInSeveralBlocks) {
  const Extents n = GetParam().grid.interior();
  for (const TeamGrid& grid : {TeamGrid{2, 1}, TeamGrid{1, 2}}) {
    if (grid.i <= n.ni && grid.j <= n.nj) {
      SCOPED_TRACE(std::to_string(grid.i) + " x " + std::to_string(grid.j) + " blocks");
      expect_bits_of_the_reference({.sweeps = 3,
                                    .strip_rows = 4,
                                    .row_by_row = true,
                                    .grid = grid,
                                    .threads_per_block = GetParam().threads});
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, ThreadsInTurn, ::testing::ValuesIn(in_turn()));

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

TEST(ThreadsOfABlock, GiveTheBitsOfTheReferenceOnEachOfSeveralRanks) {
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
    for (const int threads : {1, 2, 5}) {
      const FusedPassPlan plan{
          .sweeps = 3, .strip_rows = 2, .row_by_row = true, .threads_per_block = threads};
      EXPECT_EQ(rank_after_one_pass(domain, plan), expected) << rank << ' ' << threads;
    }
  }
}

/// Far more threads than the machine has cores: those that wait must leave their core to those that
/// work.
TEST(ThreadsOfABlock, MayOutnumberTheCores) {
  const FusedPassPlan plan{
      .sweeps = 4, .strip_rows = 2, .row_by_row = true, .threads_per_block = 61};
  const GridSize grid{17, 150, 21};
  EXPECT_EQ(after_passes(3, grid, plan).pressure, after_reference_sweeps(12, grid));
}

TEST(FusedSweepBytes, AreAsPlanned) {
  const Domain domain = whole_domain({34, 80, 100});
  const Layout layout(domain.interior(), 1, sizeof(float));
  for (const TeamGrid& grid : {TeamGrid{1, 1}, TeamGrid{2, 2}}) {
    for (const int threads : {1, 2, 5}) {
      const FusedPassPlan plan{
          .sweeps = 4, .strip_rows = 5, .grid = grid, .threads_per_block = threads};
      const FusedSweep<float> sweep(layout, domain.updated(0), plan);
      const auto planned = static_cast<double>(bytes_between_sweeps(plan, layout, sizeof(float)));
      EXPECT_NEAR(static_cast<double>(sweep.bytes()), planned, 0.15 * planned);
    }
  }
}

TEST(Strips, AreAsManyForEachThreadWhereRowsSuffice) {
  for (const std::int64_t rows : {1, 2, 7, 64, 254}) {
    for (const int threads : {1, 2, 3, 16}) {
      const detail::Reach reach{{0, 5, 0, rows, 0, 9}, {{0, 5}, {0, rows}}, 4};
      const detail::Strips strips(reach, 8, threads);
      EXPECT_TRUE(strips.count() % threads == 0 || strips.max_rows() <= 3)
          << rows << ' ' << threads;
      EXPECT_EQ(strips.begin(0), 0);
      EXPECT_EQ(strips.begin(strips.count()), rows + 3);
      for (std::int64_t strip = 0; strip < strips.count(); ++strip) {
        EXPECT_GE(strips.rows(strip), 2);
        EXPECT_LE(strips.rows(strip), strips.max_rows());
      }
    }
  }
}

}  // namespace
}  // namespace bankfull::himeno
