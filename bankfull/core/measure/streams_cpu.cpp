#include "bankfull/core/base/expects.hpp"
#include "bankfull/core/base/stream_store.hpp"
#include "bankfull/core/exec/team.hpp"
#include "bankfull/core/exec/team_queues.hpp"
#include "bankfull/core/measure/streams.hpp"
#include "bankfull/core/measure/timer.hpp"
#include "bankfull/core/memory/buffer.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <utility>
#include <vector>

namespace bankfull {
namespace {

/// One thread's part of the arrays of a pass, or a stretch of it.
template <class T>
struct Part {
  std::array<T*, max_mix_writes> written{};
  int writes = 0;
  std::array<const T*, max_mix_reads> read{};
  std::int64_t elements = 0;
  std::int64_t n_copy = 1;
};

// The elements are combined in short blocks held in registers, so that one loop body serves
// ordinary and streaming stores at full vector width.
template <class T>
inline constexpr std::int64_t block_elements = 64 / static_cast<std::int64_t>(sizeof(T));

template <class T>
struct Constant {
  static constexpr int reads = 0;
  static T value(const std::array<const T*, max_mix_reads>& /*b*/, std::int64_t /*n*/) {
    return T(stream_factor);
  }
};
template <class T>
struct Copy {
  static constexpr int reads = 1;
  static T value(const std::array<const T*, max_mix_reads>& b, std::int64_t n) { return b[0][n]; }
};
template <class T>
struct Scale {
  static constexpr int reads = 1;
  static T value(const std::array<const T*, max_mix_reads>& b, std::int64_t n) {
    return T(stream_factor) * b[0][n];
  }
};
template <class T>
struct Triad {
  static constexpr int reads = 2;
  static T value(const std::array<const T*, max_mix_reads>& b, std::int64_t n) {
    return b[0][n] + T(stream_factor) * b[1][n];
  }
};
template <class T, int Reads>
struct Sum {
  static constexpr int reads = Reads;
  static T value(const std::array<const T*, max_mix_reads>& b, std::int64_t n) {
    T sum = T(0);
    for (int array = 0; array < Reads; ++array) {
      sum += b[static_cast<std::size_t>(array)][n];
    }
    return sum;
  }
};

template <class T, class Value>
void ordinary_pass(const Part<T>& part) {
  T* __restrict a = part.written[0];
  const auto b = part.read;
#pragma omp simd
  for (std::int64_t n = 0; n < part.elements; ++n) {
    a[n] = Value::value(b, n);
  }
}

template <class T>
void store_line_past_caches(T* destination, const T* source) {
  for (std::size_t byte = 0; byte < 64; byte += stream_store_bytes) {
    stream_store(reinterpret_cast<std::byte*>(destination) + byte,
                 reinterpret_cast<const std::byte*>(source) + byte);
  }
}

template <class T, class Value>
void streaming_pass(const Part<T>& part) {
  constexpr std::int64_t block = block_elements<T>;
  T* a = part.written[0];
  const auto b = part.read;
  const std::int64_t elements = part.elements;
  for (std::int64_t first = 0; first < elements; first += block) {
    alignas(64) std::array<T, static_cast<std::size_t>(block)> values{};
#pragma omp simd
    for (std::int64_t n = 0; n < block; ++n) {
      values[static_cast<std::size_t>(n)] = Value::value(b, first + n);
    }
    store_line_past_caches(a + first, values.data());
  }
  stream_store_fence();
}

/// A mix that writes several arrays, whose number is known at run time only.
template <class T, int Reads, bool Streaming>
void several_writes_pass(const Part<T>& part) {
  constexpr std::int64_t block = block_elements<T>;
  const Part<T> own = part;  // which the stores cannot change
  for (std::int64_t first = 0; first < own.elements; first += block) {
    alignas(64) std::array<T, static_cast<std::size_t>(block)> values{};
#pragma omp simd
    for (std::int64_t n = 0; n < block; ++n) {
      values[static_cast<std::size_t>(n)] = Sum<T, Reads>::value(own.read, first + n);
    }
    for (int array = 0; array < own.writes; ++array) {
      T* a = own.written[static_cast<std::size_t>(array)] + first;
      if constexpr (Streaming) {
        store_line_past_caches(a, values.data());
      } else {
        std::memcpy(a, values.data(), 64);
      }
#pragma omp simd
      for (std::int64_t n = 0; n < block; ++n) {
        values[static_cast<std::size_t>(n)] += T(1);
      }
    }
  }
  stream_store_fence();
}

/// The 2008 paper's copy by concurrent streams, a line of 64 bytes at a time.
template <class T, bool Streaming>
void multi_stream_copy_pass(const Part<T>& part) {
  constexpr std::int64_t block = block_elements<T>;
  T* a = part.written[0];
  const T* b = part.read[0];
  const std::int64_t elements = part.elements;
  const std::int64_t each = std::max(elements / block / part.n_copy, std::int64_t{1}) * block;
  for (std::int64_t i = 0; i < each && i < elements; i += block) {
    for (std::int64_t j = i; j < elements; j += each) {
      if constexpr (Streaming) {
        store_line_past_caches(a + j, b + j);
      } else {
        std::memcpy(a + j, b + j, 64);
      }
    }
  }
  stream_store_fence();
}

/// Sums in eight independent vectors: a single one would be bound by the latency of additions, not
/// by the cache.
template <class T>
void read_pass(const Part<T>& part) {
  constexpr std::int64_t lanes = 4 * block_elements<T>;
  const T* __restrict b = part.read[0];
  const std::int64_t whole = part.elements / lanes * lanes;
  std::array<T, static_cast<std::size_t>(lanes)> sums{};
  for (std::int64_t n = 0; n < whole; n += lanes) {
#pragma omp simd
    for (std::int64_t lane = 0; lane < lanes; ++lane) {
      sums[static_cast<std::size_t>(lane)] += b[n + lane];
    }
  }
  T sum = T(0);
  for (const T lane_sum : sums) {
    sum += lane_sum;
  }
  for (std::int64_t n = whole; n < part.elements; ++n) {
    sum += b[n];
  }
  *const_cast<volatile T*>(part.written[0]) = sum;  // keeps the loop alive
}

template <class T>
using Pass = void (*)(const Part<T>&);

template <class T, class Value>
Pass<T> stored(bool streaming) {
  return streaming ? &streaming_pass<T, Value> : &ordinary_pass<T, Value>;
}

template <class T, int Reads>
Pass<T> mix_pass_of(int writes, bool streaming) {
  if (writes == 1) {
    return stored<T, Sum<T, Reads>>(streaming);
  }
  return streaming ? &several_writes_pass<T, Reads, true> : &several_writes_pass<T, Reads, false>;
}

template <class T, int... Reads>
Pass<T> mix_pass(const StreamPattern& pattern, std::integer_sequence<int, Reads...> /*choices*/) {
  const std::array<Pass<T>, sizeof...(Reads)> passes{
      mix_pass_of<T, Reads + 1>(pattern.mix_writes, pattern.streaming_stores)...};
  return passes[static_cast<std::size_t>(pattern.mix_reads - 1)];
}

template <class T>
Pass<T> choose_pass(const StreamPattern& pattern) {
  const bool streaming = pattern.streaming_stores;
  switch (pattern.operation) {
    case StreamOperation::read:
      return &read_pass<T>;
    case StreamOperation::write:
      return stored<T, Constant<T>>(streaming);
    case StreamOperation::copy:
      if (pattern.n_copy > 1) {
        return streaming ? &multi_stream_copy_pass<T, true> : &multi_stream_copy_pass<T, false>;
      }
      return stored<T, Copy<T>>(streaming);
    case StreamOperation::scale:
      return stored<T, Scale<T>>(streaming);
    case StreamOperation::add:
      return stored<T, Sum<T, 2>>(streaming);
    case StreamOperation::triad:
      return stored<T, Triad<T>>(streaming);
    case StreamOperation::mix:
      return mix_pass<T>(pattern, std::make_integer_sequence<int, max_mix_reads>{});
  }
  return nullptr;
}

/// A stretch of `owners`. What a pass that only reads leaves goes to `own`, of the calling thread.
template <class T>
Part<T> stretch_of(const Part<T>& owners, const Range& elements, const Part<T>& own) {
  Part<T> stretch = owners;
  stretch.elements = elements.size();
  for (T*& array : stretch.written) {
    array = array == nullptr ? nullptr : array + elements.begin;
  }
  for (const T*& array : stretch.read) {
    array = array == nullptr ? nullptr : array + elements.begin;
  }
  if (stretch.writes == 0) {
    stretch.written[0] = own.written[0];
  }
  return stretch;
}

/// Every thread owns one slab of the pool and lays its parts of all arrays side by side in it.
///
/// Where parts are long, threads that are done help the others, as kernels do: otherwise the rate
/// of the memory would be that of the thread that others delay most.
class CpuStreams final : public Streams {
 public:
  CpuStreams(int threads, std::int64_t bytes)
      : threads_(Team(threads).threads()),
        slab_bytes_(bytes / threads / page * page),
        pool_(MemorySpace::host, static_cast<std::size_t>(slab_bytes_ * threads)) {
#pragma omp parallel num_threads(threads_)
    {
      auto* slab = reinterpret_cast<float*>(pool_.data() + share_number() * slab_bytes_);
      for (std::int64_t n = 0; n < slab_bytes_ / 4; ++n) {
        slab[n] = 0.5F;
      }
    }
  }

