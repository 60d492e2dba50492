#pragma once

#include "bankfull/numerics/fft/lane_fft.hpp"

#include <complex>
#include <cstdint>
#include <vector>

namespace bankfull {

/// How much of the mean square of real sequences of any length n belongs to each of the wavenumbers
/// 0, ..., n / 2: |X_k / n|^2, and that of n - k with it. What all have together is the mean square
/// (Parseval).
///
/// By transforms of LaneFft, eight sequences at a time. Where n is no power of two the transform is
/// a convolution with a chirp, which is one of another length (L. I. Bluestein, IEEE Trans. Audio
/// Electroacoust. 18, 1970). No library has a part in it.
class LinePowers {
 public:
  /// Sequences that `find` takes at a time: eight.
  static constexpr std::int64_t lanes = LaneFft::lanes;

  /// n: at least 1.
  explicit LinePowers(std::int64_t n);

  /// Elements of a sequence.
  [[nodiscard]] std::int64_t size() const { return n_; }
  /// n / 2 + 1: 0 is one of them.
  [[nodiscard]] std::int64_t wavenumbers() const { return n_ / 2 + 1; }

  /// Finds the powers of eight sequences: element j of sequence l is values[j * lanes + l], and its
  /// part with wavenumber k is powers[k * lanes + l]. `room` is enlarged if necessary.
  void find(const double* values, double* powers, std::vector<double>& room) const;

 private:
  [[nodiscard]] bool is_direct() const { return transform_.size() == n_; }

  std::int64_t n_;
  LaneFft transform_;
  std::vector<std::complex<double>> chirp_;            ///< exp(-pi i j^2 / n)
  std::vector<std::complex<double>> kernel_spectrum_;  ///< of the conjugate chirp, to and fro
};

}  // namespace bankfull
