#include "bankfull/app/options.hpp"
#include "bankfull/app/print_out.hpp"
#include "bankfull/app/workload_commands.hpp"

#include <cstdio>
#include <fmt/format.h>

namespace bankfull {

void add_list_command(CLI::App& program, Action& action) {
  CLI::App* command = program.add_subcommand("list", "Workloads, their sizes and schedules");
  command->callback([&action] {
    action = [] {
      const char* separator = "";
      for (const WorkloadCommand& workload : workload_commands()) {
        print_out("{}", separator);
        workload.list_choices();
        separator = "\n";
      }
      return ExitCode::ok;
    };
  });
}

}  // namespace bankfull
