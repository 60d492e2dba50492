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
  add_compare_command(program, ranks, action);
  add_history_command(program, ranks, action);
  add_reproduce_command(program, ranks, action);
  add_scaling_command(program, ranks, action);
  add_decompose_command(program, ranks, action);
  add_report_command(program, ranks, action);
  add_suite_command(program, ranks, action);
  add_accept_command(program, ranks, action);
  add_baseline_command(program, action);
  add_man_command(program, ranks, action);
  add_completion_command(program, action);
}

}  // namespace bankfull
