#include "bankfull/app/invocation.hpp"

#include "bankfull/app/command_parser.hpp"
#include "bankfull/core/measure/context.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <span>
#include <string_view>
#include <vector>

namespace bankfull {
namespace {

Invocation& remembered() {
  static Invocation invocation;
  return invocation;
}

/// Whether the command line itself names the option; CLI11 counts what the environment says too.
bool is_named(const CLI::Option& option, std::span<const char* const> arguments) {
  const std::string flag = "--" + option.get_lnames().front();
  return std::any_of(arguments.begin(), arguments.end(), [&](std::string_view argument) {
    return argument == flag || argument.starts_with(flag + "=");
  });
}

UsedOption used_option(CLI::Option& option, std::span<const char* const> arguments) {
  const bool is_flag = option.get_items_expected_max() == 0;
  const bool is_positional = option.get_lnames().empty();
  UsedOption used{.name = option.get_single_name()};
  if (option.count() > 0) {
    used.source = is_positional || is_named(option, arguments) ? "command line" : "environment";
    used.value = fmt::format("{}", fmt::join(option.results(), ","));
    return used;
  }
  used.source = "default";
  option.capture_default_str();
  used.value = is_flag ? "false" : option.get_default_str();
  if (used.value == "[]") {  // a list of nothing
    used.value.clear();
  }
  return used;
}

}  // namespace

const Invocation& invocation() { return remembered(); }

void remember_command_line(int argc, const char* const* argv) {
  std::string line = "bankfull";
  for (int n = 1; n < argc; ++n) {
    line += std::string(" ") + argv[n];
  }
  remembered().command_line = line;
  remembered().since_start.restart();
}

void remember_options(CLI::App& program, int argc, const char* const* argv) {
  CLI::App& command = chosen_command(program);
  const std::span arguments(argv, static_cast<std::size_t>(argc));
  remembered().options.clear();
  for (CLI::Option* option : command.get_options()) {
    if (option != command.get_help_ptr()) {
      remembered().options.push_back(used_option(*option, arguments));
    }
  }
}

void restore_invocation(const Invocation& before) { remembered() = before; }

bool wants_json_on_output() {
  const std::vector<UsedOption>& options = remembered().options;
  return std::any_of(options.begin(), options.end(), [](const UsedOption& option) {
    return option.name == "json" && option.value == standard_output;
  });
}

std::string shared_environment() {
  std::vector<std::string> variables = context_environment();
  std::erase_if(variables, [](const std::string& variable) {
    return !variable.starts_with("BANKFULL_") || variable.starts_with("BANKFULL_DEVICE=") ||
           variable.starts_with("BANKFULL_THREADS=");
  });
  return fmt::format("{}", fmt::join(variables, "\n"));
}

}  // namespace bankfull
