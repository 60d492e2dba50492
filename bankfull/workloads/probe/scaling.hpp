#pragma once

#include "bankfull/core/measure/progress.hpp"
#include "bankfull/core/measure/run_result.hpp"
#include "bankfull/workloads/probe/problem.hpp"

namespace bankfull::probe {

/// CPU: bandwidth from memory by number of threads, a series per pattern.
void measure_team_sizes(const Problem& problem, Progress& progress, RunResult& result);

/// GPU: bandwidth from memory by number of blocks, a series per operation and threads per block.
void measure_grids(const Problem& problem, Progress& progress, RunResult& result);

/// Multi-stream copy of the 2008 paper: bandwidth from memory by number of concurrent streams, a
/// series per precision and way to store, and the checks that all elements arrive.
void measure_n_copy(const Problem& problem, Progress& progress, RunResult& result);

}  // namespace bankfull::probe
