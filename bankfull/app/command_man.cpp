#include "bankfull/app/choices.hpp"
#include "bankfull/app/created_folders.hpp"
#include "bankfull/app/manual/man_page.hpp"
#include "bankfull/app/nearest_name.hpp"
#include "bankfull/app/options.hpp"
#include "bankfull/app/output_file.hpp"
#include "bankfull/app/print_out.hpp"
#include "bankfull/core/base/build_facts.hpp"

#include <algorithm>
#include <filesystem>
#include <memory>

namespace bankfull {
namespace {

struct ManOptions {
  std::vector<std::string> words;
  std::string output;
};

const manual::CommandFacts& command_named(const manual::CommandFacts& program,
                                          const std::vector<std::string>& words) {
  const manual::CommandFacts* command = &program;
  for (const std::string& word : words) {
    const auto& below = command->commands;
    const auto found = std::find_if(below.begin(), below.end(),
                                    [&](const auto& other) { return other.name() == word; });
    if (found == below.end()) {
      std::vector<std::string> names;
      names.reserve(below.size());
      for (const manual::CommandFacts& other : below) {
        names.push_back(other.name());
      }
      throw UsageError(command->joined(" ") + " has no subcommand '" + word + "'",
                       names.empty() ? "leave it out" : remedy_for_name(word, names));
    }
    command = &*found;
  }
  return *command;
}

void write_all(const manual::CommandFacts& program, const std::filesystem::path& folder) {
  CreatedFolders folders;
  try {
    folders.make(folder);
  } catch (const std::filesystem::filesystem_error& error) {
    throw UsageError("cannot make the folder " + folder.string() + ": " + error.code().message());
  }
  for (const manual::CommandFacts* command : manual::all_commands(program)) {
    OutputFile(folder / manual::man_page_file(*command))
        .commit(manual::man_page(*command, build_facts().version));
  }
}

}  // namespace

void add_man_command(CLI::App& program, const Communicator& ranks, Action& action) {
  auto options = std::make_shared<ManOptions>();
  CLI::App* command =
      program.add_subcommand("man", "The manual page of a command, as man reads it");
  command->footer(
      "Examples:\n"
      "  bankfull man himeno | man -l -           one page, read\n"
      "  bankfull man scaling himeno              of a subcommand's subcommand\n"
      "  bankfull man --output share/man/man1     all pages, into a folder");
  CLI::Option* words = command->add_option(
      "command", options->words, "the command, as it is called (default: bankfull itself)");
  offer(*command, "command", [&program] {
    std::vector<std::string> names;
    for (const CLI::App* other : program.get_subcommands({})) {
      names.push_back(other->get_name());
    }
    return names;
  });
  with_environment(
      command->add_option("--output", options->output, "write the pages of all commands here"))
      ->type_name("DIR")
      ->excludes(words);
  command->callback([&program, &ranks, &action, options] {
    // Here, for what the program notes of used options later would stand in it as their defaults.
    action = [&ranks, options, facts = manual::facts_of(program)] {
      if (options->output.empty()) {
        print_out("{}",
                  manual::man_page(command_named(facts, options->words), build_facts().version));
      } else {
        ranks.on_root([&] { write_all(facts, options->output); });
      }
      return ExitCode::ok;
    };
  });
}

}  // namespace bankfull
