#include "bankfull/core/base/error.hpp"
#include "bankfull/core/comm/gpu_transport.hpp"
#include "bankfull/core/comm/halo_exchange.hpp"
#include "bankfull/core/comm/halo_packing.hpp"
#include "bankfull/core/comm/peer_signals.cuh"
#include "bankfull/core/exec/launch.cuh"
#include "bankfull/core/exec/vector16.cuh"
#include "bankfull/core/memory/buffer.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace bankfull {
namespace {

constexpr int max_fields = 16;
constexpr int max_regions = 26;
constexpr int threads = 256;

/// Blocks of one region, at most: two groups per thread for a face of 4 MiB, or few enough to leave
/// most of the GPU to other work while they wait for the link.
constexpr std::int64_t max_blocks_alone = 512;
constexpr std::int64_t max_blocks_beside = 64;

/// A region and where its message is for the present slot and the other.
template <class T>
struct RegionEnds {
  PackedRegion region;
  std::int64_t field_size;  ///< of the message, elements
  T* message;
  std::int64_t slot;         ///< elements
  unsigned* received_count;  ///< counter to wait for; null if messages are known to have arrived
};

/// Arguments of both kernels: what to copy between fields and messages.
template <class T>
struct HaloCopies {
  int fields;
  int regions;
  std::int64_t row_pitch;
  std::int64_t plane_pitch;
  T* field[max_fields];
  RegionEnds<T> end[max_regions];
  unsigned* epoch;   ///< null for transports without slots
  unsigned* ticket;  ///< counts blocks that are done; 0 between launches
  int neighbours;
  unsigned* sent_count[max_regions];  ///< neighbours' counters to raise
};

/// Copies of a region: groups of 16 bytes, and what is left of rows.
template <class T>
BANKFULL_HOST_DEVICE std::int64_t groups_of(const PackedRegion& region) {
  return region.rows() * ((region.pitch + packed_group<T> - 1) / packed_group<T>);
}

/// Calls copy(field group, message group, points) for the groups of 16 bytes of a block's region.
template <class T, class Copy>
__device__ __forceinline__ void for_each_group(const HaloCopies<T>& a, const RegionEnds<T>& end,
                                               T* field, T* message, const Copy& copy) {
  constexpr int width = packed_group<T>;
  const PackedRegion& region = end.region;
  const int groups_per_row = (region.pitch + width - 1) / width;
  const std::int64_t groups = groups_of<T>(region);
  const std::int64_t stride = std::int64_t{gridDim.x} * threads;
  for (std::int64_t n = std::int64_t{blockIdx.x} * threads + threadIdx.x; n < groups; n += stride) {
    const auto row = static_cast<unsigned>(n / groups_per_row);
    const int k = static_cast<int>(n - std::int64_t{row} * groups_per_row) * width;
    const unsigned i = row / static_cast<unsigned>(region.nj);
    const unsigned j = row - i * static_cast<unsigned>(region.nj);
    copy(field + region.first + i * a.plane_pitch + j * a.row_pitch + k,
         message + region.begin + std::int64_t{row} * region.pitch + k, min(width, region.nk - k));
  }
}

template <class T>
__device__ __forceinline__ bool in_groups(const T* at) {
  return reinterpret_cast<std::size_t>(at) % 16 == 0;
}

/// Packs the cells that neighbours need into messages.
template <class T>
__global__ void __launch_bounds__(threads) pack_halos(const __grid_constant__ HaloCopies<T> a) {
  const unsigned epoch = epoch_of(a.epoch);
  const int f = static_cast<int>(blockIdx.y) / a.regions;
  const RegionEnds<T>& end = a.end[static_cast<int>(blockIdx.y) % a.regions];
  T* const message = end.message + (epoch & 1U) * end.slot + f * end.field_size;
  for_each_group(a, end, a.field[f], message, [](const T* cells, T* packed, int points) {
    if (points == packed_group<T> && in_groups(cells)) {
      *reinterpret_cast<uint4*>(packed) = *reinterpret_cast<const uint4*>(cells);
    } else {
      for (int n = 0; n < points; ++n) {
        packed[n] = cells[n];
      }
    }
  });
  if (a.neighbours > 0 && is_last_block(a.ticket) && static_cast<int>(threadIdx.x) < a.neighbours) {
    raise(a.sent_count[threadIdx.x], epoch + 1);
  }
}

/// Unpacks messages, once they have arrived, into ghost cells.
template <class T>
__global__ void __launch_bounds__(threads) unpack_halos(const __grid_constant__ HaloCopies<T> a) {
  const unsigned epoch = epoch_of(a.epoch);
  const int f = static_cast<int>(blockIdx.y) / a.regions;
  const RegionEnds<T>& end = a.end[static_cast<int>(blockIdx.y) % a.regions];
  if (end.received_count != nullptr) {
    if (threadIdx.x == 0) {
      wait_until(end.received_count, epoch + 1);
    }
    __syncthreads();
  }
  T* const message = end.message + (epoch & 1U) * end.slot + f * end.field_size;
  for_each_group(a, end, a.field[f], message, [](T* ghosts, const T* packed, int points) {
    // Bypasses L1, which is not coherent with writes of other devices.
    if (points == packed_group<T> && in_groups(ghosts)) {
      *reinterpret_cast<uint4*>(ghosts) = __ldcg(reinterpret_cast<const uint4*>(packed));
    } else {
      for (int n = 0; n < points; ++n) {
        ghosts[n] = __ldcg(packed + n);
      }
    }
  });
  if (a.epoch != nullptr && is_last_block(a.ticket) && threadIdx.x == 0) {
    *a.epoch = epoch + 1;
  }
}

/// Waits for all messages in one small block, so that the unpacking blocks do not occupy
/// multiprocessors that other work could use.
template <class T>
__global__ void await_messages(const __grid_constant__ HaloCopies<T> a) {
  if (static_cast<int>(threadIdx.x) < a.regions) {
    wait_until(a.end[threadIdx.x].received_count, *a.epoch + 1);
  }
}

template <class T>
class CudaHaloExchange final : public HaloExchange<T> {
 public:
  CudaHaloExchange(const HaloSetup& setup, const Stream& work)
      : work_(work),
        halo_(work.device(), StreamPriority::high),
        fields_(setup.fields),
        alone_(setup.alone),
        ticket_(MemorySpace::device, 1) {
    const auto regions =
        halo_messages(setup.decomposition, setup.ranks.rank(), setup.shape, setup.wanted);
    sent_bytes_ = detail::leaving_bytes(regions, setup.ranks.rank(), fields_, sizeof(T));
    const std::vector<PackedMessage> messages = pack(regions, setup.layout, sizeof(T));
    chosen_ = make_gpu_transport(setup.transport, setup.ranks, sizes_of(messages), halo_);
    describe(setup.layout, messages);
    fill_bytes(ticket_.data(), 0, ticket_.bytes(), halo_);
    halo_.synchronize();
  }

