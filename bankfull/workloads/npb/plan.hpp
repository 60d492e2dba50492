#pragma once

#include "bankfull/core/measure/footprint.hpp"
#include "bankfull/workloads/npb/benchmark.hpp"

#include <string>
#include <vector>

namespace bankfull::npb {

/// What follows from a valid problem for one of its kernels.
struct KernelPlan {
  Kernel kernel = Kernel::cg;
  Facts facts;
  Footprint footprint;        ///< of this kernel; kernels run one after the other
  std::string shortage = {};  ///< lack of memory, if make_plan was to report it; else empty
};

/// A valid problem on given ranks, with everything that follows from both. Code that receives a
/// plan makes none of these decisions again.
struct Plan {
  Problem problem;
  std::vector<KernelPlan> kernels;
};

/// Collective. Throws UsageError if the problem cannot run on these ranks, with the option, its
/// value and a remedy, or does not fit a device's or a node's memory (unless that is only to be
/// reported); the message names the largest class that fits.
Plan make_plan(const Problem& problem, const Communicator& ranks,
               CeilingRule ceilings = CeilingRule::automatic,
               Shortage shortage = Shortage::refused);

}  // namespace bankfull::npb
