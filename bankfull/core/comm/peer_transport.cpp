#include "bankfull/core/base/cuda_check.hpp"
#include "bankfull/core/base/error.hpp"
#include "bankfull/core/comm/gpu_transport.hpp"
#include "bankfull/core/memory/buffer.hpp"

#include <algorithm>
#include <array>
#include <cuda_runtime_api.h>
#include <exception>
#include <map>

namespace bankfull {
namespace {

/// Counters and slots are on separate cache lines.
constexpr std::size_t line = 128;

/// Allocations of this size are never part of a larger one, which a handle would share as a whole.
constexpr std::size_t own_allocation = std::size_t{2} << 20;

constexpr int slots = 2;

std::size_t whole(std::size_t bytes, std::size_t unit) { return (bytes + unit - 1) / unit * unit; }

/// Where one rank's inbox keeps what another stores there: offsets in bytes.
struct Place {
  int from = 0;
  std::size_t counter = 0;
  std::size_t data = 0;
  std::size_t slot = 0;  ///< bytes from slot to slot
};

std::vector<Place> places_of(const std::vector<MessageSize>& messages) {
  std::vector<Place> places;
  std::size_t end = line * (messages.size() + 1);
  for (std::size_t n = 0; n < messages.size(); ++n) {
    const std::size_t slot = whole(messages[n].bytes, line);
    places.push_back(
        {.from = messages[n].rank, .counter = line * (n + 1), .data = end, .slot = slot});
    end += slots * slot;
  }
  return places;
}

/// Only what other ranks map needs an allocation of its own, which takes the driver longer.
std::size_t inbox_bytes(const std::vector<Place>& places, const Communicator& ranks) {
  const std::size_t end = places.empty() ? line : places.back().data + slots * places.back().slot;
  return ranks.size() > 1 ? whole(end, own_allocation) : end;
}

/// Memory of another process on this node, mapped during the object's lifetime.
class MappedInbox {
 public:
  explicit MappedInbox(const cudaIpcMemHandle_t& handle) {
    cuda_check(cudaIpcOpenMemHandle(&data_, handle, cudaIpcMemLazyEnablePeerAccess),
               "mapping a neighbour's GPU memory");
  }
  ~MappedInbox() { static_cast<void>(cudaIpcCloseMemHandle(data_)); }
  MappedInbox(const MappedInbox&) = delete;
  MappedInbox& operator=(const MappedInbox&) = delete;

  [[nodiscard]] std::byte* data() const { return static_cast<std::byte*>(data_); }

 private:
  void* data_ = nullptr;
};

/// Kernels store messages straight into an inbox in the neighbour's memory, then raise a counter
/// next to it, on which the neighbour's unpacking kernel waits.
///
/// Two slots suffice without asking whether one is free: a rank packs exchange n after it has
/// unpacked n - 1, which the neighbour packed after it had unpacked n - 2, the last to use the
/// slot. No fence is needed besides the counters': what the neighbour read in unpacking n - 2 is
/// ordered before its packing of n - 1 (one stream), that before the counter that this rank
/// acquires in unpacking n - 1, and that before packing n (one stream again).
///
/// Kernels that wait occupy their GPU. The neighbour's kernels must be able to run meanwhile: they
/// are on another GPU, or are time-sliced with ours on the same one.
class PeerTransport final : public GpuTransport {
 public:
  PeerTransport(const Communicator& ranks, const std::vector<MessageSize>& messages,
                const Stream& stream)
      : ranks_(ranks),
        places_(places_of(messages)),
        inbox_(MemorySpace::device, inbox_bytes(places_, ranks)) {
    fill_bytes(inbox_.data(), 0, inbox_.bytes(), stream);
    stream.synchronize();
    map_inboxes();
    ranks_.barrier();  // no rank may store into an inbox that is not cleared yet
  }

  ~PeerTransport() override {
    mapped_.clear();
    // Memory must outlive its mappings; a rank that fails must not wait for the others.
    if (std::uncaught_exceptions() == 0) {
      try {
        ranks_.barrier();
      } catch (const RuntimeFailure&) {
        return;  // the next collective call reports MPI's error
      }
    }
  }
  PeerTransport(const PeerTransport&) = delete;
  PeerTransport& operator=(const PeerTransport&) = delete;

  [[nodiscard]] const std::vector<GpuMessageEnds>& ends() const override { return ends_; }
  [[nodiscard]] unsigned* epoch() const override { return counter(inbox_.data()); }
  void packed(const Stream& /*stream*/) override {}
  void before_unpacking(const Stream& /*stream*/) override {}
  [[nodiscard]] bool recordable() const override { return true; }

 private:
  static unsigned* counter(std::byte* at) { return reinterpret_cast<unsigned*>(at); }

