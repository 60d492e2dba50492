#include "bankfull/core/base/error.hpp"
#include "bankfull/workloads/hpcg/plan.hpp"
#include "tests/core/comm/gpu_transports.hpp"
#include "tests/workloads/hpcg/gpus.hpp"
#include "tests/workloads/hpcg/held.hpp"
#include "tests/workloads/hpcg/solved.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <string>
#include <vector>

// The checks of a run on GPUs: they pass what every backend leaves, and find another operator in
// it.
namespace bankfull::hpcg {
namespace {

bool is_there(Variant variant) {
  try {
    if (uses_cusparse(variant)) {
      require_cusparse(variant);
    }
  } catch (const UsageError&) {
    return false;
  }
  return true;
}

class HpcgChecksOnGpus : public HpcgOnGpus {
 protected:
  static Case odd_case() { return {problem_of({17, 24, 10}), test_ranks()}; }

  /// body(variant) for every variant that can run here.
  template <class Body>
  static void for_variants(const Body& body) {
    for (const Variant variant : all_variants()) {
      if (is_there(variant)) {
        SCOPED_TRACE(to_string(variant));
        body(variant);
      }
    }
  }

  /// What the reference says of a solution, with the operator of the set-up.
  /// As if the residual that it reports were required.
  static SolutionTest test_of(const Case& c, System& system, const Solved& solved) {
    system.perturb(0.0);
    return solution_test(*system.make_backend(Variant::reference), solved, solved.scaled_residual,
                         site_of(system, c.ranks));
  }
};

TEST_P(HpcgChecksOnGpus, PassWhatEveryPathLeaves) {
  const Case c = odd_case();
  const auto system = make_system(c.problem, c.ranks);
  for_variants([&](Variant variant) {
    for (const int iterations : {4, 50}) {
      const Solved solved = solve(*system->make_backend(variant), iterations);
      const SolutionTest test = test_of(c, *system, solved);
      EXPECT_TRUE(test.passed()) << iterations << " iterations";
      EXPECT_LT(test.departure, 0.1 * test.allowed_departure) << iterations << " iterations";
    }
  });
}

TEST_P(HpcgChecksOnGpus, FindAnotherOperator) {
  const Case c = odd_case();
  const auto system = make_system(c.problem, c.ranks);
  for_variants([&](Variant variant) {
    for (const double epsilon : {1e-6, -1e-6, 1e-9, -1e-9}) {
      system->perturb(epsilon);
      auto backend = system->make_backend(variant);
      const double error = symmetry_test(*backend, site_of(*system, c.ranks)).product_error();
      EXPECT_GT(error, 0.0) << epsilon;
      backend.reset();
      system->perturb(0.0);
    }
  });
}

TEST_P(HpcgChecksOnGpus, FindNothingInTheOperatorItself) {
  const Case c = odd_case();
  const auto system = make_system(c.problem, c.ranks);
  for_variants([&](Variant variant) {
    const auto backend = system->make_backend(variant);
    EXPECT_EQ(symmetry_test(*backend, site_of(*system, c.ranks)).product_error(), 0.0);
  });
}

TEST_P(HpcgChecksOnGpus, PerturbationsLeaveNoTrace) {
  const Case c = odd_case();
  const auto system = make_system(c.problem, c.ranks);
  const std::vector<double> before = history_of(*system->make_backend(Variant::tuned));
  system->perturb(1e-6);
  EXPECT_NE(history_of(*system->make_backend(Variant::tuned)), before);
  system->perturb(0.0);
  EXPECT_EQ(history_of(*system->make_backend(Variant::tuned)), before);
}

/// The timed sets' residual is compared with that of the convergence test, which looks at all.
TEST_P(HpcgChecksOnGpus, LookingAtResidualsDoesNotChangeThem) {
  const Case c = odd_case();
  const auto system = make_system(c.problem, c.ranks);
  for_variants([&](Variant variant) {
    const auto backend = system->make_backend(variant);
    const double watched =
        conjugate_gradients(*backend, {.iterations = 30, .tolerance = 1e-300}).scaled();
    EXPECT_EQ(conjugate_gradients(*backend, {.iterations = 30}).scaled(), watched);
  });
}

TEST_P(HpcgChecksOnGpus, MemoryIsAtLeastWhatIsCounted) {
  for_variants([](Variant variant) {
    for (const ColumnIndices columns : {ColumnIndices::full, ColumnIndices::slim}) {
      Case c = odd_case();
      c.problem.variant = variant;
      c.problem.columns = variant == Variant::tuned ? columns : ColumnIndices::full;
      EXPECT_GE(held_bytes(c, variant), data_bytes(c.problem));
    }
  });
}

/// A perturbation scales what was given, whatever its pattern, and leaves no trace.
TEST_P(HpcgChecksOnGpus, MatricesArePerturbedAsTheyWereGiven) {
  for (const TestMatrix& matrix : other_matrices()) {
    const Case c{problem_of({9, 8, 10}), test_ranks(), matrix};
    SCOPED_TRACE(describe(c));
    const auto system = system_of(c);
    const std::vector<double> x(static_cast<std::size_t>(c.problem.local.count()), 0.75);
    const auto product = [&] {
      return system->make_backend(Variant::tuned)->apply(Operation::spmv, x);
    };
    const std::vector<double> before = product();
    system->perturb(1.0);
    const std::vector<double> doubled = product();
    system->perturb(0.0);
    EXPECT_EQ(product(), before);
    for (std::size_t n = 0; n < before.size(); ++n) {
      ASSERT_EQ(doubled[n], 2.0 * before[n]) << "row " << n;
    }
  }
}

/// Rows that wait for each other's values must not take a NaN for one that is not there yet.
TEST_P(HpcgChecksOnGpus, FindNaNAndEnd) {
  for (const Sweeps sweeps : {Sweeps::automatic, Sweeps::classes, Sweeps::pipelined}) {
    Case c = odd_case();
    c.problem.sweeps = sweeps;
    SCOPED_TRACE(describe(c));
    const auto system = make_system(c.problem, c.ranks);
    system->perturb(std::numeric_limits<double>::quiet_NaN());
    auto backend = system->make_backend(Variant::tuned);
    EXPECT_FALSE(spectral_test(*backend).passed());
    const Solved solved = solve(*backend, 3);
    backend.reset();
    EXPECT_TRUE(std::isnan(solved.scaled_residual));
    EXPECT_FALSE(test_of(c, *system, solved).passed());
  }
}

INSTANTIATE_TEST_SUITE_P(Transports, HpcgChecksOnGpus, gpu_transports(), plain_name);

}  // namespace
}  // namespace bankfull::hpcg
