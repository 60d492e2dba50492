#include "bankfull/core/comm/nccl.hpp"

#include "bankfull/core/base/dynamic_library.hpp"
#include "bankfull/core/base/error.hpp"
#include "bankfull/core/comm/communicator.hpp"

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

struct NcclFunctions : DynamicLibrary {
  NcclFunctions() : DynamicLibrary("libnccl.so.2") {}

  DynamicFunction<int(int*)> get_version{*this, "ncclGetVersion"};
  DynamicFunction<int(UniqueId*)> get_unique_id{*this, "ncclGetUniqueId"};
  DynamicFunction<int(void**, int, UniqueId, int)> init_rank{*this, "ncclCommInitRank"};
  DynamicFunction<int(void*)> destroy{*this, "ncclCommDestroy"};
  DynamicFunction<int(void*)> abort{*this, "ncclCommAbort"};
  DynamicFunction<int()> group_start{*this, "ncclGroupStart"};
  DynamicFunction<int()> group_end{*this, "ncclGroupEnd"};
  DynamicFunction<int(const void*, std::size_t, int, int, void*, CUstream_st*)> send{*this,
                                                                                     "ncclSend"};
  DynamicFunction<int(void*, std::size_t, int, int, void*, CUstream_st*)> receive{*this,
                                                                                  "ncclRecv"};
  DynamicFunction<const char*(int)> error_string{*this, "ncclGetErrorString"};
};

const NcclFunctions& nccl() {
  static const NcclFunctions functions;
  return functions;
}

void check(int status, const char* while_doing) {
  if (status != nccl_success) {
    throw RuntimeFailure(std::string("NCCL failed while ") + while_doing + ": " +
                         nccl().error_string(status));
  }
}

}  // namespace

const std::string& nccl_unavailable_reason() { return nccl().unavailable_reason(); }

std::string nccl_version() {
  int version = 0;
  check(nccl().get_version(&version), "telling its version");
  return fmt::format("{}.{}.{}", version / 10000, version / 100 % 100, version % 100);
}

NcclCommunicator::NcclCommunicator(const Communicator& ranks) {
  nccl().require("NCCL");
  UniqueId id;
  if (ranks.is_root()) {
    check(nccl().get_unique_id(&id), "naming a communicator");
  }
  ranks.broadcast(id.bytes.data(), id.bytes.size(), 0);
  check(nccl().init_rank(&handle_, ranks.size(), id, ranks.rank()), "connecting the ranks");
}

NcclCommunicator::~NcclCommunicator() {
  // Destroying waits for the other ranks, which never arrive if this one failed.
  const bool failing = std::uncaught_exceptions() > 0;
  static_cast<void>(failing ? nccl().abort(handle_) : nccl().destroy(handle_));
}

void NcclCommunicator::begin_group() { check(nccl().group_start(), "beginning a group"); }

void NcclCommunicator::end_group() { check(nccl().group_end(), "queueing messages"); }

void NcclCommunicator::send(const void* data, std::size_t bytes, int rank,
                            CUstream_st* stream) const {
  check(nccl().send(data, bytes, byte_type, rank, handle_, stream), "queueing a send");
}

void NcclCommunicator::receive(void* data, std::size_t bytes, int rank, CUstream_st* stream) const {
  check(nccl().receive(data, bytes, byte_type, rank, handle_, stream), "queueing a receive");
}

}  // namespace bankfull
