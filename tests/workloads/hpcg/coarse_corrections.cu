#include "tests/workloads/hpcg/coarse_corrections.hpp"

#include "bankfull/numerics/random/counter.hpp"
#include "bankfull/workloads/hpcg/cuda/halved_levels.cuh"
#include "bankfull/workloads/hpcg/cuda/tuned_sweeps.cuh"
#include "bankfull/workloads/hpcg/cycle.hpp"

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

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

/// Memory whose blocks belong to the halves of L2 at random.
HalvedMemory random_halves(std::int64_t blocks, const Stream& stream) {
  std::vector<std::uint32_t> swapped(static_cast<std::size_t>(blocks / 32 + 1));
  for (std::size_t n = 0; n < swapped.size(); ++n) {
    swapped[n] = static_cast<std::uint32_t>(random_bits(3, n));
  }
  return {swapped, blocks, stream};
}

/// The levels of a problem, and kernels' plans of their sweeps, with random halves or without any.
cuda::PlannedLevels planned_levels(const CudaExecutor& executor, const std::vector<Level>& levels,
                                   bool halved) {
  const auto tiles = [](const Level& /*level*/) { return cuda::tile_rows; };
  auto coloured = colour_levels<cuda::slice_height>(executor, levels, tiles, Boundary::apart);
  std::optional<L2Halves> halves;
  if (halved) {
    halves.emplace(executor.stream());
  }
  std::vector<cuda::ChunkPlan> plans;
  for (ColouredLevel& level : coloured) {
    plans.push_back(cuda::plan_chunks(executor, level, cuda::tile_rows, Sweeps::syncfree,
                                      halved && halves->apart()));
    if (halved) {
      cuda::halve(executor, level, cuda::tile_rows, [&](std::int64_t blocks) {
        return random_halves(blocks, executor.stream());
      });
    }
  }
  return {std::move(coloured), std::move(plans), cuda::HalfWork(executor, std::move(halves))};
}

/// The levels of a problem with all vectors.
template <class Columns>
struct Solver {
  Solver(const cuda::BackendSetup& setup, const CudaExecutor& executor, bool halved)
      : r(cuda::zero_vector(setup.stream, setup.levels.front().matrix.columns + padding)),
        x(cuda::zero_vector(setup.stream, setup.levels.front().matrix.columns + padding)),
        tuned(setup, planned_levels(executor, setup.levels, halved), r.data(), x.data()) {}

  static constexpr std::int64_t padding = 32 * cuda::tile_rows;  ///< at most a tile of each class
  Buffer<double> r;
  Buffer<double> x;
  cuda::TunedLevels<Columns> tuned;
};

/// What `correct` adds to x of the level before `first`.
template <class Columns, class Correct>
std::vector<double> correction(const CudaExecutor& executor, const Solver<Columns>& solver,
                               std::size_t first, const Correct& correct) {
  const auto& tuned = solver.tuned;
  const ColouredLevel& finer = tuned.all()[first - 1];
  double* const corrected = tuned.x(first - 1);
  fill_rows(executor, tuned.all()[first], 1, const_cast<double*>(tuned.arguments(first).r));
  fill_rows(executor, finer, 2, corrected);
  correct();
  return executor.to_host(static_cast<const double*>(corrected), finer.rows());
}

}  // namespace

CoarseCorrections coarse_corrections(const Problem& problem, std::size_t first) {
  constexpr int repeats = 3;  // more than there are sets of vectors
  const auto ranks = make_self_communicator();
  const Stream stream(problem.device);
  const CudaExecutor executor(stream);
  const auto levels = make_levels(executor, problem, 1, 0);
  const cuda::BackendSetup setup{problem, *ranks, stream, levels};

  CoarseCorrections result;
  const Solver<HalvedEntries> halved(setup, executor, true);
  const cuda::fused::Cycle none(halved.tuned, executor, {.first = levels.size()});
  cuda::TunedSweeps<HalvedEntries> sweeps(halved.tuned, none, executor, {}, nullptr);
  result.by_kernels = correction(executor, halved, first, [&] {
    half_sweep_cycle(sweeps, first, [](auto... /*step*/) {});
    sweeps.prolong(first - 1);
  });
  const Solver<FullColumns> plain(setup, executor, false);
  auto plan = cuda::fused::plan_for(executor, plain.tuned.all(), first);
  if (plan.first == first) {
    const cuda::fused::Cycle fused(plain.tuned, executor, std::move(plan));
    for (int n = 0; n < repeats; ++n) {
      result.by_one.push_back(correction(executor, plain, first, [&] { fused.queue(); }));
    }
  }
  return result;
}

}  // namespace bankfull::hpcg
