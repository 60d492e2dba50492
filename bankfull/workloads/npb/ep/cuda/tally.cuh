#pragma once

#include "bankfull/core/exec/reduce.cuh"
#include "bankfull/core/exec/vector16.cuh"
#include "bankfull/workloads/npb/ep/deviate_bins.hpp"
#include "bankfull/workloads/npb/ep/ep.hpp"
#include "bankfull/workloads/npb/ep/factor.hpp"
#include "bankfull/workloads/npb/ep/log_table.hpp"
#include "bankfull/workloads/npb/generator.hpp"

#include <cstdint>

namespace bankfull::npb::ep::cuda {

/// Sums of X, Y, |X|, |Y|; counts of bins 1 to 9; rejected pairs.
inline constexpr int list_count = 4 + (bins - 1) + 1;

/// Configuration of the kernel. A thread's loop has `Unroll` pairs in its body.
template <int Log2Intervals, int Threads, int Unroll>
struct Shape {
  using Table = LogTable<Log2Intervals>;
  static constexpr unsigned threads = Threads;
  static constexpr int unroll = Unroll;
  static constexpr std::size_t shared_bytes = Table::intervals * sizeof(typename Table::Interval);
};

/// fp64 instructions per pair: 4 for x, y and t, 4 for the logarithm, 6 for the factor, 2 for X and
/// Y, 4 for the sums.
inline constexpr int fp64_instructions_per_pair = 20;

/// Pairs that a thread generates before it unpacks its packed counts.
inline constexpr int segment_pairs = 64;
static_assert(segment_pairs <= max_packed);

template <class Config>
struct TallyArguments {
  FactorConstants factor;
  double log_scale;     ///< of the table's logarithms: 1, but where the verification is checked
  std::uint64_t state;  ///< of the generator where the segments begin
  std::uint64_t segments;
  std::uint64_t jump;  ///< of the generator over the segments of all other threads
  double* partials;    ///< list after list, one value per block
};

/// 1 / sqrt(u) of a positive normal number within 2^-19; the lower word is 0.
__device__ __forceinline__ double guess_of_reciprocal_root(double u) {
  double guess;
  asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(guess) : "d"(u));
  return guess;
}

/// Pairs whose counts are added to each other before they are added to those of the segment: an
/// instruction can add three numbers.
inline constexpr int pairs_at_once = 2;

/// Counts of a segment or of some pairs of it.
struct SegmentCounts {
  std::uint32_t marks = 0;  ///< sum of the intervals'
  PackedCounts packed{0, 0};

  __device__ __forceinline__ void add(const SegmentCounts& other) {
    marks += other.marks;
    packed.usual += other.packed.usual;
    packed.rare += other.packed.rare;
  }
};

/// A thread's results. Sums are of deviates times `deviate_scale`.
struct ThreadTally {
  double sum_x = 0.0;
  double sum_y = 0.0;
  double absolute_x = 0.0;
  double absolute_y = 0.0;
  std::uint32_t rejected = 0;
  std::uint32_t counts[bins - 1] = {};  ///< of bins from 1 on
  SegmentCounts segment;

  /// Takes the segment's counts into the others.
  __device__ __forceinline__ void unpack() {
    rejected += segment.marks & 0xffffU;
#pragma unroll
    for (int n = 0; n < bins - 1; ++n) {
      counts[n] += packed_count(segment.packed, n + 1);
    }
    segment = {};
  }
};

/// A block's tables in shared memory, as one thread sees them.
template <class Config>
class Tables {
 public:
  using Interval = typename Config::Table::Interval;

  /// Builds them; by all threads of the block.
  __device__ Tables(const FactorConstants& factor, double log_scale) : factor_(factor) {
    extern __shared__ __align__(128) unsigned char shared[];
    // With room to start at a multiple of its size: compilers align variables of such sizes within
    // a block's shared memory, which begins at an odd multiple of 1024.
    __shared__ PackedCounts packed_room[2 * bin_classes];
    packed_ = (shared_address(packed_room) + packed_bytes - 1) & ~(packed_bytes - 1);
    auto* const packed =
        packed_room + (packed_ - shared_address(packed_room)) / sizeof(PackedCounts);
    auto* const intervals = reinterpret_cast<Interval*>(shared);
    for (unsigned n = threadIdx.x; n < Config::Table::intervals; n += blockDim.x) {
      intervals[n] = Config::Table::interval(n, factor, log_scale);
    }
    if (threadIdx.x < bin_classes) {
      packed[threadIdx.x] = packed_one(threadIdx.x);
    }
    read_high_of_two();
    intervals_ = shared_address(intervals) - Config::Table::first() * stride;
    // Otherwise the compiler would recompute these for every pair.
    asm("" : "+r"(intervals_), "+r"(packed_));
  }

