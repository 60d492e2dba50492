#include "bankfull/workloads/himeno/sweep.hpp"

#include "bankfull/build_config.hpp"
#include "bankfull/core/base/error.hpp"
#include "bankfull/core/measure/timer.hpp"

#include <fmt/format.h>

namespace bankfull::himeno {
namespace {

Traffic traffic_over(std::int64_t points, Precision precision) {
  const double field_bytes = static_cast<double>(points) * static_cast<double>(bytes_of(precision));
  return {.bytes_read = fields_read * field_bytes,
          .bytes_written = field_bytes,
          .flops = static_cast<double>(points) * flops_per_point};
}

}  // namespace

std::unique_ptr<Solver> make_solver(const Plan& plan, const Communicator& ranks) {
  if (!plan.problem.device.is_cuda()) {
    return detail::make_cpu_solver(plan, ranks);
  }
  if constexpr (build::cuda) {
    return plan.problem.precision == Precision::fp32
               ? detail::make_cuda_solver<float>(plan, ranks)
               : detail::make_cuda_solver<double>(plan, ranks);
  }
  throw RuntimeFailure("this program has no CUDA backend");
}

Sweeps Solver::iterate(Schedule schedule, std::int64_t iterations) {
  prepare(schedule, iterations, Halos::exchanged);
  ranks_.barrier();
  const Stopwatch watch;
  const double gosa = run(schedule, iterations, Halos::exchanged);
  return {.seconds = ranks_.max(watch.seconds()), .gosa = ranks_.sum(gosa)};
}

Traffic iteration_traffic(const GridSize& grid, Precision precision) {
  return traffic_over(grid.updated_points(), precision);
}

Work work_of(const Domain& domain, Precision precision, int iterations_per_pass,
             std::int64_t iterations) {
  const Extents points = domain.interior();
  const Traffic unfused = traffic_over(points.count(), precision);
  const std::int64_t passes = iterations / iterations_per_pass + iterations % iterations_per_pass;
  const std::string pass = iterations_per_pass == 1
                               ? "iteration"
                               : fmt::format("pass of {} iterations", iterations_per_pass);
  Work work{
      .traffic = static_cast<double>(passes) * unfused,
      .model = fmt::format("{} B per point and {}: {} fields read, 1 written",
                           field_count * bytes_of(precision), pass, fields_read),
      .working_set_bytes = static_cast<double>(memory_bytes(points, domain.ghosts, precision)),
      .precision = precision};
  work.traffic.flops = static_cast<double>(iterations) * unfused.flops;
  return work;
}

}  // namespace bankfull::himeno
