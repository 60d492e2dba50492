#include "bankfull/app/publish.hpp"

#include "bankfull/app/compare/baseline.hpp"
#include "bankfull/app/compare/comparison_report.hpp"
#include "bankfull/app/invocation.hpp"
#include "bankfull/app/output_file.hpp"
#include "bankfull/app/print_out.hpp"
#include "bankfull/app/progress_line.hpp"
#include "bankfull/app/report.hpp"
#include "bankfull/app/result_lines.hpp"
#include "bankfull/app/termination.hpp"
#include "bankfull/app/thresholds.hpp"
#include "bankfull/core/base/printable.hpp"
#include "bankfull/core/comm/rank_survey.hpp"
#include "bankfull/core/exec/team_binding.hpp"
#include "bankfull/core/exec/team_waits.hpp"
#include "bankfull/core/machine/gpu.hpp"
#include "bankfull/core/measure/measure.hpp"
#include "bankfull/core/measure/run_result_json.hpp"

#include <algorithm>
#include <exception>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace bankfull {
namespace {

/// A signal, or what a workload knows of.
class AnyInterruption final : public Interruption {
 public:
  AnyInterruption(const Interruption& signal, const Interruption* other)
      : signal_(signal), other_(other) {}

  [[nodiscard]] bool requested() const override {
    return signal_.requested() || (other_ != nullptr && other_->requested());
  }
  [[nodiscard]] std::string cause() const override {
    return signal_.requested() || other_ == nullptr ? signal_.cause() : other_->cause();
  }

