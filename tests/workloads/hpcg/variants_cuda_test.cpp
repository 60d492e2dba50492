#include "bankfull/core/base/error.hpp"
#include "bankfull/core/base/nan.hpp"
#include "bankfull/core/machine/gpu.hpp"
#include "bankfull/numerics/random/counter.hpp"
#include "bankfull/workloads/hpcg/cg.hpp"
#include "bankfull/workloads/hpcg/validation.hpp"
#include "tests/core/comm/gpu_transports.hpp"
#include "tests/mpi_main.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

namespace bankfull::hpcg {
namespace {

/// Why the variant cannot run here; empty if it can.
std::string obstacle_to(Variant variant) {
  if (survey_gpus().gpus.empty()) {
    return survey_gpus().none_because;
  }
  if (uses_cusparse(variant)) {
    try {
      require_cusparse(variant);
    } catch (const UsageError& error) {
      return error.what();
    }
  }
  return {};
}

std::vector<double> random_values(const Level& level, std::uint64_t seed) {
  std::vector<double> x(static_cast<std::size_t>(level.matrix.rows));
  for (std::size_t n = 0; n < x.size(); ++n) {
    const std::int64_t row = level.geometry.grid.global_row(static_cast<std::int64_t>(n));
    x[n] = random_symmetric(seed, static_cast<std::uint64_t>(row));
  }
  return x;
}

double largest(const std::vector<double>& x) {
  double most = 0.0;
  for (const double value : x) {
    most = larger_or_nan(most, std::fabs(value));
  }
  return test_ranks().max(most);
}

/// Largest difference over the largest of `expected`.
double difference(const std::vector<double>& actual, const std::vector<double>& expected) {
  EXPECT_EQ(actual.size(), expected.size());
  std::vector<double> apart(expected.size());
  for (std::size_t n = 0; n < std::min(actual.size(), expected.size()); ++n) {
    apart[n] = actual[n] - expected[n];
  }
  return largest(apart) / largest(expected);
}

/// One of the paper's versions on a GPU, and the benchmark's reference on the CPU.
class HpcgVariant : public ::testing::TestWithParam<std::tuple<Variant, Grid3>> {
 protected:
  void SetUp() override {
    const auto& [variant, local] = GetParam();
    const std::string obstacle = obstacle_to(variant);
    if (!obstacle.empty()) {
      GTEST_SKIP() << obstacle;
    }
    Problem problem;
    problem.local = local;
    problem.variant = variant;
    cpu_system_ = make_system(problem, test_ranks());
    reference_ = cpu_system_->make_backend(Variant::reference);
    problem.device = own_gpu();
    gpu_system_ = make_system(problem, test_ranks());
    backend_ = gpu_system_->make_backend(variant);
  }

  [[nodiscard]] const Level& finest() const { return cpu_system_->levels().front(); }

  std::unique_ptr<System> cpu_system_;
  std::unique_ptr<System> gpu_system_;
  std::unique_ptr<CgBackend> reference_;
  std::unique_ptr<CgBackend> backend_;
};

TEST_P(HpcgVariant, MultipliesAsTheReference) {
  const std::vector<double> x = random_values(finest(), 3);
  EXPECT_LT(difference(backend_->apply(Operation::spmv, x), reference_->apply(Operation::spmv, x)),
            1e-14);
}

TEST_P(HpcgVariant, PreconditionsSymmetrically) {
  const SymmetryTest test =
      symmetry_test(*backend_, {finest().geometry.grid, test_ranks(), Team(1)});
  EXPECT_LE(test.departure_spmv, 1.0);
  EXPECT_LE(test.departure_mg, 1.0);
}

TEST_P(HpcgVariant, PassesTheSpectralTestAndTakesItsOwnMatrixBack) {
  const std::vector<double> x = random_values(finest(), 4);
  const std::vector<double> product = backend_->apply(Operation::spmv, x);
  const std::vector<double> cycle = backend_->apply(Operation::mg, x);
  const SpectralTest test = spectral_test(*backend_);
  EXPECT_LE(test.max_iterations_plain, test.allowed_plain);
  EXPECT_LE(test.max_iterations_preconditioned, test.allowed_preconditioned);
  EXPECT_LT(difference(backend_->apply(Operation::spmv, x), product), 1e-15);
  EXPECT_LT(difference(backend_->apply(Operation::mg, x), cycle), 1e-14);
}

TEST_P(HpcgVariant, TakesTheExaggeratedDiagonal) {
  const std::vector<double> x = random_values(finest(), 5);
  backend_->exaggerate_diagonal(true);
  reference_->exaggerate_diagonal(true);
  EXPECT_LT(difference(backend_->apply(Operation::spmv, x), reference_->apply(Operation::spmv, x)),
            1e-14);
  backend_->exaggerate_diagonal(false);
  reference_->exaggerate_diagonal(false);
}

TEST_P(HpcgVariant, InNaturalOrderPreconditionsAsTheReference) {
  if (std::get<0>(GetParam()) != Variant::cusparse_csr) {
    GTEST_SKIP() << "other orders of rows make other preconditioners";
  }
  const std::vector<double> x = random_values(finest(), 6);
  for (const bool exaggerated : {false, true, false}) {
    backend_->exaggerate_diagonal(exaggerated);
    reference_->exaggerate_diagonal(exaggerated);
    EXPECT_LT(difference(backend_->apply(Operation::mg, x), reference_->apply(Operation::mg, x)),
              1e-12);
  }
}

TEST_P(HpcgVariant, PreconditionsTheSameTwice) {
  const std::vector<double> x = random_values(finest(), 7);
  const std::vector<double> once = backend_->apply(Operation::mg, x);
  EXPECT_EQ(difference(backend_->apply(Operation::mg, x), once), 0.0);
}

TEST_P(HpcgVariant, ReachesTheReferencesResidual) {
  const CgResult reference = conjugate_gradients(*reference_, {.iterations = reference_iterations});
  const CgResult result = conjugate_gradients(
      *backend_, {.iterations = max_iterations, .tolerance = reference.scaled()});
  EXPECT_LE(result.scaled(), reference.scaled() * (1.0 + 1e-6));
  EXPECT_LE(result.iterations, max_iterations);
  const std::vector<double> ones(static_cast<std::size_t>(finest().matrix.rows), 1.0);
  EXPECT_LT(difference(backend_->solution(), ones), 1e-12);
}

TEST_P(HpcgVariant, SolvesTheSameTwice) {
  const CgLimits limits{.iterations = 12};
  const double once = conjugate_gradients(*backend_, limits).scaled();
  EXPECT_EQ(conjugate_gradients(*backend_, limits).scaled(), once);
  const CgTimes times = backend_->take_times();
  EXPECT_GT(times.mg, 0.0);
  EXPECT_GT(times.spmv, 0.0);
}

std::string name_of(const ::testing::TestParamInfo<std::tuple<Variant, Grid3>>& parameter) {
  const auto& [variant, local] = parameter.param;
  std::string name = to_string(variant) + "_" + to_string(local);
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(
    Paper, HpcgVariant,
    ::testing::Combine(::testing::Values(Variant::cusparse_csr, Variant::cusparse_coloured,
                                         Variant::csr, Variant::ell),
                       ::testing::Values(Grid3{16, 16, 16}, Grid3{24, 16, 8}, Grid3{9, 10, 11})),
    name_of);

}  // namespace
}  // namespace bankfull::hpcg