  double seconds(const StreamPattern& pattern, std::int64_t elements, int passes) override {
    expects(elements <= capacity(pattern), "the arrays hold that many elements");
    expects(elements % Streams::granularity == 0, "elements come in whole blocks");
    return pattern.precision == Precision::fp32 ? timed<float>(pattern, elements, passes)
                                                : timed<double>(pattern, elements, passes);
  }

  [[nodiscard]] std::int64_t capacity(const StreamPattern& pattern) const override {
    const std::int64_t array_bytes = (slab_bytes_ - skew) / pattern.arrays();
    const std::int64_t usable = (array_bytes - skew) / page * page - line;
    return usable / line * line * threads_ / bytes_of(pattern.precision);
  }

  void use_grid(const StreamGrid& /*grid*/) override {}

  std::int64_t wrong_elements(const StreamPattern& pattern, std::int64_t elements) override {
    expects(elements <= capacity(pattern), "the arrays hold that many elements");
    return pattern.precision == Precision::fp32 ? wrong<float>(pattern, elements)
                                                : wrong<double>(pattern, elements);
  }

 private:
  // Between arrays lies an odd number of lines, so that they do not share cache sets.
  static constexpr std::int64_t line = 64;
  static constexpr std::int64_t skew = 17 * line;
  static constexpr std::int64_t page = 4096;

