#pragma once

#include "bankfull/core/comm/communicator.hpp"
#include "bankfull/core/comm/launch.hpp"
#include "bankfull/core/machine/system_files.hpp"

#include <string>

namespace bankfull {

/// How much of a node the teams of its ranks may use.
struct NodeUse {
  int ranks = 1;            ///< of the node
  int threads = 1;          ///< per rank
  int rank_processors = 1;  ///< that this rank may run on
  int used_processors = 1;  ///< that any rank of the node may run on
  int node_processors = 1;  ///< that this session may use
  bool is_asked = false;    ///< the number of threads is the user's
};

/// Who bound this process, for people: "Open MPI", "the launcher"; "this process's starter" if no
/// launcher started it.
enum class Starter { open_mpi, slurm, hydra, other_launcher, nobody };
/// By the variables that launchers set. Open MPI's count before those of Hydra, the launcher of
/// MPICH and Intel MPI, and these before Slurm's, whose job may be around either.
Starter detect_starter(const ReadVariable& variable = read_environment);

/// What to say where the starter's binding leaves teams fewer processors than they have threads, or
/// most of the node unused, with the remedy; empty: nothing.
std::string squeeze_warning(const NodeUse& use, Starter starter);

/// The command that starts one rank on each NUMA node, to be copied, if the launcher of this MPI
/// library (as RankSurvey names it) is known; within a job of Slurm its own. Empty: it is not.
std::string command_for_nodes(int nodes, int cores, const std::string& mpi_library,
                              const ReadVariable& variable = read_environment);

/// Collective: the use of this rank's node.
NodeUse survey_node_use(const Communicator& ranks, int threads, bool is_asked,
                        const SystemFiles& files = SystemFiles());

}  // namespace bankfull
