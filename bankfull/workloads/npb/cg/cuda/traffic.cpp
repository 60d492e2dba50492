#include "bankfull/workloads/npb/cg/cuda/traffic.hpp"

#include "bankfull/workloads/npb/cg/cg.hpp"

#include <fmt/format.h>

namespace bankfull::npb::cg::cuda {

MatrixBytes matrix_bytes(const Tiling& tiling, std::int64_t nonzeros, int kept_warps) {
  constexpr double entry_bytes = 10.0;
  constexpr double row_number_bytes = 2.0;
  constexpr double slice_place_bytes = 8.0;
  const double entries = entry_bytes * static_cast<double>(nonzeros);
  const double order = row_number_bytes * static_cast<double>(tiling.rows * tiling.panels) +
                       slice_place_bytes * static_cast<double>(tiling.slices());
  const double kept_share = static_cast<double>(kept_warps) / solver_warps;
  return kept_warps == solver_warps ? MatrixBytes{.streamed = 0.0, .kept = entries + order}
                                    : MatrixBytes{.streamed = (1.0 - kept_share) * entries + order,
                                                  .kept = kept_share * entries};
}

bool vectors_stay(const MatrixBytes& matrix, const VectorUse& vectors, std::int64_t cache_bytes) {
  return matrix.kept + vectors.bytes <= whole_share * static_cast<double>(cache_bytes);
}

Traffic traffic_of(int iterations, const MatrixBytes& matrix, const VectorUse& vectors,
                   std::int64_t cache_bytes) {
  constexpr double products = steps_per_iteration + 1.0;
  const Traffic of_matrix{iterations * products * matrix.streamed + matrix.kept, 0.0, 0.0};
  return of_matrix + (vectors_stay(matrix, vectors, cache_bytes)
                          ? Traffic{vectors.bytes, 0.0, 0.0}
                          : static_cast<double>(iterations) * vectors.iteration);
}

std::string traffic_model_of(int kept_warps, bool vectors_stay) {
  const std::string kept = kept_warps == 0
                               ? ""
                               : fmt::format(
                                     "; what {} of {} warps read of it stays in the last cache and "
                                     "counts once per run",
                                     kept_warps, solver_warps);
  return "a product reads each entry once, 10 bytes, without padding, and the order of rows" +
         kept +
         (vectors_stay ? "; vectors stay in the last cache and count once per run"
                       : "; each vector once per use");
}

}  // namespace bankfull::npb::cg::cuda