  template <class T>
  Part<T> part_of(const StreamPattern& pattern, std::int64_t elements, int thread) const {
    constexpr std::int64_t block = block_elements<T>;
    const std::int64_t blocks = elements / block;
    const std::int64_t array_bytes =
        (blocks / threads_ * line + line + page - 1) / page * page + skew;
    std::byte* slab = pool_.data() + thread * slab_bytes_;
    Part<T> part{.written = {reinterpret_cast<T*>(slab)},
                 .writes = pattern.writes(),
                 .read = {},
                 .elements = share(blocks, thread, threads_).size() * block,
                 .n_copy = pattern.n_copy};
    // A pass that only reads still stores its sum.
    slab += part.writes == 0 ? skew : 0;
    for (int array = 0; array < part.writes; ++array) {
      part.written[static_cast<std::size_t>(array)] = reinterpret_cast<T*>(slab);
      slab += array_bytes;
    }
    for (int array = 0; array < pattern.reads(); ++array) {
      part.read[static_cast<std::size_t>(array)] = reinterpret_cast<const T*>(slab);
      slab += array_bytes;
    }
    return part;
  }

  /// Elements that a thread claims at a time; its whole part where that is short, so that it stays
  /// in the caches of the thread, or is no plain sequence.
  template <class T>
  [[nodiscard]] std::int64_t claimed_elements(const StreamPattern& pattern,
                                              std::int64_t elements) const {
    constexpr std::int64_t claimed_bytes = std::int64_t{512} << 10;
    constexpr std::int64_t fewest_claims = 16;
    constexpr std::int64_t lanes = 4 * block_elements<T>;
    const std::int64_t claimed =
        claimed_bytes / pattern.arrays() / static_cast<std::int64_t>(sizeof(T)) / lanes * lanes;
    const bool shared =
        threads_ > 1 && pattern.n_copy == 1 && elements / threads_ >= fewest_claims * claimed;
    return shared ? claimed : elements;
  }

  template <class T>
  double timed(const StreamPattern& pattern, std::int64_t elements, int passes) {
    const Pass<T> pass = choose_pass<T>(pattern);
    const std::int64_t claimed = claimed_elements<T>(pattern, elements);
    return claimed == elements ? timed_by_shares(pass, pattern, elements, passes)
                               : timed_by_claims(pass, pattern, elements, passes, claimed);
  }

