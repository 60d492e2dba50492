#include "bankfull/app/options.hpp"
#include "bankfull/app/report.hpp"
#include "bankfull/app/version.hpp"
#include "bankfull/core/base/build_facts.hpp"
#include "bankfull/core/measure/context.hpp"

#include <cstdio>
#include <fmt/format.h>

namespace bankfull {

std::string version_text() {
  std::string text = fmt::format("bankfull {}\n", build_facts().version);
  const std::vector<FactGroup> groups = context_facts();
  for (const Figure& fact : groups.back().facts) {
    text += fmt::format("  {:<14} {}\n", fact.name, display(fact));
  }
  text.pop_back();
  return text;
}

void add_info_command(CLI::App& program, Action& action) {
  CLI::App* command =
      program.add_subcommand("info", "The machine and this program, as results record them");
  command->callback([&action] {
    action = [] {
      for (const FactGroup& group : context_facts()) {
        fmt::print("{}\n", group.title);
        for (const Figure& fact : group.facts) {
          fmt::print("  {:<20} {}\n", fact.name, display(fact));
        }
      }
      return ExitCode::ok;
    };
  });
}

}  // namespace bankfull
