#pragma once

#include "bankfull/core/base/dynamic_library.hpp"
#include "bankfull/core/comm/opened_mpi/shims.hpp"

#include <algorithm>
#include <cstring>
#include <mpi.h>
#include <type_traits>
#include <utility>
#include <vector>

// Included by one source for each implementation of MPI, never by another header: the types and
// constants are those of the <mpi.h> that the source is compiled with. Hence an unnamed namespace.

namespace bankfull::opened_mpi {
namespace {

static_assert(MPI_SUCCESS == 0 && MPI_THREAD_SINGLE == 0 && MPI_THREAD_FUNNELED == 1);
static_assert(MPI_UNDEFINED == undefined);
static_assert(MPI_MAX_ERROR_STRING <= max_error_text);
static_assert(MPI_MAX_LIBRARY_VERSION_STRING <= max_version_text);
static_assert(std::is_same_v<MPI_Aint, std::ptrdiff_t>);
static_assert(sizeof(MPI_Comm) <= sizeof(Comm) && sizeof(MPI_Request) <= sizeof(Request));

struct Functions : DynamicLibrary {
  /// Libraries that MPI opens, such as Open MPI's components, may look for its symbols.
  explicit Functions(const std::string& file) : DynamicLibrary(file, Symbols::shared) {}

  DynamicFunction<decltype(MPI_Abort)> abort{*this, "MPI_Abort"};
  DynamicFunction<decltype(MPI_Allgather)> allgather{*this, "MPI_Allgather"};
  DynamicFunction<decltype(MPI_Allgatherv)> allgatherv{*this, "MPI_Allgatherv"};
  DynamicFunction<decltype(MPI_Barrier)> barrier{*this, "MPI_Barrier"};
  DynamicFunction<decltype(MPI_Bcast)> bcast{*this, "MPI_Bcast"};
  DynamicFunction<decltype(MPI_Comm_dup)> comm_dup{*this, "MPI_Comm_dup"};
  DynamicFunction<decltype(MPI_Comm_free)> comm_free{*this, "MPI_Comm_free"};
  DynamicFunction<decltype(MPI_Comm_get_attr)> comm_get_attr{*this, "MPI_Comm_get_attr"};
  DynamicFunction<decltype(MPI_Comm_rank)> comm_rank{*this, "MPI_Comm_rank"};
  DynamicFunction<decltype(MPI_Comm_set_errhandler)> comm_set_errhandler{*this,
                                                                         "MPI_Comm_set_errhandler"};
  DynamicFunction<decltype(MPI_Comm_size)> comm_size{*this, "MPI_Comm_size"};
  DynamicFunction<decltype(MPI_Comm_split)> comm_split{*this, "MPI_Comm_split"};
  DynamicFunction<decltype(MPI_Comm_split_type)> comm_split_type{*this, "MPI_Comm_split_type"};
  DynamicFunction<decltype(MPI_Error_string)> error_string{*this, "MPI_Error_string"};
  DynamicFunction<decltype(MPI_Finalize)> finalize{*this, "MPI_Finalize"};
  DynamicFunction<decltype(MPI_Get_library_version)> get_library_version{*this,
                                                                         "MPI_Get_library_version"};
  DynamicFunction<decltype(MPI_Get_version)> get_version{*this, "MPI_Get_version"};
  DynamicFunction<decltype(MPI_Ibarrier)> ibarrier{*this, "MPI_Ibarrier"};
  DynamicFunction<decltype(MPI_Init_thread)> init_thread{*this, "MPI_Init_thread"};
  DynamicFunction<decltype(MPI_Recv_init)> recv_init{*this, "MPI_Recv_init"};
  DynamicFunction<decltype(MPI_Request_free)> request_free{*this, "MPI_Request_free"};
  DynamicFunction<decltype(MPI_Send_init)> send_init{*this, "MPI_Send_init"};
  DynamicFunction<decltype(MPI_Start)> start{*this, "MPI_Start"};
  DynamicFunction<decltype(MPI_Test)> test{*this, "MPI_Test"};
  DynamicFunction<decltype(MPI_Waitall)> waitall{*this, "MPI_Waitall"};
  DynamicFunction<decltype(MPI_Win_allocate_shared)> win_allocate_shared{*this,
                                                                         "MPI_Win_allocate_shared"};
  DynamicFunction<decltype(MPI_Win_free)> win_free{*this, "MPI_Win_free"};
  DynamicFunction<decltype(MPI_Win_shared_query)> win_shared_query{*this, "MPI_Win_shared_query"};
};

/// The implementation's handles that bankfull names.
struct NamedHandles {
  MPI_Comm null_comm;
  MPI_Comm world;
  MPI_Request null_request;
  MPI_Win null_window;
  MPI_Info null_info;
  MPI_Errhandler errors_return;
  MPI_Datatype byte;
  MPI_Datatype integer;
};

/// A handle with the lower bits of another; further ones are 0.
template <class To, class From>
To with_bits_of(From from) {
  To to{};
  // Pointers are copied, not what they point to. NOLINTNEXTLINE(bugprone-sizeof-expression)
  std::memcpy(&to, &from, std::min(sizeof(To), sizeof(From)));
  return to;
}

class Shim final : public Library {
 public:
  using QueryCuda = int (*)();

