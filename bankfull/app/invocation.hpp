#pragma once

#include "bankfull/core/measure/run_result_json.hpp"

#include <CLI/CLI.hpp>
#include <string>

namespace bankfull {

/// How this process was called, for the record: the command line as it was given, the options of
/// the chosen command once it is parsed, and the time since then.
const Invocation& invocation();

void remember_command_line(int argc, const char* const* argv);

/// All options of the command that `program` has parsed, with what they are and whether the command
/// line, the environment or the program said so.
void remember_options(CLI::App& program, int argc, const char* const* argv);

/// For commands that run others within this process: what they had called it before.
void restore_invocation(const Invocation& before);

/// Whether option --json of that command names standard output.
bool wants_json_on_output();

/// What names standard output in the place of a file.
inline constexpr const char* standard_output = "-";

/// The variables of the environment that stand for options, but for those that a launcher's scripts
/// may choose for each rank: its device and its threads.
std::string shared_environment();

}  // namespace bankfull
