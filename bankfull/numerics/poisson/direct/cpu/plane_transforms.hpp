#pragma once

#include "bankfull/core/base/register_tile.hpp"
#include "bankfull/numerics/fft/lane_fft.hpp"
#include "bankfull/numerics/poisson/direct/cpu/row_requests.hpp"
#include "bankfull/numerics/poisson/direct/spectrum.hpp"
#include "bankfull/numerics/poisson/poisson.hpp"

#include <algorithm>
#include <cstdint>

namespace bankfull::poisson {

/// Transforms of the rows and of the columns of planes by one thread; different threads may run
/// them at once. Rows are real, columns those of the spectrum of the rows (see SpectrumLayout).
/// Axes that end at walls are folded on the way into blocks (see slot_of), at no cost. Transforms
/// are not normalised. They may be in place. Each takes `planes` consecutive
/// planes.
///
/// Sequences are transformed in lanes (LaneTransform). Rows stand in them in pairs, one as the real
/// and one as the imaginary part: from the complex transform Z of x + i y those of both follow
/// without roots (W. Press et al., Numerical Recipes, section 12.3),
///
///   X(k) = (Z(k) + conj Z(n - k)) / 2,  i Y(k) = (Z(k) - conj Z(n - k)) / 2.
template <class Real>
class PlaneTransforms {
 public:
  PlaneTransforms(const Axis& axis_j, const Axis& axis_k, const SpectrumLayout& layout)
      : columns_(axis_j.cells()),
        rows_(axis_k.cells()),
        folded_j_(axis_j.periodic ? 0 : axis_j.cells()),
        folded_k_(axis_k.periodic ? 0 : axis_k.cells()),
        row_pitch_(layout.row_pitch),
        plane_pitch_(layout.plane_pitch) {}

  /// Reals that each transform works in.
  static std::int64_t work_reals(std::int64_t rows, std::int64_t row_length) {
    return 2 * Transform::block * std::max(rows, row_length) + room_reals;
  }

  /// How many planes to pass at a time: as many as fill the lanes with their rows, where they have
  /// few. The last bits of a row depend on which ones it is transformed with.
  [[nodiscard]] std::int64_t planes_at_once() const {
    return std::max<std::int64_t>(1, block / columns_.size());
  }

  void rows_forward(const Real* cells, std::int64_t planes, Real* spectrum, Real* work) const;
  void rows_back(const Real* spectrum, std::int64_t planes, Real* cells, Real* work) const;
  void columns_forward(const Real* cells, std::int64_t planes, Real* modes, Real* work) const;
  void columns_back(const Real* modes, std::int64_t planes, Real* cells, Real* work) const;

  // Of one plane whose rows come some at a time and whose modes are written past the caches.

  /// How many rows come at a time.
  static constexpr std::int64_t rows_at_once() { return block; }

  /// rows_forward() of rows_at_once() rows from row `first` on, or of as many as there are. Makes
  /// `requests` meanwhile.
  void some_rows_forward(std::int64_t first, const Real* cells, Real* spectrum, Real* work,
                         RowRequests<Real> requests) const;
  /// columns_forward(); `modes` is aligned to a cache line. Ends without a stream_store_fence().
  void stream_columns_forward(const Real* cells, Real* modes, Real* work) const;

 private:
  using Transform = LaneTransform<Real>;
  using Tile = RegisterTile<Real>;

  static constexpr std::int64_t lanes = Transform::lanes;
  static constexpr std::int64_t block = Transform::block;
  static constexpr std::int64_t width = Tile::width;
  /// Of the tiles between a plane and the first step of rows, of up to eight points.
  static constexpr std::int64_t room_reals = 8 * width * block;

  /// Whether the first step of rows reads tiles, in place of a copy that a pass before it makes.
  [[nodiscard]] bool first_step_takes_tiles() const {
    const int radix = rows_.first_radix();
    return folded_k_ == 0 && radix % 4 == 0 && rows_.size() > radix &&
           rows_.size() / radix % width == 0;
  }

  /// The transforms of the pairs of a group's rows.
  template <class Group, class Aside>
  const Real* pairs_forward(const Group& group, const Real* cells, Real* work, Aside& aside) const;
  template <class Group, class Aside>
  void group_forward(const Group& group, const Real* cells, Real* spectrum, Real* work,
                     Aside& aside) const;
  template <bool Streaming>
  void plane_columns_forward(const Real* cells, Real* modes, Real* work) const;
  void plane_columns_back(const Real* modes, Real* cells, Real* work) const;

  /// body(group) for all rows of so many planes.
  template <class Body>
  void for_row_groups(std::int64_t planes, const Body& body) const;

  /// body(from, to) for each plane, unless its columns are their own transforms, as those of one
  /// cell are, and in place.
  template <class Body>
  void for_planes(const Real* from, std::int64_t planes, Real* to, const Body& body) const;

  Transform columns_;
  Transform rows_;
  std::int64_t folded_j_;
  std::int64_t folded_k_;
  std::int64_t row_pitch_;
  std::int64_t plane_pitch_;
};

extern template class PlaneTransforms<float>;
extern template class PlaneTransforms<double>;

}  // namespace bankfull::poisson
