#include "bankfull/workloads/himeno/overlap.hpp"

#include "bankfull/core/base/error.hpp"
#include "bankfull/core/comm/communicator.hpp"
#include "bankfull/workloads/himeno/domain.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <vector>

namespace bankfull::himeno {
namespace {

using Kind = PassStep::Kind;

Domain domain_of(const GridSize& grid, const RankGrid& cuts, int rank) {
  return {.grid = grid, .decomposition = Decomposition(grid.interior(), cuts), .rank = rank};
}

/// How often the sweeps of a plan update each point of a block.
std::vector<int> updates(const PassPlan& plan, const Extents& n) {
  std::vector<int> count(static_cast<std::size_t>(n.count()));
  for (const PassStep& step : plan.steps) {
    if (step.kind != Kind::sweep) {
      continue;
    }
    const Box& box = step.part;
    for (std::int64_t i = box.i0; i < box.i1; ++i) {
      for (std::int64_t j = box.j0; j < box.j1; ++j) {
        for (std::int64_t k = box.k0; k < box.k1; ++k) {
          ++count[static_cast<std::size_t>((i * n.nj + j) * n.nk + k)];
        }
      }
    }
  }
  return count;
}

std::size_t position(const PassPlan& plan, Kind kind, int exchange = 0) {
  const auto found = std::find_if(plan.steps.begin(), plan.steps.end(), [&](const PassStep& s) {
    return s.kind == kind && s.exchange == exchange;
  });
  return static_cast<std::size_t>(found - plan.steps.begin());
}

TEST(PassPlan, UpdatesEveryPointOnce) {
  const GridSize grid{19, 30, 103};
  for (const RankGrid& cuts : {RankGrid{1, 1, 1}, {4, 1, 1}, {1, 3, 1}, {1, 1, 3}, {2, 3, 2}}) {
    for (int rank = 0; rank < cuts.count(); ++rank) {
      const Domain domain = domain_of(grid, cuts, rank);
      for (const Overlap overlap : {Overlap::none, Overlap::boundary}) {
        const PassPlan plan = plan_pass(overlap, domain, {.i = 2, .j = 4, .k = 8}, 0.5);
        const std::vector<int> count = updates(plan, domain.interior());
        EXPECT_TRUE(std::all_of(count.begin(), count.end(), [](int n) { return n == 1; }))
            << to_string(cuts) << " rank " << rank << ' ' << to_string(overlap);
      }
    }
  }
}

TEST(PassPlan, OneRankExchangesNothing) {
  for (const Overlap overlap : all_overlaps) {
    EXPECT_TRUE(plan_pass(overlap, whole_domain({9, 9, 9}), {}, 0.5).exchanges.empty());
  }
}

TEST(PassPlan, BoundaryPartsAreSweptBeforeTheExchangeAndAlignedAlongK) {
  const Domain domain = domain_of({40, 40, 200}, {3, 3, 3}, 13);
  const PassPlan plan = plan_pass(Overlap::boundary, domain, {.i = 1, .j = 1, .k = 32}, 0.5);
  const Extents n = domain.interior();
  const std::size_t started = position(plan, Kind::start);
  ASSERT_EQ(started, 6U);
  // What remains touches no side.
  const Box& rest = plan.steps[started + 1].part;
  EXPECT_GT(rest.i0, 0);
  EXPECT_LT(rest.i1, n.ni);
  EXPECT_GT(rest.j0, 0);
  EXPECT_LT(rest.j1, n.nj);
  EXPECT_GT(rest.k0, 0);
  EXPECT_LT(rest.k1, n.nk);
  for (const PassStep& step : plan.steps) {
    EXPECT_EQ(step.part.k0 % 32, 0);
  }
  EXPECT_LT(started, position(plan, Kind::finish));
  EXPECT_TRUE(sweeps_meanwhile(plan));
  EXPECT_FALSE(sweeps_meanwhile(plan_pass(Overlap::none, domain, {}, 0.5)));
}

TEST(PassPlan, TooThinForBoundaryPartsIsSweptAtOnce) {
  const PassPlan plan = plan_pass(Overlap::boundary, domain_of({5, 30, 30}, {3, 1, 1}, 1),
                                  {.i = 2, .j = 2, .k = 32}, 0.5);
  EXPECT_EQ(plan.steps.size(), 4U);
}

TEST(PassPlan, PartsOfNeighboursBorderOnEachOtherInTwoParts) {
  const GridSize grid{42, 9, 9};
  const RankGrid cuts{4, 1, 1};
  for (int rank = 0; rank < 4; ++rank) {
    const Domain domain = domain_of(grid, cuts, rank);
    const PassPlan plan = plan_pass(Overlap::two_part, domain, {}, 0.3);
    ASSERT_EQ(plan.exchanges.size(), 2U);
    EXPECT_EQ(plan.steps[0].part.extents().ni, 3);
    const bool even = rank % 2 == 0;
    // Part A is swept first; exchange 0 serves the neighbour that it borders on.
    EXPECT_EQ(plan.steps[0].part.i0, even ? 0 : 7);
    EXPECT_EQ(plan.exchanges[0]({even ? -1 : +1, 0, 0}), true);
    EXPECT_EQ(plan.exchanges[0]({even ? +1 : -1, 0, 0}), false);
    const std::vector<int> count = updates(plan, domain.interior());
    EXPECT_TRUE(std::all_of(count.begin(), count.end(), [](int n) { return n == 1; }));
  }
}

TEST(PassPlan, TwoPartsRefuseWhatTheyCannotCut) {
  EXPECT_THROW(plan_pass(Overlap::two_part, domain_of({9, 9, 9}, {2, 2, 1}, 0), {}, 0.5),
               UsageError);
  EXPECT_THROW(plan_pass(Overlap::two_part, domain_of({5, 9, 9}, {3, 1, 1}, 0), {}, 0.5),
               UsageError);
}

TEST(Domain, UpdatedReachesBeyondWhereAnotherRankGoesOn) {
  const Domain domain = domain_of({12, 12, 12}, {2, 1, 5}, 1);  // low in i, inside in k
  EXPECT_EQ(domain.interior(), (Extents{5, 10, 2}));
  EXPECT_EQ(domain.updated(2), (Box{0, 7, 0, 10, -2, 4}));
  EXPECT_EQ(owned_box(domain), (Box{-1, 5, -1, 11, 0, 2}));
}

TEST(Domain, AssemblesWhatItGathers) {
  const Domain domain = whole_domain({3, 4, 5});
  const auto alone = make_self_communicator();
  std::vector<double> values(60);
  for (std::size_t n = 0; n < values.size(); ++n) {
    values[n] = static_cast<double>(n);
  }
  EXPECT_EQ(assemble(*alone, domain, values), values);
}

}  // namespace
}  // namespace bankfull::himeno
