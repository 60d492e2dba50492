#pragma once

#include "bankfull/workloads/npb/cg/blocks.hpp"
#include "bankfull/workloads/npb/problem.hpp"

namespace bankfull::npb::cg {

/// Bytes that a rank's team moves in a product.
struct ProductBytes {
  double matrix = 0.0;   ///< from memory, or from the last caches that hold them
  double vectors = 0.0;  ///< between the caches of its threads

  [[nodiscard]] double all() const { return matrix + vectors; }
};

ProductBytes product_bytes(Class size, Kept kept, int ranks, int threads);

/// The choice that moves fewer bytes.
Kept better_kept(Class size, int ranks, int threads);

/// The one that was requested, or the better one.
Kept kept_entries(const Problem& problem, int ranks, int threads);

}  // namespace bankfull::npb::cg
