#include "tests/workloads/hpcg/hash_orders.hpp"

#include "bankfull/workloads/hpcg/cuda/variants/permuted_backend.cuh"

namespace bankfull::hpcg {

std::vector<std::vector<std::int32_t>> hash_orders(const Problem& problem,
                                                   const Communicator& ranks,
                                                   const std::vector<HostCsr>& matrices) {
  const Stream stream(problem.device);
  const CudaExecutor executor(stream);
  const auto levels = make_levels(executor, problem, ranks.size(), ranks.rank(), matrices);
  std::vector<std::vector<std::int32_t>> orders;
  for (const PermutedLevel& level : cuda::colour_levels_by_hash(executor, levels)) {
    orders.push_back(executor.to_host(level.old_of.data(), level.rows));
  }
  return orders;
}

}  // namespace bankfull::hpcg
