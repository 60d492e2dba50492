#include "bankfull/workloads/hpcg/check_problem.hpp"
#include "bankfull/workloads/hpcg/cpu/slices.hpp"
#include "bankfull/workloads/hpcg/flops.hpp"
#include "bankfull/workloads/hpcg/run.hpp"
#include "tests/mpi_main.hpp"
#include "tests/workloads/hpcg/on_ranks.hpp"
#include "tests/workloads/hpcg/solved.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>

namespace bankfull::hpcg {
namespace {

/// Odd and unequal sides, one thread a rank.
Problem problem_on(const Grid3& process_grid) {
  Problem problem = small_problem({9, 8, 10});
  problem.process_grid = process_grid;
  return problem;
}

/// A whole benchmark's, smaller for many ranks, which share few cores.
Problem quick_problem() {
  return small_problem(test_ranks().size() > 4 ? Grid3{8, 8, 8} : Grid3{16, 16, 16});
}

template <class Body>
void for_process_grids(const Body& body) {
  for (const Grid3& grid : process_grids(test_ranks().size())) {
    const Case c{problem_on(grid), test_ranks()};
    SCOPED_TRACE(describe(c));
    body(c);
  }
}

TEST(HpcgOnRanks, ColumnsHoldTheRowsOfOthers) {
  for_process_grids([](const Case& c) { expect_columns_of_others(c); });
}

TEST(HpcgOnRanks, ReferenceIsTheTextbookOnAsManyRanks) {
  for_process_grids([](const Case& c) {
    const auto system = make_system(c.problem, c.ranks);
    const auto backend = system->make_backend(Variant::reference);
    const textbook::System expected = textbook_of(c);
    expect_operations(c, *backend, expected, 1e-13);
    expect_same_residuals(history_of(*backend), history_of(c, expected));
    expect_same_solution(c, *backend, expected);
  });
}

TEST(HpcgOnRanks, TheProblemIsTheBenchmarks) {
  for_process_grids([](const Case& c) {
    const auto system = make_system(c.problem, c.ranks);
    EXPECT_EQ(system->wrong_rows(), 0);
    for (const Variant variant : {Variant::reference, Variant::tuned}) {
      const auto backend = system->make_backend(variant);
      EXPECT_EQ(wrong_products(*backend, site_of(*system, c.ranks)), 0);
    }
  });
}

/// An error on one rank is known to all.
TEST(HpcgOnRanks, WrongProductsOfOneRankAreFoundByAll) {
  const Case c{small_problem({9, 8, 10}), test_ranks()};
  const CpuExecutor executor(1);
  std::vector<HostCsr> matrices;
  for (const Level& level : make_levels(executor, c.problem, c.ranks.size(), c.ranks.rank())) {
    matrices.push_back(to_host(executor, level.matrix));
  }
  if (c.ranks.rank() + 1 == c.ranks.size()) {
    matrices.front().value[1] = -2.0;
  }
  const auto system = make_system(c.problem, c.ranks, matrices);
  EXPECT_EQ(c.ranks.sum(system->wrong_rows()), 1);
  const auto backend = system->make_backend(Variant::reference);
  EXPECT_EQ(wrong_products(*backend, site_of(*system, c.ranks)), 1);
}

/// If the columns of one rank do not fit 16 bits, no rank uses 16 bits.
TEST(HpcgOnRanks, ColumnsAreSlimOnAllRanksOrNone) {
  const Case c{small_problem({16, 16, 16}), test_ranks()};
  const CpuExecutor executor(1);
  const auto levels = make_levels(executor, c.problem, c.ranks.size(), c.ranks.rank());
  for (const bool last_fits : {true, false}) {
    auto coloured = colour_levels<cpu::slice_height>(
        executor, levels, [](const Level& /*level*/) { return std::int64_t{cpu::slice_height}; },
        Boundary::among);
    if (c.ranks.rank() + 1 == c.ranks.size() && !last_fits) {
      *coloured.back().upper.fits_slim.data() = 0;
    }
    EXPECT_EQ(make_slim<cpu::slice_height>(executor, c.ranks, coloured), last_fits);
    EXPECT_EQ(coloured.front().lower.slim, last_fits);
  }
}

TEST(HpcgOnRanks, TunedIsGaussSeidelInTheOrderOfColours) {
  for_process_grids([](const Case& full) {
    const textbook::System expected =
        coloured_textbook_of(full, cpu::slice_height, Boundary::among);
    const auto history = history_of(full, expected);
    for (const ColumnIndices columns : {ColumnIndices::full, ColumnIndices::slim}) {
      Case c = full;
      c.problem.columns = columns;
      const auto system = make_system(c.problem, c.ranks);
      const auto backend = system->make_backend(Variant::tuned);
      expect_operations(c, *backend, expected, 1e-12);
      expect_same_residuals(history_of(*backend), history);
      expect_same_solution(c, *backend, expected);
    }
  });
}

TEST(HpcgOnRanks, TunedPassesTheTestsOfTheBenchmark) {
  const Case c{quick_problem(), test_ranks()};
  const auto system = make_system(c.problem, c.ranks);
  const auto backend = system->make_backend(Variant::tuned);
  expect_valid(c, *system, *backend);
  expect_reaches_reference(*system, *backend);
}

RunResult run_on_ranks(const Problem& problem) {
  NoProgress progress;
  return run(
      make_plan(problem, test_ranks()),
      {.ranks = test_ranks(), .progress = progress, .policy = {.ceiling = CeilingRule::none}});
}

/// Steps state a rank's own traffic, which is summed over the ranks once.
TEST(HpcgOnRanks, StepsTakeAsLongAsTheSlowestAndMoveWhatAllMove) {
  const Case c{quick_problem(), test_ranks()};
  const RunResult result = run_on_ranks(c.problem);
  const std::vector<Step> steps =
      make_system(c.problem, c.ranks)->make_backend(Variant::tuned)->profile(2);
  ASSERT_EQ(result.measurements.size(), steps.size() + 1);
  for (std::size_t n = 0; n < steps.size(); ++n) {
    EXPECT_EQ(c.ranks.max(steps[n].seconds), steps[n].seconds) << steps[n].name;
    const Traffic& mine = steps[n].work.traffic;
    const Traffic& of_all = result.measurements[n + 1].work.traffic;
    EXPECT_DOUBLE_EQ(of_all.bytes_read, c.ranks.sum(mine.bytes_read)) << steps[n].name;
    EXPECT_DOUBLE_EQ(of_all.bytes_written, c.ranks.sum(mine.bytes_written)) << steps[n].name;
    EXPECT_DOUBLE_EQ(of_all.flops, c.ranks.sum(mine.flops)) << steps[n].name;
  }
  const auto& outcome = result.attached<Outcome>();
  EXPECT_DOUBLE_EQ(result.measurements.front().work.traffic.flops,
                   official_flops(outcome).total() / outcome.sets);
}

/// Everything of an outcome that must not differ between ranks, as text.
std::string essence(const RunResult& result, const Outcome& outcome) {
  std::string text = to_string(outcome.global) + ' ' + to_string(outcome.process_grid) + ' ' +
                     std::to_string(outcome.sets) + ' ' +
                     std::to_string(outcome.convergence.iterations) + ' ' +
                     std::to_string(outcome.valid()) + std::to_string(result.verified());
  for (const LevelSize& size : outcome.levels) {
    text += ' ' + std::to_string(size.equations) + ' ' + std::to_string(size.nonzeros) + ' ' +
            std::to_string(size.local_columns) + ' ' + std::to_string(size.sent_elements) + ' ' +
            std::to_string(size.neighbours);
  }
  return text;
}

TEST(HpcgOnRanks, RunsAreValidAndTheSameOnAllRanks) {
  const Problem problem = quick_problem();
  const RunResult result = run_on_ranks(problem);
  const auto& outcome = result.attached<Outcome>();
  EXPECT_TRUE(outcome.valid());
  EXPECT_TRUE(result.verified());
  EXPECT_EQ(outcome.ranks, test_ranks().size());
  for (const Check& check : result.checks) {
    EXPECT_EQ(test_ranks().max(check.value), check.value) << check.name;
  }
  const std::string mine = essence(result, outcome);
  for (const auto& other : test_ranks().all_gather(std::vector<char>(mine.begin(), mine.end()))) {
    EXPECT_EQ(std::string(other.begin(), other.end()), mine);
  }
  EXPECT_EQ(test_ranks().max(rating(outcome)), rating(outcome));
  const LevelSizes expected = level_sizes(problem, test_ranks().size());
  EXPECT_EQ(outcome.levels.front().nonzeros, expected.front().nonzeros);
  EXPECT_EQ(outcome.levels.back().equations, expected.back().equations);
}

TEST(HpcgOnRanks, AnotherOperatorFailsOnAllRanks) {
  for (const double epsilon : {1e-6, -1e-9}) {
    Problem problem = quick_problem();
    problem.perturbation = epsilon;
    const RunResult result = run_on_ranks(problem);
    EXPECT_FALSE(result.attached<Outcome>().valid()) << epsilon;
    EXPECT_FALSE(result.verified()) << epsilon;
  }
}

/// x is wrong on one rank, or is not a number there: all ranks say so.
TEST(HpcgOnRanks, OneWrongElementFailsOnAllRanks) {
  const Case c{small_problem({9, 8, 10}), test_ranks()};
  const auto system = make_system(c.problem, c.ranks);
  const Solved solved = solve(*system->make_backend(Variant::tuned), 20);
  const auto reference = system->make_backend(Variant::reference);
  const auto passes = [&](const Solved& found) {
    return solution_test(*reference, found, solved.scaled_residual, site_of(*system, c.ranks))
        .passed();
  };
  EXPECT_TRUE(passes(solved));
  for (const double wrong : {1.0 + 1e-6, std::nan("")}) {
    for (int rank = 0; rank < c.ranks.size(); ++rank) {
      Solved found = solved;
      found.x.back() *= c.ranks.rank() == rank ? wrong : 1.0;
      EXPECT_FALSE(passes(found)) << wrong << " on rank " << rank;
    }
  }
}

}  // namespace
}  // namespace bankfull::hpcg
