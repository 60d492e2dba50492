#include "bankfull/workloads/hpcg/validation.hpp"

#include "bankfull/core/base/nan.hpp"
#include "bankfull/numerics/random/counter.hpp"
#include "bankfull/workloads/hpcg/cg.hpp"
#include "bankfull/workloads/hpcg/point.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace bankfull::hpcg {
namespace {

constexpr int spectral_runs = 2;
constexpr int exact_products = 2;
constexpr double spectral_tolerance = 1e-12;

/// Solves as often as the benchmark wants; returns the most iterations.
int most_iterations_of(Path& path, bool preconditioned, std::vector<SpectralSolve>& solves) {
  int most = 0;
  for (int n = 0; n < spectral_runs; ++n) {
    const CgResult result = conjugate_gradients(path, {.iterations = reference_iterations,
                                                       .tolerance = spectral_tolerance,
                                                       .preconditioned = preconditioned});
    solves.push_back({preconditioned, result.iterations, result.scaled()});
    most = std::max(most, result.iterations);
  }
  return most;
}

/// Values in [1, 2), as the official program's.
std::vector<double> random_vector(const Level& finest, std::uint64_t seed) {
  std::vector<double> x(static_cast<std::size_t>(finest.matrix.rows));
  for (std::size_t n = 0; n < x.size(); ++n) {
    const std::int64_t row = finest.geometry.grid.global_row(static_cast<std::int64_t>(n));
    x[n] = 1.5 + 0.5 * random_symmetric(seed, static_cast<std::uint64_t>(row));
  }
  return x;
}

double dot(const std::vector<double>& x, const std::vector<double>& y, const Communicator& ranks) {
  double sum = 0.0;
  for (std::size_t n = 0; n < x.size(); ++n) {
    sum += x[n] * y[n];
  }
  return ranks.sum(sum);
}

double right_hand_side_of(const Level& finest, std::size_t row) {
  return right_hand_side(finest.geometry.grid.entries(static_cast<std::int64_t>(row)));
}

/// Largest |b - A x| over all rows for the exact solution, x = 1.
double exact_residual(Path& path, const Level& finest, const Communicator& ranks) {
  const std::vector<double> ones(static_cast<std::size_t>(finest.matrix.rows), 1.0);
  const std::vector<double> product = path.apply(Operation::spmv, ones);
  double largest = 0.0;
  for (std::size_t n = 0; n < product.size(); ++n) {
    largest = larger_or_nan(largest, std::fabs(right_hand_side_of(finest, n) - product[n]));
  }
  return ranks.max(largest);
}

/// Unit roundoff of double.
constexpr double roundoff = 0.5 * std::numeric_limits<double>::epsilon();

/// Row sums of |A|, at most: a bound of its norms.
constexpr double norm_of_matrix = 52.0;

/// How far the recurrence's residual may be from b - A x, over ||b||.
///
/// Both start as b. Each iteration rounds x += a p and r -= a A p, and no later one takes that
/// back:
/// ||b - A x - r|| <= c k u ||A|| ||x||, k being the iterations, u the unit roundoff and c a number
/// that grows with the entries of a row (A. Greenbaum, Estimating the attainable accuracy of
/// recursively computed residual methods, SIAM J. Matrix Anal. Appl. 18 (1997)). Where signs are
/// random the roundings of x alone count, at most u |x| an iteration and row: sqrt(k) / 3 u
/// times the norm of A applied to noise, ||A|| / 2, at every size; to this comes the product's own
/// rounding, for which the bound has 10 iterations more. Runs on grids from 8^3 to 64^3 stayed
/// below a fifteenth of it. Another operator, 1 + epsilon times A, departs by epsilon.
double allowed_departure(int iterations, double norm_of_x, double norm_of_b) {
  return (iterations + 10) * roundoff * norm_of_matrix * norm_of_x / norm_of_b;
}

/// How far x may be from 1 where b - A x is at most `residual` in any row.
///
/// q = (z + 1) (N - z) over the points z of an axis with N points gives (A q) >= 18 in every row:
/// nine neighbours on each side, and none missing adds to A q. A is an M-matrix, so A^-1 1 <= q /
/// 18
/// <= (N + 1)^2 / 72 and |x - 1| <= (N + 1)^2 / 72 max |b - A x|. To this comes what the product
/// itself rounds.
double allowed_error(const Grid3& global, double residual, double largest_x) {
  const auto side = static_cast<double>(std::min({global.nx, global.ny, global.nz}) + 1);
  const double rounded = (most_entries + 1) * roundoff * norm_of_matrix * (1.0 + largest_x);
  return side * side / 72.0 * (residual + rounded);
}

/// Sums over this rank's rows, or their largest magnitudes; NaN where one is.
struct Deviations {
  double right_hand = 0.0;  ///< squares of b
  double residual = 0.0;    ///< squares of b - A x
  double departure = 0.0;   ///< squares of b - A x - r
  double rows = 0.0;
  double largest_residual = 0.0;
  double largest_x = 0.0;
  double largest_error = 0.0;

