#pragma once

#include "bankfull/core/exec/reduce.cuh"
#include "bankfull/core/exec/vector16.cuh"
#include "bankfull/workloads/npb/ep/deviate_bins.hpp"
#include "bankfull/workloads/npb/ep/ep.hpp"
#include "bankfull/workloads/npb/ep/log_table.hpp"
#include "bankfull/workloads/npb/generator.hpp"

#include <cstdint>

namespace bankfull::npb::ep::cuda {

/// Sums of X, Y, |X|, |Y|; counts of bins 1 to 9; rejected pairs.
inline constexpr int list_count = 4 + (bins - 1) + 1;

/// Copies of the table, whose neighbours lie in different banks: threads of a warp meet in a bank
/// less often.
template <int Log2Intervals, int Copies, int Threads = 1024, int Unroll = 2>
struct Shape {
  using Table = LogTable<Log2Intervals>;
  static constexpr int copies = Copies;
  static constexpr unsigned threads = Threads;
  static constexpr int unroll = Unroll;
  static constexpr std::size_t shared_bytes =
      Table::intervals * sizeof(typename Table::Interval) * copies;
};

/// Pairs that a thread forms between two looks at its packed counts.
inline constexpr int segment_pairs = 64;
static_assert(segment_pairs <= most_packed);

template <class Shape>
struct TallyArguments {
  const typename Shape::Table::Interval* table;
  std::uint64_t segments;
  std::uint64_t jump;  ///< of the generator over the segments of all other threads
  double* partials;    ///< list after list, a value each of every block
};

/// 1 / sqrt(u) of a positive normal number, within two units of the last place.
__device__ __forceinline__ double reciprocal_root(double u) {
  double guess;
  asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(guess) : "d"(u));
  const double error = fma(-u, guess * guess, 1.0);
  return fma(fma(error, 0.375, 0.5), error * guess, guess);
}

/// What a thread finds.
struct ThreadTally {
  double sum_x = 0.0;
  double sum_y = 0.0;
  double absolute_x = 0.0;
  double absolute_y = 0.0;
  std::uint32_t rejected = 0;
  std::uint64_t packed = 0;
  std::uint32_t counts[bins - 1] = {};  ///< of bins from 1 on

  __device__ __forceinline__ void unpack() {
#pragma unroll
    for (int n = 0; n < bins - 1; ++n) {
      counts[n] += packed_count(packed, n + 1);
    }
    packed = 0;
  }
};

/// A block's tables in shared memory, as one thread sees them.
template <class Shape>
class Tables {
 public:
  using Interval = typename Shape::Table::Interval;

  /// Fills them; by all threads of the block.
  __device__ explicit Tables(const Interval* table) {
    extern __shared__ __align__(128) unsigned char shared[];
    __shared__ std::uint64_t packed[bin_classes];
    auto* const copy = reinterpret_cast<Interval*>(shared);
    for (unsigned n = threadIdx.x; n < Shape::Table::intervals * Shape::copies; n += blockDim.x) {
      copy[n] = table[n / Shape::copies];
    }
    if (threadIdx.x < bin_classes) {
      packed[threadIdx.x] = packed_one(threadIdx.x);
    }
    __syncthreads();
    intervals_ = shared_address(copy) - Shape::Table::first() * stride +
                 threadIdx.x % Shape::copies * static_cast<unsigned>(sizeof(Interval));
    packed_ = shared_address(packed);
    // Else the compiler would form these addresses anew for every pair.
    asm("" : "+r"(intervals_), "+r"(packed_));
  }

  /// Where t is below the table, it is the table's first.
  [[nodiscard]] __device__ __forceinline__ Interval interval_of(double t) const {
    Interval interval;
    asm("ld.shared.v2.f64 {%0,%1}, [%2];"
        : "=d"(interval.reciprocal), "=d"(interval.offset)
        : "r"(Shape::Table::number(t) * stride + intervals_));
    return interval;
  }

  [[nodiscard]] __device__ __forceinline__ std::uint64_t packed_one_of(double x, double y) const {
    std::uint64_t one;
    asm("ld.shared.u64 %0, [%1];"
        : "=l"(one)
        : "r"(bin_class(x, y) * static_cast<unsigned>(sizeof one) + packed_));
    return one;
  }

 private:
  static constexpr unsigned stride = Shape::copies * sizeof(Interval);

  unsigned intervals_;  ///< address of where the interval of t = 0 would be
  unsigned packed_;
};

