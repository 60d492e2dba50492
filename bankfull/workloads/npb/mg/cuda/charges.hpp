#pragma once

#include "bankfull/core/exec/stream.hpp"
#include "bankfull/workloads/npb/mg/mg.hpp"

namespace bankfull::npb::mg::cuda {

/// `find_charges` on a GPU: draws all random numbers there, keeps those near 0 and 1 and orders
/// these few on the host.
Charges find_charges(Class size, const Stream& stream);

/// Queues v = 0 but for the charges; `v` is GPU memory of side^3 points.
void queue_charges(const Charges& charges, std::int64_t side, double* v, const Stream& stream);

}  // namespace bankfull::npb::mg::cuda
