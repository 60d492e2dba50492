#include "bankfull/numerics/poisson/multigrid.hpp"

#include "bankfull/numerics/poisson/multigrid/reference.hpp"
#include "tests/numerics/poisson/domains.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace bankfull::poisson {
namespace {

using multigrid::Reference;

Domain cube(std::int64_t cells, bool periodic) {
  return {uniform_axis(cells, false), uniform_axis(cells, periodic), uniform_axis(cells, periodic)};
}

std::vector<NamedDomain> domains_of_all_kinds() {
  std::vector<NamedDomain> result = uniform_shapes();
  for (const auto& more :
       {stretched_shapes(), all_boundaries({8, 12, 16}), all_boundaries({7, 11, 13})}) {
    result.insert(result.end(), more.begin(), more.end());
  }
  return result;
}

/// The mean of the factors by which the cycles after the first reduce the residual.
double convergence_factor(const std::vector<double>& residuals) {
  const auto cycles = static_cast<double>(residuals.size() - 2);
  return std::pow(residuals.back() / residuals[1], 1.0 / cycles);
}

/// In which a residual must fall by 1e-9. Where cells have many shapes, smoothing one of them well
/// is smoothing another badly.
int most_cycles(const Domain& domain) { return domain.i.uniform() ? 14 : 45; }

TEST(MultigridReference, SolvesAllDomains) {
  for (const NamedDomain& each : domains_of_all_kinds()) {
    const Values f = random_right_side(each.domain, 11);
    Values p;
    const double tolerance = 1e-9 * largest(f);
    const std::vector<double> residuals =
        Reference(each.domain).solve(f, {tolerance, most_cycles(each.domain)}, &p);
    EXPECT_LE(residual(each.domain, p, f), tolerance) << each.name;
    EXPECT_LE(residuals.back(), tolerance) << each.name;
  }
}

TEST(MultigridReference, ConvergesAlikeOnAllCubes) {
  for (const std::int64_t cells : {16, 32, 64}) {
    for (const bool periodic : {false, true}) {
      const Domain domain = cube(cells, periodic);
      const Values f = random_right_side(domain, 12);
      Values p;
      const auto residuals = Reference(domain).solve(f, {1e-8 * largest(f), 20}, &p);
      EXPECT_LE(convergence_factor(residuals), 0.07) << cells << " periodic: " << periodic;
      EXPECT_LE(residuals[1] / residuals[0], 0.25);
    }
  }
}

}  // namespace
}  // namespace bankfull::poisson
