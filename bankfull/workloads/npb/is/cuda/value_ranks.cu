#include "bankfull/workloads/npb/is/cuda/value_ranks.hpp"

#include "bankfull/core/exec/launch.cuh"

namespace bankfull::npb::is::cuda {
namespace {

constexpr int threads_a_block = 256;

struct TwoChanges {
  Change changes[2];
};

/// One thread: the changes follow each other, should both have one position.
__global__ void change_kernel(Key* keys, const __grid_constant__ TwoChanges both) {
  for (const Change& change : both.changes) {
    if (change.position >= 0) {
      keys[change.position] = change.key;
    }
  }
}

__global__ void __launch_bounds__(threads_a_block)
    perturb_kernel(std::uint32_t* ranks, std::int64_t values, double epsilon) {
  const std::int64_t value = std::int64_t{blockIdx.x} * threads_a_block + threadIdx.x;
  if (value < values) {
    ranks[value] = static_cast<std::uint32_t>(perturbed_rank(ranks[value], epsilon));
  }
}

__global__ void test_kernel(const __grid_constant__ RankTests tests, const std::uint32_t* ranks,
                            Range values, std::uint32_t* right_ranks) {
  const unsigned n = threadIdx.x;
  const Key key = tests.keys[tests.positions[n]];
  if (key >= values.begin && key < values.end && ranks[key - values.begin] == tests.expected[n]) {
    atomicAdd(right_ranks, 1U);
  }
}

}  // namespace

void queue_changes(Key* keys, const std::array<Change, 2>& changes, const Stream& stream) {
  launch(stream, {dim3(1), dim3(1)}, change_kernel, keys, TwoChanges{changes[0], changes[1]});
}

void queue_perturbation(std::uint32_t* ranks, std::int64_t values, double epsilon,
                        const Stream& stream) {
  const auto blocks = static_cast<unsigned>((values + threads_a_block - 1) / threads_a_block);
  if (blocks > 0) {
    launch(stream, {dim3(blocks), dim3(threads_a_block)}, perturb_kernel, ranks, values, epsilon);
  }
}

void queue_tests(const RankTests& tests, const std::uint32_t* ranks, const Range& values,
                 std::uint32_t* right_ranks, const Stream& stream) {
  launch(stream, {dim3(1), dim3(is_tests)}, test_kernel, tests, ranks, values, right_ranks);
}

}  // namespace bankfull::npb::is::cuda
