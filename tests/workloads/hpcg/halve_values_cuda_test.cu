#include "bankfull/core/exec/cuda_executor.cuh"
#include "bankfull/numerics/random/counter.hpp"
#include "bankfull/workloads/hpcg/cuda/coarse_columns.cuh"
#include "bankfull/workloads/hpcg/cuda/halve_values.cuh"
#include "bankfull/workloads/hpcg/cuda/tuned_sweeps.cuh"
#include "bankfull/workloads/hpcg/cycle.hpp"
#include "tests/core/comm/gpu_transports.hpp"

#include <cstdint>
#include <gtest/gtest.h>
#include <memory>
#include <utility>
#include <vector>

namespace bankfull::hpcg {
namespace {

/// Whether half 0 owns the second block of a pair: anything.
bool is_swapped_by_hand(std::int64_t pair) {
  return random_bits(7, static_cast<std::uint64_t>(pair)) % 2 == 1;
}

HalvedMemory swapped_by_hand(std::int64_t blocks, const Stream& stream) {
  std::vector<std::uint32_t> words(static_cast<std::size_t>(blocks / 32 + 1), 0U);
  for (std::int64_t pair = 0; pair < blocks; ++pair) {
    words[static_cast<std::size_t>(pair / 32)] |= (is_swapped_by_hand(pair) ? 1U : 0U)
                                                  << static_cast<unsigned>(pair % 32);
  }
  return {words, blocks, stream};
}

/// Makes room by halves for the values of all parts but the outer one.
struct ByHalves {
  void operator()(const CudaExecutor& executor, Sliced& part, std::size_t number) const {
    if (number == outer_part) {
      PlainValues<cuda::slice_height>{}(executor, part, number);
      return;
    }
    cuda::make_halved_values(executor, part, [&](std::int64_t blocks) {
      return swapped_by_hand(blocks, executor.stream());
    });
  }
};

/// For colour_levels.
struct HalveLevels : NothingMore<cuda::slice_height> {
  static ByHalves values_of(std::size_t /*level*/) { return {}; }
};

template <class Columns>
struct Multiply {
  SlicedView<Columns> part;
  const double* x;
  double* y;

  __device__ void operator()(std::int64_t row) const { y[row] = cuda::times(part, row, x); }
};

template <class Columns>
std::vector<double> product(const CudaExecutor& executor, const SlicedView<Columns>& part,
                            std::int64_t rows, const Buffer<double>& x) {
  const auto y = executor.make<double>(rows);
  executor.each(rows, Multiply<Columns>{part, x.data(), y.data()});
  return executor.to_host(static_cast<const double*>(y.data()), rows);
}

/// Random elements.
Buffer<double> random_vector(const CudaExecutor& executor, std::int64_t size) {
  std::vector<double> values(static_cast<std::size_t>(size));
  for (std::size_t n = 0; n < values.size(); ++n) {
    values[n] = random_symmetric(3, n);
  }
  auto x = executor.make<double>(size);
  executor.from_host(values, x.data());
  return x;
}

/// A system on this process's GPU, its levels coloured for pipelined sweeps.
struct Coloured {
  Problem problem;
  std::unique_ptr<Communicator> ranks = make_self_communicator();
  Stream stream{problem.device};
  CudaExecutor executor{stream};
  std::vector<Level> levels = make_levels(executor, problem, 1, 0);

