#include "bankfull/app/manual/completion.hpp"
#include "bankfull/app/manual/shell_quotes.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace bankfull::manual {
namespace {

// bash splits words at '=' and ':', so that "--size=M" comes as three. After a comma the last name
// of a list is completed.
constexpr const char* bash_head =
    R"(# bash completion of bankfull, printed by: bankfull completion bash
_bankfull() {
  local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}
  local command=bankfull names= value=no files=no before= n
  if [[ $word == = ]]; then
    word=
  elif [[ $previous == = && $COMP_CWORD -ge 2 ]]; then
    previous=${COMP_WORDS[COMP_CWORD-2]}
  fi
  for ((n = 1; n < COMP_CWORD; ++n)); do
    case "$command ${COMP_WORDS[n]}" in
)";

constexpr const char* bash_tail = R"(  esac
  if [[ $value == yes && $word == *,* ]]; then
    before=${word%,*},
    word=${word##*,}
  fi
  COMPREPLY=()
  if [[ -n $names ]]; then
    while IFS= read -r n; do COMPREPLY+=("$n"); done < <(compgen -P "$before" -W "$names" -- "$word")
  fi
  if [[ $files == yes && $word != -* ]]; then
    compopt -o filenames 2>/dev/null
    while IFS= read -r n; do COMPREPLY+=("$n"); done < <(compgen -f -- "$word")
  fi
}
complete -F _bankfull bankfull
)";

/// "names='XS S'; files=yes"
std::string offers(const std::vector<std::string>& names, bool files) {
  return fmt::format("names={}; files={}", quoted(fmt::format("{}", fmt::join(names, " "))),
                     files ? "yes" : "no");
}

/// What may follow an option with a value.
std::string values(const CommandFacts& command) {
  std::string text;
  for (const OptionFacts& option : command.options) {
    if (option.value.empty()) {
      continue;
    }
    std::string patterns;
    for (const std::string& name : option.names) {
      patterns += (patterns.empty() ? "" : " | ") + quoted(command.joined(" ") + " " + name);
    }
    text += fmt::format("    {}) value=yes; {} ;;\n", patterns,
                        offers(option.choices, option.takes_path()));
  }
  return text;
}

/// What may stand elsewhere behind a command.
std::string words(const CommandFacts& command) {
  std::vector<std::string> names;
  names.reserve(command.commands.size());
  bool files = false;
  for (const CommandFacts& below : command.commands) {
    names.push_back(below.name());
  }
  for (const OptionFacts& argument : command.arguments) {
    names.insert(names.end(), argument.choices.begin(), argument.choices.end());
    files = files || argument.takes_path();
  }
  for (const OptionFacts& option : command.options) {
    names.insert(names.end(), option.names.begin(), option.names.end());
  }
  return fmt::format("      {}) {} ;;\n", quoted(command.joined(" ")), offers(names, files));
}

}  // namespace

std::string bash_completion(const CommandFacts& program) {
  std::string commands;
  std::string after_options;
  std::string elsewhere;
  for (const CommandFacts* command : all_commands(program)) {
    if (command->path.size() > 1) {
      commands += (commands.empty() ? "" : " | ") + quoted(command->joined(" "));
    }
    after_options += values(*command);
    elsewhere += words(*command);
  }
  return std::string(bash_head) + "      " + commands +
         ") command=\"$command ${COMP_WORDS[n]}\" ;;\n    esac\n  done\n" +
         "  case \"$command $previous\" in\n" + after_options + "    *) case $command in\n" +
         elsewhere + "    esac ;;\n" + bash_tail;
}

}  // namespace bankfull::manual
