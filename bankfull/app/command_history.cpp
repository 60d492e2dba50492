#include "bankfull/app/compare/comparison.hpp"
#include "bankfull/app/compare/history.hpp"
#include "bankfull/app/compare/history_json.hpp"
#include "bankfull/app/compare/history_report.hpp"
#include "bankfull/app/console.hpp"
#include "bankfull/app/invocation.hpp"
#include "bankfull/app/nearest_name.hpp"
#include "bankfull/app/options.hpp"
#include "bankfull/app/output_file.hpp"
#include "bankfull/app/print_out.hpp"
#include "bankfull/app/recorded/recorded_run.hpp"
#include "bankfull/app/result_path.hpp"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace bankfull {
namespace {

struct HistoryOptions {
  std::string folder;
  std::string workload;  ///< empty: all
  int last = std::numeric_limits<int>::max();
  double threshold_percent = compare::default_threshold_percent;
  std::optional<std::string> json;
  bool quiet = false;

  [[nodiscard]] bool json_goes_to_output() const { return json == standard_output; }
};

std::vector<std::string> workloads_of(const std::vector<recorded::RecordedRun>& runs) {
  std::vector<std::string> names;
  names.reserve(runs.size());
  for (const recorded::RecordedRun& run : runs) {
    names.push_back(run.result.workload);
  }
  std::ranges::sort(names);
  const auto repeated = std::ranges::unique(names);
  names.erase(repeated.begin(), repeated.end());
  return names;
}

std::vector<recorded::RecordedRun> runs_of(const HistoryOptions& options) {
  std::vector<recorded::RecordedRun> runs = recorded::read_runs(options.folder);
  const std::vector<std::string> known = workloads_of(runs);
  if (!options.workload.empty()) {
    std::erase_if(runs, [&](const recorded::RecordedRun& run) {
      return run.result.workload != options.workload;
    });
    require(!runs.empty(),
            fmt::format("{} has no results of the workload '{}'", options.folder, options.workload),
            remedy_for_name(options.workload, known));
  }
  return runs;
}

std::optional<OutputFile> json_file(const HistoryOptions& options) {
  if (!options.json || options.json_goes_to_output()) {
    return std::nullopt;
  }
  if (!std::filesystem::is_directory(options.folder)) {
    require_other_than(options.json, options.folder, "the result to show");
  }
  return OutputFile(*options.json);
}

void print_courses(const std::vector<compare::Course>& courses, const HistoryOptions& options) {
  for (const compare::Course& course : courses) {
    if (!options.quiet) {
      print_out("{}\n", compare::report_course(course));
    }
  }
  if (options.quiet && options.json_goes_to_output()) {
    return;
  }
  for (const compare::Course& course : courses) {
    print_out("{}", compare::course_line(course, options.threshold_percent / 100.0));
  }
}

/// What the latest runs of all courses come to, on the root.
ExitCode judge(const std::vector<compare::Course>& courses, const Communicator& ranks) {
  const auto worst = std::ranges::find_if(courses, &compare::Course::has_regressed);
  if (worst == courses.end() || !worst->latest) {
    return ExitCode::ok;
  }
  const compare::Change& latest = *worst->latest;
  tell(ranks, latest.outcome == compare::Outcome::invalid
                  ? fmt::format("the latest run of {} is no result: {}", latest.subject.name,
                                latest.reason)
                  : fmt::format("the latest run of {} is {:.1f} % slower than the median of those "
                                "before",
                                latest.subject.name, 100.0 * (1.0 - latest.ratio.value)));
  return ExitCode::below_threshold;
}

ExitCode run_history(const HistoryOptions& options, const Communicator& ranks) {
  require(!options.folder.empty(), "history needs a folder", "name one with results of --json");
  ExitCode code = ExitCode::ok;
  ranks.on_root([&] {
    const auto runs = runs_of(options);
    const double threshold = options.threshold_percent / 100.0;
    const std::optional<OutputFile> file = json_file(options);
    const auto courses =
        compare::courses_of(runs, static_cast<std::size_t>(options.last), threshold);
    const std::string json = compare::history_to_json(courses, options.folder, threshold);
    if (file) {
      file->commit(json);
    }
    if (options.json_goes_to_output()) {
      write_document(json);
    }
    print_courses(courses, options);
    code = judge(courses, ranks);
  });
  ranks.broadcast(&code, sizeof code, 0);
  return code;
}

constexpr const char* history_footer = R"(Examples:
  bankfull history runs/                               all that was recorded there, by date
  bankfull history runs/ --workload himeno --last 30
  bankfull history runs/ --quiet || mail -s "slower" admin < /dev/null

A step is a run that is slower or faster, beyond the threshold, than those since the step before,
and so is the next run after it; what changed there is named.

Exit codes: 0 ok, 2 bad input, 4 the latest run of something is slower than the median of those
before, or invalid.)";

}  // namespace

void add_history_command(CLI::App& program, const Communicator& ranks, Action& action) {
  auto options = std::make_shared<HistoryOptions>();
  CLI::App* command =
      program.add_subcommand("history", "The course of recorded runs, with steps marked");
  command->footer(history_footer);
  command->add_option("folder", options->folder, "a folder of JSON results")->type_name("FOLDER");
  with_environment(command->add_option("--workload", options->workload,
                                       "runs of this workload only, such as himeno"))
      ->type_name("NAME");
  add_number(*command, "--last", options->last, "only the latest N runs of each measurement",
             {.least = 2.0})
      ->type_name("N");
  add_threshold_option(*command, options->threshold_percent);
  add_json_option(*command, options->json);
  with_environment(command->add_flag("--quiet", options->quiet, "only result lines"));
  command->callback([&action, &ranks, options] {
    action = [&ranks, options] { return run_history(*options, ranks); };
  });
}

}  // namespace bankfull
