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
  Footprint footprint;        ///< of this kernel; they run one after the other
  std::string shortage = {};  ///< of memory, where make_plan was to tell it; else empty
};

/// A valid problem on given ranks with what follows from both. Nothing that gets one decides any of
/// it again.
struct Plan {
  Problem problem;
  std::vector<KernelPlan> kernels;
};

/// Collective. Throws UsageError where the problem cannot run on these ranks, with the option, its
/// value and what to do, or does not fit a device's or a node's memory, unless that is to be told;
/// the message names the largest class that fits.
Plan make_plan(const Problem& problem, const Communicator& ranks,
               CeilingRule ceilings = CeilingRule::automatic,
               Shortage shortage = Shortage::refused);

}  // namespace bankfull::npb
