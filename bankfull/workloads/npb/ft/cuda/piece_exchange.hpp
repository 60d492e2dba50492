#pragma once

#include "bankfull/core/comm/gpu_transport.hpp"
#include "bankfull/core/memory/buffer.hpp"
#include "bankfull/workloads/npb/ft/ft.hpp"

#include <cstdint>

namespace bankfull::npb::ft::cuda {

/// Where passes write pieces of the field for all ranks, this one included, and where they find
/// those of all ranks. Incoming pieces may be worked on in place.
///
/// Between GPUs that store into each other's memory there are two rooms for each piece, in turn, so
/// that a pass may write the next pieces while others still work on the last that came. `queue`
/// then stands behind both. That keeps to what PeerTransport asks for: who is told of exchange n
/// knows that its sender has done with exchange n - 1, whose room exchange n + 1 takes again.
class PieceExchange {
 public:
  /// Collective, as is destroying it. Pieces of `points` points; everything is queued on `stream`,
  /// which must outlive it. Throws UsageError where the transport asked for is not to be had.
  PieceExchange(const Communicator& ranks, Transport wanted, std::int64_t points,
                const Stream& stream);

  // In GPU memory, by rank; `queue` changes what they point to.
  [[nodiscard]] Complex* const* outgoing() const { return outgoing_.data(); }
  [[nodiscard]] Complex* const* incoming() const { return incoming_.data(); }

  /// Queues what makes pieces that go out those that have come.
  void queue() const;

  /// How pieces travel; never `automatic`.
  [[nodiscard]] Transport transport() const { return chosen_.kind; }

  /// Whether `queue` only queues work, so that it may be recorded in a Graph.
  [[nodiscard]] bool recordable() const { return chosen_.transport->recordable(); }

  /// Whether the next pieces may be written while the last are worked on.
  [[nodiscard]] bool has_two_rooms() const { return chosen_.transport->epoch() != nullptr; }

  /// Whether pieces lie in the memory of GPUs.
  [[nodiscard]] bool on_gpus() const { return chosen_.kind != Transport::mpi; }

 private:
  const Stream& stream_;
  ChosenTransport chosen_;
  Buffer<GpuMessageEnds> ends_;  ///< by rank
  Buffer<Complex*> outgoing_;
  Buffer<Complex*> incoming_;
};

}  // namespace bankfull::npb::ft::cuda
