#include <array>
#include <cstddef>
#include <utility>

#include "bankfull/core/base/error.hpp"
#include "bankfull/core/exec/launch.cuh"
#include "bankfull/core/exec/stream.hpp"
#include "bankfull/core/measure/streams.hpp"
#include "bankfull/core/memory/buffer.hpp"

namespace bankfull {
namespace {

/// 16 bytes, the widest access of one thread.
template <class T>
struct alignas(16) Vector {
  static constexpr int width = 16 / sizeof(T);
  T lane[width];
};

template <class T>
struct Arrays {
  Vector<T>* written;
  const Vector<T>* read[most_mix_reads];
};

/// a = sum of the arrays read, the last of them times `factor`: every operation is a case of it.
/// Without an array to write, the sum is stored where it can never be true, so that the loads stay.
template <class T, int Reads, bool Writes, bool ThroughL1>
__global__ void stream_kernel(Arrays<T> arrays, std::int64_t vectors, T factor, int passes) {
  const std::int64_t step = std::int64_t{gridDim.x} * blockDim.x;
  const std::int64_t first = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  for (int pass = 0; pass < passes; ++pass) {
    for (std::int64_t n = first; n < vectors; n += step) {
      Vector<T> loaded[Reads > 0 ? Reads : 1];
#pragma unroll
      for (int array = 0; array < Reads; ++array) {
        const auto* address = reinterpret_cast<const float4*>(arrays.read[array] + n);
        const float4 bits = ThroughL1 ? __ldca(address) : __ldcg(address);
        loaded[array] = reinterpret_cast<const Vector<T>&>(bits);
      }
      Vector<T> sum;
#pragma unroll
      for (int lane = 0; lane < Vector<T>::width; ++lane) {
        sum.lane[lane] = Reads > 0 ? factor * loaded[Reads - 1].lane[lane] : factor;
#pragma unroll
        for (int array = 0; array + 1 < Reads; ++array) {
          sum.lane[lane] += loaded[array].lane[lane];
        }
      }
      if (Writes || sum.lane[0] == T(-12345)) {
        arrays.written[n] = sum;
      }
    }
    asm volatile("" ::: "memory");  // the next pass reads memory again
  }
}

template <class T>
using Kernel = void (*)(Arrays<T>, std::int64_t, T, int);

template <class T, bool ThroughL1, int... Reads>
Kernel<T> writing_kernel(int reads, std::integer_sequence<int, Reads...> /*choices*/) {
  const std::array<Kernel<T>, sizeof...(Reads)> kernels{
      &stream_kernel<T, Reads, true, ThroughL1>...};
  return kernels[static_cast<std::size_t>(reads)];
}

template <class T, bool ThroughL1>
Kernel<T> choose_kernel(const StreamPattern& pattern) {
  if (pattern.writes() == 0) {
    return &stream_kernel<T, 1, false, ThroughL1>;
  }
  return writing_kernel<T, ThroughL1>(pattern.reads(),
                                      std::make_integer_sequence<int, most_mix_reads + 1>{});
}

class CudaStreams final : public Streams {
 public:
  CudaStreams(Device gpu, std::int64_t bytes)
      : stream_(gpu), pool_(MemorySpace::device, static_cast<std::size_t>(bytes)) {
    fill_bytes(pool_.data(), 0x3c, pool_.bytes(), stream_);
    stream_.synchronize();
  }

  double seconds(const StreamPattern& pattern, std::int64_t elements, int passes) override {
    select(stream_.device());
    return pattern.precision == Precision::fp32 ? timed<float>(pattern, elements, passes)
                                                : timed<double>(pattern, elements, passes);
  }

  [[nodiscard]] std::int64_t capacity(const StreamPattern& pattern) const override {
    const auto array_bytes = static_cast<std::int64_t>(pool_.bytes()) / pattern.arrays() - skew;
    return array_bytes / alignment * alignment / bytes_of(pattern.precision);
  }

  void use_grid(const StreamGrid& grid) override { grid_ = grid; }

 private:
  static constexpr std::int64_t alignment = 256;
  static constexpr std::int64_t skew = 5 * alignment;

  template <class T>
  Arrays<T> arrays_of(const StreamPattern& pattern, std::int64_t elements) const {
    const auto bytes = elements * static_cast<std::int64_t>(sizeof(T));
    const std::int64_t array_bytes = (bytes + alignment - 1) / alignment * alignment + skew;
    std::byte* next = pool_.data();
    Arrays<T> arrays{.written = reinterpret_cast<Vector<T>*>(next), .read = {}};
    next += pattern.writes() * array_bytes;
    for (int array = 0; array < pattern.reads(); ++array) {
      arrays.read[array] = reinterpret_cast<const Vector<T>*>(next);
      next += array_bytes;
    }
    return arrays;
  }

  template <class T>
  double timed(const StreamPattern& pattern, std::int64_t elements, int passes) {
    const std::int64_t vectors = elements / Vector<T>::width;
    const auto threads = static_cast<unsigned>(grid_.threads);
    const auto blocks = grid_.blocks > 0 ? static_cast<unsigned>(grid_.blocks)
                                         : static_cast<unsigned>((vectors + threads - 1) / threads);
    const Kernel<T> kernel = grid_.through_l1 ? choose_kernel<T, true>(pattern)
                                              : choose_kernel<T, false>(pattern);
    const bool scales = pattern.operation == StreamOperation::scale ||
                        pattern.operation == StreamOperation::triad;
    // A grid that covers the data in one step repeats passes by launches, as a solver would.
    const int launches = grid_.blocks > 0 ? 1 : passes;
    const int passes_per_launch = passes / launches;
    start_.record(stream_);
    for (int n = 0; n < launches; ++n) {
      launch(stream_, {dim3(blocks), dim3(threads)}, kernel, arrays_of<T>(pattern, elements),
             vectors, scales ? T(3) : T(1), passes_per_launch);
    }
    stop_.record(stream_);
    return Event::seconds_between(start_, stop_);
  }

  Stream stream_;
  Event start_;
  Event stop_;
  Buffer<std::byte> pool_;
  StreamGrid grid_;
};

}  // namespace

std::unique_ptr<Streams> detail::make_cuda_streams(Device gpu, std::int64_t bytes) {
  return std::make_unique<CudaStreams>(gpu, bytes);
}

}  // namespace bankfull
