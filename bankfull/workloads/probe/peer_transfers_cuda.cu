#include "bankfull/core/base/expects.hpp"
#include "bankfull/core/exec/gpu_clock.cuh"
#include "bankfull/core/exec/launch.cuh"
#include "bankfull/core/exec/peer_access.hpp"
#include "bankfull/core/exec/stream.hpp"
#include "bankfull/core/memory/buffer.hpp"
#include "bankfull/workloads/probe/peer_transfers.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace bankfull::probe {
namespace {

constexpr unsigned period = 13;  // of the contents

/// Word n of what `sender` sends.
__host__ __device__ constexpr unsigned word_from(int sender, std::int64_t n) {
  return static_cast<unsigned>((n + 3 * sender) % period) + period * static_cast<unsigned>(sender);
}

__global__ void fill_words_kernel(unsigned* words, std::int64_t count, int sender) {
  const std::int64_t step = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t n = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; n < count; n += step) {
    words[n] = word_from(sender, n);
  }
}

__global__ void count_wrong_kernel(const unsigned* words, std::int64_t count, int sender,
                                   unsigned long long* wrong) {
  const std::int64_t step = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t n = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; n < count; n += step) {
    if (words[n] != word_from(sender, n)) {
      atomicAdd(wrong, 1ULL);
    }
  }
}

/// Reads another GPU's memory, whose L2 is the first cache that keeps it.
__global__ void read_peer_kernel(const uint4* vectors, std::int64_t count,
                                 unsigned long long* total) {
  const std::int64_t step = std::int64_t{gridDim.x} * blockDim.x;
  unsigned long long sum = 0;
#pragma unroll 4
  for (std::int64_t n = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; n < count; n += step) {
    const uint4 words = __ldcg(vectors + n);
    sum += words.x + words.y + words.z + words.w;
  }
  for (unsigned lanes = 16; lanes > 0; lanes /= 2) {
    sum += __shfl_down_sync(0xffffffffU, sum, lanes);
  }
  if (threadIdx.x % 32 == 0) {
    atomicAdd(total, sum);
  }
}

/// Holds a stream until the host has queued what follows on all of them.
__global__ void wait_kernel(unsigned nanoseconds) {
  const unsigned long long begin = nanoseconds_now();
  while (nanoseconds_now() - begin < nanoseconds) {
  }
}

/// A stream, with events of its GPU.
struct Lane {
  explicit Lane(Device gpu) : stream(gpu) {}

  Stream stream;
  Event begin;
  Event end;
};

/// One GPU's memory. What it receives lies in one slot per sender: the GPUs, then the host.
struct PeerSide {
  PeerSide(Device owner, int gpus, std::size_t words) : device(owner) {
    for (int n = 0; n < gpus + 2; ++n) {
      lanes.emplace_back(owner);
    }
    sent = Buffer<unsigned>(MemorySpace::device, words);
    received = Buffer<unsigned>(MemorySpace::device, words * static_cast<std::size_t>(gpus + 1));
    total = Buffer<unsigned long long>(MemorySpace::device, 1);
    host_sent = Buffer<unsigned>(MemorySpace::pinned, words);
    host_received = Buffer<unsigned>(MemorySpace::pinned, words);
  }

  Device device;
  std::vector<Lane> lanes;
  Buffer<unsigned> sent;
  Buffer<unsigned> received;
  Buffer<unsigned long long> total;
  Buffer<unsigned> host_sent;
  Buffer<unsigned> host_received;
};

class CudaPeerTransfers final : public PeerTransfers {
 public:
  CudaPeerTransfers(int gpus, std::int64_t bytes) : gpus_(gpus), words_(bytes / word_bytes) {
    for (int n = 0; n < gpus; ++n) {
      for (int other = 0; other < gpus; ++other) {
        if (other != n && can_read(Device::cuda(n), Device::cuda(other))) {
          allow_peer_access(Device::cuda(n), Device::cuda(other));
        }
      }
      sides_.emplace_back(Device::cuda(n), gpus, static_cast<std::size_t>(words_));
      fill_side(sides_.back(), n);
    }
  }

  [[nodiscard]] std::int64_t bytes() const override { return words_ * word_bytes; }

  double copy_seconds(const std::vector<Route>& routes) override {
    expects(!routes.empty(), "there is a route");
    Lane& first = lane_of(routes.front());
    select(first.stream.device());
    launch(first.stream, {dim3(1), dim3(1)}, &wait_kernel,
           100'000U + 20'000U * static_cast<unsigned>(routes.size()));
    first.begin.record(first.stream);
    for (const Route& route : routes) {
      lane_of(route).stream.wait_for(first.begin);
    }
    for (int n = 0; n < copies_in_a_row; ++n) {
      for (const Route& route : routes) {
        queue_copy(route);
      }
    }
    for (std::size_t n = 1; n < routes.size(); ++n) {
      Lane& lane = lane_of(routes[n]);
      select(lane.stream.device());
      lane.end.record(lane.stream);
      first.stream.wait_for(lane.end);
    }
    select(first.stream.device());
    first.end.record(first.stream);
    return Event::seconds_between(first.begin, first.end);
  }

