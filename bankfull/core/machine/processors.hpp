#pragma once

#include "bankfull/core/machine/system_files.hpp"

#include <vector>

namespace bankfull {

/// A hardware thread that the system schedules on.
struct Processor {
  int number = 0;  ///< the system's
  int core = 0;    ///< the least number among the processors of its physical core
};

/// Numbers of the processors that this process may run on, ascending. What was so at the first
/// call counts, before any thread was bound.
const std::vector<int>& process_processors();

/// Numbers of the processors that the calling thread may run on now.
std::vector<int> processors_of_this_thread();

/// These processors so that neighbours share most: by socket, NUMA node, last-level cache, core and
/// number. Where the system does not tell, each processor is a core of its own.
std::vector<Processor> in_order_of_caches(const SystemFiles& files,
                                          const std::vector<int>& processors);

/// How many cores these processors are of, which are in that order.
int core_count(const std::vector<Processor>& ordered);

/// How many NUMA nodes these processors are of: at least 1, also where the system does not tell.
int numa_node_count(const SystemFiles& files, const std::vector<int>& processors);

/// "0-3,8" as the system writes lists of processors: their numbers, ascending. Empty where the text
/// is no such list.
std::vector<int> processors_in_list(const std::string& list);

}  // namespace bankfull
