#include "bankfull/workloads/npb/is/cuda/keys.hpp"

#include "bankfull/core/exec/launch.cuh"
#include "bankfull/core/memory/buffer.hpp"

namespace bankfull::npb::is::cuda {
namespace {

constexpr int threads_per_block = 256;
constexpr int keys_per_thread = 16;

/// Thread t draws the keys t, t + threads, ...: neighbours write side by side.
__global__ void __launch_bounds__(threads_per_block)
    generate_kernel(std::uint64_t seed, int log2_values, std::int64_t threads, std::uint64_t jump,
                    Key* keys) {
  const std::int64_t first = std::int64_t{blockIdx.x} * threads_per_block + threadIdx.x;
  std::uint64_t state = Generator(seed, static_cast<std::uint64_t>(draws_per_key * first)).state();
  for (int n = 0; n < keys_per_thread; ++n) {
    Generator generator(state);
    keys[first + n * threads] = next_key(generator, log2_values);
    state = multiply_modulo(state, jump);
  }
}

__global__ void __launch_bounds__(threads_per_block)
    count_values_kernel(const Key* keys, std::int64_t count, std::uint32_t* counts) {
  const std::int64_t stride = std::int64_t{gridDim.x} * threads_per_block;
  for (std::int64_t n = std::int64_t{blockIdx.x} * threads_per_block + threadIdx.x; n < count;
       n += stride) {
    atomicAdd(counts + keys[n], 1U);
  }
}

__global__ void __launch_bounds__(threads_per_block)
    compare_kernel(const std::uint32_t* ranks, const std::uint32_t* counts, std::int64_t values,
                   Range places, unsigned* wrong) {
  const std::int64_t value = std::int64_t{blockIdx.x} * threads_per_block + threadIdx.x;
  if (value >= values) {
    return;
  }
  const std::int64_t begin = ranks[value];
  const std::int64_t end = value + 1 < values ? std::int64_t{ranks[value + 1]} : places.end;
  if (end - begin != counts[value] || (value == 0 && begin != places.begin)) {
    atomicAdd(wrong, 1U);
  }
}

struct TwoChanges {
  Change changes[2];
};

/// One thread, so that the changes are applied in order, even to the same position.
__global__ void change_kernel(Key* keys, const __grid_constant__ TwoChanges both) {
  for (const Change& change : both.changes) {
    if (change.position >= 0) {
      keys[change.position] = change.key;
    }
  }
}

__global__ void __launch_bounds__(threads_per_block)
    perturb_kernel(std::uint32_t* ranks, std::int64_t values, double epsilon) {
  const std::int64_t value = std::int64_t{blockIdx.x} * threads_per_block + threadIdx.x;
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

unsigned blocks_for(std::int64_t threads) {
  return static_cast<unsigned>((threads + threads_per_block - 1) / threads_per_block);
}

unsigned all_blocks(const Stream& stream, int blocks_per_multiprocessor) {
  return static_cast<unsigned>(multiprocessors_of(stream.device()) * blocks_per_multiprocessor);
}

}  // namespace

void queue_keys(Class size, const Range& range, Key* keys, const Stream& stream) {
  const std::int64_t threads = range.size() / keys_per_thread;
  if (threads == 0) {
    return;
  }
  const Generator first(common_seed, static_cast<std::uint64_t>(draws_per_key * range.begin));
  const std::uint64_t jump = generator_jump(static_cast<std::uint64_t>(draws_per_key * threads));
  launch(stream, {dim3(blocks_for(threads)), dim3(threads_per_block)}, generate_kernel,
         first.state(), is_parameters(size).log2_values, threads, jump, keys);
}

void queue_value_counts(const Key* keys, std::int64_t count, std::int64_t values,
                        std::uint32_t* counts, const Stream& stream) {
  fill_bytes(counts, 0, static_cast<std::size_t>(values) * sizeof *counts, stream);
  launch(stream, {dim3(all_blocks(stream, 8)), dim3(threads_per_block)}, count_values_kernel, keys,
         count, counts);
}

bool ascend_by_rank(const std::uint32_t* ranks, const std::uint32_t* counts, std::int64_t values,
                    const Range& places, const Stream& stream) {
  const Buffer<unsigned> wrong(MemorySpace::device, 1);
  fill_bytes(wrong.data(), 0, wrong.bytes(), stream);
  launch(stream, {dim3(blocks_for(values)), dim3(threads_per_block)}, compare_kernel, ranks, counts,
         values, places, wrong.data());
  unsigned number = 0;
  copy_bytes(&number, wrong.data(), sizeof number, stream);
  stream.synchronize();
  return number == 0;
}

void queue_changes(Key* keys, const std::array<Change, 2>& changes, const Stream& stream) {
  launch(stream, {dim3(1), dim3(1)}, change_kernel, keys, TwoChanges{changes[0], changes[1]});
}

void queue_perturbation(std::uint32_t* ranks, std::int64_t values, double epsilon,
                        const Stream& stream) {
  if (values > 0) {
    launch(stream, {dim3(blocks_for(values)), dim3(threads_per_block)}, perturb_kernel, ranks,
           values, epsilon);
  }
}

void queue_tests(const RankTests& tests, const std::uint32_t* ranks, const Range& values,
                 std::uint32_t* right_ranks, const Stream& stream) {
  launch(stream, {dim3(1), dim3(is_tests)}, test_kernel, tests, ranks, values, right_ranks);
}

}  // namespace bankfull::npb::is::cuda
