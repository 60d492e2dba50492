#pragma once

#include "bankfull/core/comm/communicator.hpp"
#include "bankfull/core/comm/transport.hpp"
#include "bankfull/core/exec/stream.hpp"
#include "bankfull/core/memory/memory.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace bankfull {

/// Bytes of one message, to and from one rank.
struct MessageSize {
  int rank = 0;           ///< the other rank, or this one
  std::size_t bytes = 0;  ///< each way: to that rank as many as from it
};

/// The memory that kernels pack messages into and unpack them from. Inboxes that neighbours write
/// directly have two slots, used alternately: a neighbour may be one exchange ahead.
struct GpuMessageEnds {
  std::byte* outgoing = nullptr;     ///< the first slot, in memory of this GPU, a peer or the host
  std::byte* incoming = nullptr;     ///< likewise
  std::ptrdiff_t outgoing_slot = 0;  ///< bytes to the second slot; 0 if there is only one
  std::ptrdiff_t incoming_slot = 0;  ///< likewise
  /// The neighbour's counter of messages that this rank has stored there; null for transports
  /// without counters.
  unsigned* sent_count = nullptr;
  /// This rank's counter of messages that the neighbour has stored here; null likewise.
  unsigned* received_count = nullptr;
};

/// Sends packed messages from the outgoing to the incoming ends of all ranks.
class GpuTransport {
 public:
  virtual ~GpuTransport() = default;

  /// One for each message, in the order in which they were given. They stay where they are.
  [[nodiscard]] virtual const std::vector<GpuMessageEnds>& ends() const = 0;

  /// Exchanges done so far, counted in GPU memory by the kernels themselves, because arguments of
  /// recorded kernels never change; null for transports without slots.
  [[nodiscard]] virtual unsigned* epoch() const { return nullptr; }

  /// Called after the packing kernel has been queued on `stream`.
  virtual void packed(const Stream& stream) = 0;

  /// Called before the unpacking kernel is queued: when that kernel runs, everything has arrived.
  virtual void before_unpacking(const Stream& stream) = 0;

  /// Whether both only queue work, so that they may be recorded in a Graph. If so, unpacking is
  /// queued immediately.
  [[nodiscard]] virtual bool recordable() const = 0;
};

/// A transport and its name.
struct ChosenTransport {
  /// `local` where no rank sends to another, whatever was requested; never `automatic` once chosen.
  Transport kind = Transport::automatic;
  std::unique_ptr<GpuTransport> transport;  ///< destroyed by all ranks together
};

/// Collective. The fastest transport for these messages of the GPU of `stream`, or the requested
/// one. Throws UsageError with the reason if that is unavailable.
ChosenTransport make_gpu_transport(Transport wanted, const Communicator& ranks,
                                   const std::vector<MessageSize>& messages, const Stream& stream);

/// Collective. Why the ranks cannot use a transport between their GPUs; empty if they can. The
/// same on all ranks.
std::string gpu_transport_obstacle(Transport transport, const Communicator& ranks, Device gpu);

namespace detail {
std::string peer_obstacle(const Communicator& ranks, Device gpu);
std::string nccl_obstacle(const Communicator& ranks, Device gpu);
std::unique_ptr<GpuTransport> make_peer_transport(const Communicator& ranks,
                                                  const std::vector<MessageSize>& messages,
                                                  const Stream& stream);
std::unique_ptr<GpuTransport> make_nccl_transport(const Communicator& ranks,
                                                  const std::vector<MessageSize>& messages);
std::unique_ptr<GpuTransport> make_mpi_transport(const Communicator& ranks,
                                                 const std::vector<MessageSize>& messages,
                                                 MemorySpace space);
}  // namespace detail

}  // namespace bankfull
