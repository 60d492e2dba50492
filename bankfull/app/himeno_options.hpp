#pragma once

#include "bankfull/app/options.hpp"
#include "bankfull/workloads/himeno/problem.hpp"

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>

namespace bankfull {

/// The options of everything that runs Himeno.
struct HimenoOptions {
  CommonOptions common;
  std::string size = "M";
  std::string schedule = "tuned";
  std::string precision = "fp32";
  double target_seconds = 3.0;
  std::optional<std::int64_t> iterations;  ///< exactly so many
  int repeats = 5;
  int warmup = 1;
  RankOptions ranks;
  std::string overlap = "boundary";
  double split = 0.5;
  double perturbation = 0.0;  ///< of the measured operator
};

/// Adds all of them; --target-seconds and --iterations exclude each other.
void add_himeno_options(CLI::App& command, HimenoOptions& options);

/// Collective: the problem that the options ask for, which `himeno::make_plan` has yet to check.
/// Throws UsageError for a value that means nothing, naming its option.
himeno::Problem problem_from(const HimenoOptions& options, const Communicator& ranks);

}  // namespace bankfull
