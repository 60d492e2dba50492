#pragma once

#include "bankfull/core/comm/communicator.hpp"
#include "bankfull/core/machine/device.hpp"
#include "bankfull/core/measure/run_result.hpp"

#include <string>
#include <vector>

namespace bankfull {

/// Where ceilings were measured; they are valid nowhere else.
struct CeilingHome {
  /// One entry per rank, with the same text on the same machine: RankSurvey::devices.
  std::vector<std::string> devices = {};
  int nodes = 1;  ///< over which the ranks were spread
};

/// Collective: for a run whose ranks use `device` with teams of `threads`; both may differ between
/// ranks. The result is the same on all ranks.
CeilingHome ceiling_home(const Communicator& ranks, Device device, int threads);

/// The ceilings in `text`, the JSON result of an earlier run read from `file`, which each names as
/// its source.
///
/// Throws UsageError naming the file if it is not a result of this version's schema, was recorded
/// elsewhere than on `home`, rank by rank, or has no ceiling of all its ranks.
std::vector<Ceiling> parse_ceilings(const std::string& text, const std::string& file,
                                    const CeilingHome& home);

}  // namespace bankfull
