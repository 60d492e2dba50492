#pragma once

#include "bankfull/core/base/register_tile.hpp"
#include "bankfull/numerics/fft/lane_fft.hpp"
#include "bankfull/numerics/poisson/direct/spectrum.hpp"
#include "bankfull/numerics/poisson/poisson.hpp"

#include <algorithm>
#include <cstdint>

namespace bankfull::poisson {

/// Transforms of the rows and of the columns of a plane by one thread; different threads may run
/// them at once. Rows are real, columns those of the spectrum of the rows (see SpectrumLayout).
/// Axes that end at walls are folded on the way into blocks (see slot_of), at no cost. Transforms
/// are not normalised. They may be in place.
///
/// Sequences are transformed in lanes (LaneTransform). Rows stand in them in pairs, one as the real
/// and one as the imaginary part: from the complex transform Z of x + i y those of both follow
/// without roots (W. Press et al., Numerical Recipes, section 12.3),
///
///   X(k) = (Z(k) + conj Z(n - k)) / 2,  i Y(k) = (Z(k) - conj Z(n - k)) / 2.
template <class Real>
class PlaneTransforms {
 public:
  PlaneTransforms(const Axis& axis_j, const Axis& axis_k, std::int64_t row_pitch)
      : columns_(axis_j.cells()),
        rows_(axis_k.cells()),
        folded_j_(axis_j.periodic ? 0 : axis_j.cells()),
        folded_k_(axis_k.periodic ? 0 : axis_k.cells()),
        row_pitch_(row_pitch) {}

  /// Reals that each transform works in.
  static std::int64_t work_reals(std::int64_t rows, std::int64_t row_length) {
    return 2 * Transform::block * std::max(rows, row_length);
  }

  void rows_forward(const Real* cells, Real* spectrum, Real* work) const;
  void rows_back(const Real* spectrum, Real* cells, Real* work) const;
  void columns_forward(const Real* cells, Real* modes, Real* work) const;
  void columns_back(const Real* modes, Real* cells, Real* work) const;

 private:
  using Transform = LaneTransform<Real>;
  using Tile = RegisterTile<Real>;

  static constexpr std::int64_t lanes = Transform::lanes;
  static constexpr std::int64_t block = Transform::block;
  static constexpr std::int64_t width = Tile::width;

  Transform columns_;
  Transform rows_;
  std::int64_t folded_j_;
  std::int64_t folded_k_;
  std::int64_t row_pitch_;
};

extern template class PlaneTransforms<float>;
extern template class PlaneTransforms<double>;

}  // namespace bankfull::poisson
