#include "bankfull/app/choices.hpp"
#include "bankfull/app/manual/completion.hpp"
#include "bankfull/app/options.hpp"
#include "bankfull/app/print_out.hpp"
#include "bankfull/core/base/enum_names.hpp"

#include <memory>

namespace bankfull {
namespace {

enum class Shell { bash, zsh, fish };

constexpr auto shell_names =
    enum_names<Shell>({{Shell::bash, "bash"}, {Shell::zsh, "zsh"}, {Shell::fish, "fish"}});

std::string script_of(Shell shell, const manual::CommandFacts& program) {
  switch (shell) {
    case Shell::bash:
      return manual::bash_completion(program);
    case Shell::zsh:
      return manual::zsh_completion(program);
    case Shell::fish:
      return manual::fish_completion(program);
  }
  return {};
}

}  // namespace

void add_completion_command(CLI::App& program, Action& action) {
  auto shell = std::make_shared<std::string>();
  CLI::App* command = program.add_subcommand(
      "completion", "A script with which a shell completes commands, options and their names");
  command->footer(
      "Examples:\n"
      "  source <(bankfull completion bash)       for this shell\n"
      "  bankfull completion zsh > ~/.zfunc/_bankfull\n"
      "  bankfull completion fish > ~/.config/fish/completions/bankfull.fish");
  command->add_option("shell", *shell, "bash, zsh or fish")->required();
  offer(*command, "shell", shell_names.names());
  command->callback([&program, &action, shell] {
    // Here, for what the program notes of used options later would stand in it as their defaults.
    action = [shell, facts = manual::facts_of(program)] {
      const Shell chosen = shell_names.parse(*shell, "there is no completion for '" + *shell + "'");
      print_out("{}", script_of(chosen, facts));
      return ExitCode::ok;
    };
  });
}

}  // namespace bankfull
