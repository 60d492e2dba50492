#include "bankfull/workloads/hpcg/cuda/chunks.cuh"

#include "bankfull/core/base/error.hpp"
#include "bankfull/core/base/gpu_arch.hpp"

#include <algorithm>
#include <iterator>

namespace bankfull::hpcg::cuda {
namespace {

constexpr int threads = static_cast<int>(tile_rows);
constexpr std::int32_t vacant = -1;
constexpr std::int32_t table_size = 512;

/// A set of chunks in shared memory, by open addressing; a full one takes no more.
__device__ void insert(std::int32_t* table, std::int32_t chunk) {
  for (std::int32_t n = 0; n < table_size; ++n) {
    std::int32_t* const place = table + (chunk + n) % table_size;
    // Mostly the chunk is there, and atomic operations on one word take turns where loads do not.
    if (*static_cast<const volatile std::int32_t*>(place) == chunk) {
      return;
    }
    const std::int32_t there = atomicCAS(place, vacant, chunk);
    if (there == vacant || there == chunk) {
      return;
    }
  }
}

/// Inserts the chunks that hold the columns of a row.
__device__ void insert_columns(const SlicedView<FullColumns>& part, std::int64_t row,
                               std::int64_t chunk_rows, std::int32_t* table) {
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
}

/// One block finds what one chunk depends on.
__global__ void __launch_bounds__(threads)
    find_dependences(SlicedView<FullColumns> part, std::int64_t chunk_rows,
                     const std::int32_t* position, std::int32_t* list, std::int32_t* reach,
                     std::int32_t* most) {
  __shared__ std::int32_t table[table_size];
  for (int n = static_cast<int>(threadIdx.x); n < table_size; n += threads) {
    table[n] = vacant;
  }
  __syncthreads();
  const std::int64_t begin = std::int64_t{blockIdx.x} * chunk_rows;
  for (std::int64_t row = begin + threadIdx.x; row < begin + chunk_rows; row += threads) {
    insert_columns(part, row, chunk_rows, table);
  }
  __syncthreads();
  __shared__ int found;
  if (threadIdx.x == 0) {
    found = 0;
  }
  __syncthreads();
  std::int32_t farthest = 0;
  for (int n = static_cast<int>(threadIdx.x); n < table_size; n += threads) {
    const std::int32_t chunk = table[n];
    if (chunk == vacant) {
      continue;
    }
    farthest = max(farthest, abs(position[chunk] - position[blockIdx.x]));
    const int place = atomicAdd(&found, 1);
    if (place < static_cast<int>(max_dependences)) {
      list[std::int64_t{blockIdx.x} * max_dependences + place] = chunk;
    }
  }
  __syncthreads();
  const int total = found;
  if (threadIdx.x < max_dependences && static_cast<int>(threadIdx.x) >= total) {
    list[std::int64_t{blockIdx.x} * max_dependences + threadIdx.x] = vacant;
  }
  if (farthest > *static_cast<const volatile std::int32_t*>(reach)) {
    atomicMax(reach, farthest);
  }
  if (threadIdx.x == 0 && total > *static_cast<const volatile std::int32_t*>(most)) {
    atomicMax(most, total);
  }
}

/// Raises `most` to the slots of a tile.
struct MostSlots {
  const std::int64_t* lower;
  const std::int64_t* upper;
  std::int32_t* most;

  __device__ void operator()(std::int64_t tile) const {
    const std::int64_t first = tile * (tile_rows / slice_height);
    const std::int64_t last = first + tile_rows / slice_height;
    const std::int64_t slots = lower[last] - lower[first] + upper[last] - upper[first];
    atomicMax(most, static_cast<std::int32_t>(slots));
  }
};

/// Whether every tile fits a pipeline's ring, with all its slots and four vectors.
bool tiles_fit(const CudaExecutor& executor, const ColouredLevel& level) {
  const auto most = executor.make<std::int32_t>(1);
  executor.fill(most.data(), 1, std::int32_t{0});
  executor.each(level.rows() / tile_rows,
                MostSlots{level.lower.slot.data(), level.upper.slot.data(), most.data()});
  constexpr std::int64_t slot_bytes = slice_height * (sizeof(double) + sizeof(std::int32_t));
  constexpr std::int64_t vector_bytes = 4 * tile_rows * sizeof(double);
  return executor.to_host(most.data(), 1).front() * slot_bytes + vector_bytes <= ring_bytes;
}

/// Where a chunk lies in the matrix's own order, in chunks of all classes.
struct PositionOf {
  const std::int32_t* old_of;
  std::int64_t chunk_rows;
  std::int64_t unit;
  std::int32_t* position;

