#include "bankfull/app/compare/comparison.hpp"
#include "bankfull/app/compare/comparison_json.hpp"
#include "bankfull/app/compare/comparison_report.hpp"
#include "bankfull/app/console.hpp"
#include "bankfull/app/invocation.hpp"
#include "bankfull/app/options.hpp"
#include "bankfull/app/output_file.hpp"
#include "bankfull/app/print_out.hpp"
#include "bankfull/app/recorded/recorded_run.hpp"
#include "bankfull/app/result_path.hpp"

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace bankfull {
namespace {

struct CompareOptions {
  std::string old_path;
  std::string new_path;
  double threshold_percent = compare::default_threshold_percent;
  bool anyway = false;
  std::optional<std::string> json;
  bool quiet = false;

  [[nodiscard]] bool json_goes_to_output() const { return json == standard_output; }
};

std::optional<OutputFile> json_file(const CompareOptions& options) {
  if (!options.json || options.json_goes_to_output()) {
    return std::nullopt;
  }
  for (const std::string& path : {options.old_path, options.new_path}) {
    if (!std::filesystem::is_directory(path)) {
      require_other_than(options.json, path, "a result to compare");
    }
  }
  return OutputFile(*options.json);
}

void publish(const compare::Comparison& comparison, const std::string& json,
             const CompareOptions& options, const std::optional<OutputFile>& file) {
  if (file) {
    file->commit(json);
  }
  if (options.json_goes_to_output()) {
    write_document(json);
  }
  if (!options.quiet) {
    print_out("{}\n", compare::report_comparison(comparison));
  }
  if (!options.quiet || !options.json_goes_to_output()) {
    print_out("{}", compare::comparison_lines(comparison));
  }
}

ExitCode run_compare(const CompareOptions& options, const Communicator& ranks) {
  require(!options.old_path.empty() && !options.new_path.empty(), "compare needs OLD and NEW",
          "name two results of --json, or folders of them");
  ExitCode code = ExitCode::ok;
  ranks.on_root([&] {
    const auto old_runs = recorded::read_runs(options.old_path);
    const auto new_runs = recorded::read_runs(options.new_path);
    const compare::Comparison comparison =
        compare::compare_runs(old_runs, new_runs, options.threshold_percent / 100.0);
    if (!options.anyway) {
      compare::require_fair(comparison, "compare runs that are alike, or add --anyway");
    }
    const std::optional<OutputFile> file = json_file(options);
    publish(comparison,
            compare::comparison_to_json(comparison, {options.old_path, &old_runs},
                                        {options.new_path, &new_runs}),
            options, file);
    if (const std::string why = compare::regression_text(comparison); !why.empty()) {
      tell(ranks, why);
    }
    code = comparison.exit_code();
  });
  ranks.broadcast(&code, sizeof code, 0);
  return code;
}

constexpr const char* compare_footer = R"(Examples:
  bankfull compare before.json after.json              did the update cost anything?
  bankfull compare before/ after/ --threshold 2        several runs of each: their samples are pooled
  bankfull compare old.json new.json --json diff.json --quiet
  bankfull compare h100.json h200.json --anyway        other hardware

Verdicts: slower and faster are beyond the threshold, with a 95 % interval of the ratio that
excludes 1; same is an interval within the threshold; unclear are noisy measurements and wider
intervals: measure again; invalid are runs that failed their verification or ended early.

Exit codes: 0 no regression, 2 bad input or an unfair comparison, 3 NEW failed its verification,
4 something is slower or invalid.)";

}  // namespace

void add_compare_command(CLI::App& program, const Communicator& ranks, Action& action) {
  auto options = std::make_shared<CompareOptions>();
  CLI::App* command = program.add_subcommand("compare", "Compares the speed of recorded runs");
  command->footer(compare_footer);
  command->add_option("old", options->old_path, "the JSON result of a run, or a folder of them")
      ->type_name("OLD");
  command->add_option("new", options->new_path, "likewise, of the runs to judge")->type_name("NEW");
  add_threshold_option(*command, options->threshold_percent);
  with_environment(command->add_flag(
      "--anyway", options->anyway,
      "compare runs on other hardware, ranks or threads, or of another precision or build"));
  add_json_option(*command, options->json);
  with_environment(command->add_flag("--quiet", options->quiet, "only result lines"));
  command->callback([&action, &ranks, options] {
    action = [&ranks, options] { return run_compare(*options, ranks); };
  });
}

}  // namespace bankfull
