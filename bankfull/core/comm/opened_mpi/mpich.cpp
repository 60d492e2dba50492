#include "bankfull/core/base/error.hpp"
#include "bankfull/core/comm/opened_mpi/shim.hpp"

namespace bankfull::opened_mpi {
namespace {

static_assert(MPICH_NUMVERSION >= 30100000,
              "compiled with the mpi.h of MPICH, since its common ABI");

constexpr NamedHandles named{.null_comm = MPI_COMM_NULL,
                             .world = MPI_COMM_WORLD,
                             .null_request = MPI_REQUEST_NULL,
                             .null_window = MPI_WIN_NULL,
                             .null_info = MPI_INFO_NULL,
                             .errors_return = MPI_ERRORS_RETURN,
                             .byte = MPI_BYTE,
                             .integer = MPI_INT};

}  // namespace

std::unique_ptr<const Library> open_mpich(const std::string& file) {
  Functions functions(file);
  functions.require("MPICH");
  if (functions.find("ompi_mpi_comm_world") != nullptr) {
    throw RuntimeFailure("MPICH cannot be used: " + file + " is Open MPI");
  }
  return std::make_unique<Shim>(functions, named, nullptr);  // not all of its family can be asked
}

}  // namespace bankfull::opened_mpi