  /// `query_cuda` is null where the implementation cannot be asked. It is asked after MPI_Init.
  Shim(Functions functions, const NamedHandles& handles, QueryCuda query_cuda)
      : call_(std::move(functions)), named_(handles), query_cuda_(query_cuda) {}

  int init_thread(int required, int* provided) const override {
    return call_.init_thread(nullptr, nullptr, required, provided);
  }
  int finalize() const override { return call_.finalize(); }
  int abort(Comm comm, int code) const override { return call_.abort(native(comm), code); }
  int return_errors(Comm comm) const override {
    return call_.comm_set_errhandler(native(comm), named_.errors_return);
  }
  int error_text(int code, char* text, int* length) const override {
    return call_.error_string(code, text, length);
  }
  int implementation_version(char* text, int* length) const override {
    return call_.get_library_version(text, length);
  }
  int version(int* version, int* subversion) const override {
    return call_.get_version(version, subversion);
  }
  [[nodiscard]] bool takes_cuda_memory() const override {
    return query_cuda_ != nullptr && query_cuda_() == 1;
  }

  int comm_rank(Comm comm, int* rank) const override { return call_.comm_rank(native(comm), rank); }
  int comm_size(Comm comm, int* size) const override { return call_.comm_size(native(comm), size); }
  int largest_tag(void* value, int* found) const override {
    return call_.comm_get_attr(named_.world, MPI_TAG_UB, value, found);
  }
  int comm_dup(Comm comm, Comm* copy) const override {
    return updating(copy, [&](MPI_Comm* made) { return call_.comm_dup(native(comm), made); });
  }
  int comm_split(Comm comm, int colour, int key, Comm* part) const override {
    return updating(
        part, [&](MPI_Comm* made) { return call_.comm_split(native(comm), colour, key, made); });
  }
  int comm_split_by_node(Comm comm, int key, Comm* part) const override {
    return updating(part, [&](MPI_Comm* made) {
      return call_.comm_split_type(native(comm), MPI_COMM_TYPE_SHARED, key, named_.null_info, made);
    });
  }
  int comm_free(Comm* comm) const override {
    return updating(comm, [&](MPI_Comm* freed) { return call_.comm_free(freed); });
  }

