#pragma once

#include "bankfull/core/measure/traffic.hpp"
#include "bankfull/workloads/npb/cg/cuda/tiling.hpp"

#include <cstdint>
#include <string>

namespace bankfull::npb::cg::cuda {

/// Bytes of a matrix in tiles that products need. Without the padding of slices.
struct MatrixBytes {
  double streamed = 0.0;  ///< in every product
  double kept = 0.0;      ///< what stays in the last cache from product to product
};

/// Bytes of so many nonzeros, 10 each, with the order of the rows in each tile and the places
/// of slices. The last cache keeps what `kept_warps` of each block read.
MatrixBytes matrix_bytes(const Tiling& tiling, std::int64_t nonzeros, int kept_warps);

/// Traffic of the vectors in an outer iteration, counted at each use, and their size.
struct VectorUse {
  Traffic iteration;
  double bytes = 0.0;
};

/// Whether the vectors stay in the last cache beside what it keeps of the matrix. The rest of the
/// matrix does not evict them: it is loaded with the evict-first policy.
bool vectors_stay(const MatrixBytes& matrix, const VectorUse& vectors, std::int64_t cache_bytes);

/// Memory traffic of outer iterations on a GPU: data that stay in the last-level cache count once,
/// all others at each use. No flops.
Traffic traffic_of(int iterations, const MatrixBytes& matrix, const VectorUse& vectors,
                   std::int64_t cache_bytes);

/// Description of the model, for the result.
std::string traffic_model_of(int kept_warps, bool vectors_stay);

}  // namespace bankfull::npb::cg::cuda
