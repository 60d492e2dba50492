#pragma once

#include "bankfull/core/base/host_device.hpp"
#include "bankfull/core/measure/traffic.hpp"
#include "bankfull/numerics/poisson/direct/modes.hpp"
#include "bankfull/numerics/poisson/direct/three_pass/parts.hpp"
#include "bankfull/numerics/poisson/direct/three_pass/rest.hpp"
#include "bankfull/numerics/poisson/poisson.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace bankfull::poisson {

// The direct solver in three passes over memory, on GPUs with clusters of blocks, where axes j and
// k are periodic and axis i ends at walls. Rows j = m + 32 q are split, as their modes r + radix_j
// s:
//
//   1  a block takes 16 or 12 rows of a plane along k to modes, then q to r: field to spectrum, or,
//      in place of a field, the divergence of a velocity, which it forms as it loads;
//   2  a cluster takes all planes and m of some columns (k, r): m to s, elimination along i, and
//      back: in place;
//   3  as 1, back: spectrum to field.
//
// Transforms along both axes, and the elimination, so cross memory three times together, where
// transforms of planes and an elimination by columns cross it four times or more.

/// Whether three passes serve the domain: by its axes and their numbers of cells, for any GPU that
/// has clusters.
bool three_passes_serve(const Domain& domain);

/// Bytes that their solver allocates.
std::int64_t three_pass_bytes(const Domain& domain, std::size_t element_bytes);

/// Field and spectrum cross memory three times there and back, less what the modes N / 2 along k
/// add. Of transforms the usual count of operations. Parts that have no cells do not count.
Traffic three_pass_traffic(const Domain& domain, std::size_t element_bytes);

/// The same less what pass 1 moves, with its operations.
Traffic traffic_after_first_pass(const Domain& domain, std::size_t element_bytes);

namespace three_pass {

/// Operations of one thread on a part, of right sides to the solution, and on its separator in a
/// chain of 2^steps of them.
int part_flops();
int link_flops(int steps);

/// Blocks of a cluster: every GPU that has clusters runs as many. There are fewer where places in
/// their registers would be empty: for up to 96 planes, if not of few columns, and for 129 to 192.
inline constexpr int cluster_blocks = 8;
inline constexpr int three_quarters_of_cluster = 6;
inline constexpr int half_of_cluster = 4;
inline constexpr int quarter_of_cluster = 2;

/// Cells along i that a cluster's blocks share, one part each.
inline constexpr int planes_of_parts = cluster_blocks * radix;
inline constexpr int most_own_parts = 4;  ///< of a block

struct Sizes {
  int planes;
  int rows;
  int columns;
  int radix_j;    ///< values of q, of r
  int own_parts;  ///< of a block in pass 2
  int blocks;     ///< of a cluster there

  explicit Sizes(const Extents& extents);

  [[nodiscard]] int padded_planes() const { return own_parts * blocks * radix; }
};

/// Modes (k, r) of a column of the spectrum.
struct ColumnModes {
  int k;
  int r;
};

/// Where the spectrum lies between passes: in tiles of `group` columns, each [plane i][m][column],
/// so that passes 1 and 3 meet runs of 64 bytes. Tile `radix_j g + r` holds columns
/// k = g group, ..., with residue r; columns k = N / 2, one for each r, have tiles of their own at
/// the end, of which the last may not be full.
template <class Real>
struct Tiles {
  static constexpr int group = 64 / sizeof(Complex<Real>);
  static constexpr int rest = RestTransform<Real>::count;
  static constexpr int plane = rest * group;  ///< complex

  int half_k = 0;
  int radix_j = 0;
  int inverse_radix_j = 0;  ///< in units of 2^-20, rounded up: divides tiles' numbers exactly

  Tiles() = default;
  BANKFULL_HOST_DEVICE constexpr Tiles(int cells_k, int residues)
      : half_k(cells_k / 2),
        radix_j(residues),
        inverse_radix_j(((1 << inverse_bits) + residues - 1) / residues) {}

  [[nodiscard]] BANKFULL_HOST_DEVICE constexpr int usual() const {
    return half_k / group * radix_j;
  }
  [[nodiscard]] BANKFULL_HOST_DEVICE constexpr int count() const {
    return usual() + (radix_j + group - 1) / group;
  }
  [[nodiscard]] BANKFULL_HOST_DEVICE constexpr int tile(int k, int r) const {
    return k < half_k ? k / group * radix_j + r : usual() + r / group;
  }
  [[nodiscard]] BANKFULL_HOST_DEVICE constexpr int column(int k, int r) const {
    return k < half_k ? k % group : r % group;
  }
  /// Of a column that holds nothing, those of one that does.
  [[nodiscard]] BANKFULL_HOST_DEVICE constexpr ColumnModes modes(int tile, int column) const {
    return tile < usual() ? ColumnModes{over_radix_j(tile) * group + column, modulo_radix_j(tile)}
                          : ColumnModes{half_k, modulo_radix_j((tile - usual()) * group + column)};
  }
  BANKFULL_HOST_DEVICE static constexpr int within(int plane, int m, int column) {
    return (plane * rest + m) * group + column;
  }

  /// Complex numbers from tile to tile: an odd number of planes, or all strides would be powers of
  /// two, and compete for the same cache sets.
  static constexpr std::int64_t pitch(int planes) { return std::int64_t{planes | 1} * plane; }

 private:
  static constexpr int inverse_bits = 20;

  [[nodiscard]] BANKFULL_HOST_DEVICE constexpr int over_radix_j(int n) const {
    return n * inverse_radix_j >> inverse_bits;
  }
  [[nodiscard]] BANKFULL_HOST_DEVICE constexpr int modulo_radix_j(int n) const {
    return n - over_radix_j(n) * radix_j;
  }
};

/// What the passes know of a domain.
template <class Real>
struct Tables {
  std::vector<PartCell<Real>> cells;   ///< one without coupling before the first one, see below
  std::vector<Real> side_scale;        ///< per plane: -width over twice the length of transforms
  std::vector<Real> decay_j;           ///< minus the second difference's eigenvalue, of each mode
  std::vector<Real> decay_k;           ///< of modes 0, ..., N / 2
  std::vector<Complex<Real>> roots_j;  ///< exp(-2 pi i n / N)
  std::vector<Complex<Real>> roots_k;
  std::vector<Real> per_width_i;  ///< of each plane
  Real per_width_j = 0;
  Real per_width_k = 0;
  Real inverse_length = 0;  ///< of axis i

  /// Cells that fill up the last parts have no width, and are coupled as the last cells are: a
  /// ladder that ends there without a flow.
  explicit Tables(const Domain& domain);
};

}  // namespace three_pass
}  // namespace bankfull::poisson
