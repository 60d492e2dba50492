#pragma once

#include "bankfull/workloads/convection/plan.hpp"
#include "bankfull/workloads/convection/run.hpp"

namespace bankfull::convection {

/// What the samples of a run take: batches of profiles and spectra, what one of them is formed in
/// and errors are found from, and what probes know of their points.
OutputNeeds sample_bytes(const Problem& problem, const Cadence& cadence);

}  // namespace bankfull::convection
