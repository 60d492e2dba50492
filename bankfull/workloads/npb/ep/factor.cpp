#include "bankfull/workloads/npb/ep/factor.hpp"

#include <limits>
#include <stdexcept>

namespace bankfull::npb::ep {
namespace {

using Wide = long double;

/// Coefficients of -2 ln (1 + r) for |r| <= h, and the shift that takes the cubic one.
struct Quartic {
  Wide c1;
  Wide c2 = 1.0L;
  Wide c3;
  Wide c4 = 0.5L;
  Wide a;

  explicit Quartic(Wide h)
      : c1(-2.0L + h * h * h * h / 8.0L), c3(-2.0L / 3.0L - h * h / 2.0L), a(c3 / (4.0L * c4)) {}
};

/// R^2 + p where R is kappa.
Wide square_at_nothing(const Quartic& series, Wide sigma) {
  const Wide a = series.a;
  const Wide root = std::sqrt(series.c4);
  return std::sqrt(sigma) *
         (root * ((a - 1.0L) * (a - 1.0L) - 3.0L * a * a) + series.c2 / (2.0L * root));
}

double with_bits(Wide value, int bits) {
  int exponent = 0;
  std::frexp(value, &exponent);
  return static_cast<double>(
      std::ldexp(std::round(std::ldexp(value, bits - exponent)), exponent - bits));
}

/// q, changed by as few units as make m exactly 0 where R is kappa.
void choose_slope(FactorConstants& k, double square) {
  for (int tries = 0; tries < 64; ++tries) {
    k.of_nothing = static_cast<double>(-(Wide{square} * square + Wide{k.kappa} * k.q));
    if (scaled_logarithm(1.0, 0.0, k.of_nothing, k) == 0.0) {
      return;
    }
    k.q = std::nextafter(k.q, 0.0);
  }
  throw std::logic_error("EP: no constants that give rejected pairs deviates of 0");
}

/// Of the numbers near 1 + beta the one with which the step is most precise where e is 0.
void choose_root(FactorConstants& k, Wide alpha) {
  constexpr double unit = std::numeric_limits<double>::epsilon();
  const auto nearest = static_cast<double>(1.0L + 1.0L / (4.0L * alpha));
  Wide least = 1.0L;
  for (int n = -8; n <= 8; ++n) {
    const double one_and_beta = nearest + n * unit;
    const Wide beta = Wide{one_and_beta} - 1.0L;
    const auto gamma = static_cast<double>(1.0L / alpha - beta * beta);
    const Wide error = std::abs(beta * beta + Wide{gamma} - 1.0L / alpha);
    if (error < least) {
      least = error;
      k.one_and_beta = one_and_beta;
      k.gamma = gamma;
    }
  }
}

}  // namespace

FactorConstants factor_constants(int log2_intervals, double scale) {
  const Quartic series(std::ldexp(0.5L, -log2_intervals));
  const Wide a = series.a;
  const Wide usual = 9.0L / 64.0L * scale * scale;
  const Wide usual_square = square_at_nothing(series, usual);
  constexpr int exactly_squared = 26;
  const double square = with_bits(usual_square, exactly_squared);
  const Wide ratio = square / usual_square;

  FactorConstants k{};
  k.sigma = static_cast<double>(usual * ratio * ratio);
  k.lambda = static_cast<double>(std::sqrt(std::sqrt(series.c4 * k.sigma)));
  const Wide lambda = k.lambda;
  k.kappa = static_cast<double>(lambda * (a - 1.0L));
  k.p = static_cast<double>(Wide{square} - Wide{k.kappa} * k.kappa);
  k.q = static_cast<double>(
      k.sigma * (8.0L * series.c4 * a * a * a - 2.0L * series.c2 * a + series.c1) / lambda);
  choose_slope(k, square);
  const Wide r = lambda + k.kappa;  // R where r is 0
  const Wide inner = r * r + k.p;
  k.constant = static_cast<double>(-(inner * inner + k.q * r));
  choose_root(k, std::sqrt(Wide{k.sigma}) / scale);
  return k;
}

}  // namespace bankfull::npb::ep
