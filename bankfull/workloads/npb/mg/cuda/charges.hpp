#pragma once

#include "bankfull/core/exec/stream.hpp"
#include "bankfull/workloads/npb/mg/mg.hpp"

#include <cstdint>
#include <functional>

namespace bankfull::npb::mg::cuda {

/// Collective: `find_charges` on GPUs. Each rank draws its share of the random numbers there, keeps
/// those near 0 and 1, and orders these few of all ranks on the host.
Charges find_charges(Class size, const Stream& stream, const Communicator& ranks);

/// Queues setting v, GPU memory, to the charges, at the offsets that `offset_of` gives for points;
/// a negative one says that a point is elsewhere.
void queue_charges(const Charges& charges,
                   const std::function<std::int64_t(const Point&)>& offset_of, double* v,
                   const Stream& stream);

}  // namespace bankfull::npb::mg::cuda
