#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace bankfull {

/// One level of the data caches.
struct CacheLevel {
  int level = 1;            ///< 1 to 4
  std::int64_t bytes = 0;   ///< of one cache
  int shared_by_cores = 1;  ///< cores that use one such cache
  int count = 1;            ///< caches of this level that this process can reach
};

/// The host as this process may use it.
struct CpuInfo {
  std::string model;         ///< Linux's "model name"; empty where it has none, as on Arm
  std::string architecture;  ///< "x86_64"
  std::string vector_units;  ///< widest instruction set this program was compiled for, "AVX2 + FMA"
  int sockets = 1;           ///< 1 without hwloc
  int cores = 1;             ///< physical cores open to this process
  int hardware_threads = 1;  ///< logical processors open to this process
  int numa_nodes = 1;        ///< 1 without hwloc
  std::int64_t memory_bytes = 0;        ///< all of the machine, whatever is free or allowed
  std::vector<CacheLevel> data_caches;  ///< L1 first
  std::string operating_system;         ///< "Debian GNU/Linux 12 (bookworm), Linux 6.1.0"
  std::string host_name;                ///< the system's own, without a lookup
};

/// Queried at the first call and cached; `hardware_threads` are those of the affinity of the thread
/// that calls first. Throws RuntimeFailure where hwloc cannot read the topology.
const CpuInfo& survey_cpu();

/// Bytes of the largest data cache, over all its instances; 0 where unknown.
std::int64_t last_level_cache_bytes();

/// Bytes of the second-level cache for each core that uses it; 0 where unknown.
std::int64_t second_level_cache_of_core();

namespace detail {
// Topology by hwloc where the build has it, else by sysconf.
void describe_topology_by_hwloc(CpuInfo& cpu);

/// Counts the L3 cache once per socket where one was found per core. For virtual machines that hide
/// which cores share a cache: CPUID then gives only the size of the socket's L3, which hwloc takes
/// for each core's own.
void share_last_cache_within_sockets(CpuInfo& cpu);
}  // namespace detail

}  // namespace bankfull
