#pragma once

#include "bankfull/core/exec/stream.hpp"
#include "bankfull/workloads/npb/is/is.hpp"

#include <array>
#include <cstdint>

namespace bankfull::npb::is::cuda {

// Steps of a ranking by value, beside counts of all values (keys.hpp) and their sums
// (prefix_sum.hpp). It is right for any keys but slower than one by buckets, and is there for keys
// that overflow these.

/// Queues what an iteration changes among keys in GPU memory; negative positions are elsewhere.
void queue_changes(Key* keys, const std::array<Change, 2>& changes, const Stream& stream);

/// Queues `perturbed_rank` of all ranks, in place.
void queue_perturbation(std::uint32_t* ranks, std::int64_t values, double epsilon,
                        const Stream& stream);

/// The partial verification of a ranking.
struct RankTests {
  const Key* keys;
  std::array<std::int64_t, is_tests> positions;  ///< of the keys to be tested
  std::array<std::int64_t, is_tests> expected;   ///< their ranks
};

/// Queues counting how many tests find the right ranks; `ranks` has those of `values` only, and so
/// only keys among these are tested.
void queue_tests(const RankTests& tests, const std::uint32_t* ranks, const Range& values,
                 std::uint32_t* right_ranks, const Stream& stream);

}  // namespace bankfull::npb::is::cuda
