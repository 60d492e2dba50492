#include "bankfull/workloads/hpcg/validation.hpp"

#include "bankfull/core/base/nan.hpp"
#include "bankfull/numerics/random/counter.hpp"
#include "bankfull/workloads/hpcg/cg.hpp"
#include "bankfull/workloads/hpcg/grid_rows.hpp"
#include "bankfull/workloads/hpcg/point.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>

namespace bankfull::hpcg {
namespace {

constexpr int spectral_runs = 2;
constexpr int exact_products = 2;
constexpr double spectral_tolerance = 1e-12;

/// Solves as often as the benchmark requires; returns the maximum number of iterations.
int max_iterations_of(CgBackend& backend, bool preconditioned, std::vector<SpectralSolve>& solves) {
  int most = 0;
  for (int n = 0; n < spectral_runs; ++n) {
    const CgResult result = conjugate_gradients(backend, {.iterations = reference_iterations,
                                                          .tolerance = spectral_tolerance,
                                                          .preconditioned = preconditioned});
    solves.push_back({preconditioned, result.iterations, result.scaled()});
    most = std::max(most, result.iterations);
  }
  return most;
}

/// Values in [1, 2), as the official program's.
std::vector<double> random_vector(const RankSite& site, std::uint64_t seed) {
  return vector_of_rows(site.team, site.grid, [&](std::int64_t row) {
    const std::int64_t number = site.grid.global_row(row);
    return 1.5 + 0.5 * random_symmetric(seed, static_cast<std::uint64_t>(number));
  });
}

double dot(const RankSite& site, const std::vector<double>& x, const std::vector<double>& y) {
  const double mine = merge_rows(
      site.team, site.grid, 0.0,
      [&](std::int64_t row) {
        const auto n = static_cast<std::size_t>(row);
        return x[n] * y[n];
      },
      std::plus<>());
  return site.ranks.sum(mine);
}

/// Largest |b - A x| over all rows for the exact solution, x = 1.
double exact_residual(const RankSite& site, CgBackend& backend) {
  const std::vector<double> ones(static_cast<std::size_t>(site.grid.rows()), 1.0);
  const std::vector<double> product = backend.apply(Operation::spmv, ones);
  const double largest = merge_rows(
      site.team, site.grid, 0.0,
      [&](std::int64_t row) {
        return std::fabs(right_hand_side(site.grid.entries(row)) -
                         product[static_cast<std::size_t>(row)]);
      },
      larger_or_nan);
  return site.ranks.max(largest);
}

/// Unit roundoff of double.
constexpr double roundoff = 0.5 * std::numeric_limits<double>::epsilon();

/// The benchmark's estimate of the norm of A: twice the diagonal. The row sums of |A| do not exceed
/// it, so it bounds the norms.
constexpr double norm_of_matrix = 2.0 * entry(true);

/// Sums of as many squares as there are rows differ by their order, relatively by this at most.
constexpr double summation = 1e-9;

/// How far the recurrence's residual may be from b - A x, over ||b||.
///
/// Both start as b. Each iteration rounds x += a p and r -= a A p, and no later one takes that
/// back: ||b - A x - r|| <= c k u ||A|| ||x||, k being the iterations, u the unit roundoff and c a
/// number that grows with the entries of a row (A. Greenbaum, Estimating the attainable accuracy of
/// recursively computed residual methods, SIAM J. Matrix Anal. Appl. 18 (1997)). Where signs are
/// random the roundings of x alone count, at most u |x| per iteration and row: sqrt(k) / 3 u times
/// the norm of A applied to noise, ||A|| / 2, at every size; the product's own rounding is covered
/// by 10 additional iterations in the bound. Runs on grids from 8^3 to 64^3 stayed below a
/// fifteenth of it. Another operator, 1 + epsilon times A, departs by epsilon.
double allowed_departure(int iterations, double norm_of_x, double norm_of_b) {
  return (iterations + 10) * roundoff * norm_of_matrix * norm_of_x / norm_of_b;
}

/// |a - b| / |b|; 0 where they are equal, also to 0.
double relative_difference(double a, double b) {
  const double difference = std::fabs(a - b);
  return difference == 0.0 ? 0.0 : difference / std::fabs(b);
}

/// Sums over rows, and the largest error; NaN where one is.
struct Deviations {
  double right_hand = 0.0;  ///< squares of b
  double residual = 0.0;    ///< squares of b - A x
  double departure = 0.0;   ///< squares of b - A x - r
  double rows = 0.0;
  double largest_error = 0.0;

