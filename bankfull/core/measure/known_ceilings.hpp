#pragma once

#include "bankfull/core/comm/communicator.hpp"
#include "bankfull/core/machine/device.hpp"
#include "bankfull/core/measure/run_result.hpp"

#include <string>
#include <vector>

namespace bankfull {

/// Where ceilings are measured, and where alone they hold.
struct CeilingHome {
  /// Of every rank, in words that are the same on the same machine: RankSurvey::devices.
  std::vector<std::string> devices = {};
  int nodes = 1;
};

/// Collective: of a run whose ranks use their `device` with teams of `threads`, which may differ.
/// The same on all ranks.
CeilingHome ceiling_home(const Communicator& ranks, Device device, int threads);

/// The ceilings in `text`, the JSON result of an earlier run that `file` holds; each names it as
/// its source.
///
/// Throws UsageError naming the file where it is no result of this version's schema, was recorded
/// elsewhere than on `home`, rank by rank, or has no ceiling of all its ranks.
std::vector<Ceiling> parse_ceilings(const std::string& text, const std::string& file,
                                    const CeilingHome& home);

}  // namespace bankfull
