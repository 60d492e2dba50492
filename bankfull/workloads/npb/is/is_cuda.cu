#include "bankfull/workloads/npb/is/cuda/ranking.cuh"
#include "bankfull/workloads/npb/is/cuda/ranking_on_ranks.cuh"

namespace bankfull::npb::is {
namespace {

// Rings are so large that a batch hardly ever finds one full: nearly three times as many keys as on
// average go to the buckets in the middle, and nearly a unit waits there.

/// Buckets of at most 2^14 values, of which several fit a multiprocessor.
using Narrow = cuda::PartitionShape<1024, 512, 32, 128, 8, 1>;

/// The same with units of a whole line, which links between GPUs carry best.
using NarrowOnRanks = cuda::PartitionShape<1024, 512, 64, 128, 8, 1>;

/// Buckets of 2^16 values, for many values.
using Wide = cuda::PartitionShape<1024, 2048, 16, 48, 16, 1>;

/// With batches that leave registers for what tells where messages go.
using WideOnRanks = cuda::PartitionShape<1024, 2048, 16, 48, 8, 1>;

constexpr int most_narrow_values = 23;

bool is_narrow(Class size) { return is_parameters(size).log2_values <= most_narrow_values; }

}  // namespace

std::int64_t cuda_memory_bytes(const Problem& problem, int ranks) {
  const int multiprocessors = multiprocessors_of(problem.device);
  if (ranks > 1) {
    return is_narrow(problem.size)
               ? cuda::bytes_on_ranks<NarrowOnRanks>(problem.size, ranks, multiprocessors)
               : cuda::bytes_on_ranks<WideOnRanks>(problem.size, ranks, multiprocessors);
  }
  return is_narrow(problem.size) ? cuda::RankingSize<Narrow>(problem.size, multiprocessors).bytes()
                                 : cuda::RankingSize<Wide>(problem.size, multiprocessors).bytes();
}

std::unique_ptr<Benchmark> make_cuda(const Problem& problem, const Communicator& ranks) {
  // A rank's buckets are so few that a block has a multiprocessor.
  using OnRanks = cuda::RankShape<1024, 1>;
  if (ranks.size() > 1) {
    if (is_narrow(problem.size)) {
      return std::make_unique<cuda::CudaRankingOnRanks<NarrowOnRanks, OnRanks>>(problem, ranks);
    }
    return std::make_unique<cuda::CudaRankingOnRanks<WideOnRanks, OnRanks>>(problem, ranks);
  }
  if (is_narrow(problem.size)) {
    return std::make_unique<cuda::CudaRanking<Narrow, cuda::RankShape<512, 2>>>(problem.size,
                                                                                problem.device);
  }
  return std::make_unique<cuda::CudaRanking<Wide, cuda::RankShape<1024, 1>>>(problem.size,
                                                                             problem.device);
}

}  // namespace bankfull::npb::is
