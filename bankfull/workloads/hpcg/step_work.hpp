#pragma once

#include "bankfull/core/measure/work.hpp"
#include "bankfull/workloads/hpcg/coloured_level.hpp"

#include <vector>

namespace bankfull::hpcg {

/// Bytes that the steps of each level pass through before they use the same data again, at least:
/// the matrix as it is kept and the vectors, of the level and of all coarser ones, whose steps lie
/// between its own. For the finest level these are the data of a whole iteration.
std::vector<double> working_sets(const std::vector<ColouredLevel>& levels);

/// What a step of one rank does that moves this and has this working set.
Work step_work(const Traffic& traffic, double working_set_bytes);

}  // namespace bankfull::hpcg
