#include "bankfull/workloads/npb/ep/ep.hpp"
#include "bankfull/workloads/npb/ep/point.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

namespace bankfull::npb::ep {
namespace {

/// Interleaved streams of the generator: enough to fill the vector units in spite of the latency of
/// division and square root.
constexpr std::size_t lanes = 16;

/// Pairs of one lane of a block. A block's sums are one summand of the total, independent of the
/// thread that computes them.
constexpr std::int64_t lane_pairs = 4096;
constexpr std::int64_t block_pairs = lane_pairs * static_cast<std::int64_t>(lanes);

/// Pairs of a bin in a byte, of eight bins in a counter. No deviate of the sequence reaches 8: its
/// pairs are points of a lattice, of which the one nearest to 0 has 7.86 (ep_point_test.cpp).
constexpr int counted_bits = 8;
constexpr std::size_t counted_bins = 8;
constexpr std::int64_t max_counted = (1 << counted_bits) - 1;

template <class T>
using PerLane = std::array<T, lanes>;

struct alignas(64) BlockState {
  PerLane<double> value{};  ///< the last of the sequence
  PerLane<double> sum_x{};
  PerLane<double> sum_y{};
  PerLane<double> absolute_x{};
  PerLane<double> absolute_y{};
  PerLane<std::uint64_t> counts{};  ///< of the last `max_counted` pairs
};

/// The next pair of every lane. `log_factor` is -2, but where the verification is checked.
///
/// A rejected pair is taken as one with t = 1, whose deviates are 0 and add nothing to the sums,
/// and is not counted.
BANKFULL_ALWAYS_INLINE void next_pairs(BlockState& block, double log_factor) {
#pragma omp simd
  for (std::size_t n = 0; n < lanes; ++n) {
    const double x = symmetric_after<1>(block.value[n]);
    const double y = symmetric_after<2>(block.value[n]);
    block.value[n] = y;
    const double square = std::fma(x, x, y * y);
    const double t = square < 1.0 ? square : 1.0;
    const LogarithmAndReciprocal of_t = logarithm_and_reciprocal(t);
    const double factor = std::sqrt(log_factor * of_t.logarithm * of_t.reciprocal);
    const double deviate_x = x * factor;
    const double deviate_y = y * factor;
    const double size_x = std::abs(deviate_x);
    const double size_y = std::abs(deviate_y);
    block.sum_x[n] += deviate_x;
    block.sum_y[n] += deviate_y;
    block.absolute_x[n] += size_x;
    block.absolute_y[n] += size_y;
    const std::uint64_t one = square > 1.0 ? 0 : 1;
    block.counts[n] += one << (counted_bits * bin_below_8(size_x > size_y ? size_x : size_y));
  }
}

/// Adds to `tally` the pairs that were counted, and counts from 0.
void gather_counts(BlockState& block, Tally& tally) {
  for (std::uint64_t& counts : block.counts) {
    for (std::size_t l = 0; l < counted_bins; ++l) {
      tally.counts[l] += static_cast<std::int64_t>(counts >> (counted_bits * l) & max_counted);
    }
    counts = 0;
  }
}

double total(const PerLane<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

Tally tally_block(std::int64_t block_number, double log_factor) {
  constexpr std::int64_t numbers_per_pair = 2;
  const std::uint64_t lane_jump =
      generator_jump(static_cast<std::uint64_t>(numbers_per_pair * lane_pairs));
  BlockState block;
  std::uint64_t state =
      Generator(seed, static_cast<std::uint64_t>(numbers_per_pair * block_pairs * block_number))
          .state();
  for (double& value : block.value) {
    value = symmetric_value(state);
    state = multiply_modulo(state, lane_jump);
  }
  Tally tally;
  for (std::int64_t first = 0; first < lane_pairs; first += max_counted) {
    const std::int64_t end = std::min(first + max_counted, lane_pairs);
    for (std::int64_t pair = first; pair < end; ++pair) {
      next_pairs(block, log_factor);
    }
    gather_counts(block, tally);
  }
  tally.sums = {total(block.sum_x), total(block.sum_y)};
  tally.absolute_sums = {total(block.absolute_x), total(block.absolute_y)};
  return tally;
}

}  // namespace

Tally tally_on_teams(Class size, const Team& team, const Communicator& ranks, double perturbation,
                     const Pauses& pauses) {
  const double log_factor = -2.0 * (1.0 + perturbation);
  // Groups of blocks are added in order, independent of rank and thread. Threads take them
  // dynamically, because other load on the machine makes equal shares take unequal times.
  constexpr std::int64_t max_groups = 4096;
  const std::int64_t blocks = (std::int64_t{1} << ep_parameters(size).log2_pairs) / block_pairs;
  const std::int64_t groups = std::min(blocks, max_groups);
  const Range own = share(groups, ranks.rank(), ranks.size());
  std::vector<Tally> tallies(static_cast<std::size_t>(own.size()));
#pragma omp parallel for num_threads(team.threads()) schedule(dynamic)
  for (std::int64_t group = own.begin; group < own.end; ++group) {
    if (pauses.is_requested()) {
      continue;  // the whole is dropped
    }
    if (share_number() == 0) {
      pauses.tell(static_cast<double>(group - own.begin) / static_cast<double>(own.size()));
    }
    const Range mine = share(blocks, static_cast<int>(group), static_cast<int>(groups));
    Tally sum;
    for (std::int64_t block = mine.begin; block < mine.end; ++block) {
      sum = sum + tally_block(block, log_factor);
    }
    tallies[static_cast<std::size_t>(group - own.begin)] = sum;
  }
  pauses.at(1.0);
  Tally total_of_all;
  for (const std::vector<Tally>& of_rank : ranks.all_gather(tallies)) {
    for (const Tally& tally : of_rank) {
      total_of_all = total_of_all + tally;
    }
  }
  return total_of_all;
}

}  // namespace bankfull::npb::ep
