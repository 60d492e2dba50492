#include "bankfull/workloads/npb/ep/ep.hpp"
#include "bankfull/workloads/npb/ep/point.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
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

/// Bins with a counter in each lane; deviates beyond are rarer than one in 10 000.
constexpr std::size_t common_bins = 4;

template <class T>
using PerLane = std::array<T, lanes>;

struct alignas(64) BlockState {
  PerLane<std::uint64_t> state{};
  PerLane<double> sum_x{};
  PerLane<double> sum_y{};
  PerLane<double> absolute_x{};
  PerLane<double> absolute_y{};
  PerLane<double> rejected{};
  std::array<PerLane<double>, common_bins> at_least{};  ///< pairs with max(|X|, |Y|) >= l + 1
  PerLane<double> largest{};                            ///< max(|X|, |Y|) of the last pairs
};

/// The next pair of every lane. Returns how many lie beyond the common bins.
///
/// A rejected pair counts as t = 1, whose deviates are 0: it adds nothing to the sums, and is
/// subtracted from bin 0 at the end. `log_factor` is -2, but where the verification is checked.
BANKFULL_ALWAYS_INLINE int next_pairs(BlockState& block, double log_factor) {
  int rare = 0;
#pragma omp simd reduction(+ : rare)
  for (std::size_t n = 0; n < lanes; ++n) {
    const std::uint64_t state_x = block.state[n] * generator_factor;
    const std::uint64_t state_y = state_x * generator_factor;
    block.state[n] = state_y;
    const double x = symmetric_value(state_x);
    const double y = symmetric_value(state_y);
    const double square = std::fma(x, x, y * y);
    const bool rejects = square > 1.0;
    const double t = rejects ? 1.0 : square;
    const double factor = std::sqrt(log_factor * logarithm(t) / t);
    const double deviate_x = x * factor;
    const double deviate_y = y * factor;
    const double size_x = std::abs(deviate_x);
    const double size_y = std::abs(deviate_y);
    const double largest = size_x > size_y ? size_x : size_y;
    block.sum_x[n] += deviate_x;
    block.sum_y[n] += deviate_y;
    block.absolute_x[n] += size_x;
    block.absolute_y[n] += size_y;
    block.rejected[n] += rejects ? 1.0 : 0.0;
    block.at_least[0][n] += largest >= 1.0 ? 1.0 : 0.0;
    block.at_least[1][n] += largest >= 2.0 ? 1.0 : 0.0;
    block.at_least[2][n] += largest >= 3.0 ? 1.0 : 0.0;
    block.at_least[3][n] += largest >= 4.0 ? 1.0 : 0.0;
    block.largest[n] = largest;
    rare += largest >= static_cast<double>(common_bins) ? 1 : 0;
  }
  return rare;
}

void count_rare(const BlockState& block, Tally& tally) {
  for (const double largest : block.largest) {
    const auto bin = static_cast<std::size_t>(largest);
    if (bin >= common_bins) {
      ++tally.counts[bin];
    }
  }
}

double total(const PerLane<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

std::int64_t count(const PerLane<double>& values) {
  return static_cast<std::int64_t>(total(values));
}

/// Adds what the lanes hold to `tally`, which has the rare bins already.
void gather_lanes(const BlockState& block, Tally& tally) {
  tally.sums = {total(block.sum_x), total(block.sum_y)};
  tally.absolute_sums = {total(block.absolute_x), total(block.absolute_y)};
  std::int64_t at_least = block_pairs - count(block.rejected);
  for (std::size_t l = 0; l < common_bins; ++l) {
    const std::int64_t above = count(block.at_least[l]);
    tally.counts[l] = at_least - above;
    at_least = above;
  }
}

Tally tally_block(std::int64_t block_number, double log_factor) {
  constexpr std::int64_t numbers_per_pair = 2;
  const std::uint64_t lane_jump =
      generator_jump(static_cast<std::uint64_t>(numbers_per_pair * lane_pairs));
  BlockState block;
  std::uint64_t state =
      Generator(seed, static_cast<std::uint64_t>(numbers_per_pair * block_pairs * block_number))
          .state();
  for (std::uint64_t& lane : block.state) {
    lane = state;
    state = multiply_modulo(state, lane_jump);
  }
  Tally tally;
  for (std::int64_t pair = 0; pair < lane_pairs; ++pair) {
    if (next_pairs(block, log_factor) > 0) {
      count_rare(block, tally);
    }
  }
  gather_lanes(block, tally);
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
