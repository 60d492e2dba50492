#pragma once

#include "bankfull/core/base/error.hpp"
#include "bankfull/core/comm/communicator.hpp"

#include <CLI/CLI.hpp>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace bankfull {

// Commands that run other commands of this program, such as suite: their steps are command lines,
// so that whatever a suite measures can be measured again by hand.

/// How a step ended.
struct StepOutcome {
  ExitCode code = ExitCode::ok;
  std::string message = {};  ///< why it failed, in one line; empty if it told why itself
};

/// Collective over `ranks`: runs a command of this program, such as {"himeno", "--size", "L"}, in
/// this process, with what it prints in the file `log`, which the root appends to. Never throws
/// what the command throws. `ranks` may be some of the run's, or this process alone.
StepOutcome run_step(const std::vector<std::string>& arguments, const Communicator& ranks,
                     const std::filesystem::path& log);

/// The command line of a step as a shell takes it.
std::string command_line_of(const std::vector<std::string>& arguments);

}  // namespace bankfull
