#include "bankfull/workloads/npb/cg/kept_entries.hpp"

#include "bankfull/workloads/npb/cg/panels.hpp"

namespace bankfull::npb::cg {

ProductBytes product_bytes(Class size, Kept kept, int ranks, int threads) {
  constexpr double entry_bytes = sizeof(double) + sizeof(std::uint16_t);
  const CgParameters& cg = cg_parameters(size);
  const Block block = largest_block(cg.rows, kept, ranks);
  const double entries = static_cast<double>(cg.nonzeros - cg.rows) / ranks;
  if (kept == Kept::all) {
    // Every thread reads all of what the others have written.
    return {.matrix = entries * entry_bytes,
            .vectors = static_cast<double>(threads * block.input_count()) * sizeof(double)};
  }
  // Pairs are formed from x, and read for their sums.
  constexpr double input_bytes = sizeof(double) + 2.0 * sizeof(Pair);
  const auto inputs = static_cast<double>(input_count(cut_into_tiles(block, threads)));
  return {.matrix = entries / 2.0 * entry_bytes, .vectors = inputs * input_bytes};
}

Kept better_kept(Class size, int ranks, int threads) {
  const ProductBytes upper = product_bytes(size, Kept::upper, ranks, threads);
  const ProductBytes all = product_bytes(size, Kept::all, ranks, threads);
  return upper.all() < all.all() ? Kept::upper : Kept::all;
}

Kept kept_entries(const Problem& problem, int ranks, int threads) {
  switch (problem.cg_entries) {
    case CgEntries::upper:
      return Kept::upper;
    case CgEntries::all:
      return Kept::all;
    case CgEntries::automatic:
      break;
  }
  return better_kept(problem.size, ranks, threads);
}

}  // namespace bankfull::npb::cg