 private:
  const Interruption& signal_;
  const Interruption* other_;
};

/// An interrupted run may have found nothing.
bool has_figures(const RunResult& result) {
  return !result.measurements.empty() || !result.series.empty() || !result.checks.empty();
}

void print_report(const RunResult& result, const Publication& publication, bool all_is_written) {
  if (!result.measurements.empty()) {
    print_out("{}\n", report_measurements(result));
  }
  if (publication.extra && (result.complete() || has_figures(result))) {
    print_out("{}", publication.extra(result));
  }
  if (publication.written) {
    print_out("{}\n", all_is_written ? publication.written() : "");
  }
  if (!result.checks.empty()) {
    print_out("{}\n", report_checks(result));
  }
  if (!result.resolution.empty()) {
    print_out("{}\n", report_resolution(result));
  }
  if (!result.phases.empty()) {
    print_out("{}\n", report_phases(result));
  }
  for (const std::string& note : result.notes) {
    print_out("  {}\n", one_line(note));
  }
}

/// What could not be written, in words.
using Failures = std::vector<std::string>;

template <class Body>
void attempt(const Body& body, Failures& failures) {
  try {
    body();
  } catch (const std::exception& failure) {
    failures.emplace_back(failure.what());
  }
}

/// Each of the files where it can be, whatever becomes of the others.
void write_files(const std::string& json, const CommonOptions& options,
                 const std::optional<OutputFile>& file, const Publication& publication,
                 Failures& failures) {
  if (publication.write_elsewhere) {
    attempt([&] { publication.write_elsewhere(json); }, failures);
  }
  if (file) {
    const std::string rest =
        failures.empty() ? "" : "the result is in " + options.json.value_or("");
    attempt(
        [&] {
          file->commit(json);
          if (!rest.empty()) {
            failures.push_back(rest);
          }
        },
        failures);
  }
  if (options.json_goes_to_output()) {
    attempt([&] { write_document(json); }, failures);
  }
}

void print_result(const CommonOptions& options, const Publication& publication,
                  const RunResult& result, const Failures& failures) {
  if (!options.quiet) {
    print_report(result, publication, failures.empty());
  }
  if (!options.quiet || !options.json_goes_to_output()) {
    print_out("{}", result_lines(result));
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

std::string end_note(const RunResult& result, const CommonOptions& options,
                     const std::string& folder) {
  const std::string cause = "ended early by " + result.ended_by;
  if (!has_figures(result)) {
    return cause + "; there are no results yet";
  }
  std::vector<std::string> places{"above"};
  if (!folder.empty()) {
    places.push_back("in " + folder);
  }
  if (options.json && !options.json_goes_to_output()) {
    places.push_back("in " + *options.json);
  }
  return fmt::format("{}; the results so far are {}", cause, fmt::join(places, ", and "));
}

ExitCode judge(const CommonOptions& options, const Publication& publication,
               const RunResult& result, const Communicator& ranks) {
  if (!result.complete()) {
    tell(ranks, end_note(result, options, publication.folder));
  }
  if (!result.verified()) {
    tell(ranks, "verification failed; the figures above are not valid");
  }
  if (const ExitCode code = exit_code_of(result); code != ExitCode::ok) {
    return code;
  }
  const ExitCode own = publication.judge ? publication.judge(result) : ExitCode::ok;
  if (own != ExitCode::ok) {
    return own;
  }
  ExitCode of_root = ExitCode::ok;  // which alone may have the measurements
  ranks.on_root([&] {
    of_root = judge_thresholds(result, options.thresholds, ranks);
    if (of_root == ExitCode::ok && options.max_spread) {
      of_root = judge_spread(result, *options.max_spread, ranks);
    }
  });
  ranks.broadcast(&of_root, sizeof of_root, 0);
  return of_root;
}

/// Collective: prints how the run compares with the baseline, which the root has. What has no
/// figures is not compared.
ExitCode compare_with(const std::optional<compare::Baseline>& baseline, const std::string& json,
                      const CommonOptions& options, const Communicator& ranks) {
  ExitCode of_root = ExitCode::ok;
  ranks.on_root([&] {
    if (!baseline) {
      return;
    }
    const compare::Comparison comparison =
        baseline->compared_with(json, options.thresholds.threshold_percent / 100.0);
    if (!options.quiet) {
      print_out("\ncompared with {}:\n{}\n", *options.thresholds.baseline,
                compare::report_comparison(comparison));
    }
    if (!options.quiet || !options.json_goes_to_output()) {
      print_out("{}", compare::comparison_lines(comparison));
    }
    if (const std::string why = compare::regression_text(comparison); !why.empty()) {
      tell(ranks, why);
    }
    of_root = comparison.exit_code();
  });
  ranks.broadcast(&of_root, sizeof of_root, 0);
  return of_root;
}

/// Collective: to the phases that a workload tells of, those before and after it.
void add_own_phases(const Communicator& ranks, double seconds_before, double seconds_after,
                    RunResult& result) {
  if (!result.phases.empty()) {
    result.phases.insert(result.phases.begin(),
                         {.name = "starting", .seconds = ranks.max(seconds_before)});
    result.phases.push_back({.name = "recording the machine", .seconds = ranks.max(seconds_after)});
  }
}

/// Null where threads are not bound.
std::unique_ptr<const TeamBinding> bind_teams(const ThreadPlacement& placement) {
  return placement.is_bound()
             ? std::make_unique<const TeamBinding>(
                   TeamPlaces(placement.processors, placement.width), placement.threads)
             : nullptr;
}

}  // namespace

ExitCode run_and_publish(const CommonOptions& options, const MeasurePolicy& policy,
                         const Communicator& ranks,
                         const std::function<RunResult(const RunContext&)>& workload,
                         const Publication& publication) {
  std::optional<OutputFile> file;
  std::optional<compare::Baseline> baseline;
  ranks.on_root([&] {
    if (options.thresholds.baseline) {
      // What cannot be read was told when the options were checked.
      baseline.emplace(*options.thresholds.baseline, options.thresholds.workload,
                       [](const std::string&) {});
    }
    if (options.json && !options.json_goes_to_output()) {
      file.emplace(*options.json);
    }
  });
  RankSurvey survey = survey_ranks(ranks);
  survey.devices = policy.home.devices;
  survey.thread_binding = policy.home.devices.empty() ? "" : policy.placement.description();
  const TerminationWatch termination(ranks.is_root());
  const AnyInterruption asked(termination, publication.interruption);
  if (publication.walltime != nullptr) {
    publication.walltime->join(asked);
  }
  const Interruption& interruption = publication.walltime == nullptr
                                         ? static_cast<const Interruption&>(asked)
                                         : *publication.walltime;
  MachineWatch machine(ranks);
  const ThreadPlacement& placement = policy.placement;
  TeamWaits waits(SystemFiles(), placement.numbers(), placement.threads);
  // Short waits would lift what --pin cores asks for.
  const bool adapts = !placement.waits_are_set && placement.width == PlaceWidth::share;
  const double seconds_before = invocation().since_start.seconds();
  RunResult result = [&] {
    const std::unique_ptr<const TeamBinding> binding = bind_teams(placement);
    ProgressLine progress(options.quiet || !ranks.is_root() ? 0.0 : options.progress);
    return workload({.ranks = ranks,
                     .progress = progress,
                     .policy = policy,
                     .interruption = &interruption,
                     .machine = &machine,
                     .waits = adapts ? &waits : nullptr});
  }();
  const Stopwatch after;
  result.machine = machine.state(ranks);
  ranks.on_root([] { static_cast<void>(survey_gpus()); });  // for the context
  add_own_phases(ranks, seconds_before, after.seconds(), result);
  if (const double taken = ranks.max(waits.most_taken()); taken > 0.0) {
    result.notes.push_back(fmt::format(
        "other processes used up to {:.1f} of the {} processors of a rank: its threads slept while "
        "they waited for their team, and none was bound",
        taken, placement.processors.size()));
  }
  result.ended_by = cause_of_end(interruption, ranks);
  Failures failures;
  std::string json;
  if (ranks.is_root()) {
    json = to_json(result, invocation(), survey);
    write_files(json, options, file, publication, failures);
  }
  print_result(options, publication, result, failures);
  ExitCode verdict = judge(options, publication, result, ranks);
  if (options.thresholds.baseline &&
      (verdict == ExitCode::ok || verdict == ExitCode::below_threshold)) {
    const ExitCode by_baseline = compare_with(baseline, json, options, ranks);
    verdict = verdict == ExitCode::ok ? by_baseline : verdict;
  }
  if (!failures.empty()) {
    throw RuntimeFailure(fmt::format("{}", fmt::join(failures, "; ")));
  }
  return verdict;
}

}  // namespace bankfull
