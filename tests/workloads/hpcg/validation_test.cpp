#include "bankfull/workloads/hpcg/validation.hpp"

#include "tests/alone.hpp"
#include "tests/workloads/hpcg/comparison.hpp"
#include "tests/workloads/hpcg/solved.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <string>
#include <tuple>
#include <vector>

namespace bankfull::hpcg {
namespace {

/// Both operations return the previous element, which is not symmetric; nothing converges.
class Shifting : public CgBackend {
 public:
  void exaggerate_diagonal(bool /*exaggerated*/) override {}
  void start() override {}
  void precondition(bool /*multigrid*/) override {}
  void update_direction(bool /*first*/) override {}
  void multiply() override {}
  void update_solution() override {}
  double squared_residual() override { return 1.0; }
  CgTimes take_times() override { return {}; }
  std::vector<double> apply(Operation /*operation*/, const std::vector<double>& x) override {
    std::vector<double> y = x;
    std::rotate(y.begin(), y.begin() + 1, y.end());
    return y;
  }
  std::vector<double> solution() override { return {}; }
  std::vector<double> recurrence_residual() override { return {}; }
  std::vector<Step> profile(int /*repeats*/) override { return {}; }
  [[nodiscard]] std::int64_t added_bytes() const override { return 0; }
  [[nodiscard]] Transport transport() const override { return Transport::local; }
};

constexpr double nan_value = std::numeric_limits<double>::quiet_NaN();

/// Its first residual is a number, those after it and the last element of products are not.
class Poisoned final : public Shifting {
 public:
  void start() override { residual_ = 1.0; }
  void update_solution() override { residual_ = nan_value; }
  double squared_residual() override { return residual_; }
  std::vector<double> apply(Operation /*operation*/, const std::vector<double>& x) override {
    std::vector<double> y(x.size(), 0.0);
    y.back() = nan_value;
    return y;
  }

