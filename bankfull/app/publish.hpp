#pragma once

#include "bankfull/app/options.hpp"
#include "bankfull/core/measure/run_context.hpp"
#include "bankfull/core/measure/run_result.hpp"

#include <functional>
#include <string>
#include <vector>

namespace bankfull {

/// What run_and_publish does beside running a workload.
struct Publication {
  /// Adds a section to the report, such as a chart.
  std::function<std::string(const RunResult&)> extra = {};

  /// More files with the same JSON, in folders that the workload may make.
  std::vector<std::string> further_json = {};

  /// Judges a result whose checks passed: for thresholds of the workload's own.
  std::function<ExitCode(const RunResult&)> judge = {};
};

/// Collective: runs a workload under a progress line and publishes the root's result: the report on
/// stdout, the JSON where asked for. The JSON file is opened before the run, so that a bad path
/// costs no time.
///
/// Returns verification_failed, or the verdict of `judge`, or below_threshold where --max-spread is
/// exceeded, or ok. The report is printed in each case.
ExitCode run_and_publish(const CommonOptions& options, const MeasurePolicy& policy,
                         const Communicator& ranks,
                         const std::function<RunResult(const RunContext&)>& workload,
                         const Publication& publication = {});

}  // namespace bankfull
