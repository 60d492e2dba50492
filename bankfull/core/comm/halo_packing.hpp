#pragma once

#include "bankfull/core/base/host_device.hpp"
#include "bankfull/core/comm/halo_regions.hpp"
#include "bankfull/core/field/layout.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace bankfull {

/// Elements in 16 bytes. Rows of a message at least that long are aligned to 16 bytes, as rows of
/// fields are to 128, so that both can be copied by vectors; shorter rows are packed densely.
template <class T>
inline constexpr int packed_group = 16 / static_cast<int>(sizeof(T));

/// A box of a field and its position in a message. Lengths are in elements.
struct PackedRegion {
  std::int64_t first = 0;  ///< of the box, from interior cell (0, 0, 0)
  int ni = 0;              ///< planes of the box
  int nj = 0;              ///< rows of one plane
  int nk = 0;              ///< cells of one row
  int pitch = 0;           ///< between rows in the message
  std::int64_t begin = 0;  ///< within the message's part for one field

  /// The number of rows, in the message one after the other, `pitch` apart.
  [[nodiscard]] BANKFULL_HOST_DEVICE std::int64_t rows() const { return std::int64_t{ni} * nj; }
};

/// What one rank sends to and receives from another: ordered by field and, within a field, by
/// region.
struct PackedMessage {
  int rank = 0;                        ///< the other rank, or this one where an axis wraps around
  std::vector<PackedRegion> sent;      ///< cells of this rank's interior
  std::vector<PackedRegion> received;  ///< ghost cells of this rank
  std::int64_t field_size = 0;         ///< elements of one field
};

/// The positions of all regions; `element_bytes` is 4 or 8.
std::vector<PackedMessage> pack(const std::vector<HaloMessage>& messages, const Layout& layout,
                                std::size_t element_bytes);

}  // namespace bankfull
