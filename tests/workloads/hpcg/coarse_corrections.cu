#include "tests/workloads/hpcg/coarse_corrections.hpp"

#include "bankfull/numerics/random/counter.hpp"
#include "bankfull/workloads/hpcg/cuda/tuned_sweeps.cuh"
#include "bankfull/workloads/hpcg/cycle.hpp"

#include <cstdint>
#include <utility>

namespace bankfull::hpcg {
namespace {

/// Random where a row is not empty, else 0.
void fill_rows(const CudaExecutor& executor, const ColouredLevel& level, std::uint64_t seed,
               double* x) {
  const auto old_of = executor.to_host(level.order.old_of.data(), level.rows());
  std::vector<double> values(old_of.size());
  for (std::size_t n = 0; n < values.size(); ++n) {
    values[n] = old_of[n] < 0 ? 0.0 : random_symmetric(seed, n);
  }
  executor.from_host(values, x);
}

}  // namespace

CoarseCorrections coarse_corrections(const Problem& problem, std::size_t first) {
  constexpr int repeats = 3;  // more than there are sets of vectors
  const auto ranks = make_self_communicator();
  const Stream stream(problem.device);
  const CudaExecutor executor(stream);
  const auto levels = make_levels(executor, problem, 1, 0);
  const auto tiles = [](const Level& /*level*/) { return cuda::tile_rows; };
  auto coloured = colour_levels<cuda::slice_height>(executor, levels, tiles, Boundary::apart);
  std::vector<cuda::ChunkPlan> plans;
  for (const ColouredLevel& level : coloured) {
    plans.push_back(cuda::plan_chunks(executor, level, cuda::tile_rows, Sweeps::syncfree));
  }
  const std::int64_t size = coloured.front().vector_size();
  const auto r = cuda::zero_vector(executor, size);
  const auto x = cuda::zero_vector(executor, size);
  const cuda::TunedLevels<FullColumns> tuned({problem, *ranks, executor, levels},
                                             std::move(coloured), std::move(plans), r.data(),
                                             x.data());
  const ColouredLevel& finer = tuned.all()[first - 1];
  double* const corrected = tuned.x(first - 1);
  fill_rows(executor, tuned.all()[first], 1, const_cast<double*>(tuned.arguments(first).r));
  const auto result_of = [&](const auto& correct) {
    fill_rows(executor, finer, 2, corrected);
    correct();
    return executor.to_host(static_cast<const double*>(corrected), finer.rows());
  };

  CoarseCorrections result;
  const cuda::fused::Cycle none(tuned, executor, {.first = tuned.count()});
  cuda::TunedSweeps<FullColumns> sweeps(tuned, none, executor, {}, {}, nullptr);
  result.by_kernels = result_of([&] {
    half_sweep_cycle(sweeps, first, [](auto... /*step*/) {});
    sweeps.prolong(first - 1);
  });
  auto plan = cuda::fused::plan_for(executor, tuned.all(), first);
  if (plan.first == first) {
    const cuda::fused::Cycle fused(tuned, executor, std::move(plan));
    for (int n = 0; n < repeats; ++n) {
      result.by_one.push_back(result_of([&] { fused.queue(); }));
    }
  }
  return result;
}

}  // namespace bankfull::hpcg
