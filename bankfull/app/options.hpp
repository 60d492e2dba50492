#pragma once

#include "bankfull/core/base/error.hpp"
#include "bankfull/core/comm/communicator.hpp"
#include "bankfull/core/comm/decomposition.hpp"
#include "bankfull/core/machine/device.hpp"
#include "bankfull/core/measure/footprint.hpp"
#include "bankfull/core/measure/run_context.hpp"
#include "bankfull/core/measure/streams.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

namespace bankfull {

/// What the chosen subcommand does once the command line is parsed.
using Action = std::function<ExitCode()>;

/// What a run must reach, or it ends with exit code 4.
struct Thresholds {
  std::string workload;  ///< whose runs a baseline must have; empty: the command has no thresholds
  std::optional<double> min_gbs;             ///< GB/s
  std::optional<double> min_gflops;          ///< GFLOPS
  std::optional<double> min_percent;         ///< of bankfull
  std::optional<std::string> baseline = {};  ///< a result, or a folder of them
  double threshold_percent = 0.0;            ///< how much slower than the baseline it may be

  [[nodiscard]] bool needs_percentage() const { return min_percent.value_or(0.0) > 0.0; }
};

/// In the place of a number of threads: as many as there are free cores.
inline constexpr int free_threads = -1;

/// The options that every measuring subcommand shares.
struct CommonOptions {
  std::string device = "auto";
  int threads = 0;  ///< 0: the default team; or free_threads
  std::string pin = "auto";
  std::optional<std::string> json;
  bool quiet = false;
  double progress = 30.0;  ///< seconds between lines of progress; 0: none
  bool dry_run = false;
  std::string ceiling = "auto";      ///< or always, none, or a file
  std::optional<double> max_spread;  ///< percent
  Thresholds thresholds = {};        ///< of those that have them

  /// Whether the JSON goes to standard output, and what goes there otherwise to standard error.
  [[nodiscard]] bool json_goes_to_output() const;

  /// Collective: the device of this rank. See resolve_device.
  [[nodiscard]] Device resolved_device(const Communicator& ranks) const;

  /// Collective. Once the rest of the command line is known to be good: refuses a JSON path that
  /// cannot be written, a file of ceilings that does not fit this run, a baseline that is no result
  /// of this workload or of other devices, a threshold of percentages where there are none, a
  /// spread that is none and a time that is none, and says on stderr what `auto` chose. Returns how
  /// to measure on this device, with a team of `threads_used`.
  [[nodiscard]] MeasurePolicy prepare(const Communicator& ranks, Device chosen,
                                      int threads_used) const;

  /// A dry run reports if a run would be refused for lack of memory.
  [[nodiscard]] Shortage shortage() const {
    return dry_run ? Shortage::reported : Shortage::refused;
  }

  /// Collective: where these run; see place_threads.
  [[nodiscard]] ThreadPlacement placement(const Communicator& ranks, Device chosen,
                                          int threads_used) const;

  /// Collective: the threads of this rank's team. Throws UsageError for a count that no team can
  /// have.
  [[nodiscard]] int resolved_threads(const Communicator& ranks) const;
};

/// Adds --json.
void add_json_option(CLI::App& command, std::optional<std::string>& json);

/// Adds --device and --threads, where a command runs.
void add_device_options(CLI::App& command, std::string& device, int& threads);

/// Notes the names that a command's --device and --transport take; see offer.
void offer_devices(CLI::App& command);
void offer_transports(CLI::App& command);

/// Adds --device, --threads, --pin, --json, --quiet, --progress, --dry-run, --ceiling and
/// --max-spread. Every option has a matching environment variable: BANKFULL_DEVICE for --device.
void add_common_options(CLI::App& command, CommonOptions& options);

/// Adds --min-gbs, --min-gflops, --min-percent, --baseline and --threshold to the command of this
/// workload.
void add_thresholds(CLI::App& command, const std::string& workload, CommonOptions& options);

/// Adds --threshold: from which change of speed on, in percent, runs count as faster or slower.
void add_threshold_option(CLI::App& command, double& percent);

/// The options of every workload that runs on several ranks.
struct RankOptions {
  std::string ranks_grid;  ///< empty: the one with the least communication
  std::string transport = "auto";