  [[nodiscard]] __device__ __forceinline__ const FactorConstants& factor() const { return factor_; }

  [[nodiscard]] __device__ __forceinline__ std::uint32_t high_of_two() const {
    return high_of_two_;
  }

  [[nodiscard]] __device__ __forceinline__ Interval interval_of(double t) const {
    Interval interval;
    asm("ld.shared.v2.f64 {%0,%1}, [%2];"
        : "=d"(interval.reciprocal), "=d"(interval.offset)
        : "r"(Config::Table::number(t) * stride + intervals_));
    return interval;
  }

  [[nodiscard]] __device__ __forceinline__ PackedCounts packed_one_of(double x, double y) const {
    // A class's address within the table, out of one shift.
    constexpr int shift = bin_class_shift - 3;
    constexpr std::uint32_t mask = packed_bytes - sizeof(PackedCounts);
    PackedCounts one;
    asm("ld.shared.v2.u32 {%0,%1}, [%2];"
        : "=r"(one.usual), "=r"(one.rare)
        : "r"((larger_high_word(x, y) >> shift & mask) | packed_));
    return one;
  }

 private:
  /// Through memory: the compiler would materialise a known constant for every pair instead of
  /// keeping it in a register.
  __device__ __forceinline__ void read_high_of_two() {
    __shared__ std::uint32_t there;
    if (threadIdx.x == 0) {
      there = high_word_of_two;
    }
    __syncthreads();
    const volatile auto& read = there;
    high_of_two_ = read;
  }

  static constexpr unsigned stride = sizeof(Interval);
  static constexpr unsigned packed_bytes = bin_classes * sizeof(PackedCounts);

  unsigned intervals_;             ///< address of where the interval of t = 0 would be
  unsigned packed_;                ///< a multiple of the table's size
  const FactorConstants& factor_;  ///< instructions read them from the kernel's arguments
  std::uint32_t high_of_two_;
};

/// A state of the generator, times 2^shifted_bits.
struct State {
  std::uint32_t lower;
  std::uint32_t upper;

  __device__ __forceinline__ explicit State(std::uint64_t state)
      : lower(static_cast<std::uint32_t>(state)), upper(static_cast<std::uint32_t>(state >> 32)) {}

  /// One step: two multiply-adds on 32 bits. The compiler would combine several steps, with 64-bit
  /// factors.
  __device__ __forceinline__ double next_symmetric_value(std::uint32_t high_of_two) {
    static_assert(generator_factor >> 32 == 0);
    asm("{.reg .u64 wide; .reg .u32 carry;\n\t"
        "mul.wide.u32 wide, %0, %2;\n\t"
        "mov.b64 {%0, carry}, wide;\n\t"
        "mad.lo.u32 %1, %1, %2, carry;}"
        : "+r"(lower), "+r"(upper)
        : "n"(static_cast<std::uint32_t>(generator_factor)));
    return shifted_symmetric_value(std::uint64_t{upper} << 32 | lower, high_of_two);
  }
};

struct Pair {
  double x;
  double y;
  double t;  ///< x^2 + y^2
};

/// The next pair of the sequence.
///
/// NPB accepts t = 1, which no pair has: x and y are odd multiples of 2^-45, and the sum of two odd
/// squares is no power of 4. Rounding down keeps t below 1 there.
__device__ __forceinline__ Pair next_pair(State& state, std::uint32_t high_of_two) {
  const double x = state.next_symmetric_value(high_of_two);
  const double y = state.next_symmetric_value(high_of_two);
  return {x, y, __fma_rd(x, x, __dmul_rd(y, y))};
}