  [[nodiscard]] std::vector<ColouredLevel> coloured(bool by_halves) const {
    const auto colour = [&](const auto& more) {
      return colour_levels<cuda::slice_height>(
          executor, levels, [](const Level&) { return cuda::wide_chunk_rows; }, Boundary::apart,
          ColumnIndices::full, more);
    };
    return by_halves ? colour(HalveLevels{}) : colour(NothingMore<cuda::slice_height>{});
  }
};

/// x of level 1 after a cycle that begins there.
std::vector<double> cycle(const Coloured& system, bool by_halves) {
  constexpr std::size_t first = 1;
  const CudaExecutor& executor = system.executor;
  auto coloured = system.coloured(by_halves);
  const auto halves = std::make_shared<const L2Halves>(system.stream);
  std::vector<cuda::ChunkPlan> plans;
  for (ColouredLevel& level : coloured) {
    plans.push_back(
        by_halves
            ? cuda::plan_chunks(executor, level, cuda::wide_chunk_rows, Sweeps::pipelined, halves)
            : cuda::plan_chunks(executor, level, cuda::tile_rows, Sweeps::classes));
    if (plans.back().sweeps == Sweeps::pipelined) {
      cuda::copy_coarse_slots<cuda::slice_height>(executor, level, ByHalves{});
    }
  }
  EXPECT_EQ(plans[first].sweeps, by_halves ? Sweeps::pipelined : Sweeps::classes);
  EXPECT_EQ(plans[first].of_half1 > 0, by_halves);
  const auto size = coloured.front().vector_size();
  const auto r = cuda::zero_vector(executor, size);
  const auto x = cuda::zero_vector(executor, size);
  const cuda::TunedLevels<FullColumns> tuned(
      {system.problem, *system.ranks, executor, system.levels}, std::move(coloured),
      std::move(plans), r.data(), x.data());
  const std::int64_t rows = tuned.all()[first].rows();
  const auto right_side = random_vector(executor, rows);
  copy_bytes(const_cast<double*>(tuned.arguments(first).r), right_side.data(), right_side.bytes(),
             system.stream);
  const cuda::fused::Cycle none(tuned, executor, {.first = tuned.count()});
  cuda::TunedSweeps<FullColumns> sweeps(tuned, none, executor, {}, {}, nullptr);
  half_sweep_cycle(sweeps, first, [](auto... /*step*/) {});
  return executor.to_host(static_cast<const double*>(tuned.x(first)), rows);
}

class HalvedValues : public OnOwnGpu<> {
 protected:
  static Problem problem_of(const Grid3& local) {
    Problem problem;
    problem.local = local;
    problem.device = own_gpu();
    return problem;
  }
};

TEST_F(HalvedValues, LieInBlocksOfTheirHalf) {
  const Coloured system{problem_of({72, 40, 56})};
  const ColouredLevel level = std::move(system.coloured(true).front());
  const auto place = system.executor.to_host(
      static_cast<const ValuePlace*>(level.upper.place.data()), level.upper.slices);
  const auto slot = system.executor.to_host(
      static_cast<const std::int64_t*>(level.upper.slot.data()), level.upper.slices + 1);
  std::int64_t slots[2] = {0, 0};
  for (std::size_t n = 0; n < place.size(); ++n) {
    const std::uint32_t half = cuda::half_of_chunk(static_cast<std::int64_t>(n) / 32);
    EXPECT_EQ(place[n].first, slots[half]) << n;
    slots[half] += slot[n + 1] - slot[n];
    for (std::int64_t block = place[n].first / 16; 16 * block < slots[half]; ++block) {
      const std::uint32_t swapped = is_swapped_by_hand(block) ? 1 : 0;
      EXPECT_EQ(is_second(place[n].second, static_cast<std::uint32_t>(block)), half ^ swapped)
          << n << ' ' << block;
    }
  }
}

TEST_F(HalvedValues, ProductsHaveTheSameBits) {
  for (const Grid3& local : {Grid3{72, 40, 56}, Grid3{16, 16, 136}, Grid3{104, 24, 16}}) {
    const Coloured system{problem_of(local)};
    const ColouredLevel plain = std::move(system.coloured(false).front());
    const ColouredLevel halved = std::move(system.coloured(true).front());
    const auto x = random_vector(system.executor, plain.vector_size());
    for (const auto part : {&ColouredLevel::lower, &ColouredLevel::upper}) {
      EXPECT_EQ((halved.*part).entries(), (plain.*part).entries());
      EXPECT_EQ(product(system.executor, halved_view<FullColumns>(halved.*part), plain.rows(), x),
                product(system.executor, (plain.*part).full_view(), plain.rows(), x));
    }
  }
}

// As where sweeps turn out not to be pipelined.
TEST_F(HalvedValues, SlicesCanBeFilledPlainlyOnceMore) {
  const Coloured system{problem_of({72, 40, 56})};
  const CudaExecutor& executor = system.executor;
  const ColouredLevel plain = std::move(system.coloured(false).front());
  ColouredLevel again = std::move(system.coloured(true).front());
  split_entries<cuda::slice_height>(executor, system.levels.front(), again);
  const auto x = random_vector(executor, plain.vector_size());
  for (const auto part : {&ColouredLevel::lower, &ColouredLevel::upper}) {
    EXPECT_EQ((again.*part).place.size(), 0U);
    EXPECT_EQ((again.*part).halved_entries, 0U);
    EXPECT_EQ((again.*part).entries(), (plain.*part).entries());
    EXPECT_EQ(product(executor, (again.*part).full_view(), plain.rows(), x),
              product(executor, (plain.*part).full_view(), plain.rows(), x));
  }
  const auto diagonal = [&](const ColouredLevel& level) {
    return executor.to_host(static_cast<const double*>(level.diagonal.data()), level.rows());
  };
  EXPECT_EQ(diagonal(again), diagonal(plain));
}

TEST_F(HalvedValues, SweepsHaveTheSameBits) {
  const Stream stream(own_gpu());
  if (cuda::chunk_rows_of(stream, Sweeps::pipelined, 1) != cuda::wide_chunk_rows ||
      !L2Halves(stream).apart()) {
    GTEST_SKIP() << "no pipelined sweeps, or no halves of L2 that differ";
  }
  for (const Grid3& local : {Grid3{208, 104, 136}, Grid3{64, 336, 80}}) {
    const Coloured system{problem_of(local)};
    EXPECT_EQ(cycle(system, true), cycle(system, false));
  }
}

}  // namespace
}  // namespace bankfull::hpcg
