#pragma once

#include "bankfull/core/exec/cpu_executor.hpp"
#include "bankfull/numerics/random/counter.hpp"
#include "bankfull/workloads/hpcg/cg.hpp"
#include "bankfull/workloads/hpcg/cg_backend.hpp"
#include "bankfull/workloads/hpcg/coloured_level.hpp"
#include "bankfull/workloads/hpcg/problem.hpp"
#include "bankfull/workloads/hpcg/validation.hpp"
#include "tests/workloads/hpcg/matrices.hpp"
#include "tests/workloads/hpcg/textbook.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <gtest/gtest.h>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

// A backend on any device and any number of ranks against the textbook. Every rank compares its own
// rows; all of it is collective.
namespace bankfull::hpcg {

/// The problem and the ranks of a test.
struct Case {
  Problem problem;
  const Communicator& ranks;
  TestMatrix matrix = {};
};

inline std::string describe(const Case& c) {
  const Problem& p = c.problem;
  return to_string(p.local) + ", " + std::to_string(c.ranks.size()) + " ranks as " +
         (p.process_grid ? to_string(*p.process_grid) : "they come") + ", " +
         std::to_string(p.threads) + " threads, " + to_string(p.device) + ", " +
         to_string(p.columns) + " columns, " + to_string(p.sweeps) + " sweeps, " +
         to_string(p.products) + " products, transport " + to_string(p.transport) + ", matrix " +
         c.matrix.name;
}

inline Problem small_problem(const Grid3& local, int threads = 1,
                             ColumnIndices columns = ColumnIndices::full) {
  Problem problem;
  problem.local = local;
  problem.threads = threads;
  problem.columns = columns;
  problem.seconds = 0.0;
  return problem;
}

/// A cube, a flat block whose coarsest level is one point thin, and one of odd sides.
inline std::vector<Grid3> awkward_grids() { return {{16, 16, 16}, {24, 16, 8}, {9, 12, 17}}; }

/// In its natural order of rows, which is the reference's.
inline textbook::System textbook_of(const Case& c) {
  const RankGrid grid = decompose(c.problem, c.ranks.size()).grid();
  const Grid3 ranks{grid.k, grid.j, grid.i};
  return c.matrix.of_level ? textbook::System(c.problem.local, ranks, c.matrix.of_level)
                           : textbook::System(c.problem.local, ranks);
}

/// The matrices that replace the benchmark's, if any.
inline std::vector<HostCsr> matrices_of(const Case& c) {
  std::vector<HostCsr> matrices;
  if (c.matrix.of_level) {
    const textbook::System system = textbook_of(c);
    for (int n = 0; n < level_count; ++n) {
      const Decomposition whole = decompose(c.problem, c.ranks.size(), n);
      matrices.push_back(rows_of_rank(system.level(static_cast<std::size_t>(n)),
                                      static_cast<std::size_t>(c.ranks.rank()),
                                      make_geometry(whole, c.ranks.rank())));
    }
  }
  return matrices;
}

/// Where the checks of a system are done; the system must outlive it.
inline RankSite site_of(const System& system, const Communicator& ranks) {
  return {system.levels().front().geometry.grid, ranks, Team(2)};
}

inline std::unique_ptr<System> system_of(const Case& c) {
  return make_system(c.problem, c.ranks, matrices_of(c));
}

/// In the order of rows of a tuned backend that aligns its classes like this. Any device's order is
/// found on the host: the set-up is the same code.
inline textbook::System coloured_textbook_of(const Case& c, std::int64_t alignment,
                                             Boundary boundary) {
  constexpr int height = 8;  // the order does not depend on it
  const CpuExecutor executor(1);
  const auto levels =
      make_levels(executor, c.problem, c.ranks.size(), c.ranks.rank(), matrices_of(c));
  const auto coloured = colour_levels<height>(
      executor, levels, [=](const Level& /*level*/) { return alignment; }, boundary);
  textbook::System system = textbook_of(c);
  for (std::size_t n = 0; n < coloured.size(); ++n) {
    const RowClasses& order = coloured[n].order;
    const auto of_ranks = c.ranks.all_gather(executor.to_host(order.old_of.data(), order.rows));
    for (std::size_t rank = 0; rank < of_ranks.size(); ++rank) {
      textbook::Rows rows;
      std::copy_if(of_ranks[rank].begin(), of_ranks[rank].end(), std::back_inserter(rows),
                   [](std::int32_t row) { return row >= 0; });
      system.visit(n, rank, rows);
    }
  }
  return system;
}

/// Numbers in [-1, 1) that depend on the row of the whole system only.
inline std::vector<double> random_rows(const textbook::System& system, std::uint64_t seed) {
  std::vector<double> x(system.level(0).entries.size());
  for (std::size_t n = 0; n < x.size(); ++n) {
    x[n] = random_symmetric(seed, n);
  }
  return x;
}

/// This rank's part of a vector of the whole system.
inline std::vector<double> own_part(const Case& c, const textbook::System& system,
                                    const std::vector<double>& whole) {
  std::vector<double> part;
  for (const std::size_t row : system.level(0).own.at(static_cast<std::size_t>(c.ranks.rank()))) {
    part.push_back(whole.at(row));
  }
  return part;
}

/// Iterations whose residuals are compared: enough to reach what is comparable at all.
inline constexpr int compared_iterations = 22;

/// What `find` returns, which the root alone computes: the ranks of a test share few cores.
template <class Find>
std::vector<double> found_by_root(const Case& c, const Find& find) {
  std::vector<double> values;
  if (c.ranks.is_root()) {
    values = find();
  }
  return c.ranks.all_gather(values).front();
}

/// The textbook's residuals.
inline std::vector<double> history_of(const Case& c, const textbook::System& system) {
  return found_by_root(c, [&] { return system.solve(compared_iterations).history; });
}

/// Largest difference over the largest magnitude expected.
inline double distance(const std::vector<double>& got, const std::vector<double>& expected) {
  EXPECT_EQ(got.size(), expected.size());
  double largest = 0.0;
  double difference = 0.0;
  for (std::size_t n = 0; n < std::min(got.size(), expected.size()); ++n) {
    largest = std::max(largest, std::fabs(expected[n]));
    difference = std::max(difference, std::fabs(got[n] - expected[n]));
    if (!std::isfinite(got[n])) {
      ADD_FAILURE() << "row " << n << " is " << got[n];
      return got[n];
    }
  }
  return difference / largest;
}

/// A x and M^-1 x of random vectors, twice: a backend must not remember the one before.
inline void expect_operations(const Case& c, CgBackend& backend, const textbook::System& expected,
                              double tolerance) {
  for (const std::uint64_t seed : {1U, 2U}) {
    const std::vector<double> x = random_rows(expected, seed);
    const std::vector<double> own = own_part(c, expected, x);
    const auto product = found_by_root(c, [&] { return expected.multiply(x); });
    EXPECT_LE(distance(backend.apply(Operation::spmv, own), own_part(c, expected, product)),
              tolerance)
        << "SpMV";
    const auto cycle = found_by_root(c, [&] { return expected.precondition(x); });
    EXPECT_LE(distance(backend.apply(Operation::mg, own), own_part(c, expected, cycle)), tolerance)
        << "MG";
  }
}

/// The residuals of conjugate gradients, as far as roundings leave them comparable.
///
/// Both sides do the same operations in other orders of summation, so that residuals differ by some
/// units of the last place, 2e-16, at first. Differences grow as the residual shrinks, at last as
/// its inverse square: on the grids of these tests they are seen to stay below 1e-11 down to a
/// residual of 1e-9 and to reach 1e-3 at 1e-20.
inline void expect_same_residuals(const std::vector<double>& got,
                                  const std::vector<double>& expected) {
  constexpr double tolerance = 1e-9;
  constexpr double comparable = 1e-9;
  ASSERT_EQ(got.size(), expected.size());
  for (std::size_t n = 0; n < expected.size() && expected[n] > comparable; ++n) {
    EXPECT_NEAR(got[n], expected[n], tolerance * expected[n]) << "iteration " << n + 1;
  }
  EXPECT_LT(got.back(), comparable);
}

inline std::vector<double> history_of(CgBackend& backend) {
  const CgResult result =
      conjugate_gradients(backend, {.iterations = compared_iterations}, History::kept);
  EXPECT_EQ(result.scaled(), result.history.back());
  return result.history;
}

/// x after a few iterations, when the last one still changes much of it.
inline void expect_same_solution(const Case& c, CgBackend& backend,
                                 const textbook::System& expected, int iterations = 4) {
  conjugate_gradients(backend, {.iterations = iterations});
  const auto x = found_by_root(c, [&] { return expected.solve(iterations).x; });
  EXPECT_LE(distance(backend.solution(), own_part(c, expected, x)), 1e-11);
}

/// Operations and right-hand side with the exaggerated diagonal, and with the own one after it.
inline void expect_exaggerates(const Case& c, CgBackend& backend, const textbook::System& expected,
                               double tolerance) {
  textbook::System exaggerated = expected;
  exaggerated.exaggerate();
  for (const bool on : {true, false, true, false}) {
    SCOPED_TRACE(on ? "exaggerated" : "as stored");
    backend.exaggerate_diagonal(on);
    expect_operations(c, backend, on ? exaggerated : expected, tolerance);
    expect_same_solution(c, backend, on ? exaggerated : expected, 1);
  }
}

/// The benchmark's own tests of an optimised backend.
inline void expect_valid(const Case& c, System& system, CgBackend& backend) {
  const SpectralTest spectral = spectral_test(backend);
  EXPECT_TRUE(spectral.passed()) << spectral.max_iterations_plain << " and "
                                 << spectral.max_iterations_preconditioned << " iterations";
  const SymmetryTest symmetry = symmetry_test(backend, site_of(system, c.ranks));
  EXPECT_LT(symmetry.departure_spmv, 1.0);
  EXPECT_LT(symmetry.departure_mg, 1.0);
}

/// Whether a backend reaches the residual that the reference has after its iterations, in few more,
/// and the solution.
inline void expect_reaches_reference(System& system, CgBackend& backend) {
  const auto reference = system.make_backend(Variant::reference);
  const double target =
      conjugate_gradients(*reference, {.iterations = reference_iterations}).scaled();
  const CgResult result =
      conjugate_gradients(backend, {.iterations = max_iterations, .tolerance = target});
  EXPECT_LE(result.scaled(), target * (1.0 + 1e-6));
  EXPECT_LE(result.iterations, reference_iterations + reference_iterations / 2);
  // The error that the reference itself leaves, on grids that it does not solve to rounding errors.
  const auto error_of = [](CgBackend& solved) {
    const std::vector<double> solution = solved.solution();
    return distance(solution, std::vector<double>(solution.size(), 1.0));
  };
  EXPECT_LE(error_of(backend), std::max(1e-9, 2.0 * error_of(*reference)));
}

}  // namespace bankfull::hpcg