 private:
  double residual_ = nan_value;
};

TEST(SpectralTest, FailsWhereResidualsAreNaN) {
  Poisoned backend;
  const SpectralTest test = spectral_test(backend);
  EXPECT_FALSE(test.passed());
  EXPECT_GT(test.max_iterations_plain, test.allowed_plain);
  EXPECT_GT(test.max_iterations_preconditioned, test.allowed_preconditioned);
}

TEST(ConjugateGradients, DoNotStopAtANaN) {
  Poisoned backend;
  EXPECT_EQ(conjugate_gradients(backend, {.iterations = 7, .tolerance = 0.5}).iterations, 7);
  // Neither where the tolerance is the residual of a reference that failed.
  EXPECT_EQ(conjugate_gradients(backend, {.iterations = 7, .tolerance = nan_value}).iterations, 7);
}

TEST(ConjugateGradients, ContinueToAsManyIterationsAsTheyMustTake) {
  const auto system = make_system(small_problem({16, 16, 16}), alone());
  const auto backend = system->make_backend(Variant::tuned);
  const int needed =
      conjugate_gradients(*backend, {.iterations = 50, .tolerance = 1e-3}).iterations;
  EXPECT_LT(needed, 20);
  for (const int wanted : {needed - 1, needed, needed + 1, 20}) {
    const CgResult result =
        conjugate_gradients(*backend, {.iterations = 50, .tolerance = 1e-3, .at_least = wanted});
    EXPECT_EQ(result.iterations, std::max(needed, wanted));
    // The residual is that of the last iteration.
    EXPECT_EQ(result.scaled(),
              conjugate_gradients(*backend, {.iterations = result.iterations}).scaled());
  }
}

TEST(SpectralTest, KeepsEverySolve) {
  const auto system = make_system(small_problem({16, 16, 16}), alone());
  const SpectralTest test = spectral_test(*system->make_backend(Variant::reference));
  ASSERT_EQ(test.solves.size(), 4U);
  int most[2] = {};
  for (std::size_t n = 0; n < test.solves.size(); ++n) {
    const SpectralSolve& solve = test.solves[n];
    EXPECT_EQ(solve.preconditioned, n >= 2);
    EXPECT_GT(solve.residual, 0.0);
    EXPECT_LE(solve.residual, 1e-12 * (1.0 + 1e-6));
    most[n / 2] = std::max(most[n / 2], solve.iterations);
  }
  EXPECT_EQ(most[0], test.max_iterations_plain);
  EXPECT_EQ(most[1], test.max_iterations_preconditioned);
  EXPECT_TRUE(test.passed());
  // A diagonal a million times too large leaves nine different rows and nearly equal others.
  EXPECT_GE(test.max_iterations_plain, 8);
}

TEST(SpectralTest, FailsWhereNothingConverges) {
  Shifting backend;
  const SpectralTest test = spectral_test(backend);
  EXPECT_FALSE(test.passed());
  EXPECT_EQ(test.max_iterations_plain, reference_iterations);
  EXPECT_EQ(test.max_iterations_preconditioned, reference_iterations);
}

TEST(SymmetryTest, FindsTheExactSolution) {
  const auto system = make_system(small_problem({16, 16, 16}), alone());
  const SymmetryTest test =
      symmetry_test(*system->make_backend(Variant::reference), site_of(*system, alone()));
  EXPECT_TRUE(test.passed());
  // All sums are of small whole numbers.
  EXPECT_EQ(test.spmv_residuals, (std::vector<double>{0.0, 0.0}));
}

TEST(SymmetryTest, FailsWhatIsNotSymmetric) {
  const auto system = make_system(small_problem({8, 8, 8}), alone());
  Shifting backend;
  const SymmetryTest test = symmetry_test(backend, site_of(*system, alone()));
  EXPECT_GT(test.departure_spmv, 1.0);
  EXPECT_GT(test.departure_mg, 1.0);
  EXPECT_FALSE(test.passed());
  // A corner's row has 8 entries, and the backend says that it sums to 1; 26 - 7 is right.
  ASSERT_EQ(test.spmv_residuals.size(), 2U);
  EXPECT_EQ(test.spmv_residuals.front(), 26.0 - 7.0 - 1.0);
}

TEST(SymmetryTest, FailsWhereAProductIsNaN) {
  const auto system = make_system(small_problem({8, 8, 8}), alone());
  Poisoned backend;
  const SymmetryTest test = symmetry_test(backend, site_of(*system, alone()));
  EXPECT_FALSE(test.passed());
  EXPECT_TRUE(std::isnan(test.product_error()));
}

/// The result of the convergence test, for sets that end with its residual, which is the
/// reference's.
ConvergenceTest converged_to(double residual) {
  return {.iterations = 50, .reference_residual = residual, .residual = residual, .reached = true};
}

TEST(NormsTest, KeepsNaN) {
  for (const std::vector<double>& residuals :
       {std::vector<double>{1e-3, nan_value}, {nan_value, 1e-3}, {1e-3, nan_value, 1e-3}}) {
    const NormsTest test = norms_test(residuals, converged_to(1e-3));
    EXPECT_FALSE(test.passed());
    EXPECT_FALSE(test.complete());
    EXPECT_TRUE(std::isnan(test.spread));
    EXPECT_TRUE(std::isnan(test.beyond_reference));
    EXPECT_TRUE(std::isnan(test.from_convergence));
  }
}

/// The variance that the benchmark allows says nothing of residuals this small.
TEST(NormsTest, SpreadIsRelative) {
  const NormsTest test = norms_test({1e-9, 1.5e-9, 0.9e-9}, converged_to(1.5e-9));
  EXPECT_TRUE(test.passed());
  EXPECT_DOUBLE_EQ(test.spread, 0.5);
  EXPECT_FALSE(test.complete());
  EXPECT_EQ(norms_test({0.0, 0.0}, converged_to(0.0)).spread, 0.0);
  EXPECT_TRUE(norms_test({0.0, 0.0}, converged_to(0.0)).complete());
  EXPECT_EQ(norms_test({3e-9}, converged_to(3e-9)).spread, 0.0);
}

TEST(NormsTest, ComparesTheLargestWithTheReference) {
  ConvergenceTest found = converged_to(1e-3);
  const auto beyond = [&](const std::vector<double>& residuals) {
    return norms_test(residuals, found).beyond_reference;
  };
  EXPECT_EQ(beyond({1e-3, 0.9e-3}), 0.0);
  EXPECT_NEAR(beyond({0.9e-3, 1.5e-3, 1e-3}), 0.5, 1e-12);
  EXPECT_TRUE(norms_test({1e-3 * (1.0 + 0.9e-6)}, found).complete());
  EXPECT_FALSE(norms_test({1e-3 * (1.0 + 1.1e-6)}, found).complete());
  found.reference_residual = nan_value;
  EXPECT_TRUE(std::isnan(beyond({1e-3})));
}

/// Sets that repeat, and are better than the reference, but have not done what was found to do.
TEST(NormsTest, ComparesAllWithTheConvergenceTest) {
  ConvergenceTest found = converged_to(1e-3);
  found.residual = 0.5e-3;
  const NormsTest test = norms_test({1e-3, 1e-3}, found);
  EXPECT_EQ(test.spread, 0.0);
  EXPECT_EQ(test.beyond_reference, 0.0);
  EXPECT_DOUBLE_EQ(test.from_convergence, 1.0);
  EXPECT_FALSE(test.complete());
  EXPECT_TRUE(norms_test({0.5e-3, 0.5e-3}, found).complete());
}

TEST(NormsTest, OfNoSetsFails) {
  EXPECT_FALSE(norms_test({}, converged_to(1e-3)).passed());
  EXPECT_FALSE(norms_test({}, converged_to(1e-3)).complete());
}

class SolutionTests : public ::testing::TestWithParam<std::tuple<Grid3, int, Variant>> {
 protected:
  SolutionTests() : system_(make_system(small_problem(local()), alone())) {
    solved_ = solve(*system_->make_backend(std::get<2>(GetParam())), iterations());
  }

