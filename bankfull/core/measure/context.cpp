#include "bankfull/core/measure/context.hpp"

#include "bankfull/build_config.hpp"
#include "bankfull/core/base/build_facts.hpp"
#include "bankfull/core/base/format.hpp"
#include "bankfull/core/comm/nccl.hpp"
#include "bankfull/core/comm/parallel_run.hpp"
#include "bankfull/core/exec/team.hpp"
#include "bankfull/core/machine/cpu.hpp"
#include "bankfull/core/machine/gpu.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

namespace bankfull {
namespace {

Figure integer(const std::string& name, std::int64_t value, const std::string& unit = {}) {
  return {.name = name, .value = value, .unit = unit};
}

Figure text(const std::string& name, const std::string& value) {
  return {.name = name, .value = value};
}

FactGroup cpu_facts() {
  const CpuInfo& cpu = survey_cpu();
  FactGroup group{.key = "cpu",
                  .title = "Processor",
                  .facts = {
                      text("model", cpu.model),
                      text("architecture", cpu.architecture),
                      integer("sockets", cpu.sockets),
                      integer("cores", cpu.cores),
                      integer("hardware_threads", cpu.hardware_threads),
                      integer("default_team", Team::default_threads(), "threads"),
                      integer("numa_nodes", cpu.numa_nodes),
                      integer("memory", cpu.memory_bytes, "B"),
                  }};
  for (const CacheLevel& cache : cpu.data_caches) {
    group.facts.push_back(integer(fmt::format("l{}_cache", cache.level), cache.bytes, "B"));
    group.facts.push_back(integer(fmt::format("l{}_caches", cache.level), cache.count));
    group.facts.push_back(
        integer(fmt::format("l{}_shared_by", cache.level), cache.shared_by_cores, "cores"));
  }
  return group;
}

FactGroup gpu_facts(const GpuInfo& gpu) {
  const GpuClocks now = gpu_clocks(gpu.index);
  return {.key = fmt::format("gpu{}", gpu.index),
          .title = fmt::format("GPU {}", gpu.index),
          .facts = {
              text("name", gpu.name),
              text("uuid", gpu.uuid),
              text("pci_bus_id", gpu.pci_bus_id),
              text("compute_capability", gpu.compute_capability),
              integer("multiprocessors", gpu.multiprocessors),
              integer("memory", gpu.memory_bytes, "B"),
              integer("l2_cache", gpu.l2_bytes, "B"),
              integer("memory_bus", gpu.memory_bus_bits, "bit"),
              integer("sm_clock", now.sm_mhz, "MHz"),
              integer("sm_clock_max", gpu.max_sm_clock_mhz, "MHz"),
              integer("memory_clock", now.memory_mhz, "MHz"),
              integer("memory_clock_max", gpu.max_memory_clock_mhz, "MHz"),
              integer("pcie_generation", gpu.pcie_generation),
              integer("pcie_width", gpu.pcie_width, "lanes"),
              integer("nvlinks_active", gpu.nvlinks),
              {.name = "ecc", .value = gpu.ecc},
          }};
}

FactGroup system_facts() {
  const CpuInfo& cpu = survey_cpu();
  const GpuSurvey& survey = survey_gpus();
  FactGroup group{.key = "system",
                  .title = "System",
                  .facts = {text("host", cpu.host_name), text("os", cpu.operating_system)}};
  if (survey.gpus.empty()) {
    group.facts.push_back(text("gpus", "none (" + survey.none_because + ")"));
  } else {
    group.facts.push_back(text("driver", survey.driver));
    group.facts.push_back(text("driver_cuda", survey.driver_cuda));
  }
  return group;
}

/// NCCL is not part of the build but is opened at run time.
std::string nccl_fact() {
  if constexpr (build::cuda) {
    return nccl_unavailable_reason().empty() ? nccl_version()
                                             : "no (" + nccl_unavailable_reason() + ")";
  }
  return "no (the program was built without CUDA)";
}

/// The standard and the library of MPI, which is found when the program starts.
std::string mpi_fact() {
  if constexpr (build::mpi) {
    return detail::has_mpi_library(detect_launch())
               ? detail::mpi_standard() + ", " + detail::mpi_library()
               : "not opened: no launcher started this process, or BANKFULL_MPI=none";
  }
  return "no";
}

FactGroup process_facts() {
  return {.key = "process",
          .title = "This process",
          .facts = {text("affinity", ranges_text(usable_processors()))}};
}

FactGroup build_group() {
  const BuildFacts& facts = build_facts();
  return {.key = "build",
          .title = "This program",
          .facts = {
              text("version", facts.version),
              text("revision", facts.git_revision),
              text("type", facts.build_type),
              text("compiler", facts.compiler),
              text("flags", facts.compiler_flags),
              text("vector_units", survey_cpu().vector_units),
              text("cuda", build::cuda
                               ? facts.cuda_toolkit + ", architectures " + facts.cuda_architectures
                               : "no (" + facts.cuda_unavailable_reason + ")"),
              text("mpi", mpi_fact()),
              text("nccl", nccl_fact()),
              text("eigen", build::eigen ? "yes" : "no (" + facts.eigen_unavailable_reason + ")"),
              text("hdf5",
                   build::hdf5 ? facts.hdf5_version : "no (" + facts.hdf5_unavailable_reason + ")"),
              text("hwloc", build::hwloc ? "yes" : "no"),
          }};
}

}  // namespace

std::vector<FactGroup> context_facts() {
  std::vector<FactGroup> groups{system_facts(), cpu_facts()};
  for (const GpuInfo& gpu : survey_gpus().gpus) {
    groups.push_back(gpu_facts(gpu));
  }
  groups.push_back(process_facts());
  groups.push_back(build_group());
  return groups;
}

FactGroup rank_facts(const RankSurvey& ranks) {
  FactGroup group{.key = "ranks",
                  .title = "Ranks",
                  .facts = {
                      integer("ranks", ranks.ranks),
                      integer("nodes", ranks.nodes),
                      integer("ranks_per_node", ranks.ranks_per_node),
                      integer("default_threads", ranks.default_threads, "threads"),
                      text("mpi_library", ranks.mpi_library.empty() ? "none" : ranks.mpi_library),
                  }};
  if (!ranks.thread_binding.empty()) {
    group.facts.push_back(text("thread_binding", ranks.thread_binding));
  }
  if (!ranks.devices.empty()) {
    group.facts.push_back(
        text("devices", fmt::format("{}", fmt::join(ranks.devices, between_devices))));
  }
  return group;
}

std::vector<std::string> context_environment() {
  constexpr std::array prefixes{"BANKFULL_", "OMP_", "CUDA_", "NCCL_", "OMPI_MCA_"};
  // mpirun sets it. It does not change a run, and names a folder of whoever publishes the record.
  constexpr const char* launch_folder = "OMPI_MCA_initial_wdir=";
  std::vector<std::string> variables;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string one(*variable);
    const bool is_set_for_runs =
        std::any_of(prefixes.begin(), prefixes.end(),
                    [&](const char* prefix) { return one.starts_with(prefix); });
    if (is_set_for_runs && !one.starts_with(launch_folder)) {
      variables.push_back(one);
    }
  }
  std::sort(variables.begin(), variables.end());
  return variables;
}

}  // namespace bankfull
