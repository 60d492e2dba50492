#include "bankfull/workloads/hpcg/validation.hpp"

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

/// Largest |b - A x| over all rows for the exact solution, x = 1.
double exact_residual(Path& path, const Level& finest, const Communicator& ranks) {
  const std::vector<double> ones(static_cast<std::size_t>(finest.matrix.rows), 1.0);
  const std::vector<double> product = path.apply(Operation::spmv, ones);
  double largest = 0.0;
  for (std::size_t n = 0; n < product.size(); ++n) {
    const int entries = finest.geometry.grid.entries(static_cast<std::int64_t>(n));
    largest = std::max(largest, std::fabs(right_hand_side(entries) - product[n]));
  }
  return ranks.max(largest);
}

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
  }
  test.residuals = std::move(residuals);
  return test;
}

}  // namespace bankfull::hpcg
