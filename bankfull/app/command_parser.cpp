#include "bankfull/app/command_parser.hpp"

#include "bankfull/app/nearest_name.hpp"
#include "bankfull/core/base/error.hpp"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace bankfull {
namespace {

/// "bankfull scaling himeno"
std::string full_name(const CLI::App& command) {
  return command.get_parent() == nullptr
             ? command.get_name()
             : full_name(*command.get_parent()) + " " + command.get_name();
}

std::string see_help(const CLI::App& command) { return "see " + full_name(command) + " --help"; }

/// "--json=" and "--json ''", which scripts write whose variables are empty.
void refuse_empty_arguments(std::span<const char* const> arguments) {
  for (std::size_t n = 1; n < arguments.size(); ++n) {
    const std::string_view argument = arguments[n];
    const std::string_view before = n > 1 ? arguments[n - 1] : "bankfull";
    if (argument.empty()) {
      throw UsageError(fmt::format("{}{} is empty",
                                   before.starts_with("--") ? "" : "the argument after ", before),
                       "give a value, or leave it out");
    }
    if (argument.starts_with("--") && argument.find('=') == argument.size() - 1) {
      throw UsageError(fmt::format("{} is empty", argument.substr(0, argument.size() - 1)),
                       "give a value, or leave it out");
    }
  }
}

void refuse_empty_variables(const CLI::App& command) {
  for (const CLI::Option* option : command.get_options()) {
    const std::string name = option->get_envname();
    const char* value = name.empty() ? nullptr : std::getenv(name.c_str());
    if (option->count() == 0 && value != nullptr && *value == '\0') {
      throw UsageError(fmt::format("the environment variable {} is empty", name),
                       "give it a value, or unset it");
    }
  }
}

std::vector<std::string> option_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) {
      names.push_back("--" + name);
    }
  }
  return names;
}

std::vector<std::string> subcommand_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::App* subcommand : command.get_subcommands({})) {
    names.push_back(subcommand->get_name());
  }
  return names;
}

[[noreturn]] void refuse_option(const std::string& given, const CLI::App& program,
                                const CLI::App& command) {
  const std::string name = given.substr(0, given.find('='));
  const std::vector<std::string> known = option_names(command);
  const bool comes_before =
      &command != &program && std::find(known.begin(), known.end(), name) != known.end();
  if (comes_before) {
    throw UsageError(fmt::format("{} comes before the subcommand that it belongs to", name),
                     fmt::format("write it after {}", full_name(command)));
  }
  const std::string nearest = nearest_name(name, known);
  throw UsageError(fmt::format("{} is not an option of {}", name, full_name(command)),
                   nearest.empty() ? see_help(command) : fmt::format("did you mean {}?", nearest));
}

/// Refuses the first of the arguments that CLI11 knew nothing to do with.
[[noreturn]] void refuse_unexpected(const std::string& given, const CLI::App& program,
                                    const CLI::App& command) {
  if (given.starts_with("-")) {
    refuse_option(given, program, command);
  }
  const std::vector<std::string> subcommands = subcommand_names(command);
  if (subcommands.empty()) {
    throw UsageError(fmt::format("{} takes no argument '{}'", full_name(command), given),
                     see_help(command));
  }
  throw UsageError(fmt::format("{} has no subcommand '{}'", full_name(command), given),
                   remedy_for_name(given, subcommands));
}

/// CLI11's words and its advice, which stands on further lines, are for programmers.
[[noreturn]] void refuse_parse(const CLI::ParseError& error, const CLI::App& command) {
  std::string what = error.what();
  what = what.substr(0, what.find('\n'));
  const std::string option = what.substr(0, what.find(':'));
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr) {
    const bool missing = what.ends_with("missing");
    throw UsageError(option + (missing ? " has no value" : " is given more than once"),
                     missing ? "give one, or leave it out" : "give it once");
  }
  const std::vector<std::string> subcommands = subcommand_names(command);
  if (dynamic_cast<const CLI::RequiredError*>(&error) != nullptr && !subcommands.empty()) {
    throw UsageError(full_name(command) + " needs a subcommand",
                     fmt::format("use {}", fmt::join(subcommands, ", ")));
  }
  throw UsageError(what, see_help(command));
}

}  // namespace

CLI::App& chosen_command(CLI::App& program) {
  CLI::App* command = &program;
  for (auto chosen = program.get_subcommands(); !chosen.empty();
       chosen = command->get_subcommands()) {
    command = chosen.front();
  }
  return *command;
}

void parse_command_line(CLI::App& program, int argc, const char* const* argv) {
  refuse_empty_arguments({argv, static_cast<std::size_t>(argc)});
  try {
    program.parse(argc, argv);
  } catch (const CLI::Success&) {
    throw;
  } catch (const CLI::ParseError& error) {
    const CLI::App& command = chosen_command(program);
    // What is missing may be there, misspelt.
    const std::vector<std::string> unexpected = program.remaining(true);
    if (!unexpected.empty()) {
      refuse_unexpected(unexpected.front(), program, command);
    }
    refuse_parse(error, command);
  }
  refuse_empty_variables(chosen_command(program));
}

}  // namespace bankfull
