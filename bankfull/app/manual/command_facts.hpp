#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace bankfull::manual {

/// What --help says of an option or of an argument that is none.
struct OptionFacts {
  std::vector<std::string> names;  ///< "-h", "--help"; of an argument its name alone
  std::string value;               ///< "TEXT"; empty: a flag
  std::string default_value;       ///< empty: none is stated
  std::string description;
  std::string variable;               ///< of the environment; empty: none
  std::vector<std::string> excludes;  ///< names of options that cannot be given with it
  std::vector<std::string> choices;   ///< names that it takes; empty: unknown
  bool required = false;
  bool repeated = false;

  /// Whether files and folders are values of it.
  [[nodiscard]] bool takes_path() const;
};

/// What --help says of a command.
struct CommandFacts {
  std::vector<std::string> path;  ///< "bankfull", "scaling", "himeno"
  std::string description;
  std::string footer;
  std::vector<OptionFacts> options;
  std::vector<OptionFacts> arguments;
  std::vector<CommandFacts> commands;

  [[nodiscard]] std::string name() const { return path.back(); }

  /// The path with something between its words.
  [[nodiscard]] std::string joined(const std::string& separator) const;
};

/// Of the program and all its subcommands: from the tree that --help is printed from.
CommandFacts facts_of(CLI::App& program);

/// The command and all below it, each before those below it.
std::vector<const CommandFacts*> all_commands(const CommandFacts& command);

}  // namespace bankfull::manual