  void start(std::span<T* const> fields) override {
    detail::require_fields(fields.size(), fields_);
    if (sent_.regions == 0) {
      return;
    }
    std::copy(fields.begin(), fields.end(), sent_.field);
    std::copy(fields.begin(), fields.end(), received_.field);
    ready_.record(work_);
    halo_.wait_for(ready_);
    launch(halo_, shape_, pack_halos<T>, sent_);
    chosen_.transport->packed(halo_);
    if (recordable()) {
      unpack();
    }
  }

  void finish() override {
    if (sent_.regions == 0) {
      return;
    }
    if (!recordable()) {
      unpack();
    }
    work_.wait_for(arrived_);
  }

  [[nodiscard]] Transport transport() const override { return chosen_.kind; }
  [[nodiscard]] bool recordable() const override { return chosen_.transport->recordable(); }
  [[nodiscard]] std::int64_t sent_bytes() const override { return sent_bytes_; }

 private:
  [[nodiscard]] std::vector<MessageSize> sizes_of(
      const std::vector<PackedMessage>& messages) const {
    std::vector<MessageSize> sizes;
    sizes.reserve(messages.size());
    for (const PackedMessage& message : messages) {
      sizes.push_back(
          {message.rank, static_cast<std::size_t>(message.field_size * fields_) * sizeof(T)});
    }
    return sizes;
  }

