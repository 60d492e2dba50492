#pragma once

#include "bankfull/core/base/register_tile.hpp"
#include "bankfull/core/base/stream_store.hpp"
#include "bankfull/core/measure/traffic.hpp"
#include "bankfull/core/memory/buffer.hpp"
#include "bankfull/numerics/fft/lane_fft_steps.hpp"
#include "bankfull/workloads/npb/ft/slabs.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

// The passes over memory of a thread of the CPU: along z, and plane by plane along y and x. Values
// are doubles, in Slabs and PlanePieces, or counting types of the tests, in fields of the same
// functions.
namespace bankfull::npb::ft {

/// How far ahead of the block that it reads a pass over memory asks for the next ones, in blocks.
inline constexpr std::int64_t blocks_ahead = 2;

/// Asks the second-level cache for the lines of so many doubles, or what tests count, from `at` on.
template <class T>
BANKFULL_ALWAYS_INLINE void ask_for(const T* at, std::int64_t count) {
  for (std::int64_t n = 0; n < count; n += lanes) {
    __builtin_prefetch(at + n, 0, 2);
  }
}

// Columns of blocks, as LaneTransform::transform_columns takes and gives them: `at` / 2 is a lane.

template <class T>
BANKFULL_ALWAYS_INLINE LanePoint<T> load_point(const T* of, std::int64_t at) {
  return {LaneVector<T>::load(of + at / 2), LaneVector<T>::load(of + lanes + at / 2)};
}

template <class T>
BANKFULL_ALWAYS_INLINE void store_point(const LanePoint<T>& x, T* to, std::int64_t at) {
  LaneVector<T>::store(x.re, to + at / 2);
  LaneVector<T>::store(x.im, to + lanes + at / 2);
}

/// Blocks `apart` from each other.
template <class T>
struct BlockColumn {
  T* first;
  std::int64_t apart = block;

  BANKFULL_ALWAYS_INLINE LanePoint<T> load(std::int64_t k, std::int64_t at) const {
    return load_point(first + k * apart, at);
  }
  BANKFULL_ALWAYS_INLINE void store(std::int64_t k, std::int64_t at, const LanePoint<T>& x) const {
    store_point(x, first + k * apart, at);
  }
};

/// Stores past the caches, for what they would lose before it is read.
struct StreamedColumn {
  double* first;
  std::int64_t apart;

  BANKFULL_ALWAYS_INLINE void store(std::int64_t k, std::int64_t at,
                                    const LanePoint<double>& x) const {
    double* const to = first + k * apart + at / 2;
    stream_store(to, &x.re);
    stream_store(to + lanes, &x.im);
  }
};

/// A column in memory, of which the next ones are asked for.
template <class T>
struct ColumnAhead {
  const T* first;
  std::int64_t apart;

  BANKFULL_ALWAYS_INLINE LanePoint<T> load(std::int64_t k, std::int64_t at) const {
    const T* const from = first + k * apart;
    ask_for(from + blocks_ahead * block + at, 2 * LaneVector<T>::width);
    return load_point(from, at);
  }
};

/// The same, and each element times the decay of its point.
template <class T>
struct DecayedColumn {
  ColumnAhead<T> column;
  const double* x_factors;  ///< by lane
  double y_factor;
  const double* z_factors;  ///< by element

  BANKFULL_ALWAYS_INLINE LanePoint<T> load(std::int64_t k, std::int64_t at) const {
    const LanePoint<T> x = column.load(k, at);
    const auto factors = of_lanes(at / 2) * (y_factor * z_factors[k]);
    return {factors * x.re, factors * x.im};
  }

 private:
  /// The factors of as many lanes as a point has.
  BANKFULL_ALWAYS_INLINE auto of_lanes(std::int64_t lane) const {
    if constexpr (std::is_same_v<T, double>) {
      return LaneVector<double>::load(x_factors + lane);
    } else {
      return x_factors[lane];
    }
  }
};

/// A column of a plane in pieces of rows, and the next ones asked for.
template <class T>
struct PlaneColumn {
  T* const* rows;
  std::int64_t offset;

