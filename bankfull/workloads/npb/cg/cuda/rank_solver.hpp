#pragma once

#include "bankfull/workloads/npb/benchmark.hpp"

#include <cstdint>
#include <memory>

namespace bankfull::npb::cg::cuda {

/// Conjugate gradients on the GPUs of several ranks; collective.
std::unique_ptr<Benchmark> make_rank_solver(const Problem& problem, const Communicator& ranks);

/// Bytes that it allocates on the rank that needs most.
std::int64_t rank_solver_bytes(const Problem& problem, int ranks);

}  // namespace bankfull::npb::cg::cuda
