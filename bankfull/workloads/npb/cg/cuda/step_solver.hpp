#pragma once

#include "bankfull/workloads/npb/benchmark.hpp"

#include <cstdint>
#include <memory>

namespace bankfull::npb::cg::cuda {

/// Conjugate gradients as a sequence of kernels, on the GPU of each rank; collective.
std::unique_ptr<Benchmark> make_step_solver(const Problem& problem, const Communicator& ranks);

/// Bytes that it allocates on the rank that needs most.
std::int64_t step_solver_bytes(const Problem& problem, int ranks);

}  // namespace bankfull::npb::cg::cuda
