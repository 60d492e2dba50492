#include "bankfull/app/options.hpp"

#include "bankfull/app/choices.hpp"
#include "bankfull/app/compare/baseline.hpp"
#include "bankfull/app/compare/comparison.hpp"
#include "bankfull/app/console.hpp"
#include "bankfull/app/counts.hpp"
#include "bankfull/app/input_file.hpp"
#include "bankfull/app/invocation.hpp"
#include "bankfull/app/output_file.hpp"
#include "bankfull/app/print_out.hpp"
#include "bankfull/app/result_path.hpp"
#include "bankfull/core/base/format.hpp"
#include "bankfull/core/base/precision_names.hpp"
#include "bankfull/core/comm/launch_advice.hpp"
#include "bankfull/core/comm/on_device.hpp"
#include "bankfull/core/comm/rank_survey.hpp"
#include "bankfull/core/comm/transport.hpp"
#include "bankfull/core/machine/cpu.hpp"
#include "bankfull/core/machine/gpu.hpp"
#include "bankfull/core/measure/known_ceilings.hpp"
#include "bankfull/core/measure/perturbation.hpp"
#include "bankfull/core/memory/capacity.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <string>
#include <vector>

namespace bankfull {
namespace {

constexpr int max_threads = 1024;
constexpr std::size_t max_ceiling_bytes = 1 << 26;

std::vector<char> read_ceiling_file(const std::string& path) {
  const std::string text =
      read_input_file(path, max_ceiling_bytes,
                      {.problem = "--ceiling cannot read '" + path + "'",
                       .remedy = "use auto, always, none or a JSON result of bankfull"});
  return {text.begin(), text.end()};
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

/// Nobody names a file or a size "--quiet"; a value was forgotten.
CLI::Validator refusing_options_for(const CLI::Option* option) {
  return {[option](const std::string& text) -> std::string {
            if (text.starts_with("--")) {
              throw UsageError(
                  fmt::format("{} has the option {} for a value", option->get_name(), text),
                  "give it a value, or leave it out");
            }
            return {};
          },
          ""};
}

/// What a switch may be set to in the environment; on the command line it needs no value.
CLI::Validator requiring_yes_or_no(const CLI::Option* option) {
  return {[option](const std::string& text) -> std::string {
            static constexpr std::array words{"true", "false", "yes", "no", "on", "off", "1", "0"};
            if (std::find(words.begin(), words.end(), text) == words.end()) {
              throw UsageError(
                  fmt::format("{} = {} is neither true nor false", option->get_name(), text),
                  "leave the value out");
            }
            return {};
          },
          ""};
}

/// A validator of CLI11 that puts another text in the place of a value.
CLI::Validator rewriting(std::function<std::string(const std::string&)> rewrite) {
  return {[rewrite = std::move(rewrite)](std::string& text) -> std::string {
            text = rewrite(text);
            return {};
          },
          ""};
}

/// A whole number, however long.
bool is_digits(const std::string& text) {
  const std::size_t sign = text.starts_with('-') || text.starts_with('+') ? 1 : 0;
  return text.size() > sign && text.find_first_not_of("0123456789", sign) == std::string::npos;
}

[[noreturn]] void refuse_number(const CLI::Option& option, const std::string& text,
                                const std::string& kind, const std::string& example) {
  throw UsageError(fmt::format("{} {} is not {}", option.get_name(), text, kind),
                   "write it in digits, " + example);
}

void require_range(const CLI::Option& option, const std::string& text, double value,
                   const OptionRange& range) {
  const bool bounded = range.finite || std::isfinite(value);
  if (bounded && (value < range.least || value > range.most)) {
    const bool low = value < range.least;
    throw UsageError(
        fmt::format("{} {} is out of range", option.get_name(), text),
        fmt::format("use {} or {}", low ? range.least : range.most, low ? "more" : "less"));
  }
}

std::int64_t whole_in_range(const CLI::Option& option, const std::string& text,
                            const OptionRange& range) {
  const auto value = parse_whole(text);
  if (!value && is_digits(text)) {
    require_range(option, text, text.starts_with('-') ? range.least - 1.0 : HUGE_VAL, range);
  }
  if (!value) {
    refuse_number(option, text, "a whole number", "such as 3");
  }
  require_range(option, text, static_cast<double>(*value), range);
  return *value;
}

std::int64_t bytes_in(const std::string& option, const std::string& text) {
  const auto bytes = parse_byte_amount(text);
  if (!bytes || *bytes == 0) {
    throw UsageError(fmt::format("{} {} is not a number of bytes", option, text),
                     "use one of at least 1, such as 4096, 512MiB or 4GiB");
  }
  return *bytes;
}

/// What of the place of a run's figures is known before it.
compare::Names known_place(Device device, const Communicator& ranks) {
  compare::Names place{{"ranks", fmt::format("{}", ranks.size())}};
  if (device.is_cuda()) {
    place["GPU"] = survey_gpus().gpus.at(static_cast<std::size_t>(device.index)).name;
  } else {
    place["processor"] = survey_cpu().model;
  }
  return place;
}

/// Refuses what no run on this device could be judged by. The root alone reads the baseline.
void require_thresholds(const CommonOptions& options, const MeasurePolicy& policy, Device device,
                        const Communicator& ranks) {
  const Thresholds& thresholds = options.thresholds;
  if (thresholds.needs_percentage() && policy.ceiling == CeilingRule::none) {
    throw UsageError(fmt::format("--min-percent {} needs a percentage of bankfull, which --ceiling "
                                 "none forbids",
                                 thresholds.min_percent.value_or(0.0)),
                     "use --ceiling auto, or a file of ceilings");
  }
  ranks.on_root([&] {
    if (thresholds.baseline) {
      const compare::Baseline baseline(*thresholds.baseline, thresholds.workload);
      if (!baseline.is_folder()) {
        require_other_than(options.json, *thresholds.baseline, "the file that --baseline names");
      }
      baseline.require_place(known_place(device, ranks));
    }
  });
}

/// A list option whose parts `parse` turns into values.
template <class Value, class Parse>
CLI::Option* add_list_of(CLI::App& command, const std::string& name, std::vector<Value>& values,
                         const std::string& description, const Parse& parse) {
  const auto take = [name, &values, parse](const std::vector<std::string>& given) {
    values.clear();
    for (const std::string& part : parse_list(name, fmt::format("{}", fmt::join(given, ",")))) {
      values.push_back(parse(part));
    }
  };
  return with_environment(
      command.add_option_function<std::vector<std::string>>(name, take, description)
          ->expected(1)
          ->take_all()
          ->allow_extra_args(false));
}

constexpr const char* free_word = "free";

/// A number, or `free`, which results keep as it was given.
void add_threads_option(CLI::App& command, int& threads) {
  CLI::Option* option = with_environment(command.add_option_function<std::string>(
      "--threads",
      [&threads](const std::string& text) {
        threads = text == free_word ? free_threads : std::stoi(text);
      },
      "threads of the CPU team (default: all cores, or a rank's share of them); free: as many as "
      "there are cores that others leave free, by their load over a quarter of a second"));
  option->type_name("N|free")->default_function([] { return "0"; });
  option->transform(rewriting([option](const std::string& text) {
    return text == free_word ? text
                             : fmt::format("{}", whole_in_range(*option, text,
                                                                {.least = 1, .most = max_threads}));
  }));
}

/// Collective: how many threads `--threads free` means for this rank, which it says.
int threads_for_free_cores(const Communicator& ranks) {
  const FreeCores cores = find_free_cores(ranks);
  tell(ranks, fmt::format("--threads free chose {} of {} cores; others keep {:.1f} busy",
                          cores.free, cores.all, cores.busy));
  return cores.free;
}

/// Collective: `asked` is the value of --threads.
void warn_of_squeezed_team(const Communicator& ranks, int threads, int asked) {
  const bool is_asked = asked != 0 || read_environment("OMP_NUM_THREADS").has_value();
  const std::string warning =
      squeeze_warning(survey_node_use(ranks, threads, is_asked), detect_starter());
  if (!warning.empty()) {
    tell(ranks, warning);
  }
}

}  // namespace

bool CommonOptions::json_goes_to_output() const { return json == standard_output; }

Device CommonOptions::resolved_device(const Communicator& ranks) const {
  return resolve_device(ranks, device);
}

MeasurePolicy CommonOptions::prepare(const Communicator& ranks, Device chosen,
                                     int threads_used) const {
  MeasurePolicy policy = policy_of(ceiling, ranks, ceiling_home(ranks, chosen, threads_used));
  policy.placement = placement(ranks, chosen, threads_used);
  const bool any_openmp_binds = ranks.max(std::int64_t{policy.placement.openmp_binds}) > 0;
  if (!chosen.is_cuda() && !any_openmp_binds) {
    warn_of_squeezed_team(ranks, threads_used, threads);
  }
  if (!std::isfinite(progress) || progress < 0.0) {
    throw UsageError(fmt::format("--progress {} is not a valid interval", progress),
                     "use seconds, or 0 for none");
  }
  require_thresholds(*this, policy, chosen, ranks);
  ranks.on_root([&] {
    if (policy.ceiling == CeilingRule::file) {
      require_other_than(json, ceiling, "the file that --ceiling names");
    }
    if (json && !json_goes_to_output()) {
      static_cast<void>(OutputFile(*json));
    }
  });
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
    if (threads != free_threads && (threads < 0 || threads > max_threads)) {
      throw UsageError(fmt::format("--threads {} is out of range", threads),
                       fmt::format("use 1 to {}", max_threads));
    }
  });
  const bool any_free = ranks.max(std::int64_t{threads == free_threads}) > 0;
  const int by_free_cores = any_free ? threads_for_free_cores(ranks) : 0;
  if (threads == free_threads) {
    return by_free_cores;
  }
  const int by_default = default_threads(ranks);
  return threads == 0 ? by_default : threads;
}