  BANKFULL_ALWAYS_INLINE LanePoint<T> load(std::int64_t k, std::int64_t at) const {
    const T* const from = rows[k] + offset;
    ask_for(from + blocks_ahead * block + at, 2 * LaneVector<T>::width);
    return load_point(from, at);
  }
  BANKFULL_ALWAYS_INLINE void store(std::int64_t k, std::int64_t at, const LanePoint<T>& x) const {
    store_point(x, rows[k] + offset, at);
  }
};

/// Eight blocks that lie side by side to eight that are `to_step` apart, lanes and blocks
/// exchanged: what was lane l of block n becomes lane n of block l.
template <class T>
void transpose_blocks(const T* from, T* to, std::int64_t to_step) {
  for (std::int64_t l = 0; l < lanes; ++l) {
    for (std::int64_t n = 0; n < lanes; ++n) {
      to[l * to_step + n] = from[n * block + l];
      to[l * to_step + lanes + n] = from[n * block + lanes + l];
    }
  }
}
inline void transpose_blocks(const double* from, double* to, std::int64_t to_step) {
  using Tile = RegisterTile<double>;
  constexpr std::int64_t width = Tile::width;
  for (std::int64_t part = 0; part < block; part += lanes) {
    for (std::int64_t l = 0; l < lanes; l += width) {
      for (std::int64_t n = 0; n < lanes; n += width) {
        Tile tile;
        for (std::int64_t i = 0; i < width; ++i) {
          tile[static_cast<int>(i)] = Tile::load(from + (n + i) * block + part + l);
        }
        tile.transpose();
        for (std::int64_t i = 0; i < width; ++i) {
          Tile::store(tile[static_cast<int>(i)], to + (l + i) * to_step + part + n);
        }
      }
    }
  }
}

/// A thread's workspace: buffers for a transform and its result, one plane, and where the rows of
/// one in memory begin.
template <class T>
struct Workspace {
  explicit Workspace(const FtParameters& ft)
      : work(static_cast<std::size_t>(2 * longest(ft) * block)),
        column(static_cast<std::size_t>(longest(ft) * block)),
        plane(MemorySpace::host, static_cast<std::size_t>(2 * ft.nx * ft.ny)),
        rows(static_cast<std::size_t>(ft.ny)) {}

  static std::int64_t bytes(const FtParameters& ft) {
    return (3 * longest(ft) * block + 2 * ft.nx * ft.ny) * static_cast<std::int64_t>(sizeof(T)) +
           ft.ny * static_cast<std::int64_t>(sizeof(T*));
  }

  static std::int64_t longest(const FtParameters& ft) { return std::max({ft.nx, ft.ny, ft.nz}); }

  std::vector<T> work;
  std::vector<T> column;
  Buffer<T> plane;
  std::vector<T*> rows;
};

/// exp(-4 alpha pi^2 k^2 t) by axis; `scale` multiplies their products.
struct Decay {
  std::vector<double> x;
  std::vector<double> y;
  std::vector<double> z;

  Decay(const FtParameters& ft, int t, double scale);
};

/// Transforms along the axes of a problem.
struct AxisTransforms {
  explicit AxisTransforms(const FtParameters& ft) : x(ft.nx), y(ft.ny), z(ft.nz) {}

