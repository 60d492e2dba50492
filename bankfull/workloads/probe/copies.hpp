#pragma once

#include "bankfull/core/measure/experiment.hpp"
#include "bankfull/workloads/probe/problem.hpp"

namespace bankfull::probe {

/// GPU: the stream copy in turn with a plain kernel and cudaMemcpyAsync, and copies between host
/// and device. A measurement each, and the checks that the bytes arrive.
void measure_copies(const Problem& problem, Progress& progress, Experiment& experiment,
                    RunResult& result);

}  // namespace bankfull::probe
