#pragma once

#include <cstddef>
#include <cstdint>

namespace bankfull::opened_mpi {

/// Handles hold the bits of the library's own, which are pointers in Open MPI and 32-bit numbers in
/// MPICH. Null and world are the same for all libraries; no handle of theirs has these bits.
enum class Comm : std::uintptr_t { null = 0, world = 1 };
enum class Request : std::uintptr_t { null = 0 };
enum class Window : std::uintptr_t { null = 0 };
enum class Datatype { byte, integer };

/// A colour that leaves a rank out.
inline constexpr int undefined = -32766;

/// Lengths of texts, which no library exceeds.
inline constexpr int max_error_text = 1024;
inline constexpr int max_version_text = 8192;

/// The functions of an MPI library that bankfull calls, with the arguments that vary. Results are
/// the library's error codes: 0 is success, and `error_text` explains others.
class Library {
 public:
  virtual ~Library() = default;

  virtual int init_thread(int required, int* provided) const = 0;
  virtual int finalize() const = 0;
  virtual int abort(Comm comm, int code) const = 0;
  virtual int return_errors(Comm comm) const = 0;
  virtual int error_text(int code, char* text, int* length) const = 0;
  virtual int implementation_version(char* text, int* length) const = 0;
  virtual int version(int* version, int* subversion) const = 0;
  [[nodiscard]] virtual bool takes_cuda_memory() const = 0;

  virtual int comm_rank(Comm comm, int* rank) const = 0;
  virtual int comm_size(Comm comm, int* size) const = 0;
  virtual int largest_tag(void* value, int* found) const = 0;
  virtual int comm_dup(Comm comm, Comm* copy) const = 0;
  virtual int comm_split(Comm comm, int colour, int key, Comm* part) const = 0;
  virtual int comm_split_by_node(Comm comm, int key, Comm* part) const = 0;
  virtual int comm_free(Comm* comm) const = 0;

  virtual int barrier(Comm comm) const = 0;
  virtual int ibarrier(Comm comm, Request* request) const = 0;
  virtual int bcast(void* data, int count, Datatype type, int root, Comm comm) const = 0;
  virtual int allgather(const void* mine, int count, Datatype type, void* all, Comm comm) const = 0;
  virtual int allgatherv(const void* mine, int count, void* all, const int* counts,
                         const int* begins, Datatype type, Comm comm) const = 0;

  virtual int send_init(const void* data, int count, Datatype type, int rank, int tag, Comm comm,
                        Request* request) const = 0;
  virtual int recv_init(void* data, int count, Datatype type, int rank, int tag, Comm comm,
                        Request* request) const = 0;
  virtual int start(Request* request) const = 0;
  virtual int test(Request* request, int* done) const = 0;
  virtual int waitall(int count, Request* requests) const = 0;
  virtual int request_free(Request* request) const = 0;

  virtual int win_allocate_shared(std::ptrdiff_t bytes, int unit, Comm comm, void* base,
                                  Window* window) const = 0;
  virtual int win_shared_query(Window window, int rank, std::ptrdiff_t* bytes, int* unit,
                               void* base) const = 0;
  virtual int win_free(Window* window) const = 0;
};

/// The library that suits the launcher of this process (choice.hpp), opened at the first call and
/// kept. Throws UsageError if there is none.
const Library& library();

}  // namespace bankfull::opened_mpi
