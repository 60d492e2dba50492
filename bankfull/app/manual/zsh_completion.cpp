#include "bankfull/app/manual/completion.hpp"
#include "bankfull/app/manual/shell_quotes.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace bankfull::manual {
namespace {

std::string function_name(const CommandFacts& command) { return "_" + command.joined("_"); }

/// What stands behind the ':' of a specification of _arguments: a message and what completes.
std::string value_of(const OptionFacts& option) {
  const std::string message = with_escapes(option.value, ":[]");
  const std::string choices = fmt::format("{}", fmt::join(option.choices, " "));
  if (option.takes_path() && !option.choices.empty()) {
    return fmt::format("{}:{{_alternative \"names:name:({})\" \"files:file:_files\"}}", message,
                       choices);
  }
  if (option.takes_path()) {
    return message + ":_files";
  }
  return option.choices.empty() ? message + ": " : fmt::format("{}:({})", message, choices);
}

std::string specification(const OptionFacts& option, const std::string& name) {
  const std::string description = "[" + with_escapes(brief(option.description), ":[]\\") + "]";
  if (option.value.empty()) {
    return quoted(name + description);
  }
  const bool is_long = name.starts_with("--");
  return quoted((option.repeated ? "*" : "") + name + (is_long ? "=" : "") + description + ":" +
                value_of(option));
}

std::string argument_specification(const OptionFacts& argument) {
  return quoted((argument.repeated ? "*:" : argument.required ? ":" : "::") + value_of(argument));
}

std::string options_of(const CommandFacts& command) {
  std::string text;
  for (const OptionFacts& option : command.options) {
    for (const std::string& name : option.names) {
      text += " \\\n    " + specification(option, name);
    }
  }
  return text;
}

/// A command whose arguments are its own.
std::string leaf(const CommandFacts& command) {
  std::string text = function_name(command) + "() {\n  _arguments" + options_of(command);
  for (const OptionFacts& argument : command.arguments) {
    text += " \\\n    " + argument_specification(argument);
  }
  return text + "\n}\n";
}

/// A command that has subcommands: the functions of these see only the words from theirs on.
std::string branch(const CommandFacts& command) {
  std::string descriptions;
  std::string cases;
  for (const CommandFacts& below : command.commands) {
    descriptions +=
        "\n      " + quoted(with_escapes(below.name(), ":") + ":" + brief(below.description));
    cases += fmt::format("        {}) {} ;;\n", below.name(), function_name(below));
  }
  return function_name(command) +
         "() {\n  local curcontext=$curcontext state line\n  typeset -A opt_args\n  _arguments -C" +
         options_of(command) +
         " \\\n    '1:command:->command' '*::argument:->arguments'\n  case $state in\n    "
         "command)\n"
         "      local -a commands=(" +
         descriptions +
         ")\n      _describe command commands ;;\n    arguments)\n      case $words[1] in\n" +
         cases + "      esac ;;\n  esac\n}\n";
}

}  // namespace

std::string zsh_completion(const CommandFacts& program) {
  std::string text =
      "#compdef bankfull\n# zsh completion of bankfull, printed by: "
      "bankfull completion zsh\n";
  for (const CommandFacts* command : all_commands(program)) {
    text += command->commands.empty() ? leaf(*command) : branch(*command);
  }
  // As a file of fpath this is the body of the function; sourced, it is no completion yet.
  return text +
         "if [[ $funcstack[1] == _bankfull ]]; then\n  _bankfull \"$@\"\nelse\n"
         "  compdef _bankfull bankfull\nfi\n";
}

}  // namespace bankfull::manual