  __device__ void operator()(std::int64_t chunk) const {
    const std::int32_t old = old_of[chunk * chunk_rows];
    position[chunk] = static_cast<std::int32_t>((old < 0 ? 0 : old) / unit);
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
    result = executor.make<std::int32_t>(plan.chunks * max_dependences);
    launch(executor.stream(), {dim3(static_cast<unsigned>(plan.chunks)), dim3(threads)},
           find_dependences, part.full_view(), plan.rows,
           static_cast<const std::int32_t*>(position.data()), result.data(), found.data(),
           found.data() + 1);
  };
  find(level.lower, plan.lower);
  find(level.upper, plan.upper);
  const auto values = executor.to_host(found.data(), 2);
  return {values[0], values[1]};
}

/// The kind of sweep that the chunks allow, at most `sweeps`.
Sweeps way_of(const CudaExecutor& executor, const ColouredLevel& level, const ChunkPlan& plan,
              const Reach& reach, Sweeps sweeps) {
  // If a chunk has more dependences than the table holds, some are unknown, and so is the order.
  if (sweeps == Sweeps::classes || reach.most >= table_size) {
    return Sweeps::classes;
  }
  if (plan.rows == tile_rows) {
    return Sweeps::syncfree;
  }
  const bool pipelined =
      reach.most <= static_cast<std::int32_t>(max_dependences) && tiles_fit(executor, level);
  return pipelined ? Sweeps::pipelined : Sweeps::classes;
}

/// Allocates the flags by which blocks of a pipelined sweep synchronise; other sweeps need neither
/// flags nor dependences.
void settle_flags(const CudaExecutor& executor, ChunkPlan& plan) {
  if (plan.sweeps != Sweeps::pipelined) {
    plan.lower = {};
    plan.upper = {};
    return;
  }
  for (Buffer<unsigned>* const done : {&plan.forward_done, &plan.backward_done}) {
    *done = executor.make<unsigned>(plan.chunks);
    executor.fill(done->data(), plan.chunks, 0U);
  }
}

bool has_pipeline() { return compiled_capability_of(find_dependences) >= bulk_copy_capability; }

/// Chunks that a GPU works on at the same time, with some to spare: of a pipelined sweep the one
/// whose tiles are in the ring and the next; of others the blocks that a multiprocessor holds.
std::int64_t chunks_at_once(const CudaExecutor& executor, const ChunkPlan& plan) {
  const std::int64_t chunks_each = plan.sweeps == Sweeps::pipelined ? 3 : 8;
  return chunks_each * multiprocessors_of(executor.stream().device());
}

/// Each class follows the previous one at a distance: far enough that the values it needs are
/// complete, and no further, so that x is still in the cache.
std::vector<std::int32_t> sweep_order(const ColouredLevel& level, std::int64_t chunk_rows,
                                      const std::vector<std::int32_t>& position,
                                      std::int64_t distance) {
  // Position in the upper half, chunk in the lower one: integers sort faster than pairs.
  std::vector<std::uint64_t> keys;
  keys.reserve(position.size());
  for (std::size_t number = 0; number < level.order.classes.size(); ++number) {
    const Range rows = level.order.classes[number].all();
    for (std::int64_t n = rows.begin / chunk_rows; n * chunk_rows < rows.end; ++n) {
      const std::int64_t place =
          position[static_cast<std::size_t>(n)] + static_cast<std::int64_t>(number) * distance;
      keys.push_back(static_cast<std::uint64_t>(place) << 32U | static_cast<std::uint64_t>(n));
    }
  }
  std::sort(keys.begin(), keys.end());
  std::vector<std::int32_t> order(keys.size());
  std::transform(keys.begin(), keys.end(), order.begin(),
                 [](std::uint64_t key) { return static_cast<std::int32_t>(key & 0xffffffffU); });
  return order;
}

Buffer<std::int32_t> on_device(const CudaExecutor& executor,
                               const std::vector<std::int32_t>& values) {
  auto buffer = executor.make<std::int32_t>(static_cast<std::int64_t>(values.size()));
  executor.from_host(values, buffer.data());
  return buffer;
}

}  // namespace

void require_sweeps(const Stream& stream, Sweeps sweeps) {
  if (sweeps == Sweeps::pipelined && !has_pipeline()) {
    throw UsageError("--sweeps pipelined needs a GPU of compute capability 9.0 and code for it; " +
                         to_string(stream.device()) + " or this build has none",
                     "use --sweeps auto");
  }
}

std::int64_t chunk_rows_of(const Stream& stream, Sweeps sweeps, std::int64_t rows) {
  // With fewer chunks each multiprocessor begins and ends a sweep for much of the time: at 128^3,
  // with 15, synchronisation-free sweeps were faster.
  constexpr std::int64_t fewest_chunks_each = 32;
  const bool large =
      rows / wide_chunk_rows >= fewest_chunks_each * multiprocessors_of(stream.device());
  const bool pipelined = sweeps == Sweeps::pipelined || (sweeps == Sweeps::automatic && large);
  return pipelined && has_pipeline() ? wide_chunk_rows : tile_rows;
}

ChunkPlan plan_chunks(const CudaExecutor& executor, const ColouredLevel& level,
                      std::int64_t chunk_rows, Sweeps sweeps) {
  ChunkPlan plan;
  plan.rows = chunk_rows;
  plan.chunks = level.rows() / chunk_rows;
  const auto classes = static_cast<std::int64_t>(level.order.classes.size());
  const auto position = executor.make<std::int32_t>(plan.chunks);
  executor.each(plan.chunks, PositionOf{level.order.old_of.data(), chunk_rows, chunk_rows * classes,
                                        position.data()});
  const Reach reach = find_all(executor, level, position, plan);
  plan.sweeps = way_of(executor, level, plan, reach, sweeps);
  const std::int64_t distance = reach.distance + 1 + chunks_at_once(executor, plan) / classes;
  const auto order =
      sweep_order(level, chunk_rows, executor.to_host(position.data(), plan.chunks), distance);
  plan.order = on_device(executor, order);
  const std::int64_t first_end = level.order.classes.front().interior.end;
  const auto middle = [&](std::int32_t chunk) { return chunk * chunk_rows < first_end; };
  std::vector<std::int32_t> first;
  std::vector<std::int32_t> rest;
  std::partition_copy(order.begin(), order.end(), std::back_inserter(first),
                      std::back_inserter(rest), middle);
  plan.first = on_device(executor, first);
  plan.rest = on_device(executor, rest);
  settle_flags(executor, plan);
  return plan;
}

}  // namespace bankfull::hpcg::cuda
