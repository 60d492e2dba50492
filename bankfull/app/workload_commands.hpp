#pragma once

#include "bankfull/app/options.hpp"

#include <vector>

namespace bankfull {

/// What the command line knows of a workload: the two functions that every workload's `command.cpp`
/// defines in the workload's namespace.
struct WorkloadCommand {
  /// Adds the subcommand; sets `action` when it is the one chosen. `ranks` must outlive the action.
  void (*add_command)(CLI::App& program, const Communicator& ranks, Action& action);

  /// Prints what there is to choose from, for `bankfull list`.
  void (*list_choices)();
};

/// All workloads, in the order of the list in workloads/CMakeLists.txt, from which this is
/// generated.
std::vector<WorkloadCommand> workload_commands();

}  // namespace bankfull
