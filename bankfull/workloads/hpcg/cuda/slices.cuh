#pragma once

#include "bankfull/numerics/sparse/sliced.hpp"

#include <cstdint>

namespace bankfull::hpcg::cuda {

/// Rows of a slice: a warp, one row a thread.
inline constexpr int slice_height = 32;

/// Makes room in L2 first where it is needed.
__device__ __forceinline__ std::uint64_t evict_first() {
  std::uint64_t policy;
  asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
  return policy;
}

// Reads of what is read once in a pass: it shall not drive x out of the caches.

__device__ __forceinline__ double load_once(const double* at) {
  double value;
  asm volatile("ld.global.nc.L1::no_allocate.L2::cache_hint.f64 %0, [%1], %2;"
               : "=d"(value)
               : "l"(at), "l"(evict_first()));
  return value;
}
__device__ __forceinline__ std::int32_t load_once(const std::int32_t* at) {
  std::int32_t value;
  asm volatile("ld.global.nc.L1::no_allocate.L2::cache_hint.s32 %0, [%1], %2;"
               : "=r"(value)
               : "l"(at), "l"(evict_first()));
  return value;
}
__device__ __forceinline__ std::uint16_t load_once(const std::uint16_t* at) {
  std::uint16_t value;
  asm volatile("ld.global.nc.L1::no_allocate.L2::cache_hint.u16 %0, [%1], %2;"
               : "=h"(value)
               : "l"(at), "l"(evict_first()));
  return value;
}

__device__ __forceinline__ std::int32_t column_at(const FullColumns& columns, std::int64_t /*slot*/,
                                                  std::int64_t entry) {
  return load_once(columns.column + entry);
}

__device__ __forceinline__ std::int32_t column_at(const SlimColumns& columns, std::int64_t slot,
                                                  std::int64_t entry) {
  return __ldg(columns.base + slot) + load_once(columns.offset + entry);
}

/// `Slots` entries of a row at a time, so that as many loads are under way.
template <int Slots, class Columns, class ValueOf>
__device__ __forceinline__ double add_slots(const SlicedView<Columns>& part, std::int64_t slot,
                                            std::int64_t lane, const ValueOf& value_of,
                                            double sum) {
  std::int32_t column[Slots];
  double value[Slots];
#pragma unroll
  for (int n = 0; n < Slots; ++n) {
    const std::int64_t entry = (slot + n) * slice_height + lane;
    column[n] = column_at(part.columns, slot + n, entry);
    value[n] = load_once(part.value + entry);
  }
  double gathered[Slots];
#pragma unroll
  for (int n = 0; n < Slots; ++n) {
    gathered[n] = value_of(column[n]);
  }
#pragma unroll
  for (int n = 0; n < Slots; ++n) {
    sum = fma(value[n], gathered[n], sum);
  }
  return sum;
}

/// Sum over the slots [slot, last) of a row's slice of entry times value_of(column).
template <class Columns, class ValueOf>
__device__ __forceinline__ double times_slots(const SlicedView<Columns>& part, std::int64_t slot,
                                              std::int64_t last, std::int64_t lane,
                                              const ValueOf& value_of) {
  double sum = 0.0;
  for (; slot + 8 <= last; slot += 8) {
    sum = add_slots<8>(part, slot, lane, value_of, sum);
  }
  const int left = static_cast<int>(last - slot);
  if ((left & 4) != 0) {
    sum = add_slots<4>(part, slot, lane, value_of, sum);
    slot += 4;
  }
  if ((left & 2) != 0) {
    sum = add_slots<2>(part, slot, lane, value_of, sum);
    slot += 2;
  }
  if ((left & 1) != 0) {
    sum = add_slots<1>(part, slot, lane, value_of, sum);
  }
  return sum;
}

/// Product of a row with x.
template <class Columns>
__device__ __forceinline__ double times(const SlicedView<Columns>& part, std::int64_t row,
                                        const double* x) {
  const std::int64_t slice = row / slice_height;
  return times_slots(part, part.slot[slice], part.slot[slice + 1], row % slice_height,
                     [x](std::int32_t column) { return x[column]; });
}

/// The first entries of a row, read before it is known that the x they meet is there.
template <int Ahead, class Columns>
class RowAhead {
 public:
  __device__ __forceinline__ RowAhead(const SlicedView<Columns>& part, std::int64_t row)
      : part_(part),
        slot_(part.slot[row / slice_height]),
        last_(part.slot[row / slice_height + 1]),
        lane_(row % slice_height) {
#pragma unroll
    for (int n = 0; n < Ahead; ++n) {
      if (slot_ + n < last_) {
        const std::int64_t entry = (slot_ + n) * slice_height + lane_;
        column_[n] = column_at(part.columns, slot_ + n, entry);
        value_[n] = load_once(part.value + entry);
      }
    }
  }

  /// Product of the row with x.
  __device__ __forceinline__ double times(const double* x) const {
    double gathered[Ahead];
#pragma unroll
    for (int n = 0; n < Ahead; ++n) {
      gathered[n] = slot_ + n < last_ ? x[column_[n]] : 0.0;
    }
    double sum = 0.0;
#pragma unroll
    for (int n = 0; n < Ahead; ++n) {
      sum = slot_ + n < last_ ? fma(value_[n], gathered[n], sum) : sum;
    }
    if (slot_ + Ahead < last_) {
      sum += times_slots(part_, slot_ + Ahead, last_, lane_,
                         [x](std::int32_t column) { return x[column]; });
    }
    return sum;
  }

 private:
  const SlicedView<Columns>& part_;
  std::int64_t slot_;
  std::int64_t last_;
  std::int64_t lane_;
  std::int32_t column_[Ahead];
  double value_[Ahead];
};

}  // namespace bankfull::hpcg::cuda
