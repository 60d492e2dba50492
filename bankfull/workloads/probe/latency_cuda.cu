#include "bankfull/core/exec/launch.cuh"
#include "bankfull/core/exec/stream.hpp"
#include "bankfull/core/memory/buffer.hpp"
#include "bankfull/workloads/probe/latency.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace bankfull::probe {
namespace {

/// A node holds the address of the next one.
using Address = unsigned long long;

/// The position of the one thread, and its count.
struct Position {
  Address at;
  std::int64_t loads;
};

/// A dependent load through L1, as any load of a kernel.
__device__ Address follow(Address at) { return __ldca(reinterpret_cast<const Address*>(at)); }

__global__ void build_kernel(ChainLayout layout, const std::uint32_t* next, std::byte* memory) {
  const std::int64_t step = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t n = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; n < layout.nodes;
       n += step) {
    auto* node = reinterpret_cast<Address*>(memory + layout.offset(n));
    *node = reinterpret_cast<Address>(memory + layout.offset(next[n]));
  }
}

__global__ void cycle_kernel(Position* position, Address start, std::int64_t most) {
  Address at = start;
  std::int64_t loads = 0;
  do {
    at = follow(at);
    ++loads;
  } while (at != start && loads <= most);
  *position = {start, loads};
}

__global__ void chase_kernel(Position* position, std::int64_t loads) {
  Address at = position->at;
#pragma unroll 8
  for (std::int64_t n = 0; n < loads; ++n) {
    at = follow(at);
  }
  position->at = at;
}

class CudaChase final : public PointerChase {
 public:
  CudaChase(Device gpu, Device owner, std::int64_t bytes)
      : memory_(memory_of(owner, bytes)), stream_(gpu), position_(MemorySpace::device, 1) {}

  void build(const ChainLayout& layout, const std::vector<std::uint32_t>& next) override {
    select(stream_.device());
    if (order_.size() < next.size()) {
      order_ = Buffer<std::uint32_t>(MemorySpace::device, next.size());
    }
    copy_bytes(order_.data(), next.data(), next.size() * sizeof(next[0]), stream_);
    constexpr unsigned blocks = 1024;
    constexpr unsigned threads = 256;
    launch(stream_, {dim3(blocks), dim3(threads)}, &build_kernel, layout,
           static_cast<const std::uint32_t*>(order_.data()), memory_.data());
    start_ = reinterpret_cast<Address>(memory_.data() + layout.offset(0));
    const Position start{start_, 0};
    copy_bytes(position_.data(), &start, sizeof(start), stream_);
    stream_.synchronize();
    lap_ = std::min(layout.nodes, longest_lap);
    lap_seconds_ = fastest_lap();
  }

  std::int64_t cycle_length(std::int64_t most) override {
    select(stream_.device());
    launch(stream_, one_thread(), &cycle_kernel, position_.data(), start_, most);
    Position found{};
    copy_bytes(&found, position_.data(), sizeof(found), stream_);
    stream_.synchronize();
    return found.loads;
  }

  /// A launch begins with an empty L1. So the thread first completes a lap that warms it, and the
  /// time of a launch with that lap alone is subtracted.
  double seconds(std::int64_t loads) override {
    return kernel_seconds(lap_ + loads) - lap_seconds_;
  }

  [[nodiscard]] double share_in_huge_pages() const override { return 0.0; }

 private:
  static constexpr std::int64_t longest_lap = 4096;  // lines: twice any L1

  static Buffer<std::byte> memory_of(Device owner, std::int64_t bytes) {
    select(owner);
    return {owner.is_cuda() ? MemorySpace::device : MemorySpace::pinned,
            static_cast<std::size_t>(bytes)};
  }

  static LaunchShape one_thread() { return {dim3(1), dim3(1)}; }

  double kernel_seconds(std::int64_t loads) {
    select(stream_.device());
    before_.record(stream_);
    launch(stream_, one_thread(), &chase_kernel, position_.data(), loads);
    after_.record(stream_);
    return Event::seconds_between(before_, after_);
  }

  double fastest_lap() {
    double fastest = kernel_seconds(lap_);
    for (int n = 0; n < 4; ++n) {
      fastest = std::min(fastest, kernel_seconds(lap_));
    }
    return fastest;
  }

  Buffer<std::byte> memory_;
  Stream stream_;  // selects the GPU for what follows
  Event before_;
  Event after_;
  Buffer<Position> position_;
  Buffer<std::uint32_t> order_;
  Address start_ = 0;
  std::int64_t lap_ = 0;
  double lap_seconds_ = 0.0;
};

}  // namespace

std::unique_ptr<PointerChase> detail::make_cuda_chase(Device gpu, Device owner,
                                                      std::int64_t bytes) {
  return std::make_unique<CudaChase>(gpu, owner, bytes);
}

}  // namespace bankfull::probe