ThreadPlacement CommonOptions::placement(const Communicator& ranks, Device chosen,
                                         int threads_used) const {
  return place_threads(ranks, {.pinning = pinning_names.parse(pin, "--pin " + pin + " is unknown"),
                               .on_cpu = !chosen.is_cuda(),
                               .threads = threads_used});
}

CLI::Option* with_environment(CLI::Option* option) {
  if (option->get_items_expected_max() == 0) {
    option->check(requiring_yes_or_no(option));
  } else if (option->get_expected_min() > 0) {
    option->check(refusing_options_for(option));
  }
  std::string name = "BANKFULL_" + option->get_lnames().front();
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char letter) {
    return letter == '-' ? '_' : static_cast<char>(std::toupper(letter));
  });
  return option->envname(name);
}

CLI::Option* take_whole(CLI::Option* option, const OptionRange& range) {
  return option->transform(rewriting([option, range](const std::string& text) {
    return fmt::format("{}", whole_in_range(*option, text, range));
  }));
}

CLI::Option* take_decimal(CLI::Option* option, const OptionRange& range) {
  return option->transform(rewriting([option, range](const std::string& text) {
    const auto value = parse_decimal(text);
    if (!value || (range.finite && !std::isfinite(*value))) {
      refuse_number(*option, text, range.finite ? "a finite number" : "a number", "such as 0.5");
    }
    require_range(*option, text, *value, range);
    return text.substr(text.starts_with('+') ? 1 : 0);
  }));
}

