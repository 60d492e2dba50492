#include "bankfull/numerics/poisson/direct/cpu/plane_transforms.hpp"

#include "bankfull/numerics/fft/lane_fft_steps.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <type_traits>

namespace bankfull::poisson {
namespace {

/// Rows of planes that are transformed together: `lanes` as real parts, as many as imaginary parts,
/// `width` at a time. Those beyond the last row repeat it and are not stored.
template <class Real>
class RowGroup {
  using Tile = RegisterTile<Real>;
  static constexpr std::int64_t width = Tile::width;
  static constexpr std::int64_t block = LaneTransform<Real>::block;

 public:
  /// `place_of(n)`: where row n of all begins, in reals.
  template <class PlaceOf>
  RowGroup(std::int64_t first, std::int64_t rows, const PlaceOf& place_of)
      : count_(std::min(block, rows - first)) {
    for (std::int64_t n = 0; n < block; ++n) {
      places_[static_cast<std::size_t>(n)] = place_of(first + std::min(n, count_ - 1));
    }
  }

  /// Column n of the tile: the values at `at` + n of the rows from `row` of the group on.
  BANKFULL_ALWAYS_INLINE Tile load(const Real* planes, std::int64_t row, std::int64_t at) const {
    Tile tile;
    for (std::int64_t n = 0; n < width; ++n) {
      tile[static_cast<int>(n)] = Tile::load(planes + place(row + n) + at);
    }
    tile.transpose();
    return tile;
  }

  BANKFULL_ALWAYS_INLINE void store(Tile tile, Real* planes, std::int64_t row,
                                    std::int64_t at) const {
    tile.transpose();
    const std::int64_t count = std::min(width, count_ - row);
    for (std::int64_t n = 0; n < count; ++n) {
      Tile::store(tile[static_cast<int>(n)], planes + place(row + n) + at);
    }
  }

 private:
  [[nodiscard]] BANKFULL_ALWAYS_INLINE std::int64_t place(std::int64_t row) const {
    return places_[static_cast<std::size_t>(row)];
  }

  std::int64_t count_;
  std::array<std::int64_t, static_cast<std::size_t>(block)> places_;
};

/// The spectra of a group of rows in the complex transform of their pairs, and the other way round.
template <class Real>
class PairedSpectra {
  using Tile = RegisterTile<Real>;
  using Register = typename detail::Register<Real>::Native;
  static constexpr std::int64_t width = Tile::width;
  static constexpr std::int64_t lanes = LaneTransform<Real>::lanes;
  static constexpr std::int64_t block = LaneTransform<Real>::block;

 public:
  explicit PairedSpectra(std::int64_t n) : n_(n) {}

  /// Elements k, ..., k + width / 2 - 1 of the spectra of the rows in lanes `lane`, ...,
  /// alternating parts: of those that are real parts, and of those that are imaginary ones.
  BANKFULL_ALWAYS_INLINE void take(const Real* z, std::int64_t lane, std::int64_t k, Tile& x,
                                   Tile& y) const {
    for (int c = 0; c < width; c += 2, ++k) {
      if (2 * k > n_) {
        x[c] = x[c + 1] = y[c] = y[c + 1] = Register{};
        continue;
      }
      const Real* const of_k = z + k * block + lane;
      const Real* const of_mirror = z + (n_ - k) % n_ * block + lane;
      const Register re = Tile::load(of_k);
      const Register im = Tile::load(of_k + lanes);
      const Register mirror_re = Tile::load(of_mirror);
      const Register mirror_im = Tile::load(of_mirror + lanes);
      x[c] = half * (re + mirror_re);
      x[c + 1] = half * (im - mirror_im);
      y[c] = half * (im + mirror_im);
      y[c + 1] = half * (mirror_re - re);
    }
  }

  /// The imaginary parts of what is its own mirror image do not count.
  BANKFULL_ALWAYS_INLINE void put(const Tile& x, const Tile& y, std::int64_t lane, std::int64_t k,
                                  Real* z) const {
    for (int c = 0; c < width && 2 * k <= n_; c += 2, ++k) {
      Real* const of_k = z + k * block + lane;
      if (k == 0 || 2 * k == n_) {
        Tile::store(x[c], of_k);
        Tile::store(y[c], of_k + lanes);
        continue;
      }
      Real* const of_mirror = z + (n_ - k) * block + lane;
      Tile::store(x[c] - y[c + 1], of_k);
      Tile::store(x[c + 1] + y[c], of_k + lanes);
      Tile::store(x[c] + y[c + 1], of_mirror);
      Tile::store(y[c] - x[c + 1], of_mirror + lanes);
    }
  }

 private:
  static constexpr Real half{0.5};

  std::int64_t n_;
};

/// The cell in a slot: the inverse of slot_of.
constexpr std::int64_t cell_of(std::int64_t slot, std::int64_t folded) {
  return 2 * slot < folded ? 2 * slot : 2 * (folded - 1 - slot) + 1;
}

/// What the first step of a transform of rows reads: the tiles that load(row, k) gives, as many at
/// a time as a register's width of butterflies needs, in room that stays in the first-level cache.
template <class Real, class Load>
struct TilesIn {
  static constexpr std::int64_t width = RegisterTile<Real>::width;
  static constexpr std::int64_t block = LaneTransform<Real>::block;

