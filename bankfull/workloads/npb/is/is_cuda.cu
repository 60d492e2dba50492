#include "bankfull/workloads/npb/is/cuda/ranking.cuh"
#include "bankfull/workloads/npb/is/cuda/ranking_on_ranks.cuh"
#include "bankfull/workloads/npb/is/cuda/shapes.cuh"

namespace bankfull::npb::is {
namespace {

using cuda::CountOnRanks;
using cuda::CudaRanking;
using cuda::CudaRankingOnRanks;
using cuda::Narrow;
using cuda::Wide;

constexpr int max_narrow_values = 23;

bool is_narrow(Class size) { return is_parameters(size).log2_values <= max_narrow_values; }

}  // namespace

std::int64_t cuda_memory_bytes(const Problem& problem, int ranks) {
  const int multiprocessors = multiprocessors_of(problem.device);
  if (ranks > 1) {
    return is_narrow(problem.size)
               ? cuda::bytes_on_ranks<Narrow>(problem.size, ranks, multiprocessors)
               : cuda::bytes_on_ranks<Wide>(problem.size, ranks, multiprocessors);
  }
  return is_narrow(problem.size) ? cuda::RankingSize<Narrow>(problem.size, multiprocessors).bytes()
                                 : cuda::RankingSize<Wide>(problem.size, multiprocessors).bytes();
}

std::unique_ptr<Ranking> make_cuda(const Problem& problem, const Communicator& ranks) {
  if (ranks.size() > 1) {
    if (is_narrow(problem.size)) {
      return std::make_unique<CudaRankingOnRanks<Narrow, CountOnRanks, cuda::SumNarrow>>(problem,
                                                                                         ranks);
    }
    return std::make_unique<CudaRankingOnRanks<Wide, CountOnRanks, cuda::SumWide>>(problem, ranks);
  }
  if (is_narrow(problem.size)) {
    return std::make_unique<CudaRanking<Narrow, cuda::RankNarrow>>(problem);
  }
  return std::make_unique<CudaRanking<Wide, cuda::RankWide>>(problem);
}

}  // namespace bankfull::npb::is
