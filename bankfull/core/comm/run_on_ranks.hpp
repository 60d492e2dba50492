#pragma once

#include "bankfull/core/base/error.hpp"
#include "bankfull/core/base/print_failure.hpp"
#include "bankfull/core/comm/communicator.hpp"

#include <functional>
#include <string>

namespace bankfull {

/// A program's whole `main`, which calls it first and returns what it returns: starts the ranks
/// (ParallelRun), calls body(world) on all of them, and gives the exit code. What `body` throws on
/// any rank ends all of them: a UsageError with code 2, everything else with code 1, and one rank
/// per node calls `report` with one line.
int run_on_ranks(const std::function<ExitCode(const Communicator&)>& body,
                 const std::function<void(const std::string&)>& report = print_failure);

}  // namespace bankfull
