#pragma once

#include "bankfull/core/comm/communicator.hpp"
#include "bankfull/core/machine/device.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace bankfull {

/// How the ranks of a run are placed on the machine.
struct RankSurvey {
  int ranks = 1;            ///< in all
  int nodes = 1;            ///< that they run on
  int ranks_per_node = 1;   ///< maximum over the nodes
  int default_threads = 1;  ///< of this rank
  std::string mpi_library;  ///< empty if MPI is not used

  /// Whether and where the threads of rank 0 are bound: ThreadPlacement's description. Empty if
  /// nothing runs.
  std::string thread_binding = {};

  /// The device of every rank, in rank order: "CPU <model> of host <name>, 4 threads", "GPU <name>
  /// of host <name>". Empty if nothing runs.
  std::vector<std::string> devices = {};
};

/// Collective.
RankSurvey survey_ranks(const Communicator& ranks);

/// The index of a rank among those that share something, and their number.
struct Sharers {
  int place = 0;          ///< from 0, in the order of ranks
  int count = 1;          ///< this rank included
  bool are_alike = true;  ///< each of them has all of the things that this rank has, and no other
};

/// Collective: the ranks of this node that share any of this rank's resources, which are numbered
/// consistently across the node.
Sharers sharers_on_node(const Communicator& ranks, const std::vector<std::uint64_t>& things);

/// Indices of the processors that this process may run on, ascending: process_processors.
std::vector<std::uint64_t> usable_processors();

/// Collective: the default number of threads of a rank: OMP_NUM_THREADS if it is set, else the
/// number of cores that this process may run on, divided by the number of ranks of the node that
/// may run on them too. If the launcher binds ranks to cores, there is nothing to divide.
int default_threads(const Communicator& ranks);

/// Collective: index and number of the ranks of this node that see the same GPUs as this one; just
/// this rank if the launcher gave every rank its own.
Sharers sharers_of_gpus(const Communicator& ranks);

/// Collective: the ranks of this node on the same device as this rank, which is included: all of
/// them for the CPU. Ascending.
std::vector<int> ranks_on_device(const Communicator& ranks, Device device);

/// Collective: their number.
int sharers_of_device(const Communicator& ranks, Device device);

}  // namespace bankfull
