#include "bankfull/workloads/himeno/sweep.hpp"

#include "bankfull/build_config.hpp"
#include "bankfull/core/base/error.hpp"

namespace bankfull::himeno {
namespace {

template <class T>
std::unique_ptr<Solver> make(const Problem& problem, const Communicator& ranks) {
  const Decomposition decomposition = decompose(problem, ranks.size());
  const Domain domain{
      .grid = problem.grid,
      .decomposition = decomposition,
      .rank = ranks.rank(),
      // Machines with other caches may want another number.
      .ghosts = static_cast<int>(ranks.min(std::int64_t{ghost_layers(problem, decomposition)}))};
  if (!problem.device.is_cuda()) {
    return detail::make_cpu_solver<T>(problem, domain, ranks);
  }
  if constexpr (build::cuda) {
    return detail::make_cuda_solver<T>(problem, domain, ranks);
  }
  throw RuntimeFailure("this program has no CUDA backend");
}

}  // namespace

std::unique_ptr<Solver> make_solver(const Problem& problem, const Communicator& ranks) {
  return problem.precision == Precision::fp32 ? make<float>(problem, ranks)
                                              : make<double>(problem, ranks);
}

Traffic iteration_traffic(const GridSize& grid, Precision precision) {
  const auto points = static_cast<double>(grid.updated_points());
  const double field_bytes = points * static_cast<double>(bytes_of(precision));
  return {.bytes_read = (coefficient_count + 1) * field_bytes,
          .bytes_written = field_bytes,
          .flops = points * flops_per_point};
}

}  // namespace bankfull::himeno
