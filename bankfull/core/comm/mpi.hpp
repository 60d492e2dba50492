#pragma once

#include "bankfull/core/comm/communicator.hpp"

#include <memory>
#include <mpi.h>

namespace bankfull {

// Included by sources that exist in builds with MPI only.

/// Throws RuntimeFailure with MPI's own text for `status` unless it is success. Communicators must
/// return their errors (MPI_ERRORS_RETURN): MPI's default is to end the program itself.
void mpi_check(int status, const char* while_doing);

/// Owns a communicator of MPI. While an exception unwinds the handle is dropped instead of freed:
/// the other ranks may never come to do their part.
class MpiHandle {
 public:
  explicit MpiHandle(MPI_Comm comm) : comm_(comm) {}
  ~MpiHandle();
  MpiHandle(const MpiHandle&) = delete;
  MpiHandle& operator=(const MpiHandle&) = delete;

  [[nodiscard]] MPI_Comm get() const { return comm_; }

 private:
  MPI_Comm comm_;
};

/// Collective over `comm`: the ranks of it that share a node's memory.
std::shared_ptr<const MpiHandle> ranks_of_node(MPI_Comm comm);

/// Collective over the handle's ranks. MPI must outlive the communicator.
std::unique_ptr<Communicator> make_mpi_communicator(std::shared_ptr<const MpiHandle> handle);

}  // namespace bankfull