  Load load;
  Real* room;
  std::int64_t radix;

  [[nodiscard]] BANKFULL_ALWAYS_INLINE detail::PointsIn<Real> in(std::int64_t first,
                                                                 std::int64_t apart) const {
    if (first % width == 0) {
      fill(first, apart);
    }
    return {room + first % width * block, width * block, detail::parts_of<Real>(FftSign::minus)};
  }

 private:
  void fill(std::int64_t first, std::int64_t apart) const {
    for (std::int64_t n = 0; n < radix; ++n) {
      for (std::int64_t row = 0; row < block; row += width) {
        const RegisterTile<Real> tile = load(row, first + n * apart);
        for (std::int64_t c = 0; c < width; ++c) {
          RegisterTile<Real>::store(tile[static_cast<int>(c)],
                                    room + (n * width + c) * block + row);
        }
      }
    }
  }
};

/// A block of columns of a plane, from `data` in row 0 on, as LaneTransform takes them. `Folded`:
/// element n of a column is the cell of slot n of so many, else that of row n. `Streaming`: stores
/// go past the caches.
template <class Real, bool Folded, bool Streaming = false>
struct ColumnBlock {
  using Number = std::remove_const_t<Real>;
  using Elements = ComplexRegister<Number>;

  Real* data;
  std::int64_t row_pitch;
  std::int64_t folded;

  [[nodiscard]] BANKFULL_ALWAYS_INLINE Real* row(std::int64_t n) const {
    return data + (Folded ? cell_of(n, folded) : n) * row_pitch;
  }
  [[nodiscard]] BANKFULL_ALWAYS_INLINE LanePoint<Number> load(std::int64_t n,
                                                              std::int64_t at) const {
    const auto x = Elements::load_alternating(row(n) + at);
    return {x.re, x.im};
  }
  BANKFULL_ALWAYS_INLINE void store(std::int64_t n, std::int64_t at,
                                    const LanePoint<Number>& x) const {
    const Elements elements{x.re, x.im};
    if constexpr (Streaming) {
      elements.stream_alternating(row(n) + at);
    } else {
      elements.store_alternating(row(n) + at);
    }
  }
};

/// The same, and asks the second-level cache for the row's elements `ahead`: the first step on the
/// way back finds a plane in memory, a block of each of its rows at a time.
template <class Real>
struct ColumnBlockAhead {
  ColumnBlock<const Real, false> block;
  std::int64_t ahead;

