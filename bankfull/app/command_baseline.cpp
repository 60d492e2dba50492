#include "bankfull/app/accept/baseline.hpp"
#include "bankfull/app/created_folders.hpp"
#include "bankfull/app/options.hpp"
#include "bankfull/app/output_file.hpp"
#include "bankfull/app/print_out.hpp"
#include "bankfull/app/table.hpp"
#include "bankfull/core/base/error.hpp"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

namespace bankfull {
namespace {

namespace fs = std::filesystem;
using accept::Baseline;

struct BaselineOptions {
  std::vector<std::string> inputs;
  std::string output = ".";
};

void print_baseline(const Baseline& baseline, const fs::path& file) {
  print_out("{}: {}, {}\n", file.string(), baseline.model, baseline.from);
  Table table({"gauge", "median", "spread", "boards", "runs"});
  for (const accept::BaselineEntry& entry : baseline.entries) {
    table.add_row({entry.gauge, fmt::format("{:.4g} {}", entry.median, entry.unit),
                   fmt::format("{:.1f} %", 100.0 * entry.spread), fmt::format("{}", entry.boards),
                   fmt::format("{}", entry.runs)});
  }
  print_out("{}\n", table.text());
}

/// A file, where the output is named like one; else a file of its own for each model in a folder.
fs::path file_of(const Baseline& baseline, const std::string& output) {
  return output.ends_with(".json") ? fs::path(output)
                                   : fs::path(output) / accept::baseline_file_name(baseline.model);
}

ExitCode make(const BaselineOptions& options) {
  std::vector<recorded::RecordedRun> runs;
  for (const std::string& input : options.inputs) {
    std::vector<recorded::RecordedRun> more = recorded::read_runs(input);
    std::ranges::move(more, std::back_inserter(runs));
  }
  const std::vector<Baseline> baselines = accept::make_baselines(runs);
  if (baselines.empty()) {
    throw UsageError("none of these runs has a quiet, verified measurement of one device",
                     "record some with bankfull accept");
  }
  if (options.output.ends_with(".json") && baselines.size() > 1) {
    throw UsageError(
        fmt::format("these runs are of {} models of devices, and --output {} is one file",
                    baselines.size(), options.output),
        "give a folder");
  }
  CreatedFolders folders;
  for (const Baseline& baseline : baselines) {
    const fs::path file = file_of(baseline, options.output);
    folders.make(file.has_parent_path() ? file.parent_path() : ".");
    OutputFile(file).commit(accept::to_json(baseline));
    print_baseline(baseline, file);
  }
  return ExitCode::ok;
}

/// Those that come with the program.
ExitCode list() {
  const fs::path folder = accept::baseline_folder();
  require(!folder.empty(), "there is no folder of baselines", "set BANKFULL_BASELINES to one");
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ".json") {
      files.push_back(entry.path());
    }
  }
  std::ranges::sort(files);
  for (const fs::path& file : files) {
    print_baseline(accept::read_baseline(file), file);
  }
  return ExitCode::ok;
}

}  // namespace

void add_baseline_command(CLI::App& program, Action& action) {
  auto options = std::make_shared<BaselineOptions>();
  CLI::App* command =
      program.add_subcommand("baseline", "What devices of a model do, for bankfull accept");
  command->require_subcommand(1);
  command->footer(
      "Examples:\n"
      "  bankfull baseline list\n"
      "  bankfull baseline make node-*/acceptance --output baselines");
  CLI::App* maker = command->add_subcommand(
      "make", "Makes baselines from recorded results, one for each model of device");
  maker->add_option("input", options->inputs, "results (--json), or folders of them")
      ->type_name("INPUT")
      ->required();
  with_environment(maker->add_option("--output", options->output,
                                     "the file, or the folder of one file for each model"))
      ->type_name("FILE|FOLDER")
      ->capture_default_str();
  maker->footer(
      "Examples:\n"
      "  bankfull baseline make acceptance --output my-node.json\n"
      "  bankfull baseline make node-*/acceptance --output baselines");
  maker->callback([&action, options] { action = [options] { return make(*options); }; });
  CLI::App* lister = command->add_subcommand("list", "Those that come with the program");
  lister->footer("Examples:\n  bankfull baseline list");
  lister->callback([&action] { action = [] { return list(); }; });
}

}  // namespace bankfull
