#pragma once

#include "bankfull/core/base/stream_store.hpp"
#include "bankfull/core/measure/traffic.hpp"
#include "bankfull/core/memory/buffer.hpp"
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

/// Blocks along x whose transforms along z or y are computed together, so that adjacent cache lines
/// are read together.
inline constexpr std::int64_t group_blocks = 4;

template <class T>
void copy_blocks(const T* from, std::int64_t from_step, std::int64_t count, T* to,
                 std::int64_t to_step) {
  for (std::int64_t n = 0; n < count; ++n) {
    std::copy_n(from + n * from_step, block, to + n * to_step);
  }
}

/// The same by streaming stores, for what the caches would lose before it is read. Blocks consist
/// of whole cache lines.
inline void stream_blocks(const double* from, std::int64_t count, double* to,
                          std::int64_t to_step) {
  constexpr auto step = static_cast<std::int64_t>(stream_store_bytes / sizeof(double));
  static_assert(block % step == 0);
  for (std::int64_t n = 0; n < count; ++n) {
    for (std::int64_t l = 0; l < block; l += step) {
      stream_store(to + n * to_step + l, from + n * block + l);
    }
  }
}

/// Eight blocks that lie side by side to eight that are `to_step` apart, lanes and blocks
/// exchanged: what was lane l of block n becomes lane n of block l.
template <class T>
void transpose_blocks(const T* __restrict from, T* __restrict to, std::int64_t to_step) {
  for (std::int64_t l = 0; l < lanes; ++l) {
#pragma omp simd
    for (std::int64_t n = 0; n < lanes; ++n) {
      to[l * to_step + n] = from[n * block + l];
      to[l * to_step + lanes + n] = from[n * block + lanes + l];
    }
  }
}

template <class T>
void copy_decayed(const T* __restrict from, const double* __restrict factors, double factor,
                  T* __restrict to) {
#pragma omp simd
  for (std::int64_t l = 0; l < lanes; ++l) {
    const double product = factors[l] * factor;
    to[l] = product * from[l];
    to[lanes + l] = product * from[lanes + l];
  }
}

/// A thread's workspace: buffers for the transforms of a group, and for one plane.
template <class T>
struct Workspace {
  explicit Workspace(const FtParameters& ft)
      : data(static_cast<std::size_t>(group_blocks * longest(ft) * block)),
        other(static_cast<std::size_t>(longest(ft) * block)),
        plane(MemorySpace::host, static_cast<std::size_t>(2 * ft.nx * ft.ny)) {}

  static std::int64_t bytes(const FtParameters& ft) {
    return ((group_blocks + 1) * longest(ft) * block + 2 * ft.nx * ft.ny) *
           static_cast<std::int64_t>(sizeof(T));
  }

  static std::int64_t longest(const FtParameters& ft) { return std::max({ft.nx, ft.ny, ft.nz}); }

