#include "bankfull/workloads/hpcg/cuda/chunks.cuh"

#include <algorithm>
#include <cub/block/block_scan.cuh>
#include <numeric>

namespace bankfull::hpcg::cuda {
namespace {

constexpr int threads = static_cast<int>(chunk_rows);
constexpr std::int32_t vacant = -1;
constexpr std::int32_t table_size = 512;

/// A set of chunks in shared memory, by open addressing.
__device__ void insert(std::int32_t* table, std::int32_t chunk) {
  for (std::int32_t n = 0; n < table_size; ++n) {
    std::int32_t* const place = table + (chunk + n) % table_size;
    const std::int32_t there = atomicCAS(place, vacant, chunk);
    if (there == vacant || there == chunk) {
      return;
    }
  }
}

/// One block finds what one chunk depends on.
__global__ void __launch_bounds__(threads)
    find_dependences(SlicedView<FullColumns> part, const std::int32_t* position,
                     std::int32_t* count, std::int32_t* list, std::int32_t* reach,
                     std::int32_t* most) {
  __shared__ std::int32_t table[table_size];
  for (int n = static_cast<int>(threadIdx.x); n < table_size; n += threads) {
    table[n] = vacant;
  }
  __syncthreads();
  const std::int64_t row = std::int64_t{blockIdx.x} * chunk_rows + threadIdx.x;
  const std::int64_t slice = row / slice_height;
  std::int32_t last = vacant;
  for (std::int64_t slot = part.slot[slice]; slot < part.slot[slice + 1]; ++slot) {
    const std::int32_t column = part.columns.column[slot * slice_height + row % slice_height];
    const auto chunk = static_cast<std::int32_t>(column / chunk_rows);
    if (chunk != last) {
      insert(table, chunk);
      last = chunk;
    }
  }
  __syncthreads();
  constexpr int share = table_size / threads;
  int mine = 0;
  for (int n = 0; n < share; ++n) {
    mine += table[threadIdx.x * share + n] != vacant ? 1 : 0;
  }
  using Scan = cub::BlockScan<int, threads>;
  __shared__ typename Scan::TempStorage scratch;
  int place = 0;
  int total = 0;
  Scan(scratch).ExclusiveSum(mine, place, total);
  for (int n = 0; n < share; ++n) {
    const std::int32_t chunk = table[threadIdx.x * share + n];
    if (chunk != vacant && place < most_dependences) {
      list[std::int64_t{blockIdx.x} * most_dependences + place++] = chunk;
      atomicMax(reach, abs(position[chunk] - position[blockIdx.x]));
    }
  }
  if (threadIdx.x == 0) {
    count[blockIdx.x] = total;
    atomicMax(most, total);
  }
}

/// When a chunk is visited, counted in chunks of all classes.
struct PositionOf {
  const std::int32_t* visit_of;
  std::int64_t unit;
  std::int32_t* position;

  __device__ void operator()(std::int64_t chunk) const {
    const std::int32_t visit = visit_of[chunk * chunk_rows];
    position[chunk] = static_cast<std::int32_t>((visit < 0 ? 0 : visit) / unit);
  }
};

/// Which chunks must be done before which, and how far apart these are at most.
struct Reach {
  std::int32_t distance = 0;
  std::int32_t most = 0;  ///< dependences of a chunk
};

Reach find_all(const CudaExecutor& executor, const ColouredLevel& level,
               const Buffer<std::int32_t>& position, ChunkPlan& plan) {
  const auto found = executor.make<std::int32_t>(2);
  executor.fill(found.data(), 2, std::int32_t{0});
  const auto find = [&](const Sliced& part, Dependences& result) {
    result.count = executor.make<std::int32_t>(plan.chunks);
    result.chunk = executor.make<std::int32_t>(plan.chunks * most_dependences);
    launch(executor.stream(), {dim3(static_cast<unsigned>(plan.chunks)), dim3(threads)},
           find_dependences, part.full_view(), static_cast<const std::int32_t*>(position.data()),
           result.count.data(), result.chunk.data(), found.data(), found.data() + 1);
  };
  find(level.lower, plan.lower);
  find(level.upper, plan.upper);
  const auto values = executor.to_host(found.data(), 2);
  return {values[0], values[1]};
}

std::int64_t multiprocessors_of(const CudaExecutor& executor) {
  int multiprocessors = 0;
  cuda_check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount,
                                    executor.stream().device().index),
             "counting multiprocessors");
  return multiprocessors;
}

/// Blocks of a sweep that a GPU runs at the same time, at most.
std::int64_t blocks_at_once(const CudaExecutor& executor) {
  constexpr std::int64_t blocks_each = 2048 / threads;
  return multiprocessors_of(executor) * blocks_each;
}

/// Each class follows the one before it at a distance: far enough that what it needs is done when
/// it arrives, and no further, so that it finds x in the cache.
std::vector<std::int32_t> wave_order(const ColouredLevel& level,
                                     const std::vector<std::int32_t>& position,
                                     std::int64_t distance) {
  std::vector<std::int64_t> key(position.size());
  for (std::size_t number = 0; number < level.order.classes.size(); ++number) {
    const Range rows = level.order.classes[number].all();
    for (std::int64_t n = rows.begin / chunk_rows; n * chunk_rows < rows.end; ++n) {
      const auto chunk = static_cast<std::size_t>(n);
      key[chunk] = position[chunk] + static_cast<std::int64_t>(number) * distance;
    }
  }
  std::vector<std::int32_t> order(position.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
    return key[static_cast<std::size_t>(a)] < key[static_cast<std::size_t>(b)];
  });
  return order;
}

Buffer<std::int32_t> on_device(const CudaExecutor& executor,
                               const std::vector<std::int32_t>& values) {
  auto buffer = executor.make<std::int32_t>(static_cast<std::int64_t>(values.size()));
  executor.from_host(values, buffer.data());
  return buffer;
}

}  // namespace

ChunkPlan plan_chunks(const CudaExecutor& executor, const ColouredLevel& level) {
  ChunkPlan plan;
  plan.chunks = level.rows() / chunk_rows;
  const auto classes = static_cast<std::int64_t>(level.order.classes.size());
  const auto position = executor.make<std::int32_t>(plan.chunks);
  executor.each(plan.chunks,
                PositionOf{level.order.visit_of.data(), chunk_rows * classes, position.data()});
  const Reach reach = find_all(executor, level, position, plan);
  plan.waits = reach.most <= most_dependences;
  plan.small = plan.chunks <= 2 * multiprocessors_of(executor);
  const std::int64_t distance = reach.distance + 1 + blocks_at_once(executor) / classes;
  const auto order =
      wave_order(level, executor.to_host(position.data(), plan.chunks), distance);
  plan.order = on_device(executor, order);
  const std::int64_t first_end = level.order.classes.front().interior.end;
  const auto middle = [&](std::int32_t chunk) { return chunk * chunk_rows < first_end; };
  std::vector<std::int32_t> first;
  std::vector<std::int32_t> rest;
  std::partition_copy(order.begin(), order.end(), std::back_inserter(first),
                      std::back_inserter(rest), middle);
  plan.first = on_device(executor, first);
  plan.rest = on_device(executor, rest);
  plan.forward_done = executor.make<unsigned>(plan.chunks);
  plan.backward_done = executor.make<unsigned>(plan.chunks);
  executor.fill(plan.forward_done.data(), plan.chunks, 0U);
  executor.fill(plan.backward_done.data(), plan.chunks, 0U);
  return plan;
}

}  // namespace bankfull::hpcg::cuda