  static Grid3 local() { return std::get<0>(GetParam()); }
  static int iterations() { return std::get<1>(GetParam()); }

  /// As if the residual that was reached were required.
  SolutionTest test_of(const Solved& solved) {
    return solution_test(*system_->make_backend(Variant::reference), solved,
                         solved_.scaled_residual, site_of(*system_, alone()));
  }

  /// The test's result for a solution modified by `change`.
  template <class Change>
  SolutionTest test_after(const Change& change) {
    Solved solved = solved_;
    change(solved);
    return test_of(solved);
  }

  static void scale_x(Solved& solved, double factor) {
    for (double& x : solved.x) {
      x *= factor;
    }
  }

  std::unique_ptr<System> system_;
  Solved solved_;
};

TEST_P(SolutionTests, PassWhatConjugateGradientsLeave) {
  const SolutionTest test = test_of(solved_);
  EXPECT_TRUE(test.passed());
  EXPECT_GT(test.true_residual, 0.0);
  RecordProperty("departure", std::to_string(test.departure / test.allowed_departure));
  // Far from the bound: on larger grids and GPUs roundings differ.
  EXPECT_LT(test.departure, 0.1 * test.allowed_departure);
  EXPECT_LT(test.allowed_departure, 1e-10);
}

TEST_P(SolutionTests, FailNothingDone) {
  EXPECT_FALSE(test_after([](Solved& s) { std::fill(s.x.begin(), s.x.end(), 0.0); }).passed());
}

/// x = 0, r = b and a residual of 1 agree with each other.
TEST_P(SolutionTests, FailNothingDoneThatIsReportedAsSuch) {
  const std::vector<double> b =
      system_->make_backend(Variant::reference)
          ->apply(Operation::spmv, std::vector<double>(solved_.x.size(), 1.0));
  const SolutionTest test = test_after([&](Solved& s) {
    s = {.x = std::vector<double>(b.size(), 0.0), .r = b, .iterations = 0, .scaled_residual = 1.0};
  });
  EXPECT_EQ(test.departure, 0.0);
  EXPECT_LE(test.difference(), test.allowed_difference);
  EXPECT_EQ(test.error, 1.0);
  EXPECT_GT(test.true_residual, test.allowed_residual);
  EXPECT_FALSE(test.passed());
}

TEST_P(SolutionTests, FailWhatHasNotReachedTheRequiredResidual) {
  const double wanted = 0.5 * solved_.scaled_residual;
  const SolutionTest test = solution_test(*system_->make_backend(Variant::reference), solved_,
                                          wanted, site_of(*system_, alone()));
  // Below rounding errors it cannot be detected.
  EXPECT_EQ(test.passed(), test.true_residual < test.allowed_departure);
}

TEST_P(SolutionTests, FailASolutionOfAnotherOperator) {
  for (const double epsilon : {1e-6, -1e-6, 1e-9, -1e-9}) {
    const SolutionTest test = test_after([&](Solved& s) { scale_x(s, 1.0 / (1.0 + epsilon)); });
    EXPECT_GT(test.departure, test.allowed_departure) << epsilon;
    EXPECT_FALSE(test.passed()) << epsilon;
  }
}

TEST_P(SolutionTests, FailOneWrongElement) {
  EXPECT_FALSE(test_after([](Solved& s) { s.x[s.x.size() / 2] += 1e-6; }).passed());
}

TEST_P(SolutionTests, FailNaNAnywhere) {
  EXPECT_FALSE(test_after([](Solved& s) { s.x.back() = nan_value; }).passed());
  EXPECT_FALSE(test_after([](Solved& s) { s.r.front() = nan_value; }).passed());
  EXPECT_FALSE(test_after([](Solved& s) { s.scaled_residual = nan_value; }).passed());
}

TEST_P(SolutionTests, FailAnotherResidualThanTheOneReported) {
  EXPECT_FALSE(test_after([](Solved& s) { s.scaled_residual += 1e-8; }).passed());
}

/// The closed form, of which the backend and the reference know nothing, finds a wrong assembly.
TEST_P(SolutionTests, FailAMatrixThatIsNotTheBenchmarks) {
  system_->perturb(1e-6);
  const Solved solved = solve(*system_->make_backend(Variant::tuned), 50);
  const SolutionTest test = test_of(solved);
  EXPECT_GT(test.product_error, 0.0);
  EXPECT_FALSE(test.passed());
}

INSTANTIATE_TEST_SUITE_P(Sizes, SolutionTests,
                         ::testing::Combine(::testing::Values(Grid3{8, 8, 8}, Grid3{9, 12, 17},
                                                              Grid3{24, 16, 8}),
                                            ::testing::Values(1, 4, 50),
                                            ::testing::Values(Variant::reference, Variant::tuned)));
INSTANTIATE_TEST_SUITE_P(Large, SolutionTests,
                         ::testing::Combine(::testing::Values(Grid3{32, 32, 32}),
                                            ::testing::Values(1, 4, 50),
                                            ::testing::Values(Variant::reference, Variant::tuned)));

TEST(SolutionTest, OfNothingFails) { EXPECT_FALSE(SolutionTest{}.passed()); }

TEST(NormsTest, IsMeanAndVariance) {
  const NormsTest one = norms_test({3e-9}, converged_to(3e-9));
  EXPECT_EQ(one.mean, 3e-9);
  EXPECT_EQ(one.variance, 0.0);
  EXPECT_TRUE(one.passed());
  const NormsTest equal = norms_test(std::vector<double>(1000, 0.1), converged_to(0.1));
  EXPECT_EQ(equal.mean, 0.1);  // exactly, whatever the roundings of a sum
  EXPECT_EQ(equal.variance, 0.0);
  const NormsTest apart = norms_test({1.0, 2.0, 6.0}, converged_to(6.0));
  EXPECT_DOUBLE_EQ(apart.mean, 3.0);
  EXPECT_DOUBLE_EQ(apart.variance, 14.0 / 3.0);
  EXPECT_FALSE(apart.passed());
  EXPECT_EQ(apart.residuals, (std::vector<double>{1.0, 2.0, 6.0}));
}

}  // namespace
}  // namespace bankfull::hpcg
