#include "bankfull/core/measure/timer.hpp"
#include "bankfull/workloads/hpcg/cg.hpp"
#include "bankfull/workloads/hpcg/run.hpp"
#include "tests/core/comm/gpu_transports.hpp"
#include "tests/workloads/hpcg/gpus.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace bankfull::hpcg {
namespace {

/// The alignment of classes on a GPU.
constexpr std::int64_t alignment = 256;

/// How a level is swept, its columns are kept and A p is formed.
struct Way {
  Sweeps sweeps = Sweeps::automatic;
  ColumnIndices columns = ColumnIndices::full;
  Products products = Products::direct;
};

/// Levels are small here, so that `automatic` means syncfree, and on one rank a fused cycle of the
/// coarse ones; chunks of pipelined sweeps hold several tiles on the larger grids.
std::vector<Way> ways() {
  return {{Sweeps::automatic, ColumnIndices::full},
          {Sweeps::automatic, ColumnIndices::slim},
          {Sweeps::automatic, ColumnIndices::full, Products::recurrence},
          {Sweeps::classes, ColumnIndices::full},
          {Sweeps::syncfree, ColumnIndices::full},
          {Sweeps::pipelined, ColumnIndices::full},
          {Sweeps::pipelined, ColumnIndices::slim},
          {Sweeps::pipelined, ColumnIndices::slim, Products::recurrence}};
}

/// body(c, system, its tuned backend) for a case swept and kept in every way.
template <class Body>
void for_ways(Case c, const Body& body) {
  for (const Way& way : ways()) {
    c.problem.sweeps = way.sweeps;
    c.problem.columns = way.columns;
    c.problem.products = way.products;
    SCOPED_TRACE(describe(c));
    const auto system = make_system(c.problem, c.ranks);
    const auto backend = system->make_backend(Variant::tuned);
    body(c, *system, *backend);
  }
}

class HpcgTunedOnGpus : public HpcgOnGpus {};

TEST_P(HpcgTunedOnGpus, IsGaussSeidelInTheOrderOfColours) {
  for_cases([](const Case& full) {
    const textbook::System expected = coloured_textbook_of(full, alignment, Boundary::apart);
    const auto history = history_of(full, expected);
    for_ways(full, [&](const Case& c, System& /*system*/, CgBackend& backend) {
      expect_operations(c, backend, expected, 1e-12);
      expect_same_residuals(history_of(backend), history);
      expect_same_solution(c, backend, expected);
    });
  });
}

TEST_P(HpcgTunedOnGpus, DoesTheOperationsOfTheTextbookOnMoreRows) {
  const Case full{problem_of({40, 56, 48}), test_ranks()};
  const textbook::System expected = coloured_textbook_of(full, alignment, Boundary::apart);
  for_ways(full, [&](const Case& c, System& /*system*/, CgBackend& backend) {
    expect_operations(c, backend, expected, 1e-12);
  });
}

/// Every row has the same sums in the same order, in all kinds of sweeps.
TEST_P(HpcgTunedOnGpus, HasTheSameBitsHoweverItSweeps) {
  // Many times as many tiles as a pipeline has stages.
  const Case c{problem_of({160, 136, 128}), test_ranks()};
  const auto rows = static_cast<std::size_t>(c.problem.local.count());
  std::vector<double> x(rows);
  for (std::size_t n = 0; n < rows; ++n) {
    x[n] = random_symmetric(1, n);
  }
  std::vector<double> expected;
  for_ways(c, [&](const Case& /*c*/, System& /*system*/, CgBackend& backend) {
    for (int repeat = 0; repeat < 5; ++repeat) {
      const std::vector<double> z = backend.apply(Operation::mg, x);
      expected = expected.empty() ? z : expected;
      EXPECT_EQ(z, expected);
    }
  });
}

/// Who watches r.r has r updated at once; otherwise the next cycle may do it.
TEST_P(HpcgTunedOnGpus, UpdatesOfRInTheCycleHaveTheBitsOfThoseByThemselves) {
  const Case full{problem_of({72, 72, 72}), test_ranks()};
  for_ways(full, [](const Case& /*c*/, System& /*system*/, CgBackend& backend) {
    constexpr int iterations = 6;
    const CgLimits limits{.iterations = iterations};
    const CgResult watched = conjugate_gradients(backend, limits, History::kept);
    const std::vector<double> x = backend.solution();
    const std::vector<double> r = backend.recurrence_residual();
    const CgResult unwatched = conjugate_gradients(backend, limits, History::left_out);
    EXPECT_EQ(unwatched.residual, watched.residual);
    EXPECT_EQ(backend.solution(), x);
    EXPECT_EQ(backend.recurrence_residual(), r);
    backend.start();
    for (int n = 0; n < iterations; ++n) {
      backend.precondition(true);
      if (n > 0) {
        const double expected =
            watched.history[static_cast<std::size_t>(n) - 1] * watched.initial_residual;
        EXPECT_NEAR(std::sqrt(backend.squared_residual()), expected, 1e-12 * expected);
      }
      backend.update_direction(n == 0);
      backend.multiply();
      backend.update_solution();
    }
  });
}

/// Times of the parts of a solve, and of all of it.
struct PartsOfSolve {
  CgTimes times;
  double all = 0.0;