  void add(double b, double product, double r, double x) {
    const double left = b - product;
    right_hand += b * b;
    residual += left * left;
    departure += (left - r) * (left - r);
    rows += 1.0;
    largest_residual = larger_or_nan(largest_residual, std::fabs(left));
    largest_x = larger_or_nan(largest_x, std::fabs(x));
    largest_error = larger_or_nan(largest_error, std::fabs(x - 1.0));
  }

  [[nodiscard]] Deviations over(const Communicator& ranks) const {
    return {ranks.sum(right_hand),   ranks.sum(residual),         ranks.sum(departure),
            ranks.sum(rows),         ranks.max(largest_residual), ranks.max(largest_x),
            ranks.max(largest_error)};
  }
};

}  // namespace

SpectralTest spectral_test(Path& path) {
  SpectralTest test;
  path.exaggerate_diagonal(true);
  test.most_iterations_plain = most_iterations_of(path, false, test.solves);
  test.most_iterations_preconditioned = most_iterations_of(path, true, test.solves);
  path.exaggerate_diagonal(false);
  return test;
}

SymmetryTest symmetry_test(Path& path, const Level& finest, const Communicator& ranks) {
  const std::vector<double> x = random_vector(finest, 1);
  const std::vector<double> y = random_vector(finest, 2);
  // The benchmark takes twice the diagonal for the norm of the matrix.
  constexpr double matrix_norm = 2.0 * 26.0;
  const double scale = 2.0 * dot(x, x, ranks) * matrix_norm * dot(y, y, ranks) *
                       std::numeric_limits<double>::epsilon();
  const auto departure = [&](Operation operation) {
    const double xy = dot(x, path.apply(operation, y), ranks);
    const double yx = dot(y, path.apply(operation, x), ranks);
    return std::fabs(xy - yx) / scale;
  };
  SymmetryTest test{.departure_spmv = departure(Operation::spmv),
                    .departure_mg = departure(Operation::mg)};
  for (int n = 0; n < exact_products; ++n) {
    test.spmv_residuals.push_back(exact_residual(path, finest, ranks));
  }
  return test;
}

NormsTest norms_test(std::vector<double> residuals) {
  NormsTest test;
  const auto count = static_cast<double>(residuals.size());
  double deviation = 0.0;
  for (const double residual : residuals) {
    deviation += residual - residuals.front();
  }
  test.mean = residuals.front() + deviation / count;
  for (const double residual : residuals) {
    test.variance += (residual - test.mean) * (residual - test.mean) / count;
    const double difference = std::fabs(residual - residuals.front());
    // Residuals of 0 that are equal do not differ.
    test.spread = larger_or_nan(
        test.spread, difference == 0.0 ? 0.0 : difference / std::fabs(residuals.front()));
  }
  test.residuals = std::move(residuals);
  return test;
}

SolutionTest solution_test(Path& reference, const Solved& solved, const Grid3& global,
                           const Level& finest, const Communicator& ranks) {
  const std::vector<double> product = reference.apply(Operation::spmv, solved.x);
  Deviations mine;
  for (std::size_t n = 0; n < product.size(); ++n) {
    mine.add(right_hand_side_of(finest, n), product[n], solved.r[n], solved.x[n]);
  }
  const Deviations all = mine.over(ranks);
  const double norm_of_b = std::sqrt(all.right_hand);
  SolutionTest test;
  test.true_residual = std::sqrt(all.residual) / norm_of_b;
  test.reported_residual = solved.scaled_residual;
  test.departure = std::sqrt(all.departure) / norm_of_b;
  // The exact solution is 1 in every row.
  test.allowed_departure = allowed_departure(solved.iterations, std::sqrt(all.rows), norm_of_b);
  // Sums of as many squares as there are rows differ by their order.
  test.allowed_difference = test.allowed_departure + 1e-9 * test.true_residual;
  test.error = all.largest_error;
  test.allowed_error = allowed_error(global, all.largest_residual, all.largest_x);
  return test;
}

}  // namespace bankfull::hpcg
