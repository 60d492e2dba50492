#pragma once

#include "bankfull/core/base/error.hpp"
#include "bankfull/core/comm/communicator.hpp"
#include "bankfull/core/comm/launch.hpp"

#include <functional>
#include <memory>
#include <string>

namespace bankfull {

namespace detail {

/// MPI from initialisation to finalisation.
class MpiSession {
 public:
  virtual ~MpiSession() = default;

  [[nodiscard]] virtual const Communicator& world() const = 0;

  /// Whether this rank is the first on its node to call this.
  [[nodiscard]] virtual bool claim_failure() = 0;

  /// Ends all ranks, this one too; the launcher returns `code`.
  virtual void abort(int code) = 0;
};

// Defined in mpi_session.cpp, which exists in builds with MPI only.
std::unique_ptr<MpiSession> start_mpi();
std::string mpi_library();   ///< name and version of the loaded library
std::string mpi_standard();  ///< the version of the standard that it implements: "MPI 3.1"

// Defined in linked_mpi.cpp or in opened_mpi/opened_mpi.cpp, in builds with MPI only.

/// Whether a process that was started so has an MPI library: always where one is linked; where one
/// is opened at run time, below a launcher and unless BANKFULL_MPI=none.
bool has_mpi_library(const Launch& launch);

/// What to do where a launcher started processes that MPI does not connect.
std::string advice_on_launchers();

}  // namespace detail

/// The run that this process is part of, constructed once, by `main`, before anything else. MPI is
/// initialised only if a launcher started this process, so that a plain start does not need it.
class ParallelRun {
 public:
  /// Throws UsageError if several processes were started that would be unaware of each other: in a
  /// build without MPI, or by a launcher that this MPI does not support.
  explicit ParallelRun(const Launch& launch = detect_launch());

  /// All ranks of the run; just this process if no launcher started it. Valid as long as the run.
  [[nodiscard]] const Communicator& world() const { return *world_; }

  /// Ends the run after a failure of this rank, whatever the others are doing. One rank per node
  /// calls `report` with the message, which names the rank unless it is the root; then all ranks
  /// are killed, and the launcher returns `code`. If this process is alone, returns the code.
  int fail(ExitCode code, const std::string& message,
           const std::function<void(const std::string&)>& report);

 private:
  std::unique_ptr<detail::MpiSession> mpi_;
  std::unique_ptr<Communicator> alone_;
  const Communicator* world_ = nullptr;
};

}  // namespace bankfull
