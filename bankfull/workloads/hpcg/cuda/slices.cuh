#pragma once

#include "bankfull/numerics/sparse/halved_values.hpp"
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

// Loads where that is wanted, without a branch: loads follow each other at once.

__device__ __forceinline__ void load_once_if(bool wanted, const double* at, double& value) {
  asm("{\n"
      ".reg .pred wanted;\n"
      "setp.ne.s32 wanted, %2, 0;\n"
      "@wanted ld.global.nc.L1::no_allocate.f64 %0, [%1];\n"
      "}"
      : "+d"(value)
      : "l"(at), "r"(static_cast<int>(wanted)));
}
__device__ __forceinline__ void load_once_if(bool wanted, const std::int32_t* at,
                                             std::int32_t& value) {
  asm("{\n"
      ".reg .pred wanted;\n"
      "setp.ne.s32 wanted, %2, 0;\n"
      "@wanted ld.global.nc.L1::no_allocate.s32 %0, [%1];\n"
      "}"
      : "+r"(value)
      : "l"(at), "r"(static_cast<int>(wanted)));
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

/// The columns of `count` slots; those of the others are not read.
template <int Slots>
__device__ __forceinline__ void read_columns(
    const FullColumns& columns, std::int64_t slot, int count, int lane,
    std::int32_t (&column)[static_cast<std::size_t>(Slots)]) {
  const std::int32_t* const from = columns.column + slot * slice_height + lane;
#pragma unroll
  for (int n = 0; n < Slots; ++n) {
    column[n] = 0;
    load_once_if(n < count, from + n * slice_height, column[n]);
  }
}

/// The slots are of one slice.
template <int Slots>
__device__ __forceinline__ void read_columns(
    const PackedSlices& columns, std::int64_t slot, int count, int lane,
    std::int32_t (&column)[static_cast<std::size_t>(Slots)]) {
  if (count <= 0) {
    return;
  }
  constexpr int per_word = PackedSlices::per_word;
  const std::uint32_t* const words = columns.code + slot / per_word * slice_height + lane;
  const Codes<Slots> codes(static_cast<unsigned>(slot % per_word * PackedSlices::bits),
                           [&](int n) { return load_once(words + n * slice_height); });
#pragma unroll
  for (int n = 0; n < Slots; ++n) {
    column[n] = n < count ? __ldg(columns.base + slot + n) : 0;
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
    load_once_if(n < count, columns.escaped + (-1 - std::int64_t{column[n]}) * slice_height + lane,
                 column[n]);
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

__device__ __forceinline__ void load_relaxed_if(bool wanted, const double* at, double& value) {
  asm volatile(
      "{\n"
      ".reg .pred wanted;\n"
      "setp.ne.s32 wanted, %2, 0;\n"
      "@wanted ld.relaxed.gpu.global.f64 %0, [%1];\n"
      "}"
      : "+d"(value)
      : "l"(at), "r"(static_cast<int>(wanted)));
}

__device__ __forceinline__ void store_relaxed(double* at, double value) {
  asm volatile("st.relaxed.gpu.global.f64 [%0], %1;" ::"l"(at), "d"(value));
}

/// The x of `count` slots, 0 for the others.
template <int Slots>
__device__ __forceinline__ void gather(
    const double* x, const std::int32_t (&column)[static_cast<std::size_t>(Slots)], int count,
    double (&gathered)[static_cast<std::size_t>(Slots)]) {
#pragma unroll
  for (int n = 0; n < Slots; ++n) {
    gathered[n] = n < count ? x[column[n]] : 0.0;
  }
}

template <int Slots>
__device__ __forceinline__ void complete(const double*,
                                         const std::int32_t (&)[static_cast<std::size_t>(Slots)],
                                         double (&)[static_cast<std::size_t>(Slots)]) {}

/// A vector whose elements appear while they are read: what is gathered has to be completed.
struct AwaitedVector {
  const double* x;
};

template <int Slots>
__device__ __forceinline__ void gather(
    const AwaitedVector& vector, const std::int32_t (&column)[static_cast<std::size_t>(Slots)],
    int count, double (&gathered)[static_cast<std::size_t>(Slots)]) {
#pragma unroll
  for (int n = 0; n < Slots; ++n) {
    gathered[n] = 0.0;
    load_relaxed_if(n < count, vector.x + column[n], gathered[n]);
  }
}

/// Reads elements again that were not computed yet.
template <int Slots>
__device__ __forceinline__ void complete(
    const AwaitedVector& vector, const std::int32_t (&column)[static_cast<std::size_t>(Slots)],
    double (&gathered)[static_cast<std::size_t>(Slots)]) {
  for (bool done = false; !done;) {
    done = true;
#pragma unroll
    for (int n = 0; n < Slots; ++n) {
      const bool again = is_awaited(gathered[n]);
      done = done && !again;
      load_relaxed_if(again, vector.x + column[n], gathered[n]);
    }
  }
}

/// The values of a slice, by the slots of its columns.
template <class Columns>
struct SliceValues {
  const double* value;

  __device__ __forceinline__ SliceValues(const SlicedView<Columns>& part, std::int64_t /*slice*/)
      : value(part.value) {}

  template <int Slots>
  __device__ __forceinline__ void read(std::int64_t slot, int count, int lane,
                                       double (&to)[static_cast<std::size_t>(Slots)]) const {
    const double* const from = value + slot * slice_height + lane;
#pragma unroll
    for (int n = 0; n < Slots; ++n) {
      to[n] = 0.0;
      load_once_if(n < count, from + n * slice_height, to[n]);
    }
  }
};

template <class Columns>
struct SliceValues<Halved<Columns>> {
  const double* value;
  std::uint32_t second;
  std::uint32_t shift;  ///< from slots of columns to those of the half, modulo 2^32

  __device__ __forceinline__ SliceValues(const SlicedView<Halved<Columns>>& part,
                                         std::int64_t slice)
      : value(part.value) {
    const uint2 place = __ldg(reinterpret_cast<const uint2*>(part.columns.place + slice));
    second = place.y;
    shift = place.x - static_cast<std::uint32_t>(part.slot[slice]);
  }

  /// Of at most two blocks, all of `count`.
  template <int Slots>
  __device__ __forceinline__ void read(std::int64_t slot, int /*count*/, int lane,
                                       double (&to)[static_cast<std::size_t>(Slots)]) const {
    constexpr std::uint32_t in_block = value_block_slots<slice_height>;
    static_assert(Slots <= in_block);
    const std::uint32_t first = static_cast<std::uint32_t>(slot) + shift;
    const std::uint32_t block = first / in_block;
    const std::uint32_t own = is_second(second, block);
    const std::uint32_t next = 1U + is_second(second, block + 1) - own;  // blocks between
    const double* const from =
        value + std::int64_t{first + (block + own) * in_block} * slice_height + lane;
    const int left = static_cast<int>(in_block - first % in_block);
    const int step = static_cast<int>(next * in_block) * slice_height;
#pragma unroll
    for (int n = 0; n < Slots; ++n) {
      to[n] = load_once(from + n * slice_height + (n < left ? 0 : step));
    }
  }
};

/// Entries of a row that are read together: as many as `count`.
template <int Slots>
struct Batch {
  int count;
  std::int32_t column[static_cast<std::size_t>(Slots)];
  double value[static_cast<std::size_t>(Slots)];

  template <class Columns>
  __device__ __forceinline__ void read_columns(const SlicedView<Columns>& part, std::int64_t slot,
                                               int lane) {
    cuda::read_columns<Slots>(part.columns, slot, count, lane, column);
  }

  template <class Columns>
  __device__ __forceinline__ void read_values(const SliceValues<Columns>& values, std::int64_t slot,
                                              int lane) {
    values.template read<Slots>(slot, count, lane, value);
  }
};

template <int Slots, class Columns>
__device__ __forceinline__ double add_batch(const SlicedView<Columns>& part,
                                            const SliceValues<Columns>& values, std::int64_t& slot,
                                            int lane, const double* x, double sum) {
  Batch<Slots> batch{.count = Slots};
  batch.read_values(values, slot, lane);
  batch.read_columns(part, slot, lane);
  slot += Slots;
  double gathered[static_cast<std::size_t>(Slots)];
  gather<Slots>(x, batch.column, Slots, gathered);
#pragma unroll
  for (int n = 0; n < Slots; ++n) {
    sum = fma(batch.value[n], gathered[n], sum);
  }
  return sum;
}

/// Enough loads in flight, with few enough registers for four blocks per multiprocessor.
inline constexpr int product_batch = 10;
inline constexpr int sweep_batch = 6;  ///< of which the next one's columns are in flight, too

/// Product of a row with x.
template <class Columns>
__device__ __forceinline__ double times(const SlicedView<Columns>& part, std::int64_t row,
                                        const double* x) {
  const int lane = static_cast<int>(row % slice_height);
  std::int64_t slot = part.slot[row / slice_height];
  const std::int64_t last = part.slot[row / slice_height + 1];
  const SliceValues<Columns> values(part, row / slice_height);
  double sum = 0.0;
  while (slot + product_batch <= last) {
    sum = add_batch<product_batch>(part, values, slot, lane, x, sum);
  }
  if (slot + 6 <= last) {
    sum = add_batch<6>(part, values, slot, lane, x, sum);
  }
  if (slot + 4 <= last) {
    sum = add_batch<4>(part, values, slot, lane, x, sum);
  }
  if (slot + 2 <= last) {
    sum = add_batch<2>(part, values, slot, lane, x, sum);
  }
  if (slot < last) {
    sum = add_batch<1>(part, values, slot, lane, x, sum);
  }
  return sum;
}

/// The sum of a row's products: of its first slots, then of all.
struct SplitSum {
  double first;
  double all;
};

/// Some slots of a row, whose first entries are loaded before the x that they are multiplied by is
/// known to be computed, and the columns of later ones while x of those before them is awaited.
template <class Columns>
class SlotsAhead {
  static_assert(!is_halved<Columns>, "these slices have no places of values");

 public:
  __device__ __forceinline__ SlotsAhead(const SlicedView<Columns>& part, std::int64_t slot,
                                        std::int64_t last, int lane)
      : part_(part), slot_(slot), lane_(lane), batch_{.count = static_cast<int>(last - slot)} {
    batch_.read_columns(part, slot, lane);
    batch_.read_values(SliceValues<Columns>(part, 0), slot, lane);
    prefetch_rest();
  }

  /// Sum of the entries times their x.
  template <class Vector>
  __device__ __forceinline__ double times(const Vector& x) const {
    return add_to(0.0, x, 0).all;
  }

  /// sum + the entries times their x, and the same without those of the last `apart` slots.
  template <class Vector>
  __device__ __forceinline__ SplitSum add_to(double sum, const Vector& x, int apart) const {
    SplitSum sums{sum, sum};
    Batch<sweep_batch> batch = batch_;
    for (std::int64_t slot = slot_; batch.count > 0;) {
      double gathered[sweep_batch];
      gather<sweep_batch>(x, batch.column, batch.count, gathered);
      slot += sweep_batch;
      Batch<sweep_batch> ahead{.count = batch.count - sweep_batch};
      ahead.read_columns(part_, slot, lane_);
      complete<sweep_batch>(x, batch.column, gathered);
#pragma unroll
      for (int n = 0; n < sweep_batch; ++n) {
        sums.all = fma(batch.value[n], gathered[n], sums.all);
        sums.first = batch.count - n > apart ? sums.all : sums.first;
      }
      ahead.read_values(SliceValues<Columns>(part_, 0), slot, lane_);
      batch = ahead;
    }
    return sums;
  }

 private:
  /// Prefetches entries beyond the batch into L2, one cache line per lane: in the longest rows not
  /// the values of the last four slots, for a loop over lines makes an iteration 1 to 2 % longer.
  __device__ __forceinline__ void prefetch_rest() const {
    const int entries = (batch_.count - sweep_batch) * slice_height;
    const std::int64_t first = (slot_ + sweep_batch) * slice_height;
    prefetch(part_.value + first, entries);
    if constexpr (std::is_same_v<Columns, FullColumns>) {
      prefetch(part_.columns.column + first, entries);
    }
  }

  template <class T>
  __device__ __forceinline__ void prefetch(const T* from, int entries) const {
    constexpr int line_entries = 128 / static_cast<int>(sizeof(T));
    const int entry = lane_ * line_entries;
    if (entry < entries) {
      asm volatile("prefetch.global.L2 [%0];" ::"l"(from + entry));
    }
  }

  const SlicedView<Columns>& part_;
  std::int64_t slot_;
  int lane_;
  Batch<sweep_batch> batch_;
};

/// All slots of a row.
template <class Columns>
__device__ __forceinline__ SlotsAhead<Columns> row_ahead(const SlicedView<Columns>& part,
                                                         std::int64_t row) {
  const std::int64_t slice = row / slice_height;
  return {part, part.slot[slice], part.slot[slice + 1], static_cast<int>(row % slice_height)};
}

}  // namespace bankfull::hpcg::cuda
