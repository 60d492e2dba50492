#pragma once

#include "bankfull/core/base/error.hpp"
#include "bankfull/core/comm/communicator.hpp"
#include "bankfull/core/comm/decomposition.hpp"
#include "bankfull/core/machine/device.hpp"
#include "bankfull/core/measure/run_context.hpp"
#include "bankfull/core/measure/streams.hpp"

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace bankfull {

/// What the chosen subcommand does once the command line is parsed.
using Action = std::function<ExitCode()>;

/// The options that every measuring subcommand shares.
struct CommonOptions {
  std::string device = "auto";
  int threads = 0;  ///< 0: the default team
  std::optional<std::string> json;
  bool quiet = false;
  bool dry_run = false;
  std::string ceiling = "auto";      ///< or always, none, or a file
  std::optional<double> max_spread;  ///< percent

  /// Collective: the device of this rank. See resolve_device.
  [[nodiscard]] Device resolved_device(const Communicator& ranks) const;

  /// Collective. Once the rest of the command line is known to be good: refuses a JSON path that
  /// cannot be written, a file of ceilings that does not fit this run and a spread that is none,
  /// and says on stderr what `auto` chose. Returns how to measure on this device, with a team of
  /// `threads_used`.
  [[nodiscard]] MeasurePolicy prepare(const Communicator& ranks, Device chosen,
                                      int threads_used) const;

  /// Collective: the threads of this rank's team. Throws UsageError for a count that no team can
  /// have.
  [[nodiscard]] int resolved_threads(const Communicator& ranks) const;
};

/// Adds --device, --threads, --json, --quiet, --dry-run, --ceiling and --max-spread. Every option
/// of bankfull has a twin in the environment: --device is BANKFULL_DEVICE.
void add_common_options(CLI::App& command, CommonOptions& options);

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

/// Names the environment twin of an option and returns the option.
CLI::Option* with_environment(CLI::Option* option);

/// Understands fp32 and fp64; throws UsageError for anything else.
Precision parse_precision(const std::string& text);

/// "bankfull: message" on stderr, from the root only: what all ranks have to say is said once.
void tell(const Communicator& ranks, const std::string& message);

// The subcommands beside those of the workloads, one function each in its own file: adds the
// subcommand and sets `action` when it is the one chosen. `ranks` must outlive the action.
void add_info_command(CLI::App& program, const Communicator& ranks, Action& action);
void add_list_command(CLI::App& program, Action& action);
void add_scaling_command(CLI::App& program, const Communicator& ranks, Action& action);
void add_decompose_command(CLI::App& program, const Communicator& ranks, Action& action);

}  // namespace bankfull
