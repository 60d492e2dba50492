#include "bankfull/core/comm/gpu_transport.hpp"

#include "bankfull/core/base/error.hpp"
#include "bankfull/core/comm/halo_exchange.hpp"
#include "bankfull/core/comm/message_buffers.hpp"
#include "bankfull/core/comm/nccl.hpp"
#include "bankfull/core/machine/gpu.hpp"

#include <algorithm>
#include <set>
#include <string>

namespace bankfull {
namespace {

/// MPI, with buffers that it can read: in GPU memory, or pinned on the host, where kernels write
/// and read them through the bus.
class MpiTransport final : public GpuTransport {
 public:
  MpiTransport(const Communicator& ranks, const std::vector<MessageSize>& messages,
               MemorySpace space)
      : buffers_(messages, ranks.rank(), space),
        exchange_(ranks.prepare(buffers_.sends(), buffers_.receives())) {}

  [[nodiscard]] const std::vector<GpuMessageEnds>& ends() const override { return buffers_.ends(); }

  void packed(const Stream& stream) override { packed_.record(stream); }

  /// The host has to wait for the kernel that packs: MPI is not aware of streams.
  void before_unpacking(const Stream& /*stream*/) override {
    packed_.synchronize();
    exchange_->start();
    exchange_->finish();
  }

  [[nodiscard]] bool recordable() const override { return false; }

 private:
  MessageBuffers buffers_;
  std::unique_ptr<MessageExchange> exchange_;
  Event packed_;
};

class NcclTransport final : public GpuTransport {
 public:
  NcclTransport(const Communicator& ranks, const std::vector<MessageSize>& messages)
      : buffers_(messages, ranks.rank(), MemorySpace::device), nccl_(shared_nccl(ranks)) {}

  [[nodiscard]] const std::vector<GpuMessageEnds>& ends() const override { return buffers_.ends(); }

  void packed(const Stream& stream) override {
    NcclCommunicator::begin_group();
    for (const Message& message : buffers_.sends()) {
      nccl_->send(message.data, message.bytes, message.rank, stream.handle());
    }
    for (const Message& message : buffers_.receives()) {
      nccl_->receive(message.data, message.bytes, message.rank, stream.handle());
    }
    NcclCommunicator::end_group();
  }

  void before_unpacking(const Stream& /*stream*/) override {}
  [[nodiscard]] bool recordable() const override { return true; }

 private:
  /// One for all exchanges among the same ranks: connecting them takes seconds.
  static std::shared_ptr<NcclCommunicator> shared_nccl(const Communicator& ranks) {
    std::shared_ptr<void>& companion = ranks.gpu_companion();
    if (!companion) {
      companion = std::make_shared<NcclCommunicator>(ranks);
    }
    return std::static_pointer_cast<NcclCommunicator>(companion);
  }

  MessageBuffers buffers_;
  std::shared_ptr<NcclCommunicator> nccl_;
};

/// Whether, on some rank, there is a message to another one.
bool any_leaves(const Communicator& ranks, const std::vector<MessageSize>& messages) {
  const bool leaves = std::any_of(messages.begin(), messages.end(),
                                  [&](const MessageSize& m) { return m.rank != ranks.rank(); });
  return ranks.max(std::int64_t{leaves}) > 0;
}

Transport best_transport(const Communicator& ranks, Device gpu) {
  for (const Transport transport : {Transport::peer, Transport::nccl, Transport::mpi_device}) {
    if (gpu_transport_obstacle(transport, ranks, gpu).empty()) {
      return transport;
    }
  }
  return Transport::mpi;
}

std::unique_ptr<GpuTransport> make(Transport kind, const Communicator& ranks,
                                   const std::vector<MessageSize>& messages, const Stream& stream) {
  switch (kind) {
    case Transport::mpi:
      return detail::make_mpi_transport(ranks, messages, MemorySpace::pinned);
    case Transport::mpi_device:
      return detail::make_mpi_transport(ranks, messages, MemorySpace::device);
    case Transport::nccl:
      return detail::make_nccl_transport(ranks, messages);
    default:
      // Within one process, this rank's own inbox suffices.
      return detail::make_peer_transport(ranks, messages, stream);
  }
}

}  // namespace

std::unique_ptr<GpuTransport> detail::make_mpi_transport(const Communicator& ranks,
                                                         const std::vector<MessageSize>& messages,
                                                         MemorySpace space) {
  return std::make_unique<MpiTransport>(ranks, messages, space);
}

std::unique_ptr<GpuTransport> detail::make_nccl_transport(
    const Communicator& ranks, const std::vector<MessageSize>& messages) {
  return std::make_unique<NcclTransport>(ranks, messages);
}

std::string detail::nccl_obstacle(const Communicator& ranks, Device gpu) {
  if (!ranks.all(nccl_unavailable_reason().empty())) {
    return nccl_unavailable_reason().empty() ? "NCCL is missing on another rank"
                                             : nccl_unavailable_reason();
  }
  const std::string& uuid = survey_gpus().gpus.at(static_cast<std::size_t>(gpu.index)).uuid;
  const auto uuids = ranks.all_gather(std::vector<char>(uuid.begin(), uuid.end()));
  const bool distinct = std::set(uuids.begin(), uuids.end()).size() == uuids.size();
  return distinct ? "" : "several ranks share a GPU";
}

std::string gpu_transport_obstacle(Transport transport, const Communicator& ranks, Device gpu) {
  switch (transport) {
    case Transport::peer:
      return detail::peer_obstacle(ranks, gpu);
    case Transport::nccl:
      return detail::nccl_obstacle(ranks, gpu);
    case Transport::mpi_device:
      return ranks.takes_device_memory() ? "" : "this MPI library does not take GPU memory";
    case Transport::local:
      return ranks.size() == 1 ? "" : "there are several ranks";
    default:
      return {};
  }
}

void detail::require_gpu_transport(Transport transport, const Communicator& ranks, Device gpu) {
  const std::string obstacle = gpu_transport_obstacle(transport, ranks, gpu);
  if (!obstacle.empty()) {
    throw UsageError("--transport " + to_string(transport) + ": " + obstacle,
                     "use --transport auto");
  }
}

ChosenTransport make_gpu_transport(Transport wanted, const Communicator& ranks,
                                   const std::vector<MessageSize>& messages, const Stream& stream) {
  if (!any_leaves(ranks, messages)) {
    return {Transport::local, make(Transport::local, ranks, messages, stream)};
  }
  const Device gpu = stream.device();
  if (wanted == Transport::automatic) {
    const Transport best = best_transport(ranks, gpu);
    return {best, make(best, ranks, messages, stream)};
  }
  detail::require_gpu_transport(wanted, ranks, gpu);
  return {wanted, make(wanted, ranks, messages, stream)};
}

}  // namespace bankfull
