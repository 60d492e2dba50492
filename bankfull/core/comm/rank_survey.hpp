#pragma once

#include "bankfull/core/comm/communicator.hpp"
#include "bankfull/core/machine/device.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace bankfull {

/// How the ranks of a run lie on the machine.
struct RankSurvey {
  int ranks = 1;
  int nodes = 1;
  int ranks_per_node = 1;   ///< on the node that has most
  int default_threads = 1;  ///< of this rank
  std::string mpi_library;  ///< empty without MPI

  /// What every rank runs on, in their order: "CPU <model> of host <name>, 4 threads", "GPU <name>
  /// of host <name>". Empty where nothing runs.
  std::vector<std::string> devices = {};
};

/// Collective.
RankSurvey survey_ranks(const Communicator& ranks);

/// Number of a rank among those that share something, and how many these are.
struct Sharers {
  int place = 0;
  int count = 1;
};

/// Collective: who of this rank's node can use any of the same things as this rank. Things have
/// numbers that all ranks of a node understand.
Sharers sharers_on_node(const Communicator& ranks, const std::vector<std::uint64_t>& things);

/// Numbers of the processors that this process may run on, ascending.
std::vector<std::uint64_t> usable_processors();

/// Collective: the threads that a rank takes where nobody says how many. OMP_NUM_THREADS if it is
/// set, else the cores that this process may run on, divided by the ranks of the node that may run
/// on them too: launchers that bind ranks to cores leave nothing to divide.
int default_threads(const Communicator& ranks);

/// Collective: number and count of this rank among those of its node that see the same GPUs; alone
/// where the launcher gave every rank its own.
Sharers sharers_of_gpus(const Communicator& ranks);

/// Collective: the ranks of this node, this one included, whose device is this rank's: all of them
/// for the CPU. Ascending.
std::vector<int> ranks_on_device(const Communicator& ranks, Device device);

/// Collective: how many these are.
int sharers_of_device(const Communicator& ranks, Device device);

}  // namespace bankfull
