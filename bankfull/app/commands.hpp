#pragma once

#include "bankfull/app/options.hpp"

#include <CLI/CLI.hpp>

namespace bankfull {

/// Adds all subcommands; parsing sets `action` to that of the chosen one. `ranks` must outlive it.
void add_commands(CLI::App& program, const Communicator& ranks, Action& action);

}  // namespace bankfull
