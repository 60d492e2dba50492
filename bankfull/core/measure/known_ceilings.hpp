#pragma once

#include "bankfull/core/machine/device.hpp"
#include "bankfull/core/measure/run_result.hpp"

#include <string>
#include <vector>

namespace bankfull {

/// The devices that ceilings are measured on, in words that are the same on the same machine: "CPU
/// <model>, 4 threads a rank, 1 rank", "GPU <name>, 2 ranks".
std::string ceiling_home(Device device, int threads, int ranks);

/// The ceilings in `text`, the JSON result of an earlier run that `file` holds; each names it as
/// its source.
///
/// Throws UsageError naming the file where it is no result of this version's schema, was recorded
/// elsewhere than on `home`, or has no ceiling.
std::vector<Ceiling> parse_ceilings(const std::string& text, const std::string& file,
                                    const std::string& home);

}  // namespace bankfull