  std::int64_t wrong_words(const Route& route) override {
    unsigned* const target = target_of(route);
    spoil(target, route.to);
    queue_copy(route);
    lane_of(route).stream.synchronize();
    return route.to.is_cuda() ? wrong_on_gpu(target, route)
                              : wrong_on_host(target, sender_of(route));
  }

  [[nodiscard]] bool can_read(Device reader, Device owner) const override {
    return can_access_peer(reader, owner);
  }

  PeerRead read(Device reader, Device owner) override {
    select(reader);
    PeerSide& side = side_of(reader);
    Lane& lane = side.lanes.front();
    fill_bytes(side.total.data(), 0, side.total.bytes(), lane.stream);
    lane.begin.record(lane.stream);
    launch(lane.stream, {dim3(8 * static_cast<unsigned>(multiprocessors_of(reader))), dim3(256)},
           &read_peer_kernel, reinterpret_cast<const uint4*>(side_of(owner).sent.data()),
           words_ / 4, side.total.data());
    lane.end.record(lane.stream);
    const double seconds = Event::seconds_between(lane.begin, lane.end);
    unsigned long long total = 0;
    copy_bytes(&total, side.total.data(), sizeof(total), lane.stream);
    lane.stream.synchronize();
    return {.seconds = seconds, .is_right = total == total_from(owner.index)};
  }

 private:
  static constexpr std::int64_t word_bytes = sizeof(unsigned);

  [[nodiscard]] PeerSide& side_of(Device gpu) {
    return sides_[static_cast<std::size_t>(gpu.index)];
  }

  void fill_side(PeerSide& side, int gpu) {
    const Stream& stream = side.lanes.front().stream;
    launch(stream, {dim3(1024), dim3(256)}, &fill_words_kernel, side.sent.data(), words_, gpu);
    // Pinned memory can be filled by a kernel too.
    launch(stream, {dim3(1024), dim3(256)}, &fill_words_kernel, side.host_sent.data(), words_,
           gpus_);
    fill_bytes(side.received.data(), 0, side.received.bytes(), stream);
    std::fill_n(side.host_received.data(), words_, 0U);
    stream.synchronize();
  }

  /// The GPU at one end of a route queues its copies: the sender, or the receiver of the host's.
  Lane& lane_of(const Route& route) {
    expects(route.from.is_cuda() || route.to.is_cuda(), "a GPU takes part");
    if (!route.from.is_cuda()) {
      return side_of(route.to).lanes[static_cast<std::size_t>(gpus_ + 1)];
    }
    const int other = route.to.is_cuda() ? route.to.index : gpus_;
    return side_of(route.from).lanes[static_cast<std::size_t>(other)];
  }

  [[nodiscard]] int sender_of(const Route& route) const {
    return route.from.is_cuda() ? route.from.index : gpus_;
  }

  unsigned* target_of(const Route& route) {
    return route.to.is_cuda() ? side_of(route.to).received.data() + sender_of(route) * words_
                              : side_of(route.from).host_received.data();
  }

  void queue_copy(const Route& route) {
    const unsigned* const source =
        route.from.is_cuda() ? side_of(route.from).sent.data() : side_of(route.to).host_sent.data();
    const Stream& stream = lane_of(route).stream;
    select(stream.device());
    copy_bytes(target_of(route), source, static_cast<std::size_t>(bytes()), stream);
  }

  /// So that words which do not arrive are noticed.
  void spoil(unsigned* target, Device owner) {
    if (!owner.is_cuda()) {
      std::fill_n(target, words_, ~0U);
      return;
    }
    select(owner);
    const Stream& stream = side_of(owner).lanes.front().stream;
    fill_bytes(target, 0xff, static_cast<std::size_t>(bytes()), stream);
    stream.synchronize();
  }

  std::int64_t wrong_on_gpu(const unsigned* target, const Route& route) {
    PeerSide& side = side_of(route.to);
    select(route.to);
    const Stream& stream = side.lanes.front().stream;
    fill_bytes(side.total.data(), 0, side.total.bytes(), stream);
    launch(stream, {dim3(1024), dim3(256)}, &count_wrong_kernel, target, words_, sender_of(route),
           side.total.data());
    unsigned long long wrong = 0;
    copy_bytes(&wrong, side.total.data(), sizeof(wrong), stream);
    stream.synchronize();
    return static_cast<std::int64_t>(wrong);
  }

  [[nodiscard]] std::int64_t wrong_on_host(const unsigned* target, int sender) const {
    std::int64_t wrong = 0;
    for (std::int64_t n = 0; n < words_; ++n) {
      wrong += target[n] == word_from(sender, n) ? 0 : 1;
    }
    return wrong;
  }

  [[nodiscard]] unsigned long long total_from(int sender) const {
    unsigned long long of_period = 0;
    unsigned long long rest = 0;
    for (std::int64_t n = 0; n < period; ++n) {
      of_period += word_from(sender, n);
      rest += n < words_ % period ? word_from(sender, n) : 0;
    }
    return static_cast<unsigned long long>(words_ / period) * of_period + rest;
  }

  int gpus_;
  std::int64_t words_;  ///< of a copy
  std::vector<PeerSide> sides_;
};

}  // namespace

std::unique_ptr<PeerTransfers> make_cuda_peer_transfers(int gpus, std::int64_t bytes) {
  return std::make_unique<CudaPeerTransfers>(gpus, bytes);
}

}  // namespace bankfull::probe
