#pragma once

#include "bankfull/core/base/cache_line.hpp"
#include "bankfull/numerics/fft/sign.hpp"

#include <complex>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace bankfull {

/// Complex transforms of some sequences side by side, one in each lane: as many as a cache line has
/// Reals.
///
/// Element k of all sequences is a *block* of two cache lines: the real parts, then the imaginary
/// parts. Blocks stand one after the other, so vector units work on whole registers in every step
/// and nothing is shuffled.
template <class Real>
class LaneTransform {
 public:
  /// Sequences side by side: 16 of floats, 8 of doubles.
  static constexpr std::int64_t lanes = cache_line_bytes / sizeof(Real);
  /// Reals of a block.
  static constexpr std::int64_t block = 2 * lanes;

  /// The direction of a transform.
  using Sign = FftSign;

  /// For sequences of n elements, at least one. The time is n log n where n is a product of small
  /// primes; a large prime p takes p operations an element.
  explicit LaneTransform(std::int64_t n);

  /// Elements of a sequence, and blocks of the data.
  [[nodiscard]] std::int64_t size() const { return n_; }

  /// Transforms the n blocks at `data`; `other` has room for as many. Neither is scaled. Returns
  /// where the result stands: one of the two. Both are overwritten.
  /// The library has it for T = Real; lane_fft_steps.hpp defines it, for tests that count.
  template <class T>
  T* transform(Sign sign, T* data, T* other) const;

  /// The same, and calls aside() before each butterfly of all lanes: a step of radix r has n / r.
  /// Defined in lane_fft_steps.hpp.
  template <class T, class Aside>
  T* transform_beside(Sign sign, T* data, T* other, Aside& aside) const;

  /// The same of sequences that are columns, `lanes` of them, whose elements k = 0, ..., n - 1
  /// `from.load(k, at)` gives and `to.store(k, at, x)` takes, a LanePoint at a time: as many lanes
  /// as a register has, from lane at / 2 on, which is where the reals of complex numbers side by
  /// side begin. So far as the length allows, the first step reads and the last step writes there,
  /// instead of copies. Columns may be transformed in place. `work` has room for 2 n blocks.
  /// Defined in lane_fft_steps.hpp.
  template <FftSign Direction, class RowsFrom, class RowsTo, class T>
  void transform_columns(const RowsFrom& from, const RowsTo& to, T* work) const;

  /// The radix of the first step; 1 where there is none.
  [[nodiscard]] int first_radix() const { return radices_.empty() ? 1 : radices_.front(); }

  /// transform_beside() by Sign::minus of elements that the first step reads where
  /// `in.in(first, apart)` has elements first, first + apart, ..., as detail::Blocks does, with
  /// `first` from 0 up. There are several steps, and first_radix() is 4 or 8. Defined in
  /// lane_fft_steps.hpp.
  template <class In, class T, class Aside>
  T* transform_from(const In& in, T* data, T* other, Aside& aside) const;

  /// Flops of the transform of one sequence, including multiplications by roots equal to 1 but for
  /// those of a last step of two, four or eight points, which does without.
  [[nodiscard]] double flops() const;

 private:
  /// The steps from number `step` on, of n-point transforms of which there are `stride` side by
  /// side.
  template <class T, class Aside>
  T* steps_from(std::size_t step, std::int64_t n, std::int64_t stride, Sign sign, T* data, T* other,
                Aside& aside) const;

  std::int64_t n_;
  std::vector<int> radices_;               ///< of the steps, in their order; n is their product
  std::vector<std::complex<Real>> roots_;  ///< exp(-2 pi i k / n)
};

/// Eight sequences of doubles.
using LaneFft = LaneTransform<double>;

extern template float* LaneTransform<float>::transform(Sign, float*, float*) const;
extern template double* LaneTransform<double>::transform(Sign, double*, double*) const;
extern template class LaneTransform<float>;
extern template class LaneTransform<double>;

}  // namespace bankfull
