#pragma once

#include "bankfull/workloads/npb/benchmark.hpp"

#include <string>

namespace bankfull::npb {

/// The result of one kernel, as NPB's result block shows it.
struct Outcome {
  Kernel kernel = Kernel::cg;
  Class size = Class::s;
  Facts facts;
  int ranks = 1;
  int threads = 1;       ///< of all ranks together
  double seconds = 0.0;  ///< of the timed region, median of the repeats
  bool verified = false;

  /// Millions of the kernel's operations per second.
  [[nodiscard]] double mops() const { return facts.operations / seconds * 1e-6; }
};

/// The result block that the official programs print, line by line with their keys, for tools that
/// parse it.
std::string result_block(const Outcome& outcome);

}  // namespace bankfull::npb
