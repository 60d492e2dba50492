#include "bankfull/app/options.hpp"

#include "bankfull/app/output_file.hpp"
#include "bankfull/core/comm/rank_survey.hpp"
#include "bankfull/core/machine/gpu.hpp"
#include "bankfull/core/measure/perturbation.hpp"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <string>
#include <unistd.h>
#include <vector>

namespace bankfull {
namespace {

constexpr int most_threads = 1024;

std::string& recorded_command_line() {
  static std::string line;
  return line;
}

}  // namespace

Device CommonOptions::resolved_device(const Communicator& ranks) const {
  // Looking for GPUs takes time and memory on each of them: not where none is asked for.
  const bool chosen_by_rank = ranks.size() > 1 && (device == "auto" || device == "cuda");
  const bool any_chosen = ranks.max(std::int64_t{chosen_by_rank}) > 0;
  const Sharers sharers = any_chosen ? sharers_of_gpus(ranks) : Sharers{};
  Device resolved;
  ranks.agree([&] { resolved = resolve_device(device, sharers.place, sharers.count); });
  const std::int64_t on_gpu = resolved.is_cuda() ? 1 : 0;
  if (ranks.min(on_gpu) != ranks.max(on_gpu)) {
    throw UsageError("some ranks chose a GPU and others the CPU",
                     "give all of them --device cpu or --device cuda");
  }
  return resolved;
}

void CommonOptions::prepare(const Communicator& ranks, Device chosen) const {
  if (json) {
    ranks.on_root([&] { static_cast<void>(OutputFile(*json)); });
  }
  if (device == "auto" && !quiet) {
    const GpuSurvey& survey = survey_gpus();
    const std::string why =
        chosen.is_cuda() ? survey.gpus.front().name : "no GPU: " + survey.none_because;
    tell(ranks, fmt::format("device auto chose {} ({})", to_string(chosen), why));
  }
}

int CommonOptions::resolved_threads(const Communicator& ranks) const {
  ranks.agree([&] {
    if (threads < 0 || threads > most_threads) {
      throw UsageError(fmt::format("--threads {} is no team", threads),
                       fmt::format("use 1 to {}", most_threads));
    }
  });
  const int by_default = default_threads(ranks);
  return threads == 0 ? by_default : threads;
}

std::string shared_environment() {
  std::vector<std::string> variables;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string text(*variable);
    const bool own = text.starts_with("BANKFULL_DEVICE=") || text.starts_with("BANKFULL_THREADS=");
    if (text.starts_with("BANKFULL_") && !own) {
      variables.push_back(text);
    }
  }
  std::sort(variables.begin(), variables.end());
  return fmt::format("{}", fmt::join(variables, "\n"));
}

CLI::Option* with_environment(CLI::Option* option) {
  std::string name = "BANKFULL_" + option->get_lnames().front();
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char letter) {
    return letter == '-' ? '_' : static_cast<char>(std::toupper(letter));
  });
  return option->envname(name);
}

void add_common_options(CLI::App& command, CommonOptions& options) {
  with_environment(
      command
          .add_option("--device", options.device,
                      "auto, cpu, cuda or cuda:N; auto takes the first GPU if any, or one "
                      "a rank")
          ->capture_default_str());
  with_environment(
      command.add_option("--threads", options.threads,
                         "threads of the CPU team (default: all cores; a rank's part of them)"));
  with_environment(
      command.add_option("--json", options.json, "write the whole result to FILE as JSON")
          ->type_name("FILE"));
  with_environment(command.add_flag("--quiet", options.quiet, "no progress, only result lines"));
  with_environment(command.add_flag("--dry-run", options.dry_run,
                                    "say what would run and what memory it takes, then stop"));
}

std::optional<RankGrid> RankOptions::grid() const {
  if (ranks_grid.empty()) {
    return std::nullopt;
  }
  return parse_rank_grid("--ranks-grid", ranks_grid);
}

void add_rank_options(CLI::App& command, RankOptions& options) {
  with_environment(
      command
          .add_option("--ranks-grid", options.ranks_grid,
                      "ranks along i, j and k (default: the split with the least communication)")
          ->type_name("IxJxK"));
  with_environment(command
                       .add_option("--transport", options.transport,
                                   "how halos travel: auto, peer, nccl, mpi-device or mpi")
                       ->capture_default_str());
}

void add_perturbation_option(CLI::App& command, double& perturbation) {
  with_environment(
      command
          .add_option("--perturb-operator", perturbation,
                      "multiply the measured operator by 1 + EPSILON: verification must fail "
                      "(exit code 3), which shows that it can")
          ->type_name("EPSILON"));
}

void warn_of_perturbation(double perturbation, const Communicator& ranks) {
  if (perturbation != 0.0) {
    tell(ranks, perturbation_note(perturbation));
  }
}

Precision parse_precision(const std::string& text) {
  if (text != "fp32" && text != "fp64") {
    throw UsageError("--precision " + text + " is unknown", "use fp32 or fp64");
  }
  return text == "fp32" ? Precision::fp32 : Precision::fp64;
}

void tell(const Communicator& ranks, const std::string& message) {
  if (ranks.is_root()) {
    fmt::print(stderr, "bankfull: {}\n", message);
  }
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
