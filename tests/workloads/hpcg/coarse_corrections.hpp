#pragma once

#include "bankfull/workloads/hpcg/problem.hpp"

#include <cstddef>
#include <vector>

namespace bankfull::hpcg {

/// What the cycle from a level on adds to x of the next finer one, from random vectors.
struct CoarseCorrections {
  std::vector<double> by_kernels = {};           ///< kernel by kernel
  std::vector<std::vector<double>> by_one = {};  ///< several times by the fused cycle, if any
};

/// On the problem's GPU, on one rank.
CoarseCorrections coarse_corrections(const Problem& problem, std::size_t first);

}  // namespace bankfull::hpcg
