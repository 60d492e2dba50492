#pragma once

#include "bankfull/core/measure/experiment.hpp"
#include "bankfull/core/measure/streams.hpp"
#include "bankfull/workloads/probe/plan.hpp"
#include "bankfull/workloads/probe/time_budget.hpp"

namespace bankfull::probe {

/// Everything that is measured about bandwidth, appended to the result, in this order: contents of
/// every pattern (checks), bandwidth by working set (series), at the largest working set
/// (measurements), by threads or by launch shape, by concurrent streams (series), and on a GPU the
/// copies that the stream copy is compared with and those between host and device (measurements).
void measure_bandwidth(const Plan& plan, const RunContext& context, Experiment& experiment,
                       RunResult& result);

/// Whole blocks of elements that bring a pass over all arrays of a pattern nearest below a working
/// set; at least one block per thread.
std::int64_t elements_of(const StreamPattern& pattern, std::int64_t working_set, int threads);

/// Bytes per second of the fastest of `repeats` samples of one size. A sample takes as many passes
/// as fill a fraction of a millisecond, so that small sets stay in their cache and the resolution
/// of the clock does not matter.
double best_bandwidth(Streams& streams, const StreamPattern& pattern, std::int64_t elements,
                      int repeats);

/// A launch shape, and the bytes per second with it.
struct FastestGrid {
  StreamGrid grid;
  double bandwidth = 0.0;
};

/// The one in which a pattern is fastest, of those tried on a GPU by default; a CPU has one. Each
/// is measured by `best_bandwidth`.
FastestGrid fastest_grid(Device device, Streams& streams, const StreamPattern& pattern,
                         std::int64_t elements, int repeats);

// The parts of `measure_bandwidth`, besides the patterns by working set.

/// CPU: bandwidth from memory by number of threads, a series per pattern.
void measure_team_sizes(const Problem& problem, const TimeBudget& budget, const RunContext& context,
                        RunResult& result);

/// GPU: bandwidth from memory by number of blocks, a series per operation and threads per block.
void measure_grids(const Problem& problem, const RunContext& context, RunResult& result);

/// Multi-stream copy of the 2008 paper: bandwidth from memory by number of concurrent streams, a
/// series per precision and kind of store, and the checks that all elements arrive.
void measure_n_copy(const Problem& problem, const TimeBudget& budget, const RunContext& context,
                    RunResult& result);

/// GPU: the stream copy, alternating with a plain kernel and cudaMemcpyAsync, and copies between
/// host and device. A measurement each, and the checks that the bytes arrive.
void measure_copies(const Problem& problem, const RunContext& context, Experiment& experiment,
                    RunResult& result);

}  // namespace bankfull::probe