  static Deviations of_row(double b, double product, double r, double x) {
    const double left = b - product;
    return {b * b, left * left, (left - r) * (left - r), 1.0, std::fabs(x - 1.0)};
  }

  [[nodiscard]] Deviations with(const Deviations& others) const {
    return {right_hand + others.right_hand, residual + others.residual,
            departure + others.departure, rows + others.rows,
            larger_or_nan(largest_error, others.largest_error)};
  }

  [[nodiscard]] Deviations over(const Communicator& ranks) const {
    return {ranks.sum(right_hand), ranks.sum(residual), ranks.sum(departure), ranks.sum(rows),
            ranks.max(largest_error)};
  }
};

}  // namespace

SpectralTest spectral_test(CgBackend& backend) {
  SpectralTest test;
  backend.exaggerate_diagonal(true);
  test.max_iterations_plain = max_iterations_of(backend, false, test.solves);
  test.max_iterations_preconditioned = max_iterations_of(backend, true, test.solves);
  backend.exaggerate_diagonal(false);
  return test;
}

SymmetryTest symmetry_test(CgBackend& backend, const RankSite& site) {
  const std::vector<double> x = random_vector(site, 1);
  const std::vector<double> y = random_vector(site, 2);
  const double scale = 2.0 * dot(site, x, x) * norm_of_matrix * dot(site, y, y) *
                       std::numeric_limits<double>::epsilon();
  const auto departure = [&](Operation operation) {
    const double xy = dot(site, x, backend.apply(operation, y));
    const double yx = dot(site, y, backend.apply(operation, x));
    return std::fabs(xy - yx) / scale;
  };
  SymmetryTest test{.departure_spmv = departure(Operation::spmv),
                    .departure_mg = departure(Operation::mg)};
  for (int n = 0; n < exact_products; ++n) {
    test.spmv_residuals.push_back(exact_residual(site, backend));
  }
  return test;
}

NormsTest norms_test(std::vector<double> residuals, const ConvergenceTest& convergence) {
  NormsTest test;
  if (residuals.empty()) {
    return test;
  }
  test.variance = test.spread = test.from_convergence = test.beyond_reference = 0.0;
  const auto count = static_cast<double>(residuals.size());
  double deviation = 0.0;
  for (const double residual : residuals) {
    deviation += residual - residuals.front();
  }
  test.mean = residuals.front() + deviation / count;
  for (const double residual : residuals) {
    test.variance += (residual - test.mean) * (residual - test.mean) / count;
    test.spread = larger_or_nan(test.spread, relative_difference(residual, residuals.front()));
    test.from_convergence =
        larger_or_nan(test.from_convergence, relative_difference(residual, convergence.residual));
    test.beyond_reference =
        larger_or_nan(test.beyond_reference, convergence.beyond_reference(residual));
  }
  test.residuals = std::move(residuals);
  return test;
}

SolutionTest solution_test(CgBackend& reference, const Solved& solved, double required_residual,
                           const RankSite& site) {
  const std::vector<double> product = reference.apply(Operation::spmv, solved.x);
  const Deviations mine = merge_rows(
      site.team, site.grid, Deviations{},
      [&](std::int64_t row) {
        const auto n = static_cast<std::size_t>(row);
        return Deviations::of_row(right_hand_side(site.grid.entries(row)), product[n], solved.r[n],
                                  solved.x[n]);
      },
      [](const Deviations& a, const Deviations& b) { return a.with(b); });
  const Deviations all = mine.over(site.ranks);
  const double norm_of_b = std::sqrt(all.right_hand);
  SolutionTest test;
  test.product_error = exact_residual(site, reference);
  test.true_residual = std::sqrt(all.residual) / norm_of_b;
  test.reported_residual = solved.scaled_residual;
  test.departure = std::sqrt(all.departure) / norm_of_b;
  // The exact solution is 1 in every row.
  test.allowed_departure = allowed_departure(solved.iterations, std::sqrt(all.rows), norm_of_b);
  test.allowed_difference = test.allowed_departure + summation * test.true_residual;
  test.allowed_residual =
      (1.0 + residual_slack + summation) * required_residual + test.allowed_departure;
  test.error = all.largest_error;
  return test;
}

}  // namespace bankfull::hpcg
