#include "bankfull/app/publish.hpp"

#include "bankfull/app/output_file.hpp"
#include "bankfull/app/progress_line.hpp"
#include "bankfull/app/report.hpp"
#include "bankfull/core/comm/rank_survey.hpp"
#include "bankfull/core/measure/run_result_json.hpp"

#include <cstdio>
#include <fmt/format.h>

namespace bankfull {
namespace {

void print_report(const RunResult& result,
                  const std::function<std::string(const RunResult&)>& extra) {
  if (!result.measurements.empty()) {
    fmt::print("{}\n", report_measurements(result));
  }
  if (extra) {
    fmt::print("{}", extra(result));
  }
  if (!result.checks.empty()) {
    fmt::print("{}\n", report_checks(result));
  }
  for (const std::string& note : result.notes) {
    fmt::print("  {}\n", note);
  }
}

}  // namespace

ExitCode run_and_publish(const CommonOptions& options, const Communicator& ranks,
                         const std::function<RunResult(Progress&)>& workload,
                         const std::function<std::string(const RunResult&)>& extra,
                         const std::vector<std::string>& further_json) {
  std::vector<OutputFile> files;
  ranks.on_root([&] {
    if (options.json) {
      files.emplace_back(*options.json);
    }
  });
  const RankSurvey survey = survey_ranks(ranks);
  const RunResult result = [&] {
    ProgressLine progress(options.quiet || !ranks.is_root());
    return workload(progress);
  }();
  if (!options.quiet) {
    print_report(result, extra);
  }
  fmt::print("{}", result_lines(result));
  ranks.on_root([&] {
    for (const std::string& path : further_json) {
      files.emplace_back(path);
    }
  });
  for (const OutputFile& file : files) {
    file.commit(to_json(result, command_line(), survey));
  }
  if (!result.verified()) {
    tell(ranks, "verification failed; the figures above are not valid");
    return ExitCode::verification_failed;
  }
  return ExitCode::ok;
}

}  // namespace bankfull
