#include "bankfull/core/base/expects.hpp"
#include "bankfull/core/exec/launch.cuh"
#include "bankfull/core/exec/stream.hpp"
#include "bankfull/core/memory/buffer.hpp"
#include "bankfull/workloads/probe/in_flight.hpp"

#include <cstddef>

namespace bankfull::probe {
namespace {

constexpr unsigned cycle = 13;  // of the contents

/// Word n of the array is n modulo 13: a small integer.
__global__ void fill_flight_kernel(uint4* vectors, std::int64_t count) {
  const std::int64_t step = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t n = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; n < count; n += step) {
    const auto word = static_cast<unsigned>(4 * n % cycle);
    vectors[n] = {word, (word + 1) % cycle, (word + 2) % cycle, (word + 3) % cycle};
  }
}

__device__ __forceinline__ uint4 load_in_flight(const uint4* at) {
  uint4 words;
  asm volatile("ld.global.cg.v4.u32 {%0,%1,%2,%3}, [%4];"
               : "=r"(words.x), "=r"(words.y), "=r"(words.z), "=r"(words.w)
               : "l"(at));
  return words;
}

__device__ __forceinline__ unsigned words_sum(const uint4& words) {
  return words.x + words.y + words.z + words.w;
}

/// No sum of a thread: at most 2^28 words of up to 12.
constexpr unsigned no_sum = 0xffffffffU;

/// A thread's `Loads` loads are independent, and those of the next turn begin when their sum is
/// known: the loop is not unrolled.
///
/// All that was loaded would be stored if the sum were `no_sum`. Without this use the compiler
/// saves registers by waiting for some of the loads before it issues the others.
template <int Loads>
__global__ void read_kernel(const uint4* vectors, std::int64_t count, unsigned long long* total,
                            uint4* never_written) {
  const std::int64_t step = std::int64_t{gridDim.x} * blockDim.x;
  std::int64_t n = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  unsigned sum = 0;
#pragma unroll 1
  for (; n + (Loads - 1) * step < count; n += Loads * step) {
    uint4 loaded[Loads];
#pragma unroll
    for (int load = 0; load < Loads; ++load) {
      loaded[load] = load_in_flight(vectors + n + load * step);
    }
#pragma unroll
    for (int load = 0; load < Loads; ++load) {
      sum += words_sum(loaded[load]);
    }
    if (sum == no_sum) {
#pragma unroll
      for (int load = 0; load < Loads; ++load) {
        never_written[load] = loaded[load];
      }
    }
  }
  for (; n < count; n += step) {
    sum += words_sum(load_in_flight(vectors + n));
  }
  unsigned long long of_warp = sum;
  for (unsigned lanes = 16; lanes > 0; lanes /= 2) {
    of_warp += __shfl_down_sync(0xffffffffU, of_warp, lanes);
  }
  if (threadIdx.x % 32 == 0) {
    atomicAdd(total, of_warp);
  }
}

using ReadKernel = void (*)(const uint4*, std::int64_t, unsigned long long*, uint4*);

ReadKernel kernel_of(int loads) {
  switch (loads) {
    case 1:
      return &read_kernel<1>;
    case 2:
      return &read_kernel<2>;
    case 4:
      return &read_kernel<4>;
    default:
      expects(loads == 8, "a kernel has so many loads in flight");
      return &read_kernel<8>;
  }
}

/// Sum of n modulo 13 over all n below `words`.
unsigned long long known_total(std::int64_t words) {
  const auto count = static_cast<unsigned long long>(words);
  const unsigned long long rest = count % cycle;
  return count / cycle * (cycle * (cycle - 1) / 2) + rest * (rest - 1) / 2 * (rest > 0 ? 1 : 0);
}

class CudaFlightReads final : public FlightReads {
 public:
  CudaFlightReads(Device gpu, std::int64_t bytes)
      : stream_(gpu),
        multiprocessors_(multiprocessors_of(gpu)),
        vectors_(MemorySpace::device, static_cast<std::size_t>(bytes) / sizeof(uint4)),
        total_(MemorySpace::device, 1),
        never_written_(MemorySpace::device, 8) {
    launch(stream_, {dim3(4096), dim3(256)}, &fill_flight_kernel, vectors_.data(), count());
    stream_.synchronize();
  }

  [[nodiscard]] std::int64_t bytes() const override {
    return static_cast<std::int64_t>(vectors_.bytes());
  }

  [[nodiscard]] int multiprocessors() const override { return multiprocessors_; }

  [[nodiscard]] int most_blocks(int loads, int threads) const override {
    select(stream_.device());
    return max_resident_blocks(kernel_of(loads), threads);
  }

  FlightPass read(const FlightShape& shape) override {
    select(stream_.device());
    fill_bytes(total_.data(), 0, total_.bytes(), stream_);
    before_.record(stream_);
    launch(stream_,
           {dim3(static_cast<unsigned>(shape.blocks * multiprocessors_)),
            dim3(static_cast<unsigned>(shape.threads))},
           kernel_of(shape.loads), static_cast<const uint4*>(vectors_.data()), count(),
           total_.data(), never_written_.data());
    after_.record(stream_);
    const double seconds = Event::seconds_between(before_, after_);
    unsigned long long total = 0;
    copy_bytes(&total, total_.data(), sizeof(total), stream_);
    stream_.synchronize();
    return {.seconds = seconds, .is_right = total == known_total(4 * count())};
  }

 private:
  [[nodiscard]] std::int64_t count() const { return static_cast<std::int64_t>(vectors_.size()); }

  Stream stream_;
  Event before_;
  Event after_;
  int multiprocessors_;
  Buffer<uint4> vectors_;
  Buffer<unsigned long long> total_;
  Buffer<uint4> never_written_;
};

}  // namespace

std::unique_ptr<FlightReads> make_cuda_flight_reads(Device gpu, std::int64_t bytes) {
  select(gpu);
  return std::make_unique<CudaFlightReads>(gpu, bytes);
}

}  // namespace bankfull::probe
