#include "bankfull/app/manual/completion.hpp"
#include "bankfull/app/manual/shell_quotes.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace bankfull::manual {
namespace {

constexpr const char* fish_head =
    R"(# fish completion of bankfull, printed by: bankfull completion fish
function __bankfull_command -d 'Whether the words so far are of this command'
    set -l command bankfull
    set -l words (commandline -opc)
    for word in $words[2..-1]
        if contains -- "$command $word" $__bankfull_commands
            set command "$command $word"
        end
    end
    test "$command" = "$argv"
end
complete -c bankfull -f
)";

/// One word of fish, in single quotes.
std::string fish_quoted(const std::string& text) { return "'" + with_escapes(text, "\\'") + "'"; }

std::string names(const std::vector<std::string>& all) {
  return " -a " + fish_quoted(fmt::format("{}", fmt::join(all, " ")));
}

std::string described(const std::string& description) {
  return " -d " + fish_quoted(brief(description));
}

std::string option_line(const OptionFacts& option) {
  std::string text;
  for (const std::string& name : option.names) {
    text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  }
  if (!option.value.empty()) {
    text += option.takes_path() ? " -r -F" : " -x";
  }
  if (!option.choices.empty()) {
    text += names(option.choices);
  }
  return text + described(option.description);
}

std::string argument_line(const OptionFacts& argument) {
  return (argument.takes_path() ? " -F" : "") +
         (argument.choices.empty() ? "" : names(argument.choices)) +
         described(argument.description);
}

}  // namespace

std::string fish_completion(const CommandFacts& program) {
  std::string paths = "set -g __bankfull_commands";
  std::string lines;
  for (const CommandFacts* command : all_commands(program)) {
    const std::string start =
        fmt::format("complete -c bankfull -n '__bankfull_command {}'", command->joined(" "));
    if (command->path.size() > 1) {
      paths += " " + fish_quoted(command->joined(" "));
    }
    for (const CommandFacts& below : command->commands) {
      lines += start + names({below.name()}) + described(below.description) + "\n";
    }
    for (const OptionFacts& argument : command->arguments) {
      lines += start + argument_line(argument) + "\n";
    }
    for (const OptionFacts& option : command->options) {
      lines += start + option_line(option) + "\n";
    }
  }
  return fish_head + paths + "\n" + lines;
}

}  // namespace bankfull::manual
