#pragma once

#include "bankfull/core/comm/gpu_transport.hpp"
#include "bankfull/core/memory/buffer.hpp"
#include "bankfull/workloads/npb/ft/ft.hpp"

#include <cstdint>

namespace bankfull::npb::ft::cuda {

/// Outgoing pieces of the field, written by passes for all ranks including this one, and incoming
/// pieces from all ranks, which may be modified in place.
///
/// Between GPUs that store into each other's memory each piece has two alternating buffers, so that
/// a pass may write the next pieces while others still process the last that arrived. `queue` then
/// follows both. This satisfies PeerTransport's requirement: the signal of exchange n implies that
/// its sender has finished exchange n - 1, whose buffer exchange n + 1 reuses.
class PieceExchange {
 public:
  /// Collective, as is destroying it. Pieces of `points` points; everything is queued on `stream`,
  /// which must outlive it. Throws UsageError if the requested transport is not available.
  PieceExchange(const Communicator& ranks, Transport wanted, std::int64_t points,
                const Stream& stream);

  // Pointers in GPU memory, by rank; `queue` changes them.
  [[nodiscard]] Complex* const* outgoing() const { return outgoing_.data(); }
  [[nodiscard]] Complex* const* incoming() const { return incoming_.data(); }

  /// Queues the exchange, which turns outgoing pieces into incoming ones.
  void queue() const;

  /// How pieces travel; never `automatic`.
  [[nodiscard]] Transport transport() const { return chosen_.kind; }

  /// Whether `queue` only queues work, so that it may be recorded in a Graph.
  [[nodiscard]] bool recordable() const { return chosen_.transport->recordable(); }

  /// Whether the next pieces may be written while the last are processed.
  [[nodiscard]] bool is_double_buffered() const { return chosen_.transport->epoch() != nullptr; }

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