  /// Fixes the arguments of both kernels but for the fields.
  void describe(const Layout& layout, const std::vector<PackedMessage>& messages) {
    sent_.fields = fields_;
    sent_.row_pitch = layout.row_pitch();
    sent_.plane_pitch = layout.plane_pitch();
    sent_.epoch = chosen_.transport->epoch();
    sent_.ticket = ticket_.data();
    received_ = sent_;
    std::int64_t max_groups = 0;
    for (std::size_t n = 0; n < messages.size(); ++n) {
      const GpuMessageEnds& ends = chosen_.transport->ends()[n];
      const PackedMessage& message = messages[n];
      add(sent_, message.sent, message.field_size, ends.outgoing, ends.outgoing_slot, nullptr);
      add(received_, message.received, message.field_size, ends.incoming, ends.incoming_slot,
          ends.received_count);
      if (ends.sent_count != nullptr) {
        sent_.sent_count[sent_.neighbours++] = ends.sent_count;
      }
      for (const PackedRegion& region : message.sent) {
        max_groups = std::max(max_groups, groups_of<T>(region));
      }
    }
    const std::int64_t blocks = std::clamp<std::int64_t>(
        max_groups / threads, 1, alone_ ? max_blocks_alone : max_blocks_beside);
    shape_ = {dim3(static_cast<unsigned>(blocks), static_cast<unsigned>(sent_.regions * fields_)),
              dim3(threads)};
    if (!alone_ && received_.epoch != nullptr) {
      awaited_ = received_;
      for (int n = 0; n < received_.regions; ++n) {
        received_.end[n].received_count = nullptr;
      }
    }
  }

  static void add(HaloCopies<T>& copies, const std::vector<PackedRegion>& regions,
                  std::int64_t field_size, std::byte* message, std::ptrdiff_t slot_bytes,
                  unsigned* received_count) {
    for (const PackedRegion& region : regions) {
      copies.end[copies.regions++] = {.region = region,
                                      .field_size = field_size,
                                      .message = reinterpret_cast<T*>(message),
                                      .slot = slot_bytes / static_cast<std::ptrdiff_t>(sizeof(T)),
                                      .received_count = received_count};
    }
  }

  void unpack() {
    chosen_.transport->before_unpacking(halo_);
    if (awaited_.regions > 0) {
      launch(halo_, {dim3(1), dim3(max_regions)}, await_messages<T>, awaited_);
    }
    launch(halo_, shape_, unpack_halos<T>, received_);
    arrived_.record(halo_);
  }

  const Stream& work_;
  Stream halo_;
  Event ready_;
  Event arrived_;
  int fields_;
  bool alone_;
  std::int64_t sent_bytes_ = 0;
  Buffer<unsigned> ticket_;
  ChosenTransport chosen_;
  HaloCopies<T> sent_{};
  HaloCopies<T> received_{};
  HaloCopies<T> awaited_{};  ///< what a separate block waits for; empty if unpacking waits
  LaunchShape shape_;
};

}  // namespace

template <class T>
std::unique_ptr<HaloExchange<T>> make_halo_exchange(const HaloSetup& setup, const Stream& work) {
  detail::require_fit(setup, [&] {
    require(setup.fields <= max_fields,
            "an exchange of " + std::to_string(setup.fields) + " fields at once",
            "use 1 to " + std::to_string(max_fields));
  });
  return std::make_unique<CudaHaloExchange<T>>(setup, work);
}

template std::unique_ptr<HaloExchange<float>> make_halo_exchange(const HaloSetup&, const Stream&);
template std::unique_ptr<HaloExchange<double>> make_halo_exchange(const HaloSetup&, const Stream&);

}  // namespace bankfull
