#pragma once

#include "bankfull/core/comm/communicator.hpp"
#include "bankfull/numerics/sparse/csr.hpp"
#include "bankfull/workloads/hpcg/problem.hpp"

#include <cstdint>
#include <vector>

namespace bankfull::hpcg {

/// For each level this rank's rows in the order in which the paper's coloured versions sweep them
/// on the problem's GPU. Matrices are as for `make_system`.
std::vector<std::vector<std::int32_t>> hash_orders(const Problem& problem,
                                                   const Communicator& ranks,
                                                   const std::vector<HostCsr>& matrices);

}  // namespace bankfull::hpcg