  template <class T>
  double timed_by_shares(Pass<T> pass, const StreamPattern& pattern, std::int64_t elements,
                         int passes) {
    double slowest = 0.0;
#pragma omp parallel num_threads(threads_) reduction(max : slowest)
    {
      const Part<T> part = part_of<T>(pattern, elements, share_number());
#pragma omp barrier
      const Stopwatch watch;
      for (int n = 0; n < passes; ++n) {
        pass(part);
      }
#pragma omp barrier
      slowest = watch.seconds();
    }
    return slowest;
  }

  template <class T>
  double timed_by_claims(Pass<T> pass, const StreamPattern& pattern, std::int64_t elements,
                         int passes, std::int64_t claimed) {
    std::vector<Part<T>> parts;
    for (int thread = 0; thread < threads_; ++thread) {
      parts.push_back(part_of<T>(pattern, elements, thread));
    }
    const auto part = [&](int thread) { return parts[static_cast<std::size_t>(thread)]; };
    std::vector<TeamQueues> queues;
    for (int n = 0; n < passes; ++n) {
      queues.emplace_back(
          threads_, [&](int thread) { return (part(thread).elements + claimed - 1) / claimed; });
    }
    double slowest = 0.0;
#pragma omp parallel num_threads(threads_) reduction(max : slowest)
    {
      const int thread = share_number();
      const Part<T> own = part(thread);
#pragma omp barrier
      const Stopwatch watch;
      for (TeamQueues& queue : queues) {
        queue.run(thread, 1, [&](int owner, const Range& items) {
          const Part<T> owners = part(owner);
          const std::int64_t begin = items.begin * claimed;
          pass(stretch_of(owners, {begin, std::min(begin + claimed, owners.elements)}, own));
        });
#pragma omp barrier
      }
      slowest = watch.seconds();
    }
    return slowest;
  }

  template <class T>
  static void set_known(const StreamPattern& pattern, const Part<T>& part) {
    for (int array = 0; array < pattern.reads(); ++array) {
      T* b = const_cast<T*>(part.read[static_cast<std::size_t>(array)]);
      for (std::int64_t n = 0; n < part.elements; ++n) {
        b[n] = T(detail::known_element(array, n));
      }
    }
    constexpr int never_written = -1000;
    part.written[0][0] = T(never_written);
    for (int array = 0; array < part.writes; ++array) {
      std::fill_n(part.written[static_cast<std::size_t>(array)], part.elements, T(never_written));
    }
  }

  template <class T>
  static std::int64_t wrong_in(const StreamPattern& pattern, const Part<T>& part) {
    if (part.writes == 0) {
      std::int64_t sum = 0;
      for (std::int64_t n = 0; n < part.elements; ++n) {
        sum += detail::known_element(0, n);
      }
      return part.written[0][0] == T(sum) ? 0 : 1;
    }
    std::int64_t wrong = 0;
    for (int array = 0; array < part.writes; ++array) {
      const T* a = part.written[static_cast<std::size_t>(array)];
      for (std::int64_t n = 0; n < part.elements; ++n) {
        wrong += a[n] == T(detail::expected_element(pattern, array, n)) ? 0 : 1;
      }
    }
    return wrong;
  }

  template <class T>
  std::int64_t wrong(const StreamPattern& pattern, std::int64_t elements) {
    const auto on_parts = [&](const auto& count) {
      std::int64_t sum = 0;
#pragma omp parallel num_threads(threads_) reduction(+ : sum)
      sum += count(part_of<T>(pattern, elements, share_number()));
      return sum;
    };
    const bool only_reads = pattern.writes() == 0;
    on_parts([&](const Part<T>& part) {
      set_known(pattern, part);
      if (only_reads) {
        choose_pass<T>(pattern)(part);  // stretches would overwrite each other's sums
      }
      return 0;
    });
    if (!only_reads) {
      timed<T>(pattern, elements, 1);
    }
    return on_parts([&](const Part<T>& part) { return wrong_in(pattern, part); });
  }

  int threads_;
  std::int64_t slab_bytes_;
  Buffer<std::byte> pool_;
};

}  // namespace

std::unique_ptr<Streams> detail::make_cpu_streams(int threads, std::int64_t bytes) {
  return std::make_unique<CpuStreams>(threads, bytes);
}

}  // namespace bankfull
