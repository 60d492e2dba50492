#include "bankfull/core/comm/opened_mpi/shim.hpp"

namespace bankfull::opened_mpi {
namespace {

static_assert(OPEN_MPI == 1, "compiled with the mpi.h of Open MPI");

/// In Open MPI handles are the addresses of variables, which its macros name.
NamedHandles named_handles(DynamicLibrary& library) {
  const auto find = [&]<class Handle>(Handle& handle, const char* variable) {
    handle = static_cast<Handle>(library.find(variable));
  };
  NamedHandles named{};
  find(named.null_comm, "ompi_mpi_comm_null");
  find(named.world, "ompi_mpi_comm_world");
  find(named.null_request, "ompi_request_null");
  find(named.null_window, "ompi_mpi_win_null");
  find(named.null_info, "ompi_mpi_info_null");
  find(named.errors_return, "ompi_mpi_errors_return");
  find(named.byte, "ompi_mpi_byte");
  find(named.integer, "ompi_mpi_int");
  return named;
}

}  // namespace

std::unique_ptr<const Library> open_open_mpi(const std::string& file) {
  Functions functions(file);
  const NamedHandles named = named_handles(functions);
  functions.require("Open MPI");
  const DynamicFunction<int()> query_cuda(functions, "MPIX_Query_cuda_support");  // an extension
  return std::make_unique<Shim>(functions, named, query_cuda);
}

}  // namespace bankfull::opened_mpi
