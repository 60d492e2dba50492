#include "bankfull/workloads/hpcg/validation.hpp"

#include "tests/alone.hpp"
#include "tests/workloads/hpcg/comparison.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <vector>

namespace bankfull::hpcg {
namespace {

/// Both operations pass on the element before, which is no symmetric thing to do; nothing
/// converges.
class Shifting final : public Path {
 public:
  void exaggerate_diagonal(bool /*exaggerated*/) override {}
  void start() override {}
  void precondition(bool /*multigrid*/) override {}
  void turn(bool /*first*/) override {}
  void multiply() override {}
  void advance() override {}
  double squared_residual() override { return 1.0; }
  CgTimes take_times() override { return {}; }
  std::vector<double> apply(Operation /*operation*/, const std::vector<double>& x) override {
    std::vector<double> y = x;
    std::rotate(y.begin(), y.begin() + 1, y.end());
    return y;
  }
  std::vector<double> solution() override { return {}; }
  std::vector<Step> profile(int /*repeats*/) override { return {}; }
  [[nodiscard]] std::int64_t added_bytes() const override { return 0; }
  [[nodiscard]] Transport transport() const override { return Transport::local; }
};

TEST(SpectralTest, KeepsEverySolve) {
  const auto system = make_system(small_problem({16, 16, 16}), alone());
  const SpectralTest test = spectral_test(*system->make_path(Variant::reference));
  ASSERT_EQ(test.solves.size(), 4U);
  int most[2] = {};
  for (std::size_t n = 0; n < test.solves.size(); ++n) {
    const SpectralSolve& solve = test.solves[n];
    EXPECT_EQ(solve.preconditioned, n >= 2);
    EXPECT_GT(solve.residual, 0.0);
    EXPECT_LE(solve.residual, 1e-12 * (1.0 + 1e-6));
    most[n / 2] = std::max(most[n / 2], solve.iterations);
  }
  EXPECT_EQ(most[0], test.most_iterations_plain);
  EXPECT_EQ(most[1], test.most_iterations_preconditioned);
  EXPECT_TRUE(test.passed());
  // A diagonal a million times too large leaves nine different rows and nearly equal others.
  EXPECT_GE(test.most_iterations_plain, 8);
}

TEST(SpectralTest, FailsWhereNothingConverges) {
  Shifting path;
  const SpectralTest test = spectral_test(path);
  EXPECT_FALSE(test.passed());
  EXPECT_EQ(test.most_iterations_plain, reference_iterations);
  EXPECT_EQ(test.most_iterations_preconditioned, reference_iterations);
}

TEST(SymmetryTest, FindsTheExactSolution) {
  const auto system = make_system(small_problem({16, 16, 16}), alone());
  const Level& finest = system->levels().front();
  const SymmetryTest test = symmetry_test(*system->make_path(Variant::reference), finest, alone());
  EXPECT_TRUE(test.passed());
  // All sums are of small whole numbers.
  EXPECT_EQ(test.spmv_residuals, (std::vector<double>{0.0, 0.0}));
}

TEST(SymmetryTest, FailsWhatIsNotSymmetric) {
  const auto system = make_system(small_problem({8, 8, 8}), alone());
  Shifting path;
  const SymmetryTest test = symmetry_test(path, system->levels().front(), alone());
  EXPECT_GT(test.departure_spmv, 1.0);
  EXPECT_GT(test.departure_mg, 1.0);
  EXPECT_FALSE(test.passed());
  // A corner's row has 8 entries, and the path says that it sums to 1; 26 - 7 is right.
  ASSERT_EQ(test.spmv_residuals.size(), 2U);
  EXPECT_EQ(test.spmv_residuals.front(), 26.0 - 7.0 - 1.0);
}

TEST(NormsTest, IsMeanAndVariance) {
  const NormsTest one = norms_test({3e-9});
  EXPECT_EQ(one.mean, 3e-9);
  EXPECT_EQ(one.variance, 0.0);
  EXPECT_TRUE(one.passed());
  const NormsTest equal = norms_test(std::vector<double>(1000, 0.1));
  EXPECT_EQ(equal.mean, 0.1);  // exactly, whatever the roundings of a sum
  EXPECT_EQ(equal.variance, 0.0);
  const NormsTest apart = norms_test({1.0, 2.0, 6.0});
  EXPECT_DOUBLE_EQ(apart.mean, 3.0);
  EXPECT_DOUBLE_EQ(apart.variance, 14.0 / 3.0);
  EXPECT_FALSE(apart.passed());
  EXPECT_EQ(apart.residuals, (std::vector<double>{1.0, 2.0, 6.0}));
}

}  // namespace
}  // namespace bankfull::hpcg