  [[nodiscard]] double sum() const { return times.mg + times.spmv + times.waxpby + times.ddot; }
  [[nodiscard]] bool are_in_order() const {
    return times.mg > times.spmv && times.spmv > times.waxpby && times.waxpby > 0.0;
  }
};

PartsOfSolve parts_of_solve(CgBackend& backend, History history) {
  static_cast<void>(backend.take_times());
  const Stopwatch watch;
  conjugate_gradients(backend, {.iterations = 40}, history);
  const double all = watch.seconds();
  return {backend.take_times(), all};
}

/// By events, or by the kernels themselves where an iteration is queued as a whole. The time that
/// the GPU gives to other processes is in any part: it may take several solves until that is not
/// longer than the part.
TEST_P(HpcgTunedOnGpus, PartsOfIterationsAreTimed) {
  const Case full{problem_of({72, 72, 72}), test_ranks()};
  for_ways(full, [](const Case& c, System& /*system*/, CgBackend& backend) {
    constexpr int most_solves = 100;
    for (const History history : {History::left_out, History::kept}) {
      bool in_order = false;
      for (int n = 0; n < most_solves && !in_order; ++n) {
        const PartsOfSolve parts = parts_of_solve(backend, history);
        EXPECT_LE(parts.sum(), 1.01 * parts.all);
        EXPECT_GE(parts.sum(), 0.5 * parts.all);
        in_order = c.ranks.all(parts.are_in_order());  // all do as many solves
      }
      EXPECT_TRUE(in_order) << "history " << static_cast<int>(history);
      const CgTimes none = backend.take_times();
      EXPECT_EQ(none.mg + none.spmv + none.waxpby, 0.0);
    }
  });
}

TEST_P(HpcgTunedOnGpus, FusesTheCoarseLevelsOnOneRankUnlessToldHowToSweep) {
  const auto fuses = [](const Case& c) {
    const auto notes = make_system(c.problem, c.ranks)->make_backend(Variant::tuned)->notes();
    return std::any_of(notes.begin(), notes.end(), [](const std::string& note) {
      return note.starts_with("the cycle from level 1 on is one kernel");
    });
  };
  Case c{problem_of({40, 56, 48}), test_ranks()};
  for (const ColumnIndices columns : {ColumnIndices::slim, ColumnIndices::full}) {
    c.problem.columns = columns;
    EXPECT_EQ(fuses(c), test_ranks().size() == 1);
  }
  c.problem.sweeps = Sweeps::syncfree;
  EXPECT_FALSE(fuses(c));
}

/// Faces along x: their rows lie in all lines of the grid. Chunks are many enough that each could
/// depend on too many others.
TEST_P(HpcgTunedOnGpus, SweepsAcrossCutsAlongX) {
  const int ranks = test_ranks().size();
  for (const Sweeps sweeps : {Sweeps::syncfree, Sweeps::pipelined}) {
    Case c{problem_of({72, 72, 72}), test_ranks()};
    c.problem.process_grid = Grid3{ranks, 1, 1};
    c.problem.sweeps = sweeps;
    SCOPED_TRACE(describe(c));
    const auto system = make_system(c.problem, c.ranks);
    const auto backend = system->make_backend(Variant::tuned);
    for (const std::string& note : backend->notes()) {
      EXPECT_EQ(note.find("is swept by"), std::string::npos) << note;
    }
    expect_reaches_reference(*system, *backend);
  }
}

/// Faces along z so large that they have ranges of their own, and that the halo travels meanwhile.
TEST_P(HpcgTunedOnGpus, SweepsInteriorRowsWhileTheHaloTravels) {
  Case full{problem_of({256, 256, 16}), test_ranks()};
  full.problem.process_grid = Grid3{1, 1, test_ranks().size()};
  std::vector<double> x(static_cast<std::size_t>(full.problem.local.count()));
  for (std::size_t n = 0; n < x.size(); ++n) {
    x[n] = random_symmetric(2, n);
  }
  std::vector<double> product;
  std::vector<double> correction;
  for_ways(full, [&](const Case& c, System& system, CgBackend& backend) {
    const auto expect_known = [&](Operation operation, std::vector<double>& known) {
      const std::vector<double> found = backend.apply(operation, x);
      known = known.empty() ? found : known;
      EXPECT_EQ(found, known);
    };
    expect_known(Operation::spmv, product);
    expect_known(Operation::mg, correction);
    if (c.problem.sweeps == Sweeps::automatic) {
      expect_reaches_reference(system, backend);
    }
  });
}

TEST_P(HpcgTunedOnGpus, PassesTheTestsOfTheBenchmark) {
  const Case cube{problem_of({32, 32, 32}), test_ranks()};
  for_ways(cube, [](const Case& c, System& system, CgBackend& backend) {
    expect_valid(c, system, backend);
    expect_reaches_reference(system, backend);
  });
}

TEST_P(HpcgTunedOnGpus, RepeatsItsBits) {
  for (const Sweeps sweeps : {Sweeps::automatic, Sweeps::pipelined}) {
    for (const Grid3& local : {Grid3{24, 16, 8}, Grid3{40, 56, 48}}) {
      Case c{problem_of(local), test_ranks()};
      c.problem.sweeps = sweeps;
      SCOPED_TRACE(describe(c));
      expect_same_bits(c, Variant::tuned);
    }
  }
}

RunResult result_of(const Problem& problem) {
  NoProgress progress;
  return run(
      make_plan(problem, test_ranks()),
      {.ranks = test_ranks(), .progress = progress, .policy = {.ceiling = CeilingRule::none}});
}

TEST_P(HpcgTunedOnGpus, RunsAreValid) {
  const RunResult result = result_of(problem_of({16, 16, 16}));
  EXPECT_TRUE(result.attached<Outcome>().valid());
  EXPECT_TRUE(result.verified());
}

/// A p by recurrence takes as many iterations, in which r stays b - A x, and is no official result.
TEST_P(HpcgTunedOnGpus, ProductsByRecurrenceAreValidAndLabelled) {
  Problem problem = problem_of({40, 24, 16});
  const RunResult direct = result_of(problem);
  problem.products = Products::recurrence;
  const RunResult result = result_of(problem);
  const auto& outcome = result.attached<Outcome>();
  EXPECT_TRUE(outcome.valid());
  EXPECT_TRUE(result.verified());
  EXPECT_EQ(outcome.convergence.iterations, direct.attached<Outcome>().convergence.iterations);
  const auto names = [&](const std::string& text) {
    return text.find("--products recurrence") != std::string::npos;
  };
  EXPECT_EQ(std::count_if(outcome.broken_rules.begin(), outcome.broken_rules.end(), names), 1);
  const auto& parameters = result.measurements.front().parameters;
  EXPECT_TRUE(std::any_of(parameters.begin(), parameters.end(),
                          [](const Figure& figure) { return figure.name == "products"; }));
}

/// More iterations than the recurrence goes on for.
TEST_P(HpcgTunedOnGpus, ProductsByRecurrenceKeepTheResiduals) {
  Case c{problem_of({40, 56, 48}), test_ranks()};
  const auto residuals = [&](Products products) {
    c.problem.products = products;
    const auto system = make_system(c.problem, c.ranks);
    const auto backend = system->make_backend(Variant::tuned);
    return conjugate_gradients(*backend, {.iterations = 100}, History::kept).history;
  };
  const std::vector<double> direct = residuals(Products::direct);
  const std::vector<double> recurrence = residuals(Products::recurrence);
  ASSERT_EQ(recurrence.size(), direct.size());
  EXPECT_NE(recurrence, direct);
  for (std::size_t n = 0; n < direct.size(); ++n) {
    EXPECT_NEAR(recurrence[n], direct[n], 1e-6 * direct[n] + 1e-14) << "iteration " << n;
  }
}

/// Steps are the iteration's: profiles with the recurrence have no update of p by itself, and those
/// of one rank none of r.
TEST_P(HpcgTunedOnGpus, ProfilesNameTheProduct) {
  Case c{problem_of({16, 16, 16}), test_ranks()};
  for (const Products products : {Products::direct, Products::recurrence}) {
    c.problem.products = products;
    const auto system = make_system(c.problem, c.ranks);
    const std::vector<Step> steps = system->make_backend(Variant::tuned)->profile(2);
    const bool direct = products == Products::direct;
    EXPECT_EQ(steps.front().name, direct ? "SpMV and p.Ap" : "x, p, A p and p.Ap");
    const std::string& last = steps.back().name;
    const auto has = [&](const char* name) {
      return std::any_of(steps.begin(), steps.end(), [&](const Step& s) { return s.name == name; });
    };
    const bool alone = direct && c.ranks.size() == 1;
    EXPECT_EQ(has("r, r.r and forward sweep from 0"), alone);
    EXPECT_EQ(has("r and r.r"), !alone);
    if (direct) {
      EXPECT_EQ(last, "x and p");
    } else {  // "r.z" where its terms are not added up by the last sweep itself
      EXPECT_TRUE(last == "r.z" || last == "backward sweep") << last;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Transports, HpcgTunedOnGpus, gpu_transports(), plain_name);

}  // namespace
}  // namespace bankfull::hpcg
