#include "bankfull/app/options.hpp"

#include "bankfull/app/output_file.hpp"
#include "bankfull/core/base/precision_names.hpp"
#include "bankfull/core/comm/rank_survey.hpp"
#include "bankfull/core/machine/gpu.hpp"
#include "bankfull/core/measure/known_ceilings.hpp"
#include "bankfull/core/measure/perturbation.hpp"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace bankfull {
namespace {

constexpr int max_threads = 1024;

std::vector<char> read_ceiling_file(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  std::error_code ignored;
  const bool is_folder = std::filesystem::is_directory(path, ignored);
  if (path.empty() || !stream || is_folder) {
    const std::string why = is_folder ? "it is a folder" : std::strerror(errno);
    throw UsageError("--ceiling cannot read '" + path + "'" + (path.empty() ? "" : ": " + why),
                     "use auto, always, none or a JSON result of bankfull");
  }
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// Collective: what the root reads, on all ranks, whose nodes may have other files.
std::vector<Ceiling> known_ceilings(const std::string& path, const Communicator& ranks,
                                    const CeilingHome& home) {
  std::vector<char> text;
  ranks.on_root([&] { text = read_ceiling_file(path); });
  text = ranks.all_gather(text).front();
  std::vector<Ceiling> ceilings;
  ranks.agree([&] { ceilings = parse_ceilings({text.begin(), text.end()}, path, home); });
  return ceilings;
}

MeasurePolicy policy_of(const std::string& ceiling, const Communicator& ranks,
                        const CeilingHome& home) {
  if (ceiling == "auto") {
    return {.home = home};
  }
  if (ceiling == "always") {
    return {.ceiling = CeilingRule::always, .home = home};
  }
  if (ceiling == "none") {
    return {.ceiling = CeilingRule::none, .home = home};
  }
  return {.ceiling = CeilingRule::file,
          .known_ceilings = known_ceilings(ceiling, ranks, home),
          .home = home};
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

MeasurePolicy CommonOptions::prepare(const Communicator& ranks, Device chosen,
                                     int threads_used) const {
  const double spread = max_spread.value_or(0.0);
  if (!std::isfinite(spread) || spread < 0.0) {
    throw UsageError(fmt::format("--max-spread {} is not a threshold", spread),
                     "use a percentage of 0 or more");
  }
  MeasurePolicy policy = policy_of(ceiling, ranks, ceiling_home(ranks, chosen, threads_used));
  if (json) {
    ranks.on_root([&] { static_cast<void>(OutputFile(*json)); });
  }
  if (device == "auto" && !quiet) {
    const GpuSurvey& survey = survey_gpus();
    const std::string why =
        chosen.is_cuda() ? survey.gpus.front().name : "no GPU: " + survey.none_because;
    tell(ranks, fmt::format("device auto chose {} ({})", to_string(chosen), why));
  }
  return policy;
}

int CommonOptions::resolved_threads(const Communicator& ranks) const {
  ranks.agree([&] {
    if (threads < 0 || threads > max_threads) {
      throw UsageError(fmt::format("--threads {} is out of range", threads),
                       fmt::format("use 1 to {}", max_threads));
    }
  });
  const int by_default = default_threads(ranks);
  return threads == 0 ? by_default : threads;
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
  with_environment(
      command
          .add_option("--ceiling", options.ceiling,
                      "what percentages refer to: auto (measured in the run, but for working sets "
                      "inside a cache), always (measured), none, or those in the JSON result FILE "
                      "of an earlier run on this machine")
          ->type_name("auto|always|none|FILE")
          ->capture_default_str());
  with_environment(command
                       .add_option("--max-spread", options.max_spread,
                                   "exit 4 where the repeats of a measurement spread by more than "
                                   "PERCENT, or the machine was noisy")
                       ->type_name("PERCENT"));
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
  return precision_names.parse(text, "--precision " + text + " is unknown");
}

void tell(const Communicator& ranks, const std::string& message) {
  if (ranks.is_root()) {
    fmt::print(stderr, "bankfull: {}\n", message);
  }
}

}  // namespace bankfull
