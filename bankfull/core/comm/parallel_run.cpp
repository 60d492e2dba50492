#include "bankfull/core/comm/parallel_run.hpp"

#include "bankfull/build_config.hpp"

#include <chrono>
#include <thread>

namespace bankfull {
namespace {

using std::chrono::milliseconds;

/// How long the root may take to fail as well: where all ranks fail alike, its message is the one
/// to show.
constexpr milliseconds patience_for_root{500};

/// How long the rank that reports the failure may take to end the run.
constexpr milliseconds patience_for_end{5000};

/// How long a launcher may take to pass the message on: once a rank aborts, MPICH's drops what it
/// has not read.
constexpr milliseconds patience_for_launcher{300};

/// Of `processes` that were started together but are not connected.
UsageError strangers(int processes, bool with_mpi) {
  const std::string started = std::to_string(processes) + " processes were started, but ";
  if constexpr (build::mpi) {
    return with_mpi ? UsageError(started + "MPI sees only one", detail::advice_on_launchers())
                    : UsageError(started + "they use no MPI", "start one, or unset BANKFULL_MPI");
  }
  return UsageError(started + "this program has no MPI",
                    "start one, or rebuild where MPI is found");
}

}  // namespace

ParallelRun::ParallelRun(const Launch& launch) {
  if constexpr (build::mpi) {
    if (launch.by_launcher && detail::has_mpi_library(launch)) {
      mpi_ = detail::start_mpi();
    }
  }
  if (!mpi_) {
    alone_ = make_self_communicator();
  }
  world_ = mpi_ ? &mpi_->world() : alone_.get();
  if (launch.processes > 1 && world_->size() == 1) {
    throw strangers(launch.processes, mpi_ != nullptr);
  }
}

int ParallelRun::fail(ExitCode code, const std::string& message,
                      const std::function<void(const std::string&)>& report) {
  if (world_->size() == 1) {
    report(message);
    return static_cast<int>(code);
  }
  if (!world_->is_root()) {
    std::this_thread::sleep_for(patience_for_root);
  }
  if (mpi_->claim_failure()) {
    report(world_->is_root() ? message : "rank " + std::to_string(world_->rank()) + ": " + message);
    std::this_thread::sleep_for(patience_for_launcher);
  } else {
    std::this_thread::sleep_for(patience_for_end);
  }
  mpi_->abort(static_cast<int>(code));
  return static_cast<int>(code);
}

}  // namespace bankfull