  int barrier(Comm comm) const override { return call_.barrier(native(comm)); }
  int ibarrier(Comm comm, Request* request) const override {
    return updating(request, [&](MPI_Request* made) { return call_.ibarrier(native(comm), made); });
  }
  int bcast(void* data, int count, Datatype type, int root, Comm comm) const override {
    return call_.bcast(data, count, native(type), root, native(comm));
  }
  int allgather(const void* mine, int count, Datatype type, void* all, Comm comm) const override {
    return call_.allgather(mine, count, native(type), all, count, native(type), native(comm));
  }
  int allgatherv(const void* mine, int count, void* all, const int* counts, const int* begins,
                 Datatype type, Comm comm) const override {
    return call_.allgatherv(mine, count, native(type), all, counts, begins, native(type),
                            native(comm));
  }

  int send_init(const void* data, int count, Datatype type, int rank, int tag, Comm comm,
                Request* request) const override {
    return updating(request, [&](MPI_Request* made) {
      return call_.send_init(data, count, native(type), rank, tag, native(comm), made);
    });
  }
  int recv_init(void* data, int count, Datatype type, int rank, int tag, Comm comm,
                Request* request) const override {
    return updating(request, [&](MPI_Request* made) {
      return call_.recv_init(data, count, native(type), rank, tag, native(comm), made);
    });
  }
  int start(Request* request) const override {
    return updating(request, [&](MPI_Request* changed) { return call_.start(changed); });
  }
  int test(Request* request, int* done) const override {
    return updating(request, [&](MPI_Request* changed) {
      return call_.test(changed, done, MPI_STATUS_IGNORE);
    });
  }
  int waitall(int count, Request* requests) const override {
    std::vector<MPI_Request> all(static_cast<std::size_t>(count));
    std::transform(requests, requests + count, all.begin(),
                   [&](Request request) { return native(request); });
    const int status = call_.waitall(count, all.data(), MPI_STATUSES_IGNORE);
    std::transform(all.begin(), all.end(), requests,
                   [&](MPI_Request request) { return ours<Request>(request); });
    return status;
  }
  int request_free(Request* request) const override {
    return updating(request, [&](MPI_Request* freed) { return call_.request_free(freed); });
  }

  int win_allocate_shared(std::ptrdiff_t bytes, int unit, Comm comm, void* base,
                          Window* window) const override {
    return updating(window, [&](MPI_Win* made) {
      return call_.win_allocate_shared(bytes, unit, named_.null_info, native(comm), base, made);
    });
  }
  int win_shared_query(Window window, int rank, std::ptrdiff_t* bytes, int* unit,
                       void* base) const override {
    return call_.win_shared_query(native(window), rank, bytes, unit, base);
  }
  int win_free(Window* window) const override {
    return updating(window, [&](MPI_Win* freed) { return call_.win_free(freed); });
  }

 private:
  [[nodiscard]] MPI_Comm native(Comm comm) const {
    if (comm == Comm::null || comm == Comm::world) {
      return comm == Comm::null ? named_.null_comm : named_.world;
    }
    return with_bits_of<MPI_Comm>(comm);
  }
  [[nodiscard]] MPI_Request native(Request request) const {
    return request == Request::null ? named_.null_request : with_bits_of<MPI_Request>(request);
  }
  [[nodiscard]] MPI_Win native(Window window) const {
    return window == Window::null ? named_.null_window : with_bits_of<MPI_Win>(window);
  }
  [[nodiscard]] MPI_Datatype native(Datatype type) const {
    return type == Datatype::byte ? named_.byte : named_.integer;
  }

  template <class Ours, class Native>
  [[nodiscard]] Ours ours(Native handle) const {
    return handle == native(Ours::null) ? Ours::null : with_bits_of<Ours>(handle);
  }

  /// Of a call that makes, changes or frees a handle.
  template <class Ours, class Call>
  int updating(Ours* handle, const Call& call) const {
    auto updated = native(*handle);
    const int status = call(&updated);
    *handle = ours<Ours>(updated);
    return status;
  }

  Functions call_;
  NamedHandles named_;
  QueryCuda query_cuda_;
};

}  // namespace
}  // namespace bankfull::opened_mpi
