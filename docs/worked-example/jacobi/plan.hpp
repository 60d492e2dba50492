#pragma once

#include "bankfull/core/measure/footprint.hpp"

#include "jacobi/problem.hpp"

namespace bankfull::jacobi {

/// A valid problem with the memory that its run holds.
struct Plan {
  Problem problem;
  Footprint footprint;
  std::string shortage = {};  ///< of memory, where make_plan was to tell it; else empty
};

/// Throws UsageError naming the value that is wrong, or where the machine has too little memory,
/// unless that is to be told.
Plan make_plan(const Problem& problem, const Communicator& ranks,
               CeilingRule ceilings = CeilingRule::automatic,
               Shortage shortage = Shortage::refused);

/// Bytes of u, the next u and h^2 f with their ghost cells.
std::int64_t field_bytes(const Problem& problem);

}  // namespace bankfull::jacobi
