#include "bankfull/workloads/probe/chain.hpp"

#include "bankfull/core/base/expects.hpp"
#include "bankfull/numerics/random/counter.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>

namespace bankfull::probe {

ChainLayout make_layout(std::int64_t footprint, std::int64_t stride, std::int64_t line_bytes,
                        std::int64_t max_nodes) {
  expects(stride >= line_bytes && stride % line_bytes == 0, "strides are whole lines");
  expects(footprint >= 2 * stride && max_nodes >= 2, "a chain has two nodes");
  const std::int64_t max_without_gaps = stride * max_nodes;
  const std::int64_t slot =
      stride * std::max((footprint + max_without_gaps - 1) / max_without_gaps, std::int64_t{1});
  return {.nodes = footprint / slot, .slot_bytes = slot, .line_bytes = line_bytes};
}

std::vector<std::uint32_t> random_cycle(std::int64_t count, std::uint64_t seed) {
  expects(count >= 1 && count <= (std::int64_t{1} << 32), "indices have 32 bits");
  std::vector<std::uint32_t> next(static_cast<std::size_t>(count));
  std::iota(next.begin(), next.end(), 0U);
  for (auto last = static_cast<std::uint64_t>(count - 1); last > 0; --last) {
    // The remainder favours small numbers by less than 2^-32: too little to matter.
    const std::uint64_t other = random_bits(seed, last) % last;
    std::swap(next[last], next[other]);
  }
  return next;
}

std::vector<std::uint32_t> cycle_in(ChainOrder order, std::int64_t count, std::uint64_t seed) {
  if (order == ChainOrder::random) {
    return random_cycle(count, seed);
  }
  const std::int64_t step = order == ChainOrder::ascending ? 1 : count - 1;
  std::vector<std::uint32_t> next(static_cast<std::size_t>(count));
  for (std::int64_t n = 0; n < count; ++n) {
    next[static_cast<std::size_t>(n)] = static_cast<std::uint32_t>((n + step) % count);
  }
  return next;
}

}  // namespace bankfull::probe
