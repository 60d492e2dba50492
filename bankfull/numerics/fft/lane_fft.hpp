#pragma once

#include "bankfull/numerics/fft/sign.hpp"

#include <complex>
#include <cstdint>
#include <vector>

namespace bankfull {

/// Complex transforms of eight sequences side by side, one in each lane.
///
/// Element k of all sequences is a *block* of 16 doubles: eight real parts, then eight imaginary
/// parts. Blocks stand one after the other, so vector units work on whole registers in every step
/// and nothing is shuffled.
class LaneFft {
 public:
  static constexpr std::int64_t lanes = 8;
  static constexpr std::int64_t block = 2 * lanes;

  using Sign = FftSign;

  /// For sequences of n elements; n is a power of two, at least 2.
  explicit LaneFft(std::int64_t n);

  [[nodiscard]] std::int64_t size() const { return n_; }

  /// Transforms the n blocks at `data`; `other` has room for as many. Neither is scaled. Returns
  /// where the result stands: one of the two. Both are overwritten.
  /// The library has it for doubles; lane_fft_steps.hpp defines it, for tests that count.
  template <class T>
  T* transform(Sign sign, T* data, T* other) const;

  /// Flops of the transform of one sequence, including multiplications by roots equal to 1.
  [[nodiscard]] double flops() const;

 private:
  std::int64_t n_;
  std::vector<std::complex<double>> roots_;  ///< exp(-2 pi i k / n)
};

extern template double* LaneFft::transform(Sign sign, double* data, double* other) const;

}  // namespace bankfull