CLI::Option* add_bytes(CLI::App& command, const std::string& name, std::int64_t& value,
                       const std::string& description) {
  CLI::Option* option = with_environment(command.add_option(name, value, description));
  option->type_name("BYTES");
  return option->transform(rewriting([option](const std::string& text) {
    return fmt::format("{}", bytes_in(option->get_name(), text));
  }));
}

CLI::Option* add_list(CLI::App& command, const std::string& name, std::vector<std::string>& values,
                      const std::string& description) {
  return add_list_of(command, name, values, description,
                     [](const std::string& part) { return part; })
      ->type_name("NAME,...");
}

CLI::Option* add_list(CLI::App& command, const std::string& name, std::vector<int>& values,
                      const std::string& description) {
  return add_list_of(
             command, name, values, description,
             [name](const std::string& part) {
               const auto value = parse_whole(part);
               if (!value || *value != static_cast<int>(*value)) {
                 throw UsageError(
                     fmt::format("{}: '{}' is not a whole number, or too large", name, part),
                     "write it in digits, such as 3");
               }
               return static_cast<int>(*value);
             })
      ->type_name("N,...");
}

CLI::Option* add_list(CLI::App& command, const std::string& name, std::vector<std::int64_t>& bytes,
                      const std::string& description) {
  return add_list_of(command, name, bytes, description,
                     [name](const std::string& part) { return bytes_in(name, part); })
      ->type_name("BYTES,...");
}

void add_json_option(CLI::App& command, std::optional<std::string>& json) {
  with_environment(
      command
          .add_option("--json", json,
                      "write the whole result to FILE as JSON; - is standard output, and all else "
                      "then goes to standard error")
          ->type_name("FILE"));
}

void offer_devices(CLI::App& command) { offer(command, "--device", {"auto", "cpu", "cuda"}); }

void offer_transports(CLI::App& command) {
  std::vector<std::string> names = names_of(all_transports());
  std::erase(names, to_string(Transport::local));  // of the program's own choice
  offer(command, "--transport", names);
}

