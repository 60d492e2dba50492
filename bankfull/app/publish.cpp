#include "bankfull/app/publish.hpp"

#include "bankfull/app/invocation.hpp"
#include "bankfull/app/output_file.hpp"
#include "bankfull/app/progress_line.hpp"
#include "bankfull/app/report.hpp"
#include "bankfull/app/result_lines.hpp"
#include "bankfull/core/comm/rank_survey.hpp"
#include "bankfull/core/measure/run_result_json.hpp"

#include <algorithm>
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

/// What --max-spread has against a measurement; empty: nothing. The spread is judged by the option,
/// other disturbances by their own bounds.
std::string too_restless(const Measurement& m, double max_spread) {
  const double spread = 100.0 * m.quietness.spread;
  if (spread > max_spread) {
    return fmt::format("the repeats of {} spread by {:.1f} %, above --max-spread {}", m.name,
                       spread, max_spread);
  }
  Quietness others = m.quietness;
  others.spread = 0.0;
  if (others.noisy()) {
    return fmt::format("{} was measured on a noisy machine, which --max-spread does not accept: {}",
                       m.name, others.disturbances().front());
  }
  return {};
}

ExitCode judge_spread(const RunResult& result, double max_spread, const Communicator& ranks) {
  const auto is_known = [](const Measurement& m) { return m.spread().has_value(); };
  if (std::none_of(result.measurements.begin(), result.measurements.end(), is_known)) {
    tell(ranks, "nothing was repeated: the spread that --max-spread limits is unknown");
    return ExitCode::below_threshold;
  }
  for (const Measurement& m : result.measurements) {
    if (const std::string why = too_restless(m, max_spread); !why.empty()) {
      tell(ranks, why);
      return ExitCode::below_threshold;
    }
  }
  return ExitCode::ok;
}

ExitCode judge(const CommonOptions& options, const Publication& publication,
               const RunResult& result, const Communicator& ranks) {
  if (!result.verified()) {
    tell(ranks, "verification failed; the figures above are not valid");
    return ExitCode::verification_failed;
  }
  const ExitCode own = publication.judge ? publication.judge(result) : ExitCode::ok;
  return own == ExitCode::ok && options.max_spread
             ? judge_spread(result, *options.max_spread, ranks)
             : own;
}

}  // namespace

ExitCode run_and_publish(const CommonOptions& options, const MeasurePolicy& policy,
                         const Communicator& ranks,
                         const std::function<RunResult(const RunContext&)>& workload,
                         const Publication& publication) {
  std::vector<OutputFile> files;
  ranks.on_root([&] {
    if (options.json) {
      files.emplace_back(*options.json);
    }
  });
  RankSurvey survey = survey_ranks(ranks);
  survey.devices = policy.home.devices;
  const RunResult result = [&] {
    ProgressLine progress(options.quiet || !ranks.is_root());
    return workload({.ranks = ranks, .progress = progress, .policy = policy});
  }();
  if (!options.quiet) {
    print_report(result, publication.extra);
  }
  fmt::print("{}", result_lines(result));
  ranks.on_root([&] {
    for (const std::string& path : publication.further_json) {
      files.emplace_back(path);
    }
  });
  for (const OutputFile& file : files) {
    file.commit(to_json(result, invocation(), survey));
  }
  return judge(options, publication, result, ranks);
}

}  // namespace bankfull
