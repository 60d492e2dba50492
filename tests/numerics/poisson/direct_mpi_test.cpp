#include "bankfull/core/base/error.hpp"
#include "bankfull/core/memory/memory.hpp"
#include "bankfull/numerics/poisson/direct.hpp"
#include "tests/mpi_main.hpp"
#include "tests/numerics/poisson/direct_cases.hpp"
#include "tests/numerics/poisson/slab_cases.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

// The direct solver on ranks against that of one rank, and against the equation.
namespace bankfull::poisson {
namespace {

const std::vector<int>& threads_of_ranks() {
  static const std::vector<int> threads{1, 2, 3};
  return threads;
}

/// Collective: the whole solution, of one or several solves.
template <class Real>
Values solved_on_ranks(const Domain& domain, const Values& f, int threads, int times = 1) {
  const auto solver = make_cpu_direct<Real>(domain, threads, test_ranks());
  const Domain slab = slab_domain(domain);
  for (int time = 0; time < times; ++time) {
    put(slab, part_of(domain, f), solver->right_side());
    solver->solve();
  }
  Values whole = whole_field(take(slab, solver->solution()));
  const CellSlots<Real> solution = solver->solution();
  expect_plane_before(domain, whole, [&](std::int64_t j, std::int64_t k) {
    return static_cast<double>(solution(-1, j, k));
  });
  return whole;
}

template <class Real>
void expect_solution_of_one_rank(const Domain& domain) {
  const Values f = rounded_to<Real>(random_right_side(domain, 5));
  const Values found = solved_on_ranks<Real>(domain, f, 1);
  const Values once = solved_on_cpu<Real>(domain, f, 1);
  EXPECT_LE(largest_difference(found, once), bound_on_difference<Real> * largest(once));
  expect_solved<Real>(domain, found, f);
}

TEST(DirectOnRanks, AgreesWithOneRank) {
  for (const NamedDomain& each : cases_of_ranks(Device::cpu())) {
    SCOPED_TRACE(each.name);
    expect_solution_of_one_rank<double>(each.domain);
    expect_solution_of_one_rank<float>(each.domain);
  }
}

TEST(DirectOnRanks, OneRankHasTheBitsOfTheSolverOfOne) {
  if (test_ranks().size() > 1) {
    GTEST_SKIP() << "of one rank";
  }
  for (const NamedDomain& each : all_boundaries({9, 6, 10})) {
    const Values f = random_right_side(each.domain, 1);
    EXPECT_EQ(solved_on_ranks<double>(each.domain, f, 2), solved_on_cpu<double>(each.domain, f, 1));
  }
}

TEST(DirectOnRanks, TakesTheMeanAway) {
  expect_mean_taken_away<double>(
      all_boundaries({19, 6, 10}),
      [](const Domain& domain, const Values& f) { return solved_on_ranks<double>(domain, f, 1); });
}

TEST(DirectOnRanks, GivesTheSameBitsForAnyTeamAndEveryTime) {
  for (const Extents& cells : {Extents{13, 10, 150}, {150, 1, 30}}) {
    for (const NamedDomain& each : all_boundaries(cells)) {
      SCOPED_TRACE(each.name);
      const Values f = random_right_side(each.domain, 2);
      const Values once = solved_on_ranks<double>(each.domain, f, 1);
      for (const int threads : threads_of_ranks()) {
        EXPECT_EQ(solved_on_ranks<double>(each.domain, f, threads, 2), once);
      }
    }
  }
}

/// Slabs differ by a plane at most: what is said is of the thickest.
TEST(DirectOnRanks, AllocatesWhatItSays) {
  const Domain domain = all_boundaries({20, 30, 50})[3].domain;
  const MemoryWatch memory(MemorySpace::host);
  const auto solver = make_cpu_direct<float>(domain, 2, test_ranks());
  const std::int64_t said = direct_slab_bytes(domain, sizeof(float), false, 2, test_ranks().size());
  EXPECT_LE(memory.max_bytes(), said);
  EXPECT_EQ(test_ranks().max(memory.max_bytes()), said);
}

/// Before there is a solver its sweeps are not known: they are whole at most.
TEST(DirectOnRanks, CostsNoMoreThanItSays) {
  const int ranks = test_ranks().size();
  const Domain domain{uniform_axis(std::int64_t{16} * ranks, false, 9.0), uniform_axis(12, true),
                      uniform_axis(14, false)};
  const DirectCost said = direct_cost(domain, sizeof(double), false, ranks);
  const Traffic found = make_cpu_direct<double>(domain, 1, test_ranks())->traffic();
  EXPECT_LE(found.bytes_read, said.traffic.bytes_read * ranks);
  EXPECT_LE(found.bytes_written, said.traffic.bytes_written * ranks);
  EXPECT_LE(found.flops, said.traffic.flops * ranks);
  EXPECT_GE(found.flops, 0.5 * said.traffic.flops * ranks);
  EXPECT_EQ(said.messages, 2 * (ranks - 1));
  EXPECT_EQ(said.sent_bytes > 0, ranks > 1);
}

TEST(DirectOnRanks, RefusesMoreRanksThanPlanes) {
  if (test_ranks().size() == 1) {
    GTEST_SKIP() << "of several ranks";
  }
  const std::int64_t planes = test_ranks().size() - 1;
  const Domain domain{uniform_axis(planes, false), uniform_axis(8, true), uniform_axis(8, true)};
  try {
    const auto solver = make_cpu_direct<double>(domain, 1, test_ranks());
    FAIL() << "a rank has no plane";
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("among " + std::to_string(planes + 1) +
                                                 " ranks; use at most " + std::to_string(planes)));
  }
}

}  // namespace
}  // namespace bankfull::poisson
