#pragma once

#include "bankfull/numerics/sparse/sliced.hpp"

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace bankfull::hpcg::cuda {

/// Rows of a slice: one per thread of a warp.
inline constexpr int slice_height = 32;

// Loads of data that a pass reads once: they must not evict x from L1.

__device__ __forceinline__ double load_once(const double* at) {
  double value;
  asm("ld.global.nc.L1::no_allocate.f64 %0, [%1];" : "=d"(value) : "l"(at));
  return value;
}
__device__ __forceinline__ std::int32_t load_once(const std::int32_t* at) {
  std::int32_t value;
  asm("ld.global.nc.L1::no_allocate.s32 %0, [%1];" : "=r"(value) : "l"(at));
  return value;
}
__device__ __forceinline__ std::uint32_t load_once(const std::uint32_t* at) {
  std::uint32_t value;
  asm("ld.global.nc.L1::no_allocate.u32 %0, [%1];" : "=r"(value) : "l"(at));
  return value;
}

using PackedSlices = PackedColumns<slice_height>;

/// The codes of so many slots from the words that hold them, of which the first slot's is shifted
/// by so many bits.
template <int Slots>
struct Codes {
  static constexpr int per_word = PackedSlices::per_word;
  /// Words, whatever the first slot's place in the first one.
  static constexpr int words = (Slots + per_word - 2) / per_word + 1;
  std::uint32_t word[static_cast<std::size_t>(words)];

  template <class Load>
  __device__ __forceinline__ Codes(unsigned shift, const Load& load) {
#pragma unroll
    for (int n = 0; n < words; ++n) {
      word[n] = load(n);
    }
#pragma unroll
    for (int n = 0; n < words; ++n) {
      word[n] = __funnelshift_r(word[n], n + 1 < words ? word[n + 1] : 0U, shift);
    }
  }

  __device__ __forceinline__ std::int32_t of(int slot) const {
    return static_cast<std::int32_t>(
        word[slot / per_word] >> static_cast<unsigned>(slot % per_word * PackedSlices::bits) &
        PackedSlices::mask);
  }
};

template <int Slots>
__device__ __forceinline__ void read_columns(
    const FullColumns& columns, std::int64_t slot, int lane,
    std::int32_t (&column)[static_cast<std::size_t>(Slots)]) {
#pragma unroll
  for (int n = 0; n < Slots; ++n) {
    column[n] = load_once(columns.column + (slot + n) * slice_height + lane);
  }
}

/// The slots are of one slice.
template <int Slots>
__device__ __forceinline__ void read_columns(
    const PackedSlices& columns, std::int64_t slot, int lane,
    std::int32_t (&column)[static_cast<std::size_t>(Slots)]) {
  constexpr int per_word = PackedSlices::per_word;
  const std::uint32_t* const words = columns.code + slot / per_word * slice_height + lane;
  const Codes<Slots> codes(static_cast<unsigned>(slot % per_word * PackedSlices::bits),
                           [&](int n) { return load_once(words + n * slice_height); });
#pragma unroll
  for (int n = 0; n < Slots; ++n) {
    column[n] = __ldg(columns.base + slot + n);
  }
  const std::int32_t first = column[0];
  if (first >= 0) {
#pragma unroll
    for (int n = 0; n < Slots; ++n) {
      column[n] += lane - PackedSlices::raised + codes.of(n);
    }
    return;
  }
#pragma unroll
  for (int n = 0; n < Slots; ++n) {
    column[n] = load_once(columns.escaped + (-1 - std::int64_t{column[n]}) * slice_height + lane);
  }
}

/// Slots of a slice whose entries lie by halves.
struct HalvedSlots {
  const HalvedEntries& entries;
  HalvedSlice at;
};

__device__ __forceinline__ HalvedSlice load_slice(const HalvedSlice* from) {
  const uint4 words = __ldg(reinterpret_cast<const uint4*>(from));
  return {words.x, words.y, words.z, words.w};
}

/// Reads slots of one of its streams, which lie in two blocks at most.
template <int Slots, class T>
__device__ __forceinline__ void read_stream(std::byte* stream, std::uint32_t second,
                                            std::uint32_t first, std::uint32_t slot, int lane,
                                            T (&to)[static_cast<std::size_t>(Slots)]) {
  constexpr std::uint32_t slots = slots_in_block<slice_height, T>;
  static_assert(Slots <= static_cast<int>(slots));
  const std::uint32_t block = slot / slots - first / slots;
  const T* const here = HalvedEntries::place<slice_height, T>(stream, second, first, slot) + lane;
  // The next block is of the next pair.
  const int step = 1 + static_cast<int>(HalvedEntries::bit_of(second, block + 1)) -
                   static_cast<int>(HalvedEntries::bit_of(second, block));
  const T* const beyond = here + step * static_cast<int>(half_block_bytes / sizeof(T));
  const int left = static_cast<int>(slots - slot % slots);
#pragma unroll
  for (int n = 0; n < Slots; ++n) {
    to[n] = load_once((n < left ? here : beyond) + n * slice_height);
  }
}

/// Bits of a value that no sweep can produce: "not computed yet".
inline constexpr unsigned long long awaited_bits = ~0ULL;

__device__ __forceinline__ double awaited_value() {
  return __longlong_as_double(static_cast<long long>(awaited_bits));
}

__device__ __forceinline__ bool is_awaited(double value) {
  return static_cast<unsigned long long>(__double_as_longlong(value)) == awaited_bits;
}

/// For elements that threads of several blocks load and store at the same time.
__device__ __forceinline__ double load_relaxed(const double* at) {
  double value;
  asm volatile("ld.relaxed.gpu.global.f64 %0, [%1];" : "=d"(value) : "l"(at));
  return value;
}

__device__ __forceinline__ void store_relaxed(double* at, double value) {
  asm volatile("st.relaxed.gpu.global.f64 [%0], %1;" ::"l"(at), "d"(value));
}

/// A vector whose elements appear while they are read.
struct AwaitedVector {
  const double* x;
};

template <int Slots>
__device__ __forceinline__ void gather(
    const double* x, const std::int32_t (&column)[static_cast<std::size_t>(Slots)],
    double (&gathered)[static_cast<std::size_t>(Slots)]) {
#pragma unroll
  for (int n = 0; n < Slots; ++n) {
    gathered[n] = x[column[n]];
  }
}

/// Reads elements again that are not computed yet.
template <int Slots>
__device__ __forceinline__ void gather(
    const AwaitedVector& vector, const std::int32_t (&column)[static_cast<std::size_t>(Slots)],
    double (&gathered)[static_cast<std::size_t>(Slots)]) {
#pragma unroll
  for (int n = 0; n < Slots; ++n) {
    gathered[n] = load_relaxed(vector.x + column[n]);
  }
  for (bool complete = false; !complete;) {
    complete = true;
#pragma unroll
    for (int n = 0; n < Slots; ++n) {
      if (is_awaited(gathered[n])) {
        complete = false;
        gathered[n] = load_relaxed(vector.x + column[n]);
      }
    }
  }
}

/// Entries of a row that are read together.
template <int Slots>
struct Batch {
  std::int32_t column[static_cast<std::size_t>(Slots)];
  double value[static_cast<std::size_t>(Slots)];

  template <class Columns>
  __device__ __forceinline__ void read(const SlicedView<Columns>& part, std::int64_t slot,
                                       int lane) {
#pragma unroll
    for (int n = 0; n < Slots; ++n) {
      value[n] = load_once(part.value + (slot + n) * slice_height + lane);
    }
    read_columns<Slots>(part.columns, slot, lane, column);
  }
  __device__ __forceinline__ void read(const HalvedSlots& slots, std::int64_t slot, int lane) {
    const auto& [entries, at] = slots;
    const auto number = static_cast<std::uint32_t>(slot);
    read_stream<Slots>(entries.values, at.second_of_values, at.first, number, lane, value);
    read_stream<Slots>(entries.columns, at.second_of_columns, at.first, number, lane, column);
  }

  /// sum + the entries times their x.
  template <class Vector>
  __device__ __forceinline__ double add_to(double sum, const Vector& x) const {
    double gathered[static_cast<std::size_t>(Slots)];
    gather<Slots>(x, column, gathered);
#pragma unroll
    for (int n = 0; n < Slots; ++n) {
      sum = fma(value[n], gathered[n], sum);
    }
    return sum;
  }
};

template <int Slots, class Part, class Vector>
__device__ __forceinline__ double add_batch(const Part& part, std::int64_t& slot, int lane,
                                            const Vector& x, double sum) {
  Batch<Slots> batch;
  batch.read(part, slot, lane);
  slot += Slots;
  return batch.add_to(sum, x);
}

/// Enough loads in flight, with few enough registers for three blocks per multiprocessor in sweeps
/// and four in SpMV.
inline constexpr int batch_slots = 10;

/// sum + the entries of slots [slot, last) times their x, of a SlicedView or of HalvedSlots.
template <class Part, class Vector>
__device__ __forceinline__ double add_slots(const Part& part, std::int64_t slot, std::int64_t last,
                                            int lane, const Vector& x, double sum) {
  while (slot + batch_slots <= last) {
    sum = add_batch<batch_slots>(part, slot, lane, x, sum);
  }
  if (slot + 6 <= last) {
    sum = add_batch<6>(part, slot, lane, x, sum);
  }
  if (slot + 4 <= last) {
    sum = add_batch<4>(part, slot, lane, x, sum);
  }
  if (slot + 2 <= last) {
    sum = add_batch<2>(part, slot, lane, x, sum);
  }
  if (slot < last) {
    sum = add_batch<1>(part, slot, lane, x, sum);
  }
  return sum;
}

/// Product of a row with x.
template <class Columns>
__device__ __forceinline__ double times(const SlicedView<Columns>& part, std::int64_t row,
                                        const double* x) {
  const std::int64_t slice = row / slice_height;
  return add_slots(part, part.slot[slice], part.slot[slice + 1],
                   static_cast<int>(row % slice_height), x, 0.0);
}
__device__ __forceinline__ double times(const SlicedView<HalvedEntries>& part, std::int64_t row,
                                        const double* x) {
  const HalvedSlots slots{part.entries, load_slice(part.entries.slice + row / slice_height)};
  return add_slots(slots, slots.at.first, slots.at.last, static_cast<int>(row % slice_height), x,
                   0.0);
}

/// Some slots of a row, whose first entries are loaded before the x that they are multiplied by is
/// known to be computed.
template <class Columns>
class SlotsAhead {
 public:
  __device__ __forceinline__ SlotsAhead(const SlicedView<Columns>& part, std::int64_t slot,
                                        std::int64_t last, int lane)
      : part_(part), slot_(slot), last_(last), lane_(lane), ahead_(slot + batch_slots <= last) {
    if (ahead_) {
      batch_.read(part, slot_, lane_);
      prefetch_rest();
    }
  }

  /// Sum of the entries times their x.
  template <class Vector>
  __device__ __forceinline__ double times(const Vector& x) const {
    double sum = 0.0;
    std::int64_t slot = slot_;
    if (ahead_) {
      sum = batch_.add_to(sum, x);
      slot += batch_slots;
    }
    return add_slots(part_, slot, last_, lane_, x, sum);
  }

 private:
  /// Prefetches the entries beyond the batch into L2, one cache line per lane.
  __device__ __forceinline__ void prefetch_rest() const {
    const std::int64_t first = (slot_ + batch_slots) * slice_height;
    prefetch(part_.value, first);
    if constexpr (std::is_same_v<Columns, FullColumns>) {
      prefetch(part_.columns.column, first);
    }
  }

  template <class T>
  __device__ __forceinline__ void prefetch(const T* array, std::int64_t first) const {
    constexpr int line_entries = 128 / static_cast<int>(sizeof(T));
    const std::int64_t entry = first + lane_ * line_entries;
    if (entry < last_ * slice_height) {
      asm volatile("prefetch.global.L2 [%0];" ::"l"(array + entry));
    }
  }

  const SlicedView<Columns>& part_;
  std::int64_t slot_;
  std::int64_t last_;
  int lane_;
  bool ahead_;
  Batch<batch_slots> batch_;
};

/// All slots of a row.
template <class Columns>
__device__ __forceinline__ SlotsAhead<Columns> row_ahead(const SlicedView<Columns>& part,
                                                         std::int64_t row) {
  const std::int64_t slice = row / slice_height;
  return {part, part.slot[slice], part.slot[slice + 1], static_cast<int>(row % slice_height)};
}

}  // namespace bankfull::hpcg::cuda
