#include "bankfull/core/memory/memory.hpp"
#include "bankfull/numerics/poisson/direct.hpp"
#include "bankfull/numerics/poisson/direct/eigen_basis.hpp"
#include "tests/numerics/poisson/direct_cases.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <string>
#include <vector>

// The direct solver where axes j and k are stretched, beside axis i.
namespace bankfull::poisson {
namespace {

/// The solution without a mean, by Gaussian elimination of all cells at once, pivoting.
Values solved_densely(const Domain& domain, const Values& f) {
  const std::size_t n = f.size();
  // The equation, and 1 / n of the sum of all unknowns in each: the null space gone.
  std::vector<Values> rows(n, Values(n + 1, 1.0 / static_cast<double>(n)));
  for (std::size_t column = 0; column < n; ++column) {
    Values unit(n, 0.0);
    unit[column] = 1.0;
    const Values l = laplacian(domain, unit);
    for (std::size_t row = 0; row < n; ++row) {
      rows[row][column] += l[row];
    }
  }
  for (std::size_t row = 0; row < n; ++row) {
    rows[row][n] = f[row];
  }
  for (std::size_t step = 0; step < n; ++step) {
    const auto pivot = std::max_element(
        rows.begin() + static_cast<std::ptrdiff_t>(step), rows.end(),
        [&](const Values& a, const Values& b) { return std::abs(a[step]) < std::abs(b[step]); });
    std::swap(rows[step], *pivot);
    for (std::size_t row = step + 1; row < n; ++row) {
      const double factor = rows[row][step] / rows[step][step];
      for (std::size_t column = step; column <= n; ++column) {
        rows[row][column] -= factor * rows[step][column];
      }
    }
  }
  Values p(n);
  for (std::size_t step = n; step-- > 0;) {
    double sum = rows[step][n];
    for (std::size_t column = step + 1; column < n; ++column) {
      sum -= rows[step][column] * p[column];
    }
    p[step] = sum / rows[step][step];
  }
  remove_mean(domain, &p);
  return p;
}

class DirectStretched : public testing::TestWithParam<NamedDomain> {};

std::vector<NamedDomain> small_domains() {
  std::vector<NamedDomain> result;
  for (const Extents& extents :
       {Extents{5, 7, 6}, Extents{4, 6, 9}, Extents{1, 5, 3}, Extents{3, 1, 7}, Extents{2, 3, 4}}) {
    const auto more = all_stretchings(extents, 1.3);
    result.insert(result.end(), more.begin(), more.end());
  }
  return result;
}

INSTANTIATE_TEST_SUITE_P(Small, DirectStretched, testing::ValuesIn(small_domains()), domain_name);

TEST_P(DirectStretched, AgreesWithGaussianElimination) {
  const Domain& domain = GetParam().domain;
  ASSERT_EQ(direct_unavailable(Device::cpu(), domain), "");
  const Values f = random_right_side(domain, 5);
  const Values expected = solved_densely(domain, f);
  EXPECT_LE(largest_difference(solved_on_cpu<double>(domain, f), expected),
            1e-12 * largest(expected));
  EXPECT_LE(largest_difference(solved_on_cpu<float>(domain, f), expected),
            1e-5 * largest(expected));
}

/// Cells of all shapes, where no dense system can be afforded.
std::vector<NamedDomain> larger_domains() {
  std::vector<NamedDomain> result = all_stretchings({12, 33, 46}, 1.1);
  const auto more = all_stretchings({9, 16, 130}, 1.02);
  result.insert(result.end(), more.begin(), more.end());
  const Axis walls = gathered_axis(48, false, 5.0);
  const Axis periodic = gathered_axis(33, true, 3.0);
  result.push_back({"gathered", {walls, walls, walls}});
  result.push_back({"gathered_less", {walls, periodic, periodic}});
  result.push_back({"gathered_in_planes", {uniform_axis(40, true, 0.02), periodic, walls}});
  return result;
}

class DirectStretchedLarger : public testing::TestWithParam<NamedDomain> {};

INSTANTIATE_TEST_SUITE_P(Larger, DirectStretchedLarger, testing::ValuesIn(larger_domains()),
                         domain_name);

TEST_P(DirectStretchedLarger, SolvesToRounding) {
  const Domain& domain = GetParam().domain;
  const auto check = [&]<class Real>(Real /*kind*/) {
    const Values f = rounded_to<Real>(random_right_side(domain, 5));
    expect_solved<Real>(domain, solved_on_cpu<Real>(domain, f), f);
  };
  check(double{});
  check(float{});
}

TEST(DirectStretched, TakesTheMeanAway) {
  expect_mean_taken_away<double>(
      all_stretchings({5, 6, 7}, 1.3),
      [](const Domain& domain, const Values& f) { return solved_on_cpu<double>(domain, f); });
}

TEST(DirectStretched, GivesTheSameBitsForAnyTeamAndEveryTime) {
  for (const NamedDomain& each : all_stretchings({7, 10, 21}, 1.1)) {
    SCOPED_TRACE(each.name);
    const Values f = random_right_side(each.domain, 2);
    const Values once = solved_on_cpu<double>(each.domain, f, 1);
    EXPECT_EQ(solved_on_cpu<double>(each.domain, f, 2, 2), once);
    EXPECT_EQ(solved_on_cpu<double>(each.domain, f, 3), once);
  }
}

TEST(DirectStretched, AllocatesWhatItSays) {
  for (const NamedDomain& each : all_stretchings({8, 30, 21}, 1.1)) {
    SCOPED_TRACE(each.name);
    const MemoryWatch memory(MemorySpace::host);
    const auto solver = make_cpu_direct<float>(each.domain, 2);
    EXPECT_EQ(memory.max_bytes(), direct_bytes(each.domain, sizeof(float), false, 2));
  }
}

/// Decays and modes of an axis, of which a uniform one's are known.
TEST(EigenBasis, OfAUniformAxisIsThatOfTheTransform) {
  for (const bool periodic : {false, true}) {
    const std::int64_t cells = 40;
    EigenBasis basis = eigen_basis(uniform_axis(cells, periodic, 0.5));
    std::vector<double> expected;
    for (std::int64_t m = 0; m < cells; ++m) {
      const double angle = M_PI * static_cast<double>(m) / (periodic ? 40.0 : 80.0);
      expected.push_back(16.0 * std::sin(angle) * std::sin(angle));
    }
    std::sort(expected.begin(), expected.end());
    EXPECT_EQ(basis.decay.front(), 0.0);
    for (std::size_t m = 0; m < expected.size(); ++m) {
      EXPECT_NEAR(basis.decay[m], expected[m], 1e-13) << m;
    }
  }
}

/// The sum of the squares of the differences of mode m over their distances: its decay, as the sum
/// of its squares times the widths is 1.
double quotient(const Axis& axis, const EigenBasis& basis, std::int64_t m) {
  const std::int64_t cells = axis.cells();
  const auto value = [&](std::int64_t cell) {
    return basis.back[static_cast<std::size_t>((cell + cells) % cells * cells + m)];
  };
  double sum = 0.0;
  for (std::int64_t face = axis.periodic ? 0 : 1; face < cells; ++face) {
    sum += std::pow(value(face) - value(face - 1), 2) / axis.distance(face);
  }
  return sum;
}

/// max |forward back - 1|
double departure_from_unity(const EigenBasis& basis) {
  const std::size_t n = basis.decay.size();
  double worst = 0.0;
  for (std::size_t a = 0; a < n; ++a) {
    for (std::size_t b = 0; b < n; ++b) {
      double product = a == b ? -1.0 : 0.0;
      for (std::size_t cell = 0; cell < n; ++cell) {
        product += basis.forward[a * n + cell] * basis.back[cell * n + b];
      }
      worst = std::max(worst, std::abs(product));
    }
  }
  return worst;
}

/// As stretched as the cases of flows may be: cells of 1 to 4000 in one axis.
TEST(EigenBasis, DiagonalisesAxesThatAreStretchedStrongly) {
  for (const std::int64_t cells : {1, 2, 3, 33, 96}) {
    for (const bool periodic : {false, true}) {
      SCOPED_TRACE(std::to_string(cells) + (periodic ? " periodic" : ""));
      const Axis axis = gathered_axis(cells, periodic, 5.0);
      const EigenBasis basis = eigen_basis(axis);
      EXPECT_LE(departure_from_unity(basis), 1e-13);
      for (std::int64_t m = 0; m < cells; ++m) {
        // What small decays lose grows with the ratio of lengths, not with its square.
        const double decay = basis.decay[static_cast<std::size_t>(m)];
        const double scale = std::sqrt(decay * basis.decay.back());
        EXPECT_NEAR(quotient(axis, basis, m), decay, 1e-14 * scale) << "mode " << m;
      }
    }
  }
}

}  // namespace
}  // namespace bankfull::poisson
