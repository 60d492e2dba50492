#pragma once

#include "bankfull/app/step.hpp"
#include "bankfull/app/suite/record.hpp"
#include "bankfull/core/comm/communicator.hpp"

#include <filesystem>
#include <vector>

namespace bankfull::suite {

/// The results that the steps of a suite have left in its folder, in their order, also of steps
/// that failed their verification or were ended early: of convection the one in the folder of its
/// run, with which its pictures are found.
std::vector<std::filesystem::path> results_of(const Record& record,
                                              const std::filesystem::path& folder);

/// Collective: makes report.html in the folder by `bankfull report` of those results; nothing where
/// there are none.
StepOutcome write_report(const Record& record, const std::filesystem::path& folder,
                         const Communicator& ranks);

}  // namespace bankfull::suite
