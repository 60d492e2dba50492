#include "bankfull/app/commands.hpp"

#include "bankfull/app/workload_commands.hpp"

namespace bankfull {

void add_commands(CLI::App& program, const Communicator& ranks, Action& action) {
  program.require_subcommand(0, 1);
  add_info_command(program, ranks, action);
  add_list_command(program, action);
  for (const WorkloadCommand& workload : workload_commands()) {
    workload.add_command(program, ranks, action);
  }
  add_reproduce_command(program, ranks, action);
  add_scaling_command(program, ranks, action);
  add_decompose_command(program, ranks, action);
}

}  // namespace bankfull