  [[nodiscard]] BANKFULL_ALWAYS_INLINE LanePoint<Real> load(std::int64_t n, std::int64_t at) const {
    constexpr std::int64_t reals = 2 * RegisterTile<Real>::width;
    constexpr std::int64_t line = Pack<Real>::width;
    for (std::int64_t next = 0; next < reals; next += line) {
      __builtin_prefetch(block.row(n) + at + ahead + next, 1, 2);
    }
    return block.load(n, at);
  }
};

}  // namespace

template <class Real>
template <class Body>
void PlaneTransforms<Real>::for_row_groups(std::int64_t planes, const Body& body) const {
  const std::int64_t of_plane = columns_.size();
  const std::int64_t rows = planes * of_plane;
  for (std::int64_t first = 0; first < rows; first += block) {
    body(RowGroup<Real>(first, rows, [&](std::int64_t row) {
      return row / of_plane * plane_pitch_ + row % of_plane * row_pitch_;
    }));
  }
}

template <class Real>
template <class Group, class Aside>
const Real* PlaneTransforms<Real>::pairs_forward(const Group& group, const Real* cells, Real* work,
                                                 Aside& aside) const {
  const std::int64_t n = rows_.size();
  Real* const other = work + n * block;
  if (first_step_takes_tiles()) {
    const auto load = [&](std::int64_t row, std::int64_t k) {
      aside();
      return group.load(cells, row, k);
    };
    const TilesIn<Real, decltype(load)> in{load, other + n * block, rows_.first_radix()};
    return rows_.transform_from(in, work, other, aside);
  }
  for (std::int64_t row = 0; row < block; row += width) {
    for (std::int64_t k = 0; k < n; k += width) {
      aside();
      const Tile tile = group.load(cells, row, k);
      for (std::int64_t c = 0; c < std::min(width, n - k); ++c) {
        Tile::store(tile[static_cast<int>(c)], work + slot_of(k + c, folded_k_) * block + row);
      }
    }
  }
  return rows_.transform_beside(FftSign::minus, work, other, aside);
}

template <class Real>
template <class Group, class Aside>
void PlaneTransforms<Real>::group_forward(const Group& group, const Real* cells, Real* spectrum,
                                          Real* work, Aside& aside) const {
  const PairedSpectra<Real> spectra(rows_.size());
  const Real* const z = pairs_forward(group, cells, work, aside);
  for (std::int64_t lane = 0; lane < lanes; lane += width) {
    for (std::int64_t at = 0; at < row_pitch_; at += width) {
      aside();
      Tile x;
      Tile y;
      spectra.take(z, lane, at / 2, x, y);
      group.store(x, spectrum, lane, at);
      group.store(y, spectrum, lanes + lane, at);
    }
  }
}

template <class Real>
void PlaneTransforms<Real>::rows_forward(const Real* cells, std::int64_t planes, Real* spectrum,
                                         Real* work) const {
  detail::NothingAside aside;
  for_row_groups(planes, [&](const RowGroup<Real>& group) {
    group_forward(group, cells, spectrum, work, aside);
  });
}

template <class Real>
void PlaneTransforms<Real>::some_rows_forward(std::int64_t first, const Real* cells, Real* spectrum,
                                              Real* work, RowRequests<Real> requests) const {
  const RowGroup<Real> group(first, columns_.size(),
                             [this](std::int64_t row) { return row * row_pitch_; });
  group_forward(group, cells, spectrum, work, requests);
}

template <class Real>
void PlaneTransforms<Real>::rows_back(const Real* spectrum, std::int64_t planes, Real* cells,
                                      Real* work) const {
  const std::int64_t n = rows_.size();
  for_row_groups(planes, [&](const RowGroup<Real>& group) {
    const PairedSpectra<Real> spectra(n);
    for (std::int64_t lane = 0; lane < lanes; lane += width) {
      for (std::int64_t at = 0; at <= n; at += width) {
        spectra.put(group.load(spectrum, lane, at), group.load(spectrum, lanes + lane, at), lane,
                    at / 2, work);
      }
    }
    const Real* const z = rows_.transform(FftSign::plus, work, work + n * block);
    for (std::int64_t row = 0; row < block; row += width) {
      for (std::int64_t k = 0; k < n; k += width) {
        Tile tile;
        for (std::int64_t c = 0; c < width; ++c) {
          // Beyond the last cell of a row lies room that is nobody's.
          const std::int64_t cell = std::min(k + c, n - 1);
          tile[static_cast<int>(c)] = Tile::load(z + slot_of(cell, folded_k_) * block + row);
        }
        group.store(tile, cells, row, k);
      }
    }
  });
}

template <class Real>
template <class Body>
void PlaneTransforms<Real>::for_planes(const Real* from, std::int64_t planes, Real* to,
                                       const Body& body) const {
  const bool are_done = columns_.size() == 1 && from == to;
  for (std::int64_t n = 0; n < planes && !are_done; ++n) {
    body(from + n * plane_pitch_, to + n * plane_pitch_);
  }
}

template <class Real>
void PlaneTransforms<Real>::columns_forward(const Real* cells, std::int64_t planes, Real* modes,
                                            Real* work) const {
  for_planes(cells, planes, modes,
             [&](const Real* from, Real* to) { plane_columns_forward<false>(from, to, work); });
}

template <class Real>
void PlaneTransforms<Real>::columns_back(const Real* modes, std::int64_t planes, Real* cells,
                                         Real* work) const {
  for_planes(modes, planes, cells,
             [&](const Real* from, Real* to) { plane_columns_back(from, to, work); });
}

template <class Real>
void PlaneTransforms<Real>::stream_columns_forward(const Real* cells, Real* modes,
                                                   Real* work) const {
  plane_columns_forward<true>(cells, modes, work);
}

template <class Real>
template <bool Streaming>
void PlaneTransforms<Real>::plane_columns_forward(const Real* cells, Real* modes,
                                                  Real* work) const {
  for (std::int64_t at = 0; at < row_pitch_; at += block) {
    const ColumnBlock<Real, false, Streaming> to{modes + at, row_pitch_, 0};
    if (folded_j_ == 0) {
      columns_.template transform_columns<FftSign::minus>(
          ColumnBlock<const Real, false>{cells + at, row_pitch_, 0}, to, work);
    } else {
      columns_.template transform_columns<FftSign::minus>(
          ColumnBlock<const Real, true>{cells + at, row_pitch_, folded_j_}, to, work);
    }
  }
}

template <class Real>
void PlaneTransforms<Real>::plane_columns_back(const Real* modes, Real* cells, Real* work) const {
  for (std::int64_t at = 0; at < row_pitch_; at += block) {
    const std::int64_t next = std::min(at + block, row_pitch_ - block);
    const ColumnBlockAhead<Real> from{{modes + at, row_pitch_, 0}, next - at};
    if (folded_j_ == 0) {
      columns_.template transform_columns<FftSign::plus>(
          from, ColumnBlock<Real, false>{cells + at, row_pitch_, 0}, work);
    } else {
      columns_.template transform_columns<FftSign::plus>(
          from, ColumnBlock<Real, true>{cells + at, row_pitch_, folded_j_}, work);
    }
  }
}

template class PlaneTransforms<float>;
template class PlaneTransforms<double>;

}  // namespace bankfull::poisson