void add_device_options(CLI::App& command, std::string& device, int& threads) {
  with_environment(
      command
          .add_option("--device", device,
                      "auto, cpu, cuda or cuda:N; auto takes the first GPU if any, or one "
                      "per rank")
          ->capture_default_str());
  offer_devices(command);
  add_threads_option(command, threads);
  offer(command, "--threads", {free_word});
}

void add_common_options(CLI::App& command, CommonOptions& options) {
  add_device_options(command, options.device, options.threads);
  with_environment(
      command
          .add_option("--pin", options.pin,
                      "where threads of CPU teams may run: auto (each on its share of the cores, "
                      "unless a variable of OpenMP binds them or there are fewer processors than "
                      "threads), cores (each on one core, or exit 2) or none (anywhere)")
          ->type_name("auto|cores|none")
          ->capture_default_str());
  offer(command, "--pin", pinning_names.names());
  add_json_option(command, options.json);
  with_environment(command.add_flag("--quiet", options.quiet, "no progress, only result lines"));
  add_number(command, "--progress", options.progress,
             "if standard error is not a terminal, report the progress of long runs at this "
             "interval; 0: never",
             {.least = 0.0})
      ->type_name("SECONDS")
      ->capture_default_str();
  with_environment(command.add_flag("--dry-run", options.dry_run,
                                    "show what would run and how much memory it takes, then stop"));
  with_environment(
      command
          .add_option("--ceiling", options.ceiling,
                      "what percentages refer to: auto (measured in the run, except for working "
                      "sets inside a cache), always (measured), none, or the ceilings in FILE, the "
                      "JSON result of an earlier run on this machine")
          ->type_name("auto|always|none|FILE")
          ->capture_default_str());
  offer(command, "--ceiling", {"auto", "always", "none"});
  add_number(command, "--max-spread", options.max_spread,
             "exit 4 if the repeats of a measurement spread by more than PERCENT, or the machine "
             "was noisy",
             {.least = 0.0})
      ->type_name("PERCENT");
}

void add_thresholds(CLI::App& command, const std::string& workload, CommonOptions& options) {
  Thresholds& thresholds = options.thresholds;
  thresholds.workload = workload;
  add_number(command, "--min-gbs", thresholds.min_gbs,
             "exit 4 if a measurement stays below this bandwidth by its stated bytes",
             {.least = 0.0})
      ->type_name("GB/S");
  add_number(command, "--min-gflops", thresholds.min_gflops,
             "exit 4 if a measurement stays below this rate", {.least = 0.0})
      ->type_name("GFLOPS");
  add_number(command, "--min-percent", thresholds.min_percent,
             "exit 4 if a measurement stays below this percent of bankfull", {.least = 0.0})
      ->type_name("PERCENT");
  with_environment(
      command
          .add_option("--baseline", thresholds.baseline,
                      "compare the run with the recorded one of the same thing, or with those in a "
                      "folder, and exit 4 if it is slower; see bankfull compare")
          ->type_name("FILE|FOLDER"));
  thresholds.threshold_percent = compare::default_threshold_percent;
  add_threshold_option(command, thresholds.threshold_percent);
}

void add_threshold_option(CLI::App& command, double& percent) {
  constexpr double most = 100.0;
  add_number(command, "--threshold", percent,
             "changes of speed below PERCENT count as none in comparisons",
             {.least = 0.0, .most = most})
      ->type_name("PERCENT")
      ->capture_default_str();
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
                                   "transport of halos: auto, peer, nccl, mpi-device or mpi")
                       ->capture_default_str());
  offer_transports(command);
}

void add_perturbation_option(CLI::App& command, double& perturbation) {
  add_number(
      command, "--perturb-operator", perturbation,
      "test of the verification: multiply the measured operator by 1 + EPSILON, which must fail "
      "(exit code 3)",
      {.finite = false})
      ->type_name("EPSILON");
}

void warn_of_perturbation(double perturbation, const Communicator& ranks) {
  if (perturbation != 0.0) {
    tell(ranks, perturbation_note(perturbation));
  }
}

void print_fit(Device device, const std::string& shortage) {
  if (shortage.empty()) {
    print_out("  it fits: {} has {} free\n", to_string(device),
              format_bytes(static_cast<double>(free_bytes(device))));
  } else {
    print_out("  it does not fit: {}\n", shortage);
  }
}

Precision parse_precision(const std::string& text) {
  return precision_names.parse(text, "--precision " + text + " is unknown");
}

void tell(const Communicator& ranks, const std::string& message) {
  if (ranks.is_root()) {
    write_error(message);
  }
}

}  // namespace bankfull
