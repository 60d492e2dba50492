#include "bankfull/core/comm/nccl.hpp"

#include "bankfull/core/base/error.hpp"
#include "bankfull/core/comm/communicator.hpp"
#include "bankfull/core/exec/late_library.hpp"

#include <array>
#include <exception>
#include <fmt/format.h>

namespace bankfull {
namespace {

// From NCCL's documented interface: result 0 is success, data type 0 is one byte, and what
// identifies a new communicator is 128 bytes, passed by value.
constexpr int nccl_success = 0;
constexpr int byte_type = 0;
struct UniqueId {
  std::array<char, 128> bytes{};
};

struct Library {
  std::string absent_because;
  int (*get_version)(int*) = nullptr;
  int (*get_unique_id)(UniqueId*) = nullptr;
  int (*init_rank)(void**, int, UniqueId, int) = nullptr;
  int (*destroy)(void*) = nullptr;
  int (*abort)(void*) = nullptr;
  int (*group_start)() = nullptr;
  int (*group_end)() = nullptr;
  int (*send)(const void*, std::size_t, int, int, void*, CUstream_st*) = nullptr;
  int (*receive)(void*, std::size_t, int, int, void*, CUstream_st*) = nullptr;
  const char* (*error_string)(int) = nullptr;
};

Library open_library() {
  LateLibrary late("libnccl.so.2");
  Library nccl;
  late.find(nccl.get_version, "ncclGetVersion");
  late.find(nccl.get_unique_id, "ncclGetUniqueId");
  late.find(nccl.init_rank, "ncclCommInitRank");
  late.find(nccl.destroy, "ncclCommDestroy");
  late.find(nccl.abort, "ncclCommAbort");
  late.find(nccl.group_start, "ncclGroupStart");
  late.find(nccl.group_end, "ncclGroupEnd");
  late.find(nccl.send, "ncclSend");
  late.find(nccl.receive, "ncclRecv");
  late.find(nccl.error_string, "ncclGetErrorString");
  nccl.absent_because = late.absent_because();
  return nccl;
}

const Library& library() {
  static const Library nccl = open_library();
  return nccl;
}

void check(int status, const char* while_doing) {
  if (status != nccl_success) {
    throw RuntimeFailure(std::string("NCCL failed while ") + while_doing + ": " +
                         library().error_string(status));
  }
}

}  // namespace

const std::string& nccl_absent_because() { return library().absent_because; }

std::string nccl_version() {
  int version = 0;
  check(library().get_version(&version), "telling its version");
  return fmt::format("{}.{}.{}", version / 10000, version / 100 % 100, version % 100);
}

NcclCommunicator::NcclCommunicator(const Communicator& ranks) {
  if (!nccl_absent_because().empty()) {
    throw RuntimeFailure("NCCL cannot be used: " + nccl_absent_because());
  }
  UniqueId id;
  if (ranks.is_root()) {
    check(library().get_unique_id(&id), "naming a communicator");
  }
  ranks.broadcast(id.bytes.data(), id.bytes.size(), 0);
  check(library().init_rank(&handle_, ranks.size(), id, ranks.rank()), "connecting the ranks");
}

NcclCommunicator::~NcclCommunicator() {
  // Destroying waits for the other ranks, which never come where this one failed.
  const bool failing = std::uncaught_exceptions() > 0;
  static_cast<void>(failing ? library().abort(handle_) : library().destroy(handle_));
}

void NcclCommunicator::begin_group() { check(library().group_start(), "beginning a group"); }

void NcclCommunicator::end_group() { check(library().group_end(), "queueing messages"); }

void NcclCommunicator::send(const void* data, std::size_t bytes, int rank,
                            CUstream_st* stream) const {
  check(library().send(data, bytes, byte_type, rank, handle_, stream), "queueing a send");
}

void NcclCommunicator::receive(void* data, std::size_t bytes, int rank, CUstream_st* stream) const {
  check(library().receive(data, bytes, byte_type, rank, handle_, stream), "queueing a receive");
}

}  // namespace bankfull
