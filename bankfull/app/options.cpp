#include "bankfull/app/options.hpp"

#include "bankfull/app/output_file.hpp"
#include "bankfull/core/exec/team.hpp"
#include "bankfull/core/machine/gpu.hpp"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <fmt/format.h>

namespace bankfull {
namespace {

constexpr int most_threads = 1024;

std::string& recorded_command_line() {
  static std::string line;
  return line;
}

}  // namespace

void CommonOptions::prepare(Device chosen) const {
  if (json) {
    static_cast<void>(OutputFile(*json));
  }
  if (device == "auto" && !quiet) {
    const GpuSurvey& survey = survey_gpus();
    const std::string why =
        chosen.is_cuda() ? survey.gpus.front().name : "no GPU: " + survey.none_because;
    fmt::print(stderr, "bankfull: device auto chose {} ({})\n", to_string(chosen), why);
  }
}

int CommonOptions::resolved_threads() const {
  if (threads < 0 || threads > most_threads) {
    throw UsageError(fmt::format("--threads {} is no team", threads),
                     fmt::format("use 1 to {}", most_threads));
  }
  return threads == 0 ? Team::default_threads() : threads;
}

CLI::Option* with_environment(CLI::Option* option) {
  std::string name = "BANKFULL_" + option->get_lnames().front();
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char letter) {
    return letter == '-' ? '_' : static_cast<char>(std::toupper(letter));
  });
  return option->envname(name);
}

void add_common_options(CLI::App& command, CommonOptions& options) {
  with_environment(command
                       .add_option("--device", options.device,
                                   "auto, cpu, cuda or cuda:N; auto takes the first GPU if any")
                       ->capture_default_str());
  with_environment(command.add_option("--threads", options.threads,
                                      "threads of the CPU team (default: all cores)"));
  with_environment(
      command.add_option("--json", options.json, "write the whole result to FILE as JSON")
          ->type_name("FILE"));
  with_environment(command.add_flag("--quiet", options.quiet, "no progress, only result lines"));
  with_environment(command.add_flag("--dry-run", options.dry_run,
                                    "say what would run and what memory it takes, then stop"));
}

Precision parse_precision(const std::string& text) {
  if (text != "fp32" && text != "fp64") {
    throw UsageError("--precision " + text + " is unknown", "use fp32 or fp64");
  }
  return text == "fp32" ? Precision::fp32 : Precision::fp64;
}

const std::string& command_line() { return recorded_command_line(); }

void remember_command_line(int argc, const char* const* argv) {
  std::string line = "bankfull";
  for (int n = 1; n < argc; ++n) {
    line += std::string(" ") + argv[n];
  }
  recorded_command_line() = line;
}

}  // namespace bankfull
