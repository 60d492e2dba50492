#pragma once

#include "bankfull/app/html_report/runs.hpp"

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace bankfull::html_report {

/// A level of a memory hierarchy.
struct CacheLevel {
  std::string name;         ///< "L2"
  double bytes_each = 0.0;  ///< what one core, or the GPU, has of it
  double bytes = 0.0;       ///< of all caches of this level together
};

/// What runs tell of the machine that they were on.
struct Machine {
  std::string name;                                        ///< its GPUs and processor
  std::vector<std::pair<std::string, std::string>> facts;  ///< what differs among runs: all of it
  std::vector<CacheLevel> cpu_caches;
  std::vector<CacheLevel> gpu_caches;
  std::vector<std::size_t> runs;
};

/// Runs on the same host with the same processors and GPUs are of one machine, in the order of the
/// first runs.
std::vector<Machine> machines_of(const std::vector<ReportRun>& runs);

}  // namespace bankfull::html_report
