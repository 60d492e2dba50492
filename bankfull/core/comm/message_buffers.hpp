#pragma once

#include "bankfull/core/comm/gpu_transport.hpp"
#include "bankfull/core/memory/buffer.hpp"

#include <cstddef>
#include <vector>

namespace bankfull {

/// Outgoing and incoming buffers for messages sent by a library. A message to the own rank uses
/// one buffer for both.
class MessageBuffers {
 public:
  /// Allocates, uninitialised, as many bytes each way, every message on a multiple of 128 bytes.
  MessageBuffers(const std::vector<MessageSize>& messages, int own_rank, MemorySpace space)
      : outgoing_(space, bytes_of(messages)), incoming_(space, bytes_of(messages)) {
    std::size_t begin = 0;
    for (const MessageSize& message : messages) {
      const bool own = message.rank == own_rank;
      ends_.push_back({.outgoing = (own ? incoming_ : outgoing_).data() + begin,
                       .incoming = incoming_.data() + begin});
      if (!own) {
        sends_.push_back({message.rank, ends_.back().outgoing, message.bytes});
        receives_.push_back({message.rank, ends_.back().incoming, message.bytes});
      }
      begin += aligned(message.bytes);
    }
  }

  /// One for each message, in the order in which they were given; with one slot and no counters.
  [[nodiscard]] const std::vector<GpuMessageEnds>& ends() const { return ends_; }

  /// The messages from this rank to others, in the order in which they were given.
  [[nodiscard]] const std::vector<Message>& sends() const { return sends_; }
  /// The messages from others to this rank, in the same order.
  [[nodiscard]] const std::vector<Message>& receives() const { return receives_; }

 private:
  static std::size_t aligned(std::size_t bytes) {
    constexpr std::size_t line = 128;
    return (bytes + line - 1) / line * line;
  }
  static std::size_t bytes_of(const std::vector<MessageSize>& messages) {
    std::size_t bytes = 0;
    for (const MessageSize& message : messages) {
      bytes += aligned(message.bytes);
    }
    return bytes;
  }

  Buffer<std::byte> outgoing_;
  Buffer<std::byte> incoming_;
  std::vector<GpuMessageEnds> ends_;
  std::vector<Message> sends_;
  std::vector<Message> receives_;
};

}  // namespace bankfull
