#pragma once

#include "bankfull/core/comm/first_ranks.hpp"
#include "bankfull/core/machine/device.hpp"
#include "bankfull/core/measure/run_result.hpp"
#include "bankfull/core/measure/scaling.hpp"

#include <functional>
#include <string>
#include <vector>

namespace bankfull {

// What scaling runs of all workloads do: the same work on several numbers of ranks in turn.

/// Throws UsageError where a scaling run names no number of ranks, or more ranks than there are.
void require_rank_counts(const std::vector<int>& counts, const Communicator& world);

/// Throws UsageError where fewer ranks cannot have the cores of all, as --same-cores asks for: on
/// GPUs, and beyond one node.
void require_same_cores(Device device, const Communicator& world);

/// What is to be said where the threads of a case are not as many as those of all; else "".
std::string note_on_threads(int ranks, int threads_per_rank, int total_threads);

/// "1 rank"
std::string ranks_text(int ranks);

/// Collective over `world`: does `body` on the first ranks of it. If those end it early, all ranks
/// throw Interrupted.
void run_on(const FirstRanks& ranks, const Communicator& world,
            const std::function<void(const Communicator&)>& body);

/// What a number of ranks reached, relative to `first`. `unit_of_work`: "iteration", "step".
void add_scaling(Scaling mode, const ScalingPoint& first, const ScalingPoint& point,
                 const std::string& unit_of_work, bool verified, Measurement& measurement);

/// Notes on what these figures are relative to.
std::vector<std::string> notes_on_scaling(int first_ranks);

/// Collective: ranks outside a case are informed by the others that it failed.
void share_verdict(RunResult& result, const Communicator& world);

}  // namespace bankfull