/// One step of the generator: two multiply-adds on 32 bits.
__device__ __forceinline__ double next_symmetric_value(std::uint64_t& state) {
  static_assert(generator_factor >> 32 == 0);
  constexpr auto factor = static_cast<std::uint32_t>(generator_factor);
  const std::uint64_t lower = (state & 0xffffffffU) * factor;
  const auto upper = static_cast<std::uint32_t>(state >> 32);
  std::uint32_t high = upper * factor + static_cast<std::uint32_t>(lower >> 32);
  // The compiler would take several steps at once, with factors of 64 bits.
  asm("" : "+r"(high));
  state = std::uint64_t{high} << 32 | (lower & 0xffffffffU);
  return shifted_symmetric_value(state);
}

/// -2 ln t for t below the table.
template <class Shape>
__device__ __forceinline__ double minus_two_log_of_small(double t, const Tables<Shape>& tables) {
  using Table = typename Shape::Table;
  double missing = 0.0;
  do {
    t *= 1.0 / Table::smallest;
    missing += 2.0 * Table::binades * 0.6931471805599453;
  } while (!Table::has(t));
  return Table::minus_two_log(t, tables.interval_of(t)) + missing;
}

/// Adds the next pair of the sequence.
///
/// Nothing branches on rejection: a rejected pair has the logarithm 0 and thus deviates 0, and its
/// interval tells it by c. NPB accepts t = 1, which no pair has: x and y are odd multiples of
/// 2^-45, and the sum of two odd squares is no power of 4. Rounding down keeps t below 1 there.
template <class Shape>
__device__ __forceinline__ void add_pair(std::uint64_t& state, const Tables<Shape>& tables,
                                         ThreadTally& tally) {
  const double x = next_symmetric_value(state);
  const double y = next_symmetric_value(state);
  const double t = __fma_rd(x, x, __dmul_rd(y, y));
  const auto interval = tables.interval_of(t);
  double minus_two_log = Shape::Table::minus_two_log(t, interval);
  if (!Shape::Table::has(t)) [[unlikely]] {
    minus_two_log = minus_two_log_of_small(t, tables);
  }
  // The root of 0 is wanted as 0: too small a number to change any other.
  constexpr double next_to_nothing = 0x1p-960;
  const double factor = minus_two_log * reciprocal_root(fma(minus_two_log, t, next_to_nothing));
  const double deviate_x = x * factor;
  const double deviate_y = y * factor;
  tally.sum_x += deviate_x;
  tally.sum_y += deviate_y;
  tally.absolute_x += fabs(deviate_x);
  tally.absolute_y += fabs(deviate_y);
  tally.rejected += static_cast<std::uint32_t>(__double2loint(interval.reciprocal));
  tally.packed += tables.packed_one_of(deviate_x, deviate_y);
}

template <class Shape>
__device__ void write_sums(const ThreadTally& tally, double* partials) {
  const auto write = [&](int list, double value) {
    const double sum = block_sum(value);
    if (threadIdx.x == 0) {
      partials[static_cast<unsigned>(list) * gridDim.x + blockIdx.x] = sum;
    }
  };
  write(0, tally.sum_x);
  write(1, tally.sum_y);
  write(2, tally.absolute_x);
  write(3, tally.absolute_y);
#pragma unroll
  for (int n = 0; n < bins - 1; ++n) {
    write(4 + n, tally.counts[n]);
  }
  write(list_count - 1, tally.rejected);
}

/// All pairs, a segment of the sequence a thread at a time.
template <class Shape>
__global__ void __launch_bounds__(Shape::threads)
    tally_kernel(const __grid_constant__ TallyArguments<Shape> a) {
  const Tables<Shape> tables(a.table);
  const std::uint64_t threads = std::uint64_t{gridDim.x} * Shape::threads;
  const std::uint64_t thread = std::uint64_t{blockIdx.x} * Shape::threads + threadIdx.x;
  std::uint64_t begin = seed * generator_jump(2 * segment_pairs * thread) << shifted_bits;
  ThreadTally tally;
  const auto rounds = static_cast<unsigned>((a.segments - thread + threads - 1) / threads);
  for (unsigned round = 0; round < rounds; ++round) {
    std::uint64_t state = begin;
#pragma unroll(Shape::unroll)
    for (int pair = 0; pair < segment_pairs; ++pair) {
      add_pair(state, tables, tally);
    }
    tally.unpack();
    begin *= a.jump;
  }
  write_sums<Shape>(tally, a.partials);
}

}  // namespace bankfull::npb::ep::cuda
