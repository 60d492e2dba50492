#pragma once

namespace bankfull {

/// Sign of the exponent of a Fourier transform. Neither is scaled.
enum class FftSign {
  minus,  ///< X_k = sum of x_j exp(-2 pi i j k / n)
  plus,   ///< X_k = sum of x_j exp(+2 pi i j k / n)
};

}  // namespace bankfull
