#include "bankfull/workloads/hpcg/step_work.hpp"

namespace bankfull::hpcg {
namespace {

double matrix_bytes(const ColouredLevel& level) {
  return static_cast<double>(level.lower.bytes() + level.upper.bytes() + level.outer.bytes()) +
         static_cast<double>(level.diagonal.bytes() + level.coarse_row.bytes() +
                             level.coarse_slots.bytes());
}

}  // namespace

std::vector<double> working_sets(const std::vector<ColouredLevel>& levels) {
  constexpr double finest_vectors = 6.0;  // x, r, z, p, A p, and what sweeps keep of U z
  constexpr double coarse_vectors = 3.0;  // x, r, and what sweeps keep of U x
  std::vector<double> sets(levels.size());
  double coarser = 0.0;
  for (std::size_t n = levels.size(); n-- > 0;) {
    const double vectors = n == 0 ? finest_vectors : coarse_vectors;
    const double vector_bytes = sizeof(double) * static_cast<double>(levels[n].vector_size());
    coarser += matrix_bytes(levels[n]) + vectors * vector_bytes;
    sets[n] = coarser;
  }
  return sets;
}

Work step_work(const Traffic& traffic, double working_set_bytes) {
  return {.traffic = traffic,
          .model = traffic.bytes() > 0.0 ? "each matrix entry, index and vector element once" : "",
          .working_set_bytes = working_set_bytes};
}

}  // namespace bankfull::hpcg
