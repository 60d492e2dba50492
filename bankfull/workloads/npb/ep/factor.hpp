#pragma once

#include "bankfull/core/base/host_device.hpp"

#include <cmath>

namespace bankfull::npb::ep {

/// Constants for f = sqrt(-2 ln t / t), by which the deviates of a pair are its x and y times f,
/// t = x^2 + y^2: 4 fp64 instructions for the logarithm and 6 for the root.
///
/// *Logarithm.* A table (log_table.hpp) has for t's interval a number C near lambda / t, and with
/// the small r = C t / lambda - 1
///
///     -2 ln t = 2 ln (C / lambda) - 2 ln (1 + r)
///     -2 ln (1 + r) = c1 r + c2 r^2 + c3 r^3 + c4 r^4
///
/// with the coefficients of the Taylor series, but for the parts of r^5 that Chebyshev's polynomial
/// gives to c1 and c3. Any quartic is the square of a square and a linear function:
///
///     m = sigma (-2 ln t) = (R^2 + p)^2 + q R + offset,    R = C t + kappa = lambda (r + a).
///
/// lambda^4 = sigma c4, the shift a = c3 / (4 c4) takes the cubic term, p the quadratic and q the
/// linear one; the table's offset takes the rest and the logarithm of C / lambda.
///
/// *Root.* With a guess g of 1 / sqrt(u), u = m t, and e = 1 - u g^2 the step of third order is
///
///     1 / sqrt(u) = g (1 + e/2 + alpha e^2) = alpha g ((e + beta)^2 + gamma),    alpha = 3/8,
///
/// beta = 1 / (4 alpha), gamma = 1 / alpha - beta^2. As sigma is (alpha scale)^2, the product
/// m g ((e + beta)^2 + gamma) is scale f, without a multiplication by alpha.
///
/// *Nothing.* Where the table has a number next to 0 for C, R is kappa and m must be 0, exactly.
/// Therefore sigma is chosen near 9/64 scale^2, alpha with it, such that kappa^2 + p has 26 bits,
/// whose square is exact. That moves alpha by 2^-26, and f by much less than a rounding, as e is
/// below 2^-18.
///
/// *Errors*, measured by `EpLogTable`: with 512 intervals f is within 3 units of 2^-52 where
/// t < 0.9 (root mean square 0.5), with 256 within 11 (2). The error of m / sigma is an absolute
/// one, about a unit with 512 intervals, also towards t = 1, where m vanishes: deviates are off by
/// up to 0.4 units (with 256 intervals 1.3) over the root of 1 - t there. An exact logarithm would
/// leave 0.2, because x^2 + y^2 is rounded, to nearest, and 0.4 where it is rounded down.
struct FactorConstants {
  double sigma;
  double lambda;
  double kappa;
  double p;
  double q;
  double constant;    ///< of the offset: makes m at r = 0 sigma times 2 ln (C / lambda)
  double of_nothing;  ///< the offset with which m is 0 where R is kappa
  double one_and_beta;
  double gamma;
};

/// For intervals of which 2^log2_intervals make a binade, and the multiple `scale` of f.
FactorConstants factor_constants(int log2_intervals, double scale);

/// m for t in an interval of the table.
BANKFULL_HOST_DEVICE BANKFULL_ALWAYS_INLINE double scaled_logarithm(double t, double reciprocal,
                                                                    double offset,
                                                                    const FactorConstants& k) {
  const double r = std::fma(t, reciprocal, k.kappa);
  const double square = std::fma(r, r, k.p);
  return std::fma(square, square, std::fma(r, k.q, offset));
}

/// m t, of which `factor` needs a guess of the reciprocal root; for m = 0 a number too small to
/// change any other.
BANKFULL_HOST_DEVICE BANKFULL_ALWAYS_INLINE double under_root(double m, double t) {
  constexpr double next_to_nothing = 0x1p-960;
  return std::fma(m, t, next_to_nothing);
}

/// The multiple of f, from a guess of 1 / sqrt(u) that is within 2^-19.
BANKFULL_HOST_DEVICE BANKFULL_ALWAYS_INLINE double factor(double m, double u, double guess,
                                                          const FactorConstants& k) {
  const double e_and_beta = std::fma(-u, guess * guess, k.one_and_beta);
  return m * guess * std::fma(e_and_beta, e_and_beta, k.gamma);
}

}  // namespace bankfull::npb::ep
