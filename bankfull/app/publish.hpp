#pragma once

#include "bankfull/app/options.hpp"
#include "bankfull/app/walltime.hpp"
#include "bankfull/core/measure/run_context.hpp"
#include "bankfull/core/measure/run_result.hpp"

#include <functional>
#include <string>

namespace bankfull {

/// What run_and_publish does beside running a workload.
struct Publication {
  /// Adds a section to the report, such as a chart.
  std::function<std::string(const RunResult&)> extra = {};

  /// Says what was written, where all of it was.
  std::function<std::string()> written = {};

  /// The folder of its own files, for who ends it early: the report that names them may not be
  /// printed. Empty: none.
  std::string folder = {};

  /// Writes the result in places of the workload's own, on the root, also where the file of --json
  /// cannot be written; gets the JSON.
  std::function<void(const std::string&)> write_elsewhere = {};

  /// Ends the run before the time that a batch system gives it is over; null: there is no limit.
  Walltime* walltime = nullptr;

  /// Asked too whether the run is to end, beside signals; null: there is none.
  const Interruption* interruption = nullptr;

  /// Judges a result whose checks passed: for thresholds of the workload's own.
  std::function<ExitCode(const RunResult&)> judge = {};
};

/// Collective: runs a workload under a progress line and publishes the root's result: the JSON
/// where asked for, then the report on stdout. The JSON file is opened before the run, so that a
/// bad path costs no time.
///
/// Neither takes the other away: the report is printed where a file cannot be written, which then
/// throws RuntimeFailure, and the files are written where nobody reads the report.
///
/// A signal to end (see TerminationWatch) leaves out what has not begun; the rest is published.
///
/// Returns verification_failed, or interrupted, or the verdict of `judge`, or below_threshold where
/// --min-gbs, --min-gflops, --min-percent or --max-spread is missed or the run is slower than its
/// --baseline, with which it is then compared in print, or ok. The report is printed in each case.
/// Throws UsageError after it where no measurement has what a threshold needs, or the baseline
/// turns out to be of another machine.
ExitCode run_and_publish(const CommonOptions& options, const MeasurePolicy& policy,
                         const Communicator& ranks,
                         const std::function<RunResult(const RunContext&)>& workload,
                         const Publication& publication = {});

}  // namespace bankfull
