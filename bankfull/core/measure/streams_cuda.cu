#include "bankfull/core/base/error.hpp"
#include "bankfull/core/exec/launch.cuh"
#include "bankfull/core/exec/stream.hpp"
#include "bankfull/core/measure/streams.hpp"
#include "bankfull/core/memory/buffer.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>
#include <vector>

namespace bankfull {
namespace {

/// 16 bytes, the widest access of one thread.
template <class T>
struct alignas(16) Vector {
  static constexpr std::size_t width = 16 / sizeof(T);
  T lane[width];
};

template <class T>
struct Arrays {
  Vector<T>* written[max_mix_writes];
  const Vector<T>* read[max_mix_reads];
  int writes;
};

/// Arrays that a kernel writes; the number of several is known at run time only.
enum class Written { none, one, several };

/// A pass that only reads stores what begins with this, which ordinary contents never do: so the
/// loads stay, and a verification can see what was loaded.
inline constexpr int read_marker = -12345;

template <class T>
__device__ __forceinline__ void add_one(Vector<T>& vector) {
#pragma unroll
  for (std::size_t lane = 0; lane < Vector<T>::width; ++lane) {
    vector.lane[lane] += T(1);
  }
}

/// a = sum of the arrays read, the last of them times `factor`: every operation is a case of it.
/// Each further array written gets one more.
template <class T, int Reads, Written Writes, bool ThroughL1>
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
      for (std::size_t lane = 0; lane < Vector<T>::width; ++lane) {
        sum.lane[lane] = Reads > 0 ? factor * loaded[Reads - 1].lane[lane] : factor;
#pragma unroll
        for (int array = 0; array + 1 < Reads; ++array) {
          sum.lane[lane] += loaded[array].lane[lane];
        }
      }
      if (Writes != Written::none || sum.lane[0] == T(read_marker)) {
        arrays.written[0][n] = sum;
      }
      if (Writes == Written::several) {
#pragma unroll
        for (int array = 1; array < max_mix_writes; ++array) {
          if (array < arrays.writes) {
            add_one(sum);
            arrays.written[array][n] = sum;
          }
        }
      }
    }
    asm volatile("" ::: "memory");  // the next pass reads memory again
  }
}

/// The 2008 paper's copy by concurrent streams, `each` positions apart.
template <class T>
__global__ void multi_stream_copy_kernel(Arrays<T> arrays, std::int64_t vectors, std::int64_t each,
                                         int passes) {
  const std::int64_t step = std::int64_t{gridDim.x} * blockDim.x;
  const std::int64_t first = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  for (int pass = 0; pass < passes; ++pass) {
    for (std::int64_t i = first; i < each; i += step) {
      for (std::int64_t j = i; j < vectors; j += each) {
        arrays.written[0][j] = arrays.read[0][j];
      }
    }
    asm volatile("" ::: "memory");
  }
}

template <class T>
using Kernel = void (*)(Arrays<T>, std::int64_t, T, int);

template <class T, Written Writes, bool ThroughL1, int... Reads>
Kernel<T> writing_kernel(int reads, std::integer_sequence<int, Reads...> /*choices*/) {
  const std::array<Kernel<T>, sizeof...(Reads)> kernels{
      &stream_kernel<T, Reads, Writes, ThroughL1>...};
  return kernels[static_cast<std::size_t>(reads)];
}

template <class T, bool ThroughL1>
Kernel<T> choose_kernel(const StreamPattern& pattern) {
  constexpr auto choices = std::make_integer_sequence<int, max_mix_reads + 1>{};
  switch (pattern.writes()) {
    case 0:
      return &stream_kernel<T, 1, Written::none, ThroughL1>;
    case 1:
      return writing_kernel<T, Written::one, ThroughL1>(pattern.reads(), choices);
    default:
      return writing_kernel<T, Written::several, ThroughL1>(pattern.reads(), choices);
  }
}

