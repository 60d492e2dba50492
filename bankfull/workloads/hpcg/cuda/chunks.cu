#include "bankfull/workloads/hpcg/cuda/chunks.cuh"

#include "bankfull/core/base/error.hpp"
#include "bankfull/core/base/expects.hpp"
#include "bankfull/core/base/gpu_arch.hpp"

#include <bit>

namespace bankfull::hpcg::cuda {
namespace {

constexpr int threads = static_cast<int>(tile_rows);
constexpr std::int32_t vacant = -1;
constexpr std::int32_t table_size = 512;

/// The place of a chunk in an empty table. Chunks side by side have places side by side; those of
/// different classes, which often lie multiples of the table apart, do not share theirs.
__device__ std::int32_t first_place(std::int32_t chunk) {
  constexpr std::int32_t between_tables = 73;
  return (chunk + chunk / table_size * between_tables) % table_size;
}

/// A set of chunks in shared memory, by open addressing; a full one takes no more.
__device__ void insert(std::int32_t* table, std::int32_t chunk) {
  const std::int32_t first = first_place(chunk);
  for (std::int32_t n = 0; n < table_size; ++n) {
    std::int32_t* const place = table + (first + n) % table_size;
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

/// Inserts the chunks, of 2^chunk_bits rows, that hold the columns of a row. All lanes of a warp
/// call it for the rows of a slice.
__device__ void insert_columns(const SlicedView<FullColumns>& part, std::int64_t row,
                               int chunk_bits, std::int32_t* table) {
  constexpr int at_once = 8;
  const std::int64_t slice = row / slice_height;
  const std::int64_t lane = row % slice_height;
  const std::int64_t end = part.slot[slice + 1];
  for (std::int64_t slot = part.slot[slice]; slot < end; slot += at_once) {
    std::int32_t chunk[at_once];
#pragma unroll
    for (int n = 0; n < at_once; ++n) {
      const std::int64_t mine = min(slot + n, end - 1);
      chunk[n] = part.columns.column[mine * slice_height + lane] >> chunk_bits;
    }
#pragma unroll
    for (int n = 0; n < at_once; ++n) {
      const std::int32_t beside = __shfl_up_sync(~0U, chunk[n], 1);
      if (lane == 0 || chunk[n] != beside) {
        insert(table, chunk[n]);
      }
    }
  }
}

/// One block finds what one chunk depends on.
__global__ void __launch_bounds__(threads)
    find_dependences(SlicedView<FullColumns> part, int chunk_bits, const std::int32_t* position,
                     std::int32_t* list, std::int32_t* reach, std::int32_t* most) {
  __shared__ std::int32_t table[table_size];
  for (int n = static_cast<int>(threadIdx.x); n < table_size; n += threads) {
    table[n] = vacant;
  }
  __syncthreads();
  const std::int64_t begin = std::int64_t{blockIdx.x} << chunk_bits;
  const std::int64_t end = begin + (std::int64_t{1} << chunk_bits);
  for (std::int64_t row = begin + threadIdx.x; row < end; row += threads) {
    insert_columns(part, row, chunk_bits, table);
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

/// Whether every tile fits a pipeline's ring, with all its slots and four vectors, and one word
/// tells the places of their values.
bool tiles_fit(const CudaExecutor& executor, const ColouredLevel& level) {
  const auto most = executor.make<std::int32_t>(1);
  executor.fill(most.data(), 1, std::int32_t{0});
  executor.each(level.rows() / tile_rows,
                MostSlots{level.lower.slot.data(), level.upper.slot.data(), most.data()});
  constexpr std::int64_t slot_bytes = slice_height * (sizeof(double) + sizeof(std::int32_t));
  constexpr std::int64_t vector_bytes = 4 * tile_rows * sizeof(double);
  constexpr std::int64_t placed_slots = 31 * value_block_slots<slice_height> + 1;
  const std::int64_t slots = executor.to_host(most.data(), 1).front();
  return slots * slot_bytes + vector_bytes <= ring_bytes && slots <= placed_slots;
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
  const auto rows = static_cast<std::uint64_t>(plan.rows);
  expects(std::has_single_bit(rows), "chunks have a power of two rows");
  const int chunk_bits = std::countr_zero(rows);
  const auto find = [&](const Sliced& part, Dependences& result) {
    result = executor.make<std::int32_t>(plan.chunks * max_dependences);
    launch(executor.stream(), {dim3(static_cast<unsigned>(plan.chunks)), dim3(threads)},
           find_dependences, part.full_view(), chunk_bits,
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

/// The chunks of the interiors and boundaries of all classes, whose rows are in the matrix's own
/// order, so that positions ascend; plain data for kernels.
struct ChunkRuns {
  int count = 0;
  Range run[2 * hpcg::detail::max_classes] = {};

  [[nodiscard]] __host__ __device__ std::int64_t chunks() const {
    std::int64_t sum = 0;
    for (int n = 0; n < count; ++n) {
      sum += run[n].size();
    }
    return sum;
  }
};

ChunkRuns runs_of(const ColouredLevel& level, std::int64_t chunk_rows) {
  ChunkRuns runs;
  std::int64_t end = 0;
  const auto add = [&](const Range& rows) {
    const Range chunks{rows.begin / chunk_rows, (rows.end + chunk_rows - 1) / chunk_rows};
    expects(rows.begin % chunk_rows == 0 && chunks.begin == end,
            "classes begin with chunks, and follow each other");
    runs.run[runs.count++] = chunks;
    end = chunks.end;
  };
  expects(level.order.classes.size() <= hpcg::detail::max_classes, "classes have their runs");
  for (const RowClass& rows : level.order.classes) {
    add(rows.interior);
    add(rows.boundary);
  }
  return runs;
}

/// Places chunks in the order of a sweep, by how many come before: each class follows the previous
/// one at a distance, far enough that the values it needs are complete, and no further, so that x
/// is still in the cache.
struct PlaceChunks {
  ChunkRuns runs;
  const std::int32_t* position;
  std::int64_t distance;
  std::int64_t of_half0;  ///< chunks of half 0, where `order` has two lists; else 0
  std::int32_t* order;
  std::int32_t* first;
  std::int32_t* rest;

  __device__ void operator()(std::int64_t chunk) const {
    const int own = run_of(chunk);
    const std::int64_t place = place_of(own, chunk);
    std::int64_t before = 0;
    std::int64_t before_of_half = half_of_chunk(chunk) * of_half0;
    for (int n = 0; n < runs.count; ++n) {
      const std::int64_t begin = runs.run[n].begin;
      const std::int64_t ahead = before_in(n, place, chunk);
      before += ahead;
      before_of_half += (ahead + (begin + chunk + 1) % 2) / 2;
    }
    const auto number = static_cast<std::int32_t>(chunk);
    order[of_half0 > 0 ? before_of_half : before] = number;
    const std::int64_t of_first = before_in(0, place, chunk);
    if (own == 0) {
      first[of_first] = number;
    } else {
      rest[before - of_first] = number;
    }
  }

 private:
  /// The run that holds a chunk: all follow each other, and the last one ends with the last chunk.
  [[nodiscard]] __device__ int run_of(std::int64_t chunk) const {
    int n = 0;
    while (n + 1 < runs.count && chunk >= runs.run[n].end) {
      ++n;
    }
    return n;
  }

  [[nodiscard]] __device__ std::int64_t place_of(int run, std::int64_t chunk) const {
    return position[chunk] + run / 2 * distance;
  }

  /// Chunks of a run with lower places, or with the same and lower numbers.
  [[nodiscard]] __device__ std::int64_t before_in(int run, std::int64_t place,
                                                  std::int64_t chunk) const {
    Range left = runs.run[run];
    while (left.begin < left.end) {
      const std::int64_t middle = (left.begin + left.end) / 2;
      const std::int64_t there = place_of(run, middle);
      const bool comes_before = there < place || (there == place && middle < chunk);
      left = comes_before ? Range{middle + 1, left.end} : Range{left.begin, middle};
    }
    return left.begin - runs.run[run].begin;
  }
};

/// Queues the orders of a plan.
void order_chunks(const CudaExecutor& executor, const ColouredLevel& level,
                  const Buffer<std::int32_t>& position, std::int64_t distance, ChunkPlan& plan) {
  const ChunkRuns runs = runs_of(level, plan.rows);
  const std::int64_t chunks = runs.chunks();
  expects(chunks == plan.chunks, "every chunk is of a class");
  const std::int64_t of_first = runs.run[0].size();
  plan.order = executor.make<std::int32_t>(chunks);
  plan.first = executor.make<std::int32_t>(of_first);
  plan.rest = executor.make<std::int32_t>(chunks - of_first);
  const bool by_halves =
      plan.sweeps == Sweeps::pipelined && plan.halves != nullptr && plan.halves->apart();
  plan.of_half1 = by_halves ? static_cast<unsigned>(chunks / 2) : 0U;
  executor.each(chunks,
                PlaceChunks{runs, position.data(), distance, by_halves ? chunks - chunks / 2 : 0,
                            plan.order.data(), plan.first.data(), plan.rest.data()});
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

std::int64_t chunk_plan_bytes(std::int64_t rows, std::int64_t chunk_rows) {
  // Dependences of both parts; position, order, first and rest; the flags of both sweeps.
  constexpr std::int64_t chunk_bytes =
      2 * max_dependences * sizeof(std::int32_t) + 4 * sizeof(std::int32_t) + 2 * sizeof(unsigned);
  constexpr std::int64_t ends_of_arrays = 1 << 14;
  return (rows / chunk_rows + 2 * std::int64_t{hpcg::detail::max_classes}) * chunk_bytes +
         ends_of_arrays;
}

ChunkPlan plan_chunks(const CudaExecutor& executor, const ColouredLevel& level,
                      std::int64_t chunk_rows, Sweeps sweeps,
                      const std::shared_ptr<const L2Halves>& halves) {
  ChunkPlan plan;
  plan.halves = halves;
  plan.rows = chunk_rows;
  plan.chunks = level.rows() / chunk_rows;
  const auto classes = static_cast<std::int64_t>(level.order.classes.size());
  const auto position = executor.make<std::int32_t>(plan.chunks);
  executor.each(plan.chunks, PositionOf{level.order.old_of.data(), chunk_rows, chunk_rows * classes,
                                        position.data()});
  const Reach reach = find_all(executor, level, position, plan);
  plan.sweeps = way_of(executor, level, plan, reach, sweeps);
  const std::int64_t distance = reach.distance + 1 + chunks_at_once(executor, plan) / classes;
  order_chunks(executor, level, position, distance, plan);
  settle_flags(executor, plan);
  return plan;
}

}  // namespace bankfull::hpcg::cuda