  void map_inboxes() {
    cudaIpcMemHandle_t own{};
    if (ranks_.size() > 1) {
      cuda_check(cudaIpcGetMemHandle(&own, inbox_.data()), "sharing GPU memory");
    }
    const auto handles = ranks_.all_gather(own);
    const auto places = ranks_.all_gather(places_);
    for (const Place& place : places_) {
      std::byte* const there = inbox_of(place.from, handles);
      const auto& theirs = places[static_cast<std::size_t>(place.from)];
      const auto mine = std::find_if(theirs.begin(), theirs.end(), [&](const Place& candidate) {
        return candidate.from == ranks_.rank();
      });
      ends_.push_back({.outgoing = there + mine->data,
                       .incoming = inbox_.data() + place.data,
                       .outgoing_slot = static_cast<std::ptrdiff_t>(mine->slot),
                       .incoming_slot = static_cast<std::ptrdiff_t>(place.slot),
                       .sent_count = counter(there + mine->counter),
                       .received_count = counter(inbox_.data() + place.counter)});
    }
  }

  std::byte* inbox_of(int rank, const std::vector<cudaIpcMemHandle_t>& handles) {
    if (rank == ranks_.rank()) {
      return inbox_.data();
    }
    return mapped_.try_emplace(rank, handles[static_cast<std::size_t>(rank)]).first->second.data();
  }

  const Communicator& ranks_;
  std::vector<Place> places_;
  Buffer<std::byte> inbox_;
  std::map<int, MappedInbox> mapped_;
  std::vector<GpuMessageEnds> ends_;
};

using BusId = std::array<char, 32>;

BusId bus_id_of(Device gpu) {
  BusId id{};
  cuda_check(cudaDeviceGetPCIBusId(id.data(), static_cast<int>(id.size()), gpu.index),
             "reading a GPU's PCI bus id");
  return id;
}

/// Why this process cannot reach the GPU at that address; empty if it can.
std::string obstacle_to(const BusId& id, Device gpu) {
  int other = 0;
  if (cudaDeviceGetByPCIBusId(&other, id.data()) != cudaSuccess) {
    static_cast<void>(cudaGetLastError());
    return std::string("GPU ") + id.data() + " is hidden from the other processes of its node";
  }
  int reachable = 0;
  if (other != gpu.index) {
    cuda_check(cudaDeviceCanAccessPeer(&reachable, gpu.index, other), "asking for peer access");
  }
  return other == gpu.index || reachable != 0
             ? std::string()
             : std::string("the driver grants no access to GPU ") + id.data();
}

/// Why this process cannot map the memory of the next rank's; empty if it can. The driver may
/// refuse where containers separate processes.
std::string obstacle_to_mapping(const Communicator& ranks) {
  const Buffer<std::byte> own(MemorySpace::device, own_allocation);
  cudaIpcMemHandle_t handle{};
  const bool shared = cudaIpcGetMemHandle(&handle, own.data()) == cudaSuccess;
  const auto handles = ranks.all_gather(handle);
  const bool all_shared = ranks.all(shared);
  std::string obstacle = all_shared ? "" : "the driver does not share GPU memory between processes";
  if (all_shared && ranks.size() > 1) {
    try {
      const MappedInbox next(handles[static_cast<std::size_t>((ranks.rank() + 1) % ranks.size())]);
    } catch (const RuntimeFailure& failure) {
      obstacle = failure.what();
    }
  }
  static_cast<void>(cudaGetLastError());  // a refusal is a valid result here
  ranks.barrier();                        // memory must outlive its mappings
  return obstacle;
}

}  // namespace

std::string detail::peer_obstacle(const Communicator& ranks, Device gpu) {
  if (!ranks.on_one_node()) {
    return "the ranks are on several nodes";
  }
  std::string obstacle;
  for (const BusId& id : ranks.all_gather(bus_id_of(gpu))) {
    const std::string here = obstacle_to(id, gpu);
    obstacle = here.empty() ? obstacle : here;
  }
  if (ranks.all(obstacle.empty())) {
    obstacle = obstacle_to_mapping(ranks);
  }
  // All ranks must reach the same result.
  for (const auto& theirs : ranks.all_gather(std::vector<char>(obstacle.begin(), obstacle.end()))) {
    if (!theirs.empty()) {
      return {theirs.begin(), theirs.end()};
    }
  }
  return {};
}

std::unique_ptr<GpuTransport> detail::make_peer_transport(const Communicator& ranks,
                                                          const std::vector<MessageSize>& messages,
                                                          const Stream& stream) {
  return std::make_unique<PeerTransport>(ranks, messages, stream);
}

}  // namespace bankfull
