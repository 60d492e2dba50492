#pragma once

#include "bankfull/workloads/npb/outcome.hpp"

#include <string>

namespace bankfull::npb {

/// The result block that the official programs print, line by line with their keys, for what reads
/// their output.
std::string result_block(const Outcome& outcome);

}  // namespace bankfull::npb
