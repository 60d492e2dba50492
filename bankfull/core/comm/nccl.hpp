#pragma once

#include <cstddef>
#include <string>

struct CUstream_st;

namespace bankfull {

class Communicator;

/// Why NCCL, NVIDIA's communication library, is unavailable; empty if it is available. It is loaded
/// at run time (libnccl.so.2 on the loader's path), because distributions do not package it.
const std::string& nccl_unavailable_reason();

/// "2.28.3"; requires that NCCL is available.
std::string nccl_version();

/// An NCCL communicator, with one GPU per rank. Exists in builds with CUDA only.
class NcclCommunicator {
 public:
  /// Collective, with the GPU of each rank selected. Throws RuntimeFailure if NCCL is missing or
  /// cannot connect the ranks.
  explicit NcclCommunicator(const Communicator& ranks);
  ~NcclCommunicator();
  NcclCommunicator(const NcclCommunicator&) = delete;
  NcclCommunicator& operator=(const NcclCommunicator&) = delete;

  /// Sends and receives between `begin_group` and `end_group` are queued as one operation, which
  /// begins when all of them can begin and ends when all are done. Buffers are GPU memory.
  static void begin_group();
  /// Queues the group. Throws RuntimeFailure where NCCL refuses any of its messages.
  static void end_group();
  /// Queues a message to another rank, which must receive as many bytes. Throws RuntimeFailure
  /// where NCCL refuses.
  void send(const void* data, std::size_t bytes, int rank, CUstream_st* stream) const;
  /// Queues the receipt of a message of so many bytes from another rank. Throws likewise.
  void receive(void* data, std::size_t bytes, int rank, CUstream_st* stream) const;

 private:
  void* handle_ = nullptr;
};

}  // namespace bankfull
