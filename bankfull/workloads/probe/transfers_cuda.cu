#include "bankfull/core/exec/launch.cuh"
#include "bankfull/core/exec/stream.hpp"
#include "bankfull/core/measure/timer.hpp"
#include "bankfull/core/memory/buffer.hpp"
#include "bankfull/workloads/probe/transfers.hpp"

#include <cstddef>
#include <cstring>
#include <future>

namespace bankfull::probe {
namespace {

__global__ void plain_copy_kernel(float4* written, const float4* read, std::int64_t vectors) {
  const std::int64_t n = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (n < vectors) {
    written[n] = read[n];
  }
}

/// Two arrays of one kind of host memory: one to send from, one to receive in.
struct HostSide {
  HostSide(MemorySpace space, std::int64_t bytes)
      : sent(space, static_cast<std::size_t>(bytes)),
        received(space, static_cast<std::size_t>(bytes)) {
    std::memset(sent.data(), 1, sent.bytes());
    std::memset(received.data(), 2, received.bytes());
  }

  Buffer<std::byte> sent;
  Buffer<std::byte> received;
};

class CudaTransfers final : public Transfers {
 public:
  CudaTransfers(Device gpu, std::int64_t device_bytes, std::int64_t host_bytes)
      : upward_(gpu),
        downward_(gpu),
        source_(MemorySpace::device, static_cast<std::size_t>(device_bytes)),
        target_(MemorySpace::device, static_cast<std::size_t>(device_bytes)),
        pageable_(MemorySpace::host, host_bytes),
        pinned_(MemorySpace::pinned, host_bytes) {
    fill_bytes(source_.data(), 3, source_.bytes(), upward_);
    fill_bytes(target_.data(), 4, target_.bytes(), upward_);
    upward_.synchronize();
  }

  double device_copy_seconds(DeviceCopy way, std::int64_t bytes) override {
    select(upward_.device());
    before_.record(upward_);
    queue_device_copy(way, bytes);
    after_.record(upward_);
    return Event::seconds_between(before_, after_);
  }

  double host_copy_seconds(Direction direction, MemorySpace host, std::int64_t bytes) override {
    select(upward_.device());
    upward_.synchronize();
    const Stopwatch watch;
    if (direction == Direction::both) {
      // Copies from pageable memory keep their host thread busy, so each direction has its own.
      auto other = std::async(std::launch::async, [=, this] { download(host, bytes); });
      upload(host, bytes);
      other.get();
    } else if (direction == Direction::to_device) {
      upload(host, bytes);
    } else {
      download(host, bytes);
    }
    return watch.seconds();
  }

  std::int64_t wrong_bytes(MemorySpace host, std::int64_t bytes) override {
    select(upward_.device());
    std::byte* sent = side(host).sent.data();
    std::byte* received = side(host).received.data();
    for (std::int64_t n = 0; n < bytes; ++n) {
      sent[n] = static_cast<std::byte>((n * 7 + n / 251) % 251);
      received[n] = std::byte{255};
    }
    return wrong_after(DeviceCopy::plain, host, bytes) +
           wrong_after(DeviceCopy::memcpy_async, host, bytes);
  }

 private:
  [[nodiscard]] const HostSide& side(MemorySpace host) const {
    return host == MemorySpace::pinned ? pinned_ : pageable_;
  }

  void queue_device_copy(DeviceCopy way, std::int64_t bytes) {
    if (way == DeviceCopy::memcpy_async) {
      copy_bytes(target_.data(), source_.data(), static_cast<std::size_t>(bytes), upward_);
      return;
    }
    constexpr std::int64_t threads = 256;
    const std::int64_t vectors = bytes / static_cast<std::int64_t>(sizeof(float4));
    launch(upward_,
           {dim3(static_cast<unsigned>((vectors + threads - 1) / threads)),
            dim3(static_cast<unsigned>(threads))},
           &plain_copy_kernel, reinterpret_cast<float4*>(target_.data()),
           reinterpret_cast<const float4*>(source_.data()), vectors);
  }

  void upload(MemorySpace host, std::int64_t bytes) const {
    copy_bytes(source_.data(), side(host).sent.data(), static_cast<std::size_t>(bytes), upward_);
    upward_.synchronize();
  }

  void download(MemorySpace host, std::int64_t bytes) const {
    select(downward_.device());
    copy_bytes(side(host).received.data(), target_.data(), static_cast<std::size_t>(bytes),
               downward_);
    downward_.synchronize();
  }

  std::int64_t wrong_after(DeviceCopy way, MemorySpace host, std::int64_t bytes) {
    upload(host, bytes);
    fill_bytes(target_.data(), 0xff, static_cast<std::size_t>(bytes), upward_);
    queue_device_copy(way, bytes);
    upward_.synchronize();
    download(host, bytes);
    std::int64_t wrong = 0;
    for (std::int64_t n = 0; n < bytes; ++n) {
      wrong += side(host).received.data()[n] == side(host).sent.data()[n] ? 0 : 1;
    }
    return wrong;
  }

  Stream upward_;
  Stream downward_;
  Event before_;
  Event after_;
  Buffer<std::byte> source_;
  Buffer<std::byte> target_;
  HostSide pageable_;
  HostSide pinned_;
};

}  // namespace

std::unique_ptr<Transfers> make_cuda_transfers(Device gpu, std::int64_t device_bytes,
                                               std::int64_t host_bytes) {
  return std::make_unique<CudaTransfers>(gpu, device_bytes, host_bytes);
}

}  // namespace bankfull::probe
