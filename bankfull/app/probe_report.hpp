#pragma once

#include "bankfull/core/measure/run_result.hpp"

#include <string>

namespace bankfull {

/// The curves that people look at first (bandwidth of the triad over working set, latency of whole
/// cache lines over footprint) as text charts, and the plateaus found in every curve. For links:
/// tables of exchange time and bandwidth by message size, and charts of the ring's bandwidth.
std::string probe_report(const RunResult& result);

}  // namespace bankfull
