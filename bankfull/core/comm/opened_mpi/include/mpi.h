#pragma once

// Stands for an MPI library's <mpi.h> in builds that open the library at run time
// (BANKFULL_MPI=DYNAMIC): what bankfull uses of MPI, under its names. The functions have C++
// linkage, so that those of the library, which have the same names, never call them. Arguments that
// bankfull does not vary have types of one value.

#include "bankfull/core/comm/opened_mpi/library.hpp"

using MPI_Aint = std::ptrdiff_t;
using MPI_Comm = bankfull::opened_mpi::Comm;
using MPI_Datatype = bankfull::opened_mpi::Datatype;
using MPI_Request = bankfull::opened_mpi::Request;
using MPI_Win = bankfull::opened_mpi::Window;
enum MPI_Info { MPI_INFO_NULL };
enum MPI_Errhandler { MPI_ERRORS_RETURN };
enum MPI_Keyval { MPI_TAG_UB };
enum MPI_Comm_type { MPI_COMM_TYPE_SHARED };

inline constexpr MPI_Comm MPI_COMM_NULL = MPI_Comm::null;
inline constexpr MPI_Comm MPI_COMM_WORLD = MPI_Comm::world;
inline constexpr MPI_Datatype MPI_BYTE = MPI_Datatype::byte;
inline constexpr MPI_Datatype MPI_INT = MPI_Datatype::integer;
inline constexpr MPI_Request MPI_REQUEST_NULL = MPI_Request::null;
inline constexpr MPI_Win MPI_WIN_NULL = MPI_Win::null;
inline constexpr std::nullptr_t MPI_STATUS_IGNORE = nullptr;
inline constexpr std::nullptr_t MPI_STATUSES_IGNORE = nullptr;
inline constexpr int MPI_SUCCESS = 0;
inline constexpr int MPI_UNDEFINED = bankfull::opened_mpi::undefined;
inline constexpr int MPI_THREAD_SINGLE = 0;
inline constexpr int MPI_THREAD_FUNNELED = 1;
inline constexpr int MPI_MAX_ERROR_STRING = bankfull::opened_mpi::max_error_text;
inline constexpr int MPI_MAX_LIBRARY_VERSION_STRING = bankfull::opened_mpi::max_version_text;

inline int MPI_Init_thread(std::nullptr_t, std::nullptr_t, int required, int* provided) {
  return bankfull::opened_mpi::library().init_thread(required, provided);
}
inline int MPI_Finalize() { return bankfull::opened_mpi::library().finalize(); }
inline int MPI_Abort(MPI_Comm comm, int code) {
  return bankfull::opened_mpi::library().abort(comm, code);
}
inline int MPI_Comm_set_errhandler(MPI_Comm comm, MPI_Errhandler) {
  return bankfull::opened_mpi::library().return_errors(comm);
}
inline int MPI_Error_string(int code, char* text, int* length) {
  return bankfull::opened_mpi::library().error_text(code, text, length);
}
inline int MPI_Get_library_version(char* text, int* length) {
  return bankfull::opened_mpi::library().implementation_version(text, length);
}
inline int MPI_Get_version(int* version, int* subversion) {
  return bankfull::opened_mpi::library().version(version, subversion);
}

inline int MPI_Comm_rank(MPI_Comm comm, int* rank) {
  return bankfull::opened_mpi::library().comm_rank(comm, rank);
}
inline int MPI_Comm_size(MPI_Comm comm, int* size) {
  return bankfull::opened_mpi::library().comm_size(comm, size);
}
inline int MPI_Comm_get_attr(MPI_Comm, MPI_Keyval, void* value, int* found) {
  return bankfull::opened_mpi::library().largest_tag(value, found);  // which the world keeps
}
inline int MPI_Comm_dup(MPI_Comm comm, MPI_Comm* copy) {
  return bankfull::opened_mpi::library().comm_dup(comm, copy);
}
inline int MPI_Comm_split(MPI_Comm comm, int colour, int key, MPI_Comm* part) {
  return bankfull::opened_mpi::library().comm_split(comm, colour, key, part);
}
inline int MPI_Comm_split_type(MPI_Comm comm, MPI_Comm_type, int key, MPI_Info, MPI_Comm* part) {
  return bankfull::opened_mpi::library().comm_split_by_node(comm, key, part);
}
inline int MPI_Comm_free(MPI_Comm* comm) {
  return bankfull::opened_mpi::library().comm_free(comm);
}

inline int MPI_Barrier(MPI_Comm comm) { return bankfull::opened_mpi::library().barrier(comm); }
inline int MPI_Ibarrier(MPI_Comm comm, MPI_Request* request) {
  return bankfull::opened_mpi::library().ibarrier(comm, request);
}
inline int MPI_Bcast(void* data, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  return bankfull::opened_mpi::library().bcast(data, count, type, root, comm);
}
/// All ranks contribute alike: what is sent and what is received of each is the same.
inline int MPI_Allgather(const void* mine, int count, MPI_Datatype type, void* all, int, MPI_Datatype,
                         MPI_Comm comm) {
  return bankfull::opened_mpi::library().allgather(mine, count, type, all, comm);
}
inline int MPI_Allgatherv(const void* mine, int count, MPI_Datatype type, void* all,
                          const int* counts, const int* begins, MPI_Datatype, MPI_Comm comm) {
  return bankfull::opened_mpi::library().allgatherv(mine, count, all, counts, begins, type, comm);
}

inline int MPI_Send_init(const void* data, int count, MPI_Datatype type, int rank, int tag,
                         MPI_Comm comm, MPI_Request* request) {
  return bankfull::opened_mpi::library().send_init(data, count, type, rank, tag, comm, request);
}
inline int MPI_Recv_init(void* data, int count, MPI_Datatype type, int rank, int tag, MPI_Comm comm,
                         MPI_Request* request) {
  return bankfull::opened_mpi::library().recv_init(data, count, type, rank, tag, comm, request);
}
inline int MPI_Start(MPI_Request* request) {
  return bankfull::opened_mpi::library().start(request);
}
inline int MPI_Test(MPI_Request* request, int* done, std::nullptr_t) {
  return bankfull::opened_mpi::library().test(request, done);
}
inline int MPI_Waitall(int count, MPI_Request* requests, std::nullptr_t) {
  return bankfull::opened_mpi::library().waitall(count, requests);
}
inline int MPI_Request_free(MPI_Request* request) {
  return bankfull::opened_mpi::library().request_free(request);
}

inline int MPI_Win_allocate_shared(MPI_Aint bytes, int unit, MPI_Info, MPI_Comm comm, void* base,
                                   MPI_Win* window) {
  return bankfull::opened_mpi::library().win_allocate_shared(bytes, unit, comm, base, window);
}
inline int MPI_Win_shared_query(MPI_Win window, int rank, MPI_Aint* bytes, int* unit, void* base) {
  return bankfull::opened_mpi::library().win_shared_query(window, rank, bytes, unit, base);
}
inline int MPI_Win_free(MPI_Win* window) {
  return bankfull::opened_mpi::library().win_free(window);
}
