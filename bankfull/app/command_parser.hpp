#pragma once

#include <CLI/CLI.hpp>

namespace bankfull {

/// Parses the command line and the environment. Throws UsageError, in one line that says what to
/// do, for what CLI11 refuses, and for what it would let pass: empty values, whose options would
/// keep their defaults without a word. CLI::Success, for help and version, passes through.
void parse_command_line(CLI::App& program, int argc, const char* const* argv);

/// The command that was chosen, or the program itself.
CLI::App& chosen_command(CLI::App& program);

}  // namespace bankfull
