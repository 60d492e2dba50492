#pragma once

#include "bankfull/app/options.hpp"
#include "bankfull/core/measure/run_result.hpp"

#include <string>

namespace bankfull {

/// Whether thresholds count for a measurement: for the work as a whole, not for its steps; of a
/// probe for streams through the largest working set and for the largest messages, not for
/// latencies, transfers and small messages, whose rates are low by nature.
bool is_judged(const Measurement& measurement, const RunResult& result);

/// below_threshold, having said which measurement missed which threshold by how much, or ok.
/// Throws UsageError where none of those that are judged has the figure that a threshold needs.
ExitCode judge_thresholds(const RunResult& result, const Thresholds& thresholds,
                          const Communicator& ranks);

}  // namespace bankfull
