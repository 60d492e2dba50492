#pragma once

#include "bankfull/core/exec/launch.cuh"
#include "bankfull/core/memory/buffer.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cub/device/device_histogram.cuh>
#include <cub/device/device_scan.cuh>
#include <cuda/std/functional>
#include <optional>
#include <utility>
#include <vector>

namespace bankfull {

namespace detail {

template <class Body>
__global__ void __launch_bounds__(256) each_kernel(std::int64_t count, Body body) {
  const std::int64_t n = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (n < count) {
    body(n);
  }
}

template <class T>
struct Fill {
  T* data;
  T value;
  __device__ void operator()(std::int64_t n) const { data[n] = value; }
};

/// The last elements of several lists, side by side.
template <std::size_t Lists>
struct GatherLast {
  std::int64_t* list[Lists];
  std::int64_t last;
  std::int64_t* gathered;
  __device__ void operator()(std::int64_t n) const { gathered[n] = list[n][last]; }
};

}  // namespace detail

/// Runs the loops that build data structures on a GPU; see CpuExecutor. Work is queued on a stream;
/// functions that hand values to the host wait for it.
class CudaExecutor {
 public:
  /// Refers to `stream`, which must outlive it.
  explicit CudaExecutor(const Stream& stream) : stream_(stream) {}

  /// Where the arrays that it works on lie.
  static constexpr MemorySpace space = MemorySpace::device;

  /// The stream that work is queued on.
  [[nodiscard]] const Stream& stream() const { return stream_; }

  /// The same whose arrays are parts of one allocation, as far as they take so many bytes. They may
  /// outlive it; the work that uses them is queued on this stream until the last one is made.
  [[nodiscard]] CudaExecutor with_region(std::int64_t bytes) const {
    return with_region(MemoryRegion(space, static_cast<std::size_t>(bytes)));
  }

  /// The same whose arrays are parts of this region, of GPU memory.
  [[nodiscard]] CudaExecutor with_region(MemoryRegion region) const {
    CudaExecutor result(stream_);
    result.region_.emplace(std::move(region));
    return result;
  }

  /// An array of `count` elements in GPU memory, uninitialised.
  template <class T>
  [[nodiscard]] Buffer<T> make(std::int64_t count) const {
    const auto size = static_cast<std::size_t>(count);
    return region_ ? Buffer<T>(*region_, size) : Buffer<T>(space, size);
  }

  /// Queues body(n) for all n in [0, count), in any order. `Body` is copied to the GPU: it holds
  /// plain data. `where` is the line that messages about the launch name.
  template <class Body>
  void each(std::int64_t count, Body body,
            std::source_location where = std::source_location::current()) const {
    constexpr std::int64_t block = 256;
    if (count > 0) {
      launch(LaunchSite(stream_, where),
             {dim3(static_cast<unsigned>((count + block - 1) / block)), dim3(block)},
             detail::each_kernel<Body>, count, body);
    }
  }

  /// Queues data[n] = value for all n in [0, count).
  template <class T>
  void fill(T* data, std::int64_t count, T value) const {
    each(count, detail::Fill<T>{data, value});
  }

  /// starts[n] = counts[0] + ... + counts[n - 1] for n in [0, count]; returns the last. Both arrays
  /// are in GPU memory and have count + 1 elements. Waits.
  std::int64_t exclusive_sum(const std::int32_t* counts, std::int64_t count,
                             std::int64_t* starts) const {
    queue_sum(counts, count, starts);
    return to_host(starts + count, 1).front();
  }

  /// The same for several lists of counts, which lie one after the other; waits once.
  template <std::size_t Lists>
  std::array<std::int64_t, Lists> exclusive_sums(
      const std::int32_t* counts, std::int64_t count,
      const std::array<std::int64_t*, Lists>& starts) const {
    const auto totals = make<std::int64_t>(Lists);
    detail::GatherLast<Lists> gather{{}, count, totals.data()};
    for (std::size_t n = 0; n < Lists; ++n) {
      queue_sum(counts + static_cast<std::int64_t>(n) * (count + 1), count, starts[n]);
      gather.list[n] = starts[n];
    }
    each(Lists, gather);
    const std::vector<std::int64_t> on_host = to_host(totals.data(), Lists);
    std::array<std::int64_t, Lists> result = {};
    std::copy(on_host.begin(), on_host.end(), result.begin());
    return result;
  }

  /// How often each of the values 0, ..., below - 1 occurs; there must be no others. Waits.
  [[nodiscard]] std::vector<std::int64_t> histogram(const std::uint8_t* values, std::int64_t count,
                                                    int below) const {
    const auto found = make<int>(below);
    std::size_t bytes = 0;
    const auto run = [&](void* scratch) {
      return cub::DeviceHistogram::HistogramEven(scratch, bytes, values, found.data(), below + 1, 0,
                                                 below, count, stream_.handle());
    };
    cuda_check(run(nullptr), "planning a histogram");
    const auto scratch = make<std::byte>(static_cast<std::int64_t>(bytes));
    cuda_check(run(scratch.data()), "queueing a histogram");
    const std::vector<int> counts = to_host(found.data(), below);
    return {counts.begin(), counts.end()};
  }

  /// A copy of data[0] to data[count - 1]. Waits.
  template <class T>
  [[nodiscard]] std::vector<T> to_host(const T* data, std::int64_t count) const {
    std::vector<T> values(static_cast<std::size_t>(count));
    copy_bytes(values.data(), data, values.size() * sizeof(T), stream_);
    stream_.synchronize();
    return values;
  }

  /// Copies all values to data[0] and on. Waits.
  template <class T>
  void from_host(const std::vector<T>& values, T* data) const {
    copy_bytes(data, values.data(), values.size() * sizeof(T), stream_);
    stream_.synchronize();
  }

  /// Waits until all queued work is done.
  void synchronize() const { stream_.synchronize(); }

 private:
  void queue_sum(const std::int32_t* counts, std::int64_t count, std::int64_t* starts) const {
    std::size_t bytes = 0;
    cuda_check(scan(nullptr, bytes, counts, count, starts), "planning a prefix sum");
    const auto scratch = make<std::byte>(static_cast<std::int64_t>(bytes));
    cuda_check(scan(scratch.data(), bytes, counts, count, starts), "queueing a prefix sum");
  }

  cudaError_t scan(void* scratch, std::size_t& bytes, const std::int32_t* counts,
                   std::int64_t count, std::int64_t* starts) const {
    return cub::DeviceScan::ExclusiveScan(scratch, bytes, counts, starts,
                                          cuda::std::plus<std::int64_t>{}, std::int64_t{0},
                                          count + 1, stream_.handle());
  }

  const Stream& stream_;
  std::optional<MemoryRegion> region_;
};

}  // namespace bankfull
