#include "bankfull/app/html_report/page.hpp"
#include "bankfull/app/html_report/report_json.hpp"
#include "bankfull/app/options.hpp"
#include "bankfull/app/output_file.hpp"
#include "bankfull/app/print_out.hpp"
#include "bankfull/core/base/format.hpp"

#include <chrono>
#include <ctime>
#include <filesystem>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <memory>

namespace bankfull {
namespace {

namespace fs = std::filesystem;

constexpr const char* report_footer =
    "Examples:\n"
    "  bankfull report himeno.json hpcg.json\n"
    "  bankfull report results --output node-17.html --title \"Node 17, acceptance\"\n"
    "  bankfull report after --against before\n"
    "  bankfull reproduce npb-2020 --json npb.json; bankfull report npb.json\n"
    "\n"
    "The report is one file, which needs no other and no network: it can be sent and printed as it "
    "is.";

struct ReportOptions {
  std::vector<std::string> inputs;
  std::string output = "report.html";
  std::string against;  ///< empty: no comparison
  std::string title;    ///< empty: named after the machine
};

std::vector<fs::path> paths_of(const std::vector<std::string>& names) {
  return {names.begin(), names.end()};
}

html_report::ReportInput input_from(const ReportOptions& options) {
  html_report::ReportInput input{
      .title = options.title,
      .inputs = html_report::read_inputs(paths_of(options.inputs)),
      .date = fmt::format("{:%Y-%m-%d}", fmt::gmtime(std::time(nullptr)))};
  if (!options.against.empty()) {
    input.baseline = html_report::read_inputs({options.against});
    require(!input.baseline.runs.empty(),
            fmt::format("--against {} has no results of runs", options.against),
            "give the file that a run wrote with --json, or a folder of them");
  }
  return input;
}

/// "3 results, 1 reproduction": what a report is made of.
std::string contents_of(const html_report::Inputs& inputs) {
  const auto counted = [](std::size_t count, const char* what) {
    return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
  };
  std::string text = counted(inputs.runs.size(), "result");
  if (!inputs.reproductions.empty()) {
    text += ", " + counted(inputs.reproductions.size(), "reproduction");
  }
  return text;
}

ExitCode write_report(const ReportOptions& options) {
  const OutputFile file(options.output);
  const html_report::ReportInput input = input_from(options);
  html_report::require_no_input(options.output, input.inputs);
  html_report::require_no_input(options.output, input.baseline);
  const std::string page = html_report::page_of(html_report::report_json(input));
  file.commit(page);
  print_out("Wrote {}: {}, {}\n", options.output, contents_of(input.inputs),
            format_bytes(static_cast<double>(page.size())));
  return ExitCode::ok;
}

}  // namespace

void add_report_command(CLI::App& program, const Communicator& ranks, Action& action) {
  auto options = std::make_shared<ReportOptions>();
  CLI::App* command =
      program.add_subcommand("report", "Makes one HTML page of results, to send or to print");
  command->footer(report_footer);
  command
      ->add_option("input", options->inputs,
                   "results that runs, or bankfull reproduce, wrote with --json, folders of "
                   "them, or folders of runs of convect, whose last pictures are shown too")
      ->type_name("INPUT")
      ->required();
  with_environment(command->add_option("--output", options->output, "the page"))
      ->type_name("FILE")
      ->capture_default_str();
  with_environment(command->add_option("--against", options->against,
                                       "a result, or a folder of results, to compare with"))
      ->type_name("PATH");
  with_environment(
      command->add_option("--title", options->title, "heading of the page (default: the machine)"))
      ->type_name("TEXT");
  command->callback([&action, &ranks, options] {
    action = [&ranks, options] {
      ExitCode code = ExitCode::ok;
      ranks.on_root([&] { code = write_report(*options); });
      return code;
    };
  });
}

}  // namespace bankfull
