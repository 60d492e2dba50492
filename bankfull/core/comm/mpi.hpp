#pragma once

#include "bankfull/core/comm/communicator.hpp"

#include <memory>
#include <mpi.h>

namespace bankfull {

// Included only by sources that exist in builds with MPI.

/// Throws RuntimeFailure with MPI's own text for `status` unless it is success. Communicators must
/// return errors (MPI_ERRORS_RETURN); by default MPI aborts the program.
void mpi_check(int status, const char* while_doing);

/// Owns an MPI communicator. During stack unwinding the handle is leaked instead of freed, because
/// the other ranks may never make the matching call.
class MpiHandle {
 public:
  /// Takes over `comm`, which nobody else may free.
  explicit MpiHandle(MPI_Comm comm) : comm_(comm) {}
  ~MpiHandle();
  MpiHandle(const MpiHandle&) = delete;
  MpiHandle& operator=(const MpiHandle&) = delete;

  /// Valid as long as this lives; not to be freed.
  [[nodiscard]] MPI_Comm get() const { return comm_; }

 private:
  MPI_Comm comm_;
};

/// Collective over `comm`: its ranks on the same node.
std::shared_ptr<const MpiHandle> ranks_of_node(MPI_Comm comm);

/// Collective over the handle's ranks. MPI must outlive the communicator.
std::unique_ptr<Communicator> make_mpi_communicator(std::shared_ptr<const MpiHandle> handle);

}  // namespace bankfull
