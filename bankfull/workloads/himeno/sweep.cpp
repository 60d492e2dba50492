#include "bankfull/workloads/himeno/sweep.hpp"

#include "bankfull/build_config.hpp"
#include "bankfull/core/base/error.hpp"

namespace bankfull::himeno {
namespace {

template <class T>
std::unique_ptr<Solver> make(const Problem& problem) {
  if (!problem.device.is_cuda()) {
    return detail::make_cpu_solver<T>(problem.grid, problem.threads);
  }
  if constexpr (build::cuda) {
    return detail::make_cuda_solver<T>(problem.grid, problem.device);
  }
  throw RuntimeFailure("this program has no CUDA backend");
}

}  // namespace

std::unique_ptr<Solver> make_solver(const Problem& problem) {
  return problem.precision == Precision::fp32 ? make<float>(problem) : make<double>(problem);
}

Traffic iteration_traffic(const GridSize& grid, Precision precision) {
  const auto points = static_cast<double>(grid.updated_points());
  const double field_bytes = points * static_cast<double>(bytes_of(precision));
  return {.bytes_read = (coefficient_count + 1) * field_bytes,
          .bytes_written = field_bytes,
          .flops = points * flops_per_point};
}

}  // namespace bankfull::himeno
