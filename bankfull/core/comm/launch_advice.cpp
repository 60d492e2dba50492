#include "bankfull/core/comm/launch_advice.hpp"

#include "bankfull/core/comm/rank_survey.hpp"
#include "bankfull/core/machine/cgroup.hpp"
#include "bankfull/core/machine/processors.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <set>
#include <variant>
#include <vector>

namespace bankfull {
namespace {

std::string name_of(Starter starter) {
  switch (starter) {
    case Starter::open_mpi:
      return "Open MPI";
    case Starter::slurm:
      return "Slurm";
    case Starter::hydra:
    case Starter::other_launcher:
      return "the launcher";
    case Starter::nobody:
      break;
  }
  return "taskset, or whatever started this process,";
}

/// How to give each rank so many processors.
std::string remedy(Starter starter, int processors) {
  switch (starter) {
    case Starter::open_mpi:
      return fmt::format("use mpirun --map-by slot:PE={}, or --bind-to none", processors);
    case Starter::slurm:
      return fmt::format("use srun --cpus-per-task={} --cpu-bind=cores", processors);
    case Starter::hydra:
      return fmt::format("use mpiexec -bind-to core:{}, or -bind-to none", processors);
    case Starter::other_launcher:
      return fmt::format("have it give each rank {} cores, or bind none", processors);
    case Starter::nobody:
      break;
  }
  return "give it more processors, or fewer threads by --threads";
}

std::string counted(int count, const std::string& thing) {
  return fmt::format("{} {}{}", count, thing, count == 1 ? "" : "s");
}

/// The processors of the node that this session may use: those of its control group, if it has any
/// of its own, else all that are online.
std::vector<int> session_processors(const SystemFiles& files) {
  for (const Figure& setting : Cgroup(files).settings()) {
    const auto* const list = std::get_if<std::string>(&setting.value);
    if (setting.name == "cgroup_processors" && list != nullptr) {
      return processors_in_list(*list);
    }
  }
  return processors_in_list(files.text("sys/devices/system/cpu/online").value_or(""));
}

}  // namespace

Starter detect_starter(const ReadVariable& variable) {
  if (variable("OMPI_COMM_WORLD_SIZE")) {
    return Starter::open_mpi;
  }
  if (variable("HYDI_CONTROL_FD") || variable("MPI_LOCALNRANKS")) {
    return Starter::hydra;
  }
  if (variable("SLURM_STEP_NUM_TASKS")) {
    return Starter::slurm;
  }
  return detect_launch(variable).by_launcher ? Starter::other_launcher : Starter::nobody;
}

std::string squeeze_warning(const NodeUse& use, Starter starter) {
  if (use.rank_processors >= use.node_processors) {
    return {};
  }
  if (use.threads > use.rank_processors) {
    return fmt::format("{} bound {} threads to {}, so that they take turns; {}", name_of(starter),
                       use.threads, counted(use.rank_processors, "processor"),
                       remedy(starter, use.threads));
  }
  const bool most_is_unused = 2 * use.used_processors <= use.node_processors;
  if (use.is_asked || starter == Starter::nobody || !most_is_unused) {
    return {};
  }
  return fmt::format("{} bound the {} of this node to {} of its {} processors, so that {} {}; {}",
                     name_of(starter), counted(use.ranks, "rank"), use.used_processors,
                     use.node_processors, use.ranks == 1 ? "it has" : "each has",
                     counted(use.threads, "thread"),
                     remedy(starter, std::max(1, use.node_processors / use.ranks)));
}

std::string command_for_nodes(int nodes, int cores, const std::string& mpi_library,
                              const ReadVariable& variable) {
  const int each = std::max(1, cores / std::max(1, nodes));
  const std::string program = "bankfull himeno --device cpu";
  if (variable("SLURM_JOB_ID")) {
    return fmt::format("srun --mpi=pmix -n {} --cpus-per-task={} --cpu-bind=cores {}", nodes, each,
                       program);
  }
  const auto is_of = [&](const char* name) { return mpi_library.find(name) != std::string::npos; };
  if (is_of("Open MPI")) {
    return fmt::format("mpirun -n {} --map-by ppr:1:numa:PE={} --bind-to core {}", nodes, each,
                       program);
  }
  return is_of("MPICH") || is_of("Intel")
             ? fmt::format("mpiexec -n {} -bind-to numa {}", nodes, program)
             : "";
}

NodeUse survey_node_use(const Communicator& ranks, int threads, bool is_asked,
                        const SystemFiles& files) {
  const std::vector<std::uint64_t> own = usable_processors();
  const std::vector<int> nodes = ranks.all_gather(ranks.node());
  const auto all = ranks.all_gather(own);
  std::set<std::uint64_t> used;
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    if (nodes[rank] == ranks.node()) {
      used.insert(all[rank].begin(), all[rank].end());
    }
  }
  const auto count = [](const auto& set) { return static_cast<int>(set.size()); };
  return {.ranks = ranks.local_size(),
          .threads = threads,
          .rank_processors = count(own),
          .used_processors = count(used),
          .node_processors = count(session_processors(files)),
          .is_asked = is_asked};
}

}  // namespace bankfull