  LaneFft x;
  LaneFft y;
  LaneFft z;
};

/// Where the rows of a plane begin.
template <class T, class Pieces>
void find_rows(const Pieces& pieces, std::int64_t z, std::vector<T*>& rows) {
  for (const auto& piece : pieces) {
    for (std::int64_t y = piece.rows.begin; y < piece.rows.end; ++y) {
      rows[static_cast<std::size_t>(y)] = piece.at(0, z) + (y - piece.rows.begin) * pieces.row();
    }
  }
}

/// One plane transformed along x and y: draw(y, blocks) puts eight rows from y on into lanes.
template <class T, class Pieces, class Draw>
void form_plane(const FtParameters& ft, const AxisTransforms& fft, std::int64_t z,
                const Pieces& pieces, Workspace<T>& work, const Draw& draw) {
  T* const columns = work.plane.data();
  for (std::int64_t y = 0; y < ft.ny; y += lanes) {
    draw(y, work.column.data());
    const T* const rows =
        fft.x.transform(LaneFft::Sign::plus, work.column.data(), work.work.data());
    for (std::int64_t x = 0; x < ft.nx; x += lanes) {
      transpose_blocks(rows + x * block, columns + (x / lanes * ft.ny + y) * block, block);
    }
  }
  find_rows(pieces, z, work.rows);
  for (std::int64_t n = 0; n < ft.nx / lanes; ++n) {
    fft.y.template transform_columns<LaneFft::Sign::plus>(
        BlockColumn<T>{columns + n * ft.ny * block}, PlaneColumn<T>{work.rows.data(), n * block},
        work.work.data());
  }
}

/// How a pass stores a field.
enum class Stores { cached, streaming };

/// A column along z, from and to where its elements are `apart` from each other. Values that tests
/// count have no streaming stores.
template <LaneFft::Sign Sign, class T, class From>
void transform_column(const LaneFft& fft, const From& from, T* to, std::int64_t apart,
                      Stores stores, T* work) {
  if constexpr (std::is_same_v<T, double>) {
    if (stores == Stores::streaming) {
      fft.template transform_columns<Sign>(from, StreamedColumn{to, apart}, work);
      return;
    }
  }
  fft.template transform_columns<Sign>(from, BlockColumn<T>{to, apart}, work);
}

/// Some rows of a slab, with the decay if requested, transformed along z into `to`, which may be
/// `from` where stores are cached. The slab's row 0 is the field's row `first_row`.
template <LaneFft::Sign Sign, class T, class Field>
void transform_z(const FtParameters& ft, const AxisTransforms& fft, const Decay* decay,
                 std::int64_t first_row, const Range& rows, const Field& from, const Field& to,
                 Stores stores, Workspace<T>& work) {
  for (std::int64_t y = rows.begin; y < rows.end; ++y) {
    for (std::int64_t n = 0; n < ft.nx / lanes; ++n) {
      const ColumnAhead<T> column{from.at(n, y, 0), from.plane()};
      T* const result = to.at(n, y, 0);
      if (decay == nullptr) {
        transform_column<Sign>(fft.z, column, result, to.plane(), stores, work.work.data());
        continue;
      }
      const DecayedColumn<T> decayed{column, decay->x.data() + n * lanes,
                                     decay->y[static_cast<std::size_t>(first_row + y)],
                                     decay->z.data()};
      transform_column<Sign>(fft.z, decayed, result, to.plane(), stores, work.work.data());
    }
  }
  if (stores == Stores::streaming) {
    stream_store_fence();
  }
}

/// Transforms one plane along y and x; take(y, rows) gets eight rows from y on, in lanes.
template <class T, class Pieces, class Take>
void invert_plane(const FtParameters& ft, const AxisTransforms& fft, std::int64_t z,
                  const Pieces& pieces, Workspace<T>& work, const Take& take) {
  T* const plane = work.plane.data();
  T* const result = work.column.data();
  const std::int64_t rows_step = ft.nx * block;  // of eight rows in lanes
  find_rows(pieces, z, work.rows);
  for (std::int64_t n = 0; n < ft.nx / lanes; ++n) {
    fft.y.template transform_columns<LaneFft::Sign::minus>(
        PlaneColumn<T>{work.rows.data(), n * block}, BlockColumn<T>{result}, work.work.data());
    for (std::int64_t y = 0; y < ft.ny; y += lanes) {
      transpose_blocks(result + y * block, plane + y / lanes * rows_step + n * lanes * block,
                       block);
    }
  }
  for (std::int64_t y = 0; y < ft.ny; y += lanes) {
    fft.x.template transform_columns<LaneFft::Sign::minus>(
        BlockColumn<T>{plane + y / lanes * rows_step}, BlockColumn<T>{result}, work.work.data());
    take(y, result);
  }
}

// Traffic and flops of the passes over a field with this many points. Sums of a few points, and
// random numbers, which are integers, are not counted.

/// Forms planes: they are written.
Traffic plane_forming_traffic(const FtParameters& ft, double points);

/// Along z: one field is read and one written.
Traffic z_traffic(const FtParameters& ft, double points, bool decays);

/// Inverts planes: they are read; their transforms are summed, not stored.
Traffic plane_inversion_traffic(const FtParameters& ft, double points);

/// A run on so many of the field's points.
Traffic cpu_traffic(const FtParameters& ft, double points);

}  // namespace bankfull::npb::ft
