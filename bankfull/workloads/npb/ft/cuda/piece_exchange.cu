#include "bankfull/workloads/npb/ft/cuda/piece_exchange.hpp"

#include "bankfull/core/comm/device_copy.hpp"
#include "bankfull/core/comm/peer_signals.cuh"
#include "bankfull/core/exec/launch.cuh"

#include <vector>

namespace bankfull::npb::ft::cuda {
namespace {

constexpr unsigned threads = 32;

struct PieceEnds {
  const GpuMessageEnds* end;  ///< by rank
  unsigned ranks;
  unsigned* epoch;
  Complex** outgoing;
  Complex** incoming;
};

/// Signals to all ranks that their pieces are complete, and waits for theirs.
__global__ void __launch_bounds__(threads) synchronise_ranks(const __grid_constant__ PieceEnds a) {
  const unsigned epoch = *a.epoch;
  for (unsigned n = threadIdx.x; n < a.ranks; n += threads) {
    raise(a.end[n].sent_count, epoch + 1);
  }
  for (unsigned n = threadIdx.x; n < a.ranks; n += threads) {
    wait_until(a.end[n].received_count, epoch + 1);
    a.incoming[n] = const_cast<Complex*>(incoming_message<Complex>(a.end[n], epoch));
    a.outgoing[n] = outgoing_message<Complex>(a.end[n], epoch + 1);
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    *a.epoch = epoch + 1;
  }
}

std::vector<MessageSize> messages_of(const Communicator& ranks, std::int64_t points) {
  std::vector<MessageSize> messages;
  for (int rank = 0; rank < ranks.size(); ++rank) {
    messages.push_back({rank, static_cast<std::size_t>(points) * sizeof(Complex)});
  }
  return messages;
}

/// Addresses of the pieces of the first exchange.
Buffer<Complex*> pieces_at(const std::vector<GpuMessageEnds>& ends,
                           std::byte* GpuMessageEnds::*side, const Stream& stream) {
  std::vector<Complex*> pieces;
  for (const GpuMessageEnds& end : ends) {
    pieces.push_back(reinterpret_cast<Complex*>(end.*side));
  }
  return device_copy(pieces, stream);
}

}  // namespace

PieceExchange::PieceExchange(const Communicator& ranks, Transport wanted, std::int64_t points,
                             const Stream& stream)
    : stream_(stream),
      chosen_(make_gpu_transport(wanted, ranks, messages_of(ranks, points), stream)),
      ends_(device_copy(chosen_.transport->ends(), stream)),
      outgoing_(pieces_at(chosen_.transport->ends(), &GpuMessageEnds::outgoing, stream)),
      incoming_(pieces_at(chosen_.transport->ends(), &GpuMessageEnds::incoming, stream)) {}

void PieceExchange::queue() const {
  chosen_.transport->packed(stream_);
  chosen_.transport->before_unpacking(stream_);
  if (is_double_buffered()) {
    const PieceEnds ends{.end = ends_.data(),
                         .ranks = static_cast<unsigned>(ends_.size()),
                         .epoch = chosen_.transport->epoch(),
                         .outgoing = outgoing_.data(),
                         .incoming = incoming_.data()};
    launch(stream_, {dim3(1), dim3(threads)}, synchronise_ranks, ends);
  }
}

}  // namespace bankfull::npb::ft::cuda