  /// Throws UsageError for what is not a grid.
  [[nodiscard]] std::optional<RankGrid> grid() const;
};

/// Adds --ranks-grid and --transport.
void add_rank_options(CLI::App& command, RankOptions& options);

/// Adds --perturb-operator, a check of the checks: the measured path works with an operator that is
/// multiplied by 1 + `perturbation`, the reference does not, so that the run must fail its
/// verification.
void add_perturbation_option(CLI::App& command, double& perturbation);

/// Says on stderr, once, that a perturbed run gives no results; nothing of 0.
void warn_of_perturbation(double perturbation, const Communicator& ranks);

/// Says in a dry run what memory is free, and `shortage` where a run does not fit it.
void print_fit(Device device, const std::string& shortage);

/// Adds the matching environment variable to an option and returns the option. Another option in
/// the place of its value is refused.
CLI::Option* with_environment(CLI::Option* option);

/// The numbers that an option accepts, in addition to the limits of its type.
struct OptionRange {
  double least = std::numeric_limits<double>::lowest();
  double most = std::numeric_limits<double>::max();
  bool finite = true;  ///< else also nan and inf, whatever the bounds
};

/// Has an option take whole numbers, or any, in decimal digits; of its own CLI11 takes "", "010"
/// for 8, "0x10" and "inf" as well.
CLI::Option* take_whole(CLI::Option* option, const OptionRange& range);
CLI::Option* take_decimal(CLI::Option* option, const OptionRange& range);

/// The number that an option's variable holds, if any.
template <class Number>
struct NumberOf {
  using Type = Number;
};
template <class Number>
struct NumberOf<std::optional<Number>> {
  using Type = Number;
};

/// Adds an option that is a number, with its environment variable.
template <class Number>
CLI::Option* add_number(CLI::App& command, const std::string& name, Number& value,
                        const std::string& description, OptionRange range = {}) {
  using Kind = typename NumberOf<Number>::Type;
  CLI::Option* option = with_environment(command.add_option(name, value, description));
  if constexpr (std::is_floating_point_v<Kind>) {
    return take_decimal(option, range);
  }
  range.least = std::max(range.least, static_cast<double>(std::numeric_limits<Kind>::lowest()));
  range.most = std::min(range.most, static_cast<double>(std::numeric_limits<Kind>::max()));
  return take_whole(option, range);
}

/// Adds an option that is a number of bytes of at least 1, such as 64KiB, likewise.
CLI::Option* add_bytes(CLI::App& command, const std::string& name, std::int64_t& value,
                       const std::string& description);

/// Adds options that may be given several times or with commas, without duplicates, and their
/// environment variables: of names, whole numbers and bytes.
CLI::Option* add_list(CLI::App& command, const std::string& name, std::vector<std::string>& values,
                      const std::string& description);
CLI::Option* add_list(CLI::App& command, const std::string& name, std::vector<int>& values,
                      const std::string& description);
CLI::Option* add_list(CLI::App& command, const std::string& name, std::vector<std::int64_t>& bytes,
                      const std::string& description);

/// Understands fp32 and fp64; throws UsageError for anything else.
Precision parse_precision(const std::string& text);

/// "bankfull: message" on stderr, from the root only: what all ranks have to say is said once.
void tell(const Communicator& ranks, const std::string& message);

// The subcommands beside those of the workloads, one function each in its own file: adds the
// subcommand and sets `action` when it is the one chosen. `ranks` must outlive the action.
void add_info_command(CLI::App& program, const Communicator& ranks, Action& action);
void add_list_command(CLI::App& program, Action& action);
void add_compare_command(CLI::App& program, const Communicator& ranks, Action& action);
void add_history_command(CLI::App& program, const Communicator& ranks, Action& action);
void add_scaling_command(CLI::App& program, const Communicator& ranks, Action& action);
void add_decompose_command(CLI::App& program, const Communicator& ranks, Action& action);
void add_suite_command(CLI::App& program, const Communicator& ranks, Action& action);
void add_accept_command(CLI::App& program, const Communicator& ranks, Action& action);
void add_baseline_command(CLI::App& program, Action& action);
void add_report_command(CLI::App& program, const Communicator& ranks, Action& action);
void add_reproduce_command(CLI::App& program, const Communicator& ranks, Action& action);
void add_man_command(CLI::App& program, const Communicator& ranks, Action& action);
void add_completion_command(CLI::App& program, Action& action);

}  // namespace bankfull
