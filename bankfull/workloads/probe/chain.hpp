#pragma once

#include "bankfull/core/base/enum_names.hpp"
#include "bankfull/core/base/host_device.hpp"

#include <cstdint>
#include <vector>

namespace bankfull::probe {

/// Where the nodes of a chain lie: one in each slot of `slot_bytes` of address space, in a line of
/// its own.
///
/// The line within the slot differs from node to node. Nodes at equal distances of a large power
/// of two would otherwise meet in one cache set, and measure that instead of address translation.
struct ChainLayout {
  std::int64_t nodes = 0;
  std::int64_t slot_bytes = 0;
  std::int64_t line_bytes = 64;

  [[nodiscard]] constexpr std::int64_t footprint() const { return nodes * slot_bytes; }

  /// Bytes from the start of the memory to a node.
  [[nodiscard]] BANKFULL_HOST_DEVICE constexpr std::int64_t offset(std::int64_t node) const {
    // node / 16 moves on where the slots' own address bits and `node` would repeat together.
    const std::int64_t line = (node + node / 16) % (slot_bytes / line_bytes);
    return node * slot_bytes + line * line_bytes;
  }
};

/// A chain with a node every `stride` bytes, or every few strides where that would be more than
/// `max_nodes`. Requires a footprint of at least two strides, and strides of whole lines.
ChainLayout make_layout(std::int64_t footprint, std::int64_t stride, std::int64_t line_bytes,
                        std::int64_t max_nodes);

/// next[n] of a uniformly random permutation that is one cycle through all `count` elements
/// (S. Sattolo, "An algorithm to generate a random cyclic permutation", 1986). The same for equal
/// seeds. Requires 1 <= count <= 2^32.
std::vector<std::uint32_t> random_cycle(std::int64_t count, std::uint64_t seed);

/// In which order a chain visits its nodes.
enum class ChainOrder {
  random,
  ascending,   ///< of addresses: a prefetcher can run ahead
  descending,  ///< likewise, if it looks for that
};

inline constexpr auto chain_order_names =
    enum_names<ChainOrder>({{ChainOrder::random, "random order"},
                            {ChainOrder::ascending, "in order"},
                            {ChainOrder::descending, "backwards"}});

/// next[n] of a cycle through all `count` elements in this order; `seed` is that of a random one.
std::vector<std::uint32_t> cycle_in(ChainOrder order, std::int64_t count, std::uint64_t seed);

}  // namespace bankfull::probe
