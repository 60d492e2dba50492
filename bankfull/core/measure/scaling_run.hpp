#pragma once

#include "bankfull/core/comm/first_ranks.hpp"
#include "bankfull/core/measure/run_result.hpp"
#include "bankfull/core/measure/scaling.hpp"

#include <functional>
#include <string>
#include <vector>

namespace bankfull {

// What scaling runs of all workloads do: the same work on several numbers of ranks in turn.

/// Throws UsageError where a scaling run names no number of ranks, or more ranks than there are.
void require_rank_counts(const std::vector<int>& counts, const Communicator& world);

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