/// Adds the deviates of a pair, whose `scaled_logarithm` is m.
template <class Config>
__device__ __forceinline__ void add_deviates(const Pair& pair, double m,
                                             const Tables<Config>& tables, ThreadTally& tally,
                                             SegmentCounts& counts) {
  const double u = under_root(m, pair.t);
  const double times = factor(m, u, guess_of_reciprocal_root(u), tables.factor());
  const double x = pair.x * times;
  const double y = pair.y * times;
  tally.sum_x += x;
  tally.sum_y += y;
  tally.absolute_x += fabs(x);
  tally.absolute_y += fabs(y);
  const PackedCounts one = tables.packed_one_of(x, y);
  counts.packed.usual += one.usual;
  counts.packed.rare += one.rare;
}

/// Adds a pair, but for those with t below the table. There is no branch: like these, a rejected
/// pair has the logarithm 0 and thus deviates 0, and is counted by its interval's mark.
template <class Config>
__device__ __forceinline__ void add_pair(const Pair& pair, const Tables<Config>& tables,
                                         ThreadTally& tally, SegmentCounts& counts) {
  const auto interval = tables.interval_of(pair.t);
  counts.marks += static_cast<std::uint32_t>(__double2loint(interval.reciprocal));
  add_deviates(pair,
               scaled_logarithm(pair.t, interval.reciprocal, interval.offset, tables.factor()),
               tables, tally, counts);
}

/// Adds those pairs of a segment with t below the table.
template <class Config>
__device__ void add_small_pairs(State state, const Tables<Config>& tables, ThreadTally& tally) {
  using Table = typename Config::Table;
  for (int n = 0; n < segment_pairs; ++n) {
    const Pair pair = next_pair(state, tables.high_of_two());
    if (pair.t >= Table::smallest) {
      continue;
    }
    double t = pair.t;
    double missing = 0.0;
    while (t < Table::smallest) {
      t *= 1.0 / Table::smallest;
      missing += tables.factor().sigma * (2.0 * Table::binades * 0.6931471805599453);
    }
    const auto interval = tables.interval_of(t);
    const double m = scaled_logarithm(t, interval.reciprocal, interval.offset, tables.factor());
    add_deviates(pair, m + missing, tables, tally, tally.segment);
  }
}

template <class Config>
__device__ void write_sums(const ThreadTally& tally, double* partials) {
  const auto write = [&](int list, double value) {
    const double sum = block_sum(value);
    if (threadIdx.x == 0) {
      partials[static_cast<unsigned>(list) * gridDim.x + blockIdx.x] = sum;
    }
  };
  constexpr double unscaled = 1.0 / deviate_scale;
  write(0, unscaled * tally.sum_x);
  write(1, unscaled * tally.sum_y);
  write(2, unscaled * tally.absolute_x);
  write(3, unscaled * tally.absolute_y);
#pragma unroll
  for (int n = 0; n < bins - 1; ++n) {
    write(4 + n, tally.counts[n]);
  }
  write(list_count - 1, tally.rejected);
}

/// All pairs of a contiguous range of segments of the sequence, each thread processing one segment
/// at a time.
template <class Config>
__global__ void __launch_bounds__(Config::threads)
    tally_kernel(const __grid_constant__ TallyArguments<Config> a) {
  const Tables<Config> tables(a.factor, a.log_scale);
  const std::uint64_t threads = std::uint64_t{gridDim.x} * Config::threads;
  const std::uint64_t thread = std::uint64_t{blockIdx.x} * Config::threads + threadIdx.x;
  std::uint64_t begin = a.state * generator_jump(2 * segment_pairs * thread) << shifted_bits;
  ThreadTally tally;
  const auto rounds = static_cast<unsigned>((a.segments - thread + threads - 1) / threads);
  for (unsigned round = 0; round < rounds; ++round) {
    State state(begin);
#pragma unroll(Config::unroll / pairs_at_once)
    for (int n = 0; n < segment_pairs; n += pairs_at_once) {
      SegmentCounts counts;
#pragma unroll
      for (int k = 0; k < pairs_at_once; ++k) {
        add_pair(next_pair(state, tables.high_of_two()), tables, tally, counts);
      }
      tally.segment.add(counts);
    }
    if (tally.segment.marks >= Config::Table::too_small) {
      add_small_pairs(State(begin), tables, tally);
    }
    tally.unpack();
    begin *= a.jump;
  }
  write_sums<Config>(tally, a.partials);
}

}  // namespace bankfull::npb::ep::cuda
