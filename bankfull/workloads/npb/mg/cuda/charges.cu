#include "bankfull/workloads/npb/mg/cuda/charges.hpp"

#include "bankfull/core/base/error.hpp"
#include "bankfull/core/exec/launch.cuh"
#include "bankfull/core/exec/team.hpp"
#include "bankfull/core/memory/buffer.hpp"
#include "bankfull/workloads/npb/generator.hpp"

#include <algorithm>

namespace bankfull::npb::mg::cuda {
namespace {

/// A random number near an end of (0, 1): its state, and its place in the sequence.
struct Candidate {
  std::uint64_t state;
  std::int64_t position;
};

/// Results of a search; `count` may exceed the capacity.
struct Found {
  static constexpr unsigned capacity = 1024;
  unsigned count;
  Candidate candidates[capacity];
};

constexpr int charge_count = 10;  ///< of either sign
constexpr int draws_per_thread = 512;
constexpr int threads_per_block = 256;

/// Notes those of the numbers [begin, end) whose states are at most `depth` from either end.
__global__ void __launch_bounds__(threads_per_block)
    search_kernel(std::int64_t begin, std::int64_t end_of_all, std::uint64_t depth, Found* found) {
  const std::int64_t thread = std::int64_t{blockIdx.x} * threads_per_block + threadIdx.x;
  const std::int64_t first = begin + thread * draws_per_thread;
  Generator generator(common_seed, static_cast<std::uint64_t>(first));
  const std::int64_t end = min(first + draws_per_thread, end_of_all);
  for (std::int64_t n = first; n < end; ++n) {
    generator.draw();
    const std::uint64_t state = generator.state();
    // Wraps around below 0: one comparison for both ends.
    if (((state + depth) & (generator_modulus - 1)) <= 2 * depth) {
      const unsigned place = atomicAdd(&found->count, 1U);
      if (place < Found::capacity) {
        found->candidates[place] = {state, n};
      }
    }
  }
}

/// Collective. The numbers at most `depth` from either end, of which each rank searches a share;
/// none if a rank finds more than fit.
std::vector<Candidate> candidates_of(std::int64_t count, std::uint64_t depth,
                                     const Communicator& ranks, const Stream& stream) {
  const Buffer<Found> found(MemorySpace::device, 1);
  fill_bytes(found.data(), 0, found.bytes(), stream);
  const Range mine = share(count, ranks.rank(), ranks.size());
  const std::int64_t threads = (mine.size() + draws_per_thread - 1) / draws_per_thread;
  launch(stream,
         {dim3(static_cast<unsigned>((threads + threads_per_block - 1) / threads_per_block)),
          dim3(threads_per_block)},
         search_kernel, mine.begin, mine.end, depth, found.data());
  Found own{};
  copy_bytes(&own, found.data(), sizeof own, stream);
  stream.synchronize();
  if (!ranks.all(own.count <= Found::capacity)) {
    return {};
  }
  std::vector<Candidate> all;
  for (const auto& part :
       ranks.all_gather(std::vector<Candidate>(own.candidates, own.candidates + own.count))) {
    all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}

/// Whether the charges of both ends are among the candidates, which ascend.
bool suffices(const std::vector<Candidate>& candidates) {
  const auto middle =
      std::lower_bound(candidates.begin(), candidates.end(), generator_modulus / 2,
                       [](const Candidate& a, std::uint64_t state) { return a.state < state; });
  return middle - candidates.begin() >= charge_count && candidates.end() - middle >= charge_count;
}

/// Collective. The numbers near either end, by size: all charges are among them.
std::vector<Candidate> candidates_of(std::int64_t count, const Communicator& ranks,
                                     const Stream& stream) {
  // The expected number at each end.
  for (const std::uint64_t expected : {64U, 128U, 256U, 32U}) {
    std::vector<Candidate> candidates = candidates_of(
        count, generator_modulus / static_cast<std::uint64_t>(count) * expected, ranks, stream);
    std::sort(candidates.begin(), candidates.end(),
              [](const Candidate& a, const Candidate& b) { return a.state < b.state; });
    if (suffices(candidates)) {
      return candidates;
    }
  }
  throw RuntimeFailure("the charges of npb mg were not found");
}

Point point_of(std::int64_t position, std::int64_t side) {
  return {position % side, position / side % side, position / (side * side)};
}

/// The positive charges, then the negative ones; negative offsets for those that are elsewhere.
struct Spots {
  std::int64_t offset[2 * charge_count];
};

__global__ void charge_kernel(const __grid_constant__ Spots spots, double* v) {
  const std::int64_t offset = spots.offset[threadIdx.x];
  if (offset >= 0) {
    v[offset] = threadIdx.x < charge_count ? 1.0 : -1.0;
  }
}

}  // namespace

Charges find_charges(Class size, const Stream& stream, const Communicator& ranks) {
  const std::int64_t side = mg_parameters(size).side;
  const std::vector<Candidate> ascending = candidates_of(side * side * side, ranks, stream);
  Charges charges{};
  for (std::size_t n = 0; n < charge_count; ++n) {
    charges.negative[n] = point_of(ascending[n].position, side);
    charges.positive[n] = point_of(ascending[ascending.size() - 1 - n].position, side);
  }
  return charges;
}

void queue_charges(const Charges& charges,
                   const std::function<std::int64_t(const Point&)>& offset_of, double* v,
                   const Stream& stream) {
  Spots spots{};
  for (std::size_t n = 0; n < charge_count; ++n) {
    spots.offset[n] = offset_of(charges.positive[n]);
    spots.offset[n + charge_count] = offset_of(charges.negative[n]);
  }
  launch(stream, {dim3(1), dim3(2 * charge_count)}, charge_kernel, spots, v);
}

}  // namespace bankfull::npb::mg::cuda