  std::vector<T> data;
  std::vector<T> other;
  Buffer<T> plane;
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

/// One plane transformed along x and y: draw(y, blocks) puts eight rows from y on into lanes.
template <class T, class Pieces, class Draw>
void form_plane(const FtParameters& ft, const AxisTransforms& fft, std::int64_t z,
                const Pieces& pieces, Workspace<T>& work, const Draw& draw) {
  T* const columns = work.plane.data();
  for (std::int64_t y = 0; y < ft.ny; y += lanes) {
    draw(y, work.data.data());
    const T* const rows = fft.x.transform(LaneFft::Sign::plus, work.data.data(), work.other.data());
    for (std::int64_t x = 0; x < ft.nx; x += lanes) {
      transpose_blocks(rows + x * block, columns + (x / lanes * ft.ny + y) * block, block);
    }
  }
  for (std::int64_t block_x = 0; block_x < ft.nx / lanes; ++block_x) {
    const T* const result =
        fft.y.transform(LaneFft::Sign::plus, columns + block_x * ft.ny * block, work.other.data());
    for (const auto& piece : pieces) {
      copy_blocks(result + piece.rows.begin * block, block, piece.rows.size(), piece.at(block_x, z),
                  pieces.row());
    }
  }
}

/// The input of transforms along z: blocks from (first, y) on, of all planes, with the decay if
/// requested. The slab's row 0 is the field's row `first_row`.
template <class T, class Field>
void load_group(const FtParameters& ft, const Decay* decay, std::int64_t first_row,
                const Field& from, std::int64_t first, std::int64_t group, std::int64_t y,
                T* data) {
  for (std::int64_t z = 0; z < ft.nz; ++z) {
    for (std::int64_t n = 0; n < group; ++n) {
      const T* const values = from.at(first + n, y, z);
      T* const to = data + (n * ft.nz + z) * block;
      if (decay == nullptr) {
        std::copy_n(values, block, to);
      } else {
        const double factor = decay->y[static_cast<std::size_t>(first_row + y)] *
                              decay->z[static_cast<std::size_t>(z)];
        copy_decayed(values, decay->x.data() + (first + n) * lanes, factor, to);
      }
    }
  }
}

/// How a pass stores a field.
enum class Stores { cached, streaming };

/// The blocks of a transformed column. Values that tests count have no streaming stores.
template <class T>
void store_column(const T* from, std::int64_t count, T* to, std::int64_t to_step, Stores stores) {
  if constexpr (std::is_same_v<T, double>) {
    if (stores == Stores::streaming) {
      stream_blocks(from, count, to, to_step);
      return;
    }
  }
  copy_blocks(from, block, count, to, to_step);
}

/// Some rows of a slab, with the decay if requested, transformed along z into `to`, which may be
/// `from` where stores are cached.
template <class T, class Field>
void transform_z(const FtParameters& ft, const AxisTransforms& fft, LaneFft::Sign sign,
                 const Decay* decay, std::int64_t first_row, const Range& rows, const Field& from,
                 const Field& to, Stores stores, Workspace<T>& work) {
  const std::int64_t blocks = ft.nx / lanes;
  for (std::int64_t y = rows.begin; y < rows.end; ++y) {
    for (std::int64_t first = 0; first < blocks; first += group_blocks) {
      const std::int64_t group = std::min(group_blocks, blocks - first);
      load_group(ft, decay, first_row, from, first, group, y, work.data.data());
      for (std::int64_t n = 0; n < group; ++n) {
        const T* const result =
            fft.z.transform(sign, work.data.data() + n * ft.nz * block, work.other.data());
        store_column(result, ft.nz, to.at(first + n, y, 0), to.plane(), stores);
      }
    }
  }
  if (stores == Stores::streaming) {
    stream_store_fence();
  }
}

/// The input of transforms along y: blocks from `first` on, of all rows of a plane.
template <class T, class Pieces>
void load_columns(const FtParameters& ft, std::int64_t z, const Pieces& pieces, std::int64_t first,
                  std::int64_t group, T* data) {
  for (const auto& piece : pieces) {
    const T* const from = piece.at(first, z);
    for (std::int64_t row = 0; row < piece.rows.size(); ++row) {
      for (std::int64_t n = 0; n < group; ++n) {
        std::copy_n(from + row * pieces.row() + n * block, block,
                    data + (n * ft.ny + piece.rows.begin + row) * block);
      }
    }
  }
}

/// Transforms one plane along y and x; take(y, rows) gets eight rows from y on, in lanes.
template <class T, class Pieces, class Take>
void invert_plane(const FtParameters& ft, const AxisTransforms& fft, std::int64_t z,
                  const Pieces& pieces, Workspace<T>& work, const Take& take) {
  T* const plane = work.plane.data();
  const std::int64_t rows_step = ft.nx * block;  // of eight rows in lanes
  const std::int64_t blocks = ft.nx / lanes;
  for (std::int64_t first = 0; first < blocks; first += group_blocks) {
    const std::int64_t group = std::min(group_blocks, blocks - first);
    load_columns(ft, z, pieces, first, group, work.data.data());
    for (std::int64_t n = 0; n < group; ++n) {
      const T* const column = fft.y.transform(
          LaneFft::Sign::minus, work.data.data() + n * ft.ny * block, work.other.data());
      for (std::int64_t y = 0; y < ft.ny; y += lanes) {
        transpose_blocks(column + y * block,
                         plane + y / lanes * rows_step + (first + n) * lanes * block, block);
      }
    }
  }
  for (std::int64_t y = 0; y < ft.ny; y += lanes) {
    const T* const rows =
        fft.x.transform(LaneFft::Sign::minus, plane + y / lanes * rows_step, work.other.data());
    take(y, rows);
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