class CudaStreams final : public Streams {
 public:
  CudaStreams(Device gpu, std::int64_t bytes)
      : stream_(gpu), pool_(MemorySpace::device, static_cast<std::size_t>(bytes)) {
    fill_with_ordinary_contents();
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

  std::int64_t wrong_elements(const StreamPattern& pattern, std::int64_t elements) override {
    select(stream_.device());
    return pattern.precision == Precision::fp32 ? wrong<float>(pattern, elements)
                                                : wrong<double>(pattern, elements);
  }

 private:
  static constexpr std::int64_t alignment = 256;
  static constexpr std::int64_t skew = 5 * alignment;

  void fill_with_ordinary_contents() { fill_bytes(pool_.data(), 0x3c, pool_.bytes(), stream_); }

  template <class T>
  Arrays<T> arrays_of(const StreamPattern& pattern, std::int64_t elements) const {
    const auto bytes = elements * static_cast<std::int64_t>(sizeof(T));
    const std::int64_t array_bytes = (bytes + alignment - 1) / alignment * alignment + skew;
    std::byte* next = pool_.data();
    Arrays<T> arrays{
        .written = {reinterpret_cast<Vector<T>*>(next)}, .read = {}, .writes = pattern.writes()};
    for (int array = 0; array < pattern.writes(); ++array) {
      arrays.written[array] = reinterpret_cast<Vector<T>*>(next);
      next += array_bytes;
    }
    for (int array = 0; array < pattern.reads(); ++array) {
      arrays.read[array] = reinterpret_cast<const Vector<T>*>(next);
      next += array_bytes;
    }
    return arrays;
  }

  /// Queues the passes: by one launch on a grid of given size, else by one launch per pass, as a
  /// solver would.
  template <class T>
  void queue(const StreamPattern& pattern, const Arrays<T>& arrays, std::int64_t vectors,
             int passes) {
    const auto threads = static_cast<unsigned>(grid_.threads);
    const std::int64_t each = std::max(vectors / pattern.n_copy, std::int64_t{1});
    const auto blocks = grid_.blocks > 0 ? static_cast<unsigned>(grid_.blocks)
                                         : static_cast<unsigned>((each + threads - 1) / threads);
    const int launches = grid_.blocks > 0 ? 1 : passes;
    const LaunchShape shape{dim3(blocks), dim3(threads)};
    const bool scales = pattern.multiplies() || pattern.operation == StreamOperation::write;
    for (int n = 0; n < launches; ++n) {
      if (pattern.n_copy > 1) {
        launch(stream_, shape, &multi_stream_copy_kernel<T>, arrays, vectors, each,
               passes / launches);
      } else {
        launch(
            stream_, shape,
            grid_.through_l1 ? choose_kernel<T, true>(pattern) : choose_kernel<T, false>(pattern),
            arrays, vectors, scales ? T(stream_factor) : T(1), passes / launches);
      }
    }
  }

  template <class T>
  double timed(const StreamPattern& pattern, std::int64_t elements, int passes) {
    const std::int64_t vectors = elements / static_cast<std::int64_t>(Vector<T>::width);
    start_.record(stream_);
    queue(pattern, arrays_of<T>(pattern, elements), vectors, passes);
    stop_.record(stream_);
    return Event::seconds_between(start_, stop_);
  }

  /// What the array that is read first must hold for a pass that only reads: every vector marked.
  template <class T>
  static std::vector<T> contents(const StreamPattern& pattern, int array, std::int64_t elements) {
    std::vector<T> values(static_cast<std::size_t>(elements));
    for (std::size_t n = 0; n < values.size(); ++n) {
      const bool marked = pattern.writes() == 0 && n % Vector<T>::width == 0;
      values[n] =
          T(marked ? read_marker : detail::known_element(array, static_cast<std::int64_t>(n)));
    }
    return values;
  }

  template <class T>
  std::int64_t wrong(const StreamPattern& pattern, std::int64_t elements) {
    // A pass that only reads stores every vector marked, into an array that the copy's layout has.
    StreamPattern layout = pattern;
    layout.operation = pattern.writes() == 0 ? StreamOperation::copy : pattern.operation;
    const Arrays<T> arrays = arrays_of<T>(layout, elements);
    const std::size_t bytes = static_cast<std::size_t>(elements) * sizeof(T);
    std::vector<T> host;
    for (int array = 0; array < pattern.reads(); ++array) {
      host = contents<T>(pattern, array, elements);
      copy_bytes(const_cast<Vector<T>*>(arrays.read[array]), host.data(), bytes, stream_);
      stream_.synchronize();
    }
    for (int array = 0; array < arrays.writes; ++array) {
      fill_bytes(arrays.written[array], 0xff, bytes, stream_);
    }
    queue(pattern, arrays, elements / static_cast<std::int64_t>(Vector<T>::width), 1);
    std::int64_t count = 0;
    std::vector<T> written(static_cast<std::size_t>(elements));
    for (int array = 0; array < arrays.writes; ++array) {
      copy_bytes(written.data(), arrays.written[array], bytes, stream_);
      stream_.synchronize();
      for (std::size_t n = 0; n < written.size(); ++n) {
        const auto element = static_cast<std::int64_t>(n);
        const T expected =
            pattern.writes() == 0 ? host[n] : T(detail::expected_element(pattern, array, element));
        count += written[n] == expected ? 0 : 1;
      }
    }
    fill_with_ordinary_contents();  // marks left behind would make timed reads store
    stream_.synchronize();
    return count;
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
