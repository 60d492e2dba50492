#pragma once

#include "bankfull/app/options.hpp"
#include "bankfull/core/measure/progress.hpp"
#include "bankfull/core/measure/run_result.hpp"

#include <functional>
#include <string>
#include <vector>

namespace bankfull {

/// Collective: runs a workload under a progress line and publishes the root's result: the report on
/// stdout, the JSON where asked for. The JSON file is opened before the run, so that a bad path
/// costs no time. `extra` may add a section of the report, such as a chart. `further_json` are
/// paths of more files with the same JSON, in folders that the workload may make.
///
/// Returns ok, or verification_failed. The report is printed either way.
ExitCode run_and_publish(const CommonOptions& options, const Communicator& ranks,
                         const std::function<RunResult(Progress&)>& workload,
                         const std::function<std::string(const RunResult&)>& extra = {},
                         const std::vector<std::string>& further_json = {});

}  // namespace bankfull
