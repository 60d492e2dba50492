#include "bankfull/app/manual/command_facts.hpp"

#include "bankfull/app/choices.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sstream>
#include <string_view>

namespace bankfull::manual {
namespace {

/// Of letters that mean nothing to a shell; other names, such as those of files, are not offered.
bool is_plain(const std::string& name) {
  return std::all_of(name.begin(), name.end(), [](unsigned char letter) {
    return std::isalnum(letter) != 0 || letter == '-' || letter == '_' || letter == '.';
  });
}

OptionFacts facts_of_option(CLI::Option& option) {
  OptionFacts facts;
  for (const std::string& name : option.get_snames()) {
    facts.names.push_back("-" + name);
  }
  for (const std::string& name : option.get_lnames()) {
    facts.names.push_back("--" + name);
  }
  if (facts.names.empty()) {
    facts.names.push_back(option.get_name(true));
  }
  const bool has_value = option.get_items_expected_max() > 0;
  facts.value = has_value ? option.get_type_name() : "";
  facts.default_value = has_value ? option.get_default_str() : "";
  facts.description = option.get_description();
  facts.variable = option.get_envname();
  for (const CLI::Option* other : option.get_excludes()) {
    facts.excludes.push_back(other->get_name());
  }
  std::sort(facts.excludes.begin(), facts.excludes.end());  // CLI11 has them by address
  facts.choices = offered(option);
  std::erase_if(facts.choices, [](const std::string& name) { return !is_plain(name); });
  facts.required = option.get_required();
  facts.repeated = option.get_expected_max() == CLI::detail::expected_max_vector_size;
  return facts;
}

CommandFacts facts_below(CLI::App& command, std::vector<std::string> path) {
  CommandFacts facts;
  path.push_back(command.get_name());
  facts.path = path;
  facts.description = command.get_description();
  facts.footer = command.get_footer();
  for (CLI::Option* option : command.get_options({})) {
    (option->nonpositional() ? facts.options : facts.arguments).push_back(facts_of_option(*option));
  }
  for (CLI::App* subcommand : command.get_subcommands({})) {
    facts.commands.push_back(facts_below(*subcommand, path));
  }
  return facts;
}

void collect(const CommandFacts& command, std::vector<const CommandFacts*>& all) {
  all.push_back(&command);
  for (const CommandFacts& below : command.commands) {
    collect(below, all);
  }
}

}  // namespace

bool OptionFacts::takes_path() const {
  constexpr std::array<std::string_view, 8> paths{"FILE", "FOLDER", "DIR", "PATH",
                                                  "RUN",  "OLD",    "NEW", "INPUT"};
  std::istringstream words(value);
  for (std::string word; std::getline(words, word, '|');) {
    if (std::find(paths.begin(), paths.end(), word) != paths.end()) {
      return true;
    }
  }
  return false;
}

std::string CommandFacts::joined(const std::string& separator) const {
  return fmt::format("{}", fmt::join(path, separator));
}

CommandFacts facts_of(CLI::App& program) { return facts_below(program, {}); }

std::vector<const CommandFacts*> all_commands(const CommandFacts& command) {
  std::vector<const CommandFacts*> all;
  collect(command, all);
  return all;
}

}  // namespace bankfull::manual
