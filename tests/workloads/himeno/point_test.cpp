#include "bankfull/workloads/himeno/point.hpp"

#include <array>
#include <cmath>
#include <gtest/gtest.h>

namespace bankfull::himeno {
namespace {

using Weights = std::array<double, coefficient_count>;

/// The pressure p(i, j, k) sampled at unit spacing around a point.
class Sample {
 public:
  template <class Pressure>
  explicit Sample(Pressure p) {
    for (int n = 0; n < 27; ++n) {
      cube_[static_cast<std::size_t>(n)] = p(offset(n / 9), offset(n / 3 % 3), offset(n % 3));
    }
  }
  [[nodiscard]] PressuresAt<double> centre() const { return {&cube_[13], 9, 3}; }

 private:
  static double offset(int index) { return static_cast<double>(index - 1); }

  std::array<double, 27> cube_{};
};

Weights laplace() {
  Weights q{};
  q[a0] = q[a1] = q[a2] = q[c0] = q[c1] = q[c2] = q[bnd] = 1.0;
  q[a3] = 1.0 / 6.0;
  return q;
}

double residual_of(const Weights& q, const Sample& p) {
  return residual(CoefficientsAt<double>{q.data(), 1}, p.centre());
}

TEST(Residual, HarmonicPressureIsAFixedPoint) {
  const Sample p([](double i, double j, double k) { return i * j + 2 * k - j * k + 5; });
  EXPECT_NEAR(residual_of(laplace(), p), 0.0, 1e-15);
}

TEST(Residual, MixedCoefficientsSeeTheirOwnDerivativeOnly) {
  // The cross difference of the product of two coordinates is 4; of the other products, 0.
  const Sample ij([](double i, double j, double) { return i * j; });
  const Sample jk([](double, double j, double k) { return j * k; });
  const Sample ik([](double i, double, double k) { return i * k; });
  const auto with = [](Coefficient b, const Sample& p) {
    Weights q = laplace();
    q[b] = q[a3] = 1.0;
    return residual_of(q, p);
  };
  EXPECT_EQ(with(b0, ij), 4.0);
  EXPECT_EQ(with(b0, jk), 0.0);
  EXPECT_EQ(with(b0, ik), 0.0);
  EXPECT_EQ(with(b1, jk), 4.0);
  EXPECT_EQ(with(b1, ij), 0.0);
  EXPECT_EQ(with(b2, ik), 4.0);
  EXPECT_EQ(with(b2, jk), 0.0);
}

TEST(Residual, EveryNeighbourHasItsOwnWeight) {
  // Only the neighbour on one side of one axis is 1: the weight on that side answers.
  const std::array<Coefficient, 6> weight{a0, c0, a1, c1, a2, c2};
  for (std::size_t n = 0; n < weight.size(); ++n) {
    const double side = n % 2 == 0 ? 1.0 : -1.0;
    const std::array<double, 3> at{n / 2 == 0 ? side : 0.0, n / 2 == 1 ? side : 0.0,
                                   n / 2 == 2 ? side : 0.0};
    const Sample p([&](double i, double j, double k) {
      return i == at[0] && j == at[1] && k == at[2] ? 1.0 : 0.0;
    });
    Weights q{};
    q[weight[n]] = 7.0;
    q[a3] = q[bnd] = 1.0;
    EXPECT_EQ(residual_of(q, p), 7.0) << "neighbour " << n;
  }
}

TEST(Residual, SolidPointsStay) {
  Weights q = laplace();
  q[bnd] = 0.0;
  q[wrk1] = 100.0;
  const Sample p([](double i, double j, double k) { return std::cos(i + 2 * j + 3 * k); });
  EXPECT_EQ(residual_of(q, p), 0.0);
  EXPECT_EQ(relaxed(1.0, 0.0, 0.8), 1.0);
}

TEST(Residual, SourceEntersOnceAndIsRelaxed) {
  Weights q = laplace();
  q[wrk1] = 6.0;
  const Sample zero([](double, double, double) { return 0.0; });
  EXPECT_DOUBLE_EQ(residual_of(q, zero), 1.0);
  EXPECT_DOUBLE_EQ(relaxed(0.0, 1.0, 0.8), 0.8);
}

}  // namespace
}  // namespace bankfull::himeno
