#pragma once

#include "bankfull/numerics/poisson/direct.hpp"
#include "bankfull/numerics/poisson/direct/spectrum.hpp"
#include "tests/numerics/poisson/domains.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <string>
#include <vector>

namespace bankfull::poisson {

/// Domains that the direct solver serves: every kind of boundaries, shape and stretching of axis i.
inline std::vector<NamedDomain> direct_cases() {
  std::vector<NamedDomain> cases = uniform_shapes();
  const auto add = [&](const std::vector<NamedDomain>& more) {
    cases.insert(cases.end(), more.begin(), more.end());
  };
  add(stretched_shapes());
  for (const Extents& extents :
       {Extents{16, 16, 16}, Extents{7, 9, 11}, Extents{2, 1, 2}, Extents{1, 2, 1},
        Extents{1, 1, 1}, Extents{1, 6, 5}, Extents{18, 1, 9}, Extents{9, 10, 1}}) {
    add(all_boundaries(extents));
  }
  for (const bool periodic : {false, true}) {
    const std::string ends = periodic ? "periodic_" : "walls_";
    cases.push_back(
        {ends + "long_column",
         {stretched_axis(701, periodic, 1.002), uniform_axis(4, true), uniform_axis(3, false)}});
    cases.push_back(
        {ends + "longer_column",
         {uniform_axis(4100, periodic), uniform_axis(2, false), uniform_axis(2, true)}});
  }
  return cases;
}

/// Every choice of stretched and of periodic axes, of these extents.
inline std::vector<NamedDomain> all_stretchings(const Extents& n, double ratio) {
  std::vector<NamedDomain> result;
  for (int stretched = 0; stretched < 8; ++stretched) {
    for (const NamedDomain& each : all_boundaries(n)) {
      NamedDomain next{each.name + "_stretched_" + std::to_string(stretched), each.domain};
      const auto stretch = [&](Axis* axis, int bit, double width) {
        *axis = (stretched & bit) != 0 ? stretched_axis(axis->cells(), axis->periodic, ratio, width)
                                       : uniform_axis(axis->cells(), axis->periodic, width);
      };
      stretch(&next.domain.i, 4, 1.0);
      stretch(&next.domain.j, 2, 0.7);
      stretch(&next.domain.k, 1, 1.2);
      result.push_back(next);
    }
  }
  return result;
}

/// What a solver of this precision is given.
template <class Real>
Values rounded_to(Values values) {
  for (double& value : values) {
    value = static_cast<double>(static_cast<Real>(value));
  }
  return values;
}

/// The largest coefficient of the equation times the largest value: what rounding is relative to.
inline double largest_coefficient(const Axis& axis) {
  double most = 0.0;
  for (std::int64_t n = 0; n < axis.cells(); ++n) {
    const double width = axis.widths[static_cast<std::size_t>(n)];
    most = std::max(most, (1.0 / axis.distance(n) + 1.0 / axis.distance(n + 1)) / width);
  }
  return most;
}

inline double largest_term(const Domain& domain, const Values& p) {
  return (largest_coefficient(domain.i) + largest_coefficient(domain.j) +
          largest_coefficient(domain.k)) *
         largest(p);
}

/// The same of what a mean right side alone would leave, which is a function of i: GPUs take that
/// out of the solution, not the mean out of the right side.
inline double largest_term_of_mean(const Domain& domain, double mean_right_side) {
  double largest_response = 0.0;
  for (const auto& cell : EliminationTable<double>(domain, 1.0).cells) {
    largest_response = std::max(largest_response, std::abs(cell.response));
  }
  return largest_coefficient(domain.i) * std::abs(mean_right_side) * largest_response;
}

/// Further ones of a product with the eigenvectors of a stretched axis: sums of as many terms,
/// which grow with their square root, of amplitudes times the square roots of widths. A third of
/// them is seen.
inline double roundings_of_product(const Axis& axis) {
  const auto [least, most] = std::minmax_element(axis.widths.begin(), axis.widths.end());
  return std::sqrt(static_cast<double>(axis.cells()) * *most / *least);
}

/// How planes are taken to modes: along stretched axes by products, or, where any is, along both.
enum class Products { stretched, of_planes };

inline double roundings_of_products(const Domain& domain, Products products) {
  const bool any = !domain.j.uniform() || !domain.k.uniform();
  double sum = 0.0;
  for (const Axis* axis : {&domain.j, &domain.k}) {
    const bool by_product = products == Products::of_planes ? any : !axis->uniform();
    sum += by_product ? roundings_of_product(*axis) : 0.0;
  }
  return sum;
}

/// How many roundings the residual may have. Those of transforms of N points grow with log2 N
/// (W. Gentleman and G. Sande, Fast Fourier Transforms: for fun and profit, 1966): those of FFTW
/// left 1.0 of them for 20 x 21 points, 2.3 for 200 x 210, 3.3 for 1000 x 1050 and 4.7 for 2000 x
/// 2100. Small ones are held to the rounding of the equation itself.
inline double roundings(const Domain& domain, Products products) {
  const double points =
      static_cast<double>(domain.j.cells()) * static_cast<double>(domain.k.cells());
  return std::max(4.0, 0.3 * std::log2(points)) + roundings_of_products(domain, products);
}

/// How many times the roundings the three passes may leave, whose twiddle factors are powers of a
/// root, formed as products. It shows where cells are much thinner along k, whose terms are then
/// the largest by far: for five right sides their emulation on a CPU left up to 4.2 in fp64 and 5.3
/// in fp32 on 34 x 64 x 512 cells, where `roundings` is 4.5 and factors from tables left 2.2.
inline double with_powers_of_roots(const Domain& domain) {
  return domain.k.cells() >= 6 * domain.j.cells() ? 1.25 : 1.0;
}

/// p solves the equation to rounding and has no mean. `taken_away`: the largest term of what has
/// been subtracted from p. `more`: times the roundings.
template <class Real>
void expect_solved(const Domain& domain, const Values& p, const Values& f,
                   Products products = Products::stretched, double taken_away = 0.0,
                   double more = 1.0) {
  const auto epsilon = static_cast<double>(std::numeric_limits<Real>::epsilon());
  EXPECT_LE(residual(domain, p, f), more * roundings(domain, products) * epsilon *
                                        (largest_term(domain, p) + largest(f) + taken_away));
  // The mean is the sum of as many terms as a column has cells, each from the one before.
  const auto cells = static_cast<double>(domain.i.cells());
  EXPECT_LE(std::abs(mean(domain, p)), (8.0 + 2.0 * cells) * epsilon * largest(p));
}

/// One or several solves for `f` on CPUs, by a new solver.
template <class Real>
Values solved_on_cpu(const Domain& domain, const Values& f, int threads = 2, int times = 1) {
  const auto solver = make_cpu_direct<Real>(domain, threads);
  for (int time = 0; time < times; ++time) {
    put(domain, f, solver->right_side());
    solver->solve();
  }
  return take(domain, solver->solution());
}

/// Where a solver takes a mean right side away.
enum class MeanLeaves { right_side, solution };

/// `solved(domain, f)` solves the equation for f less its mean.
template <class Real, class Solved>
void expect_mean_taken_away(const std::vector<NamedDomain>& domains, const Solved& solved,
                            MeanLeaves leaves = MeanLeaves::right_side) {
  for (const NamedDomain& each : domains) {
    SCOPED_TRACE(each.name);
    Values f = random_values(each.domain, 11);
    for (double& value : f) {
      value += 0.5;
    }
    f = rounded_to<Real>(f);
    const Values p = solved(each.domain, f);
    const double taken_away = leaves == MeanLeaves::solution
                                  ? largest_term_of_mean(each.domain, mean(each.domain, f))
                                  : 0.0;
    remove_mean(each.domain, &f);
    expect_solved<Real>(each.domain, p, f, Products::stretched, taken_away);
  }
}

}  // namespace bankfull::poisson
