#pragma once

#include "bankfull/core/exec/stream.hpp"
#include "bankfull/workloads/npb/is/is.hpp"

#include <array>
#include <cstdint>

namespace bankfull::npb::is::cuda {

/// Queues the generation of the keys [range.begin, range.end) of a class in GPU memory; 4096 or a
/// multiple of that.
void queue_keys(Class size, const Range& range, Key* keys, const Stream& stream);

/// Queues counts[value] = how many of `count` keys in GPU memory have each of `values` values.
void queue_value_counts(const Key* keys, std::int64_t count, std::int64_t values,
                        std::uint32_t* counts, const Stream& stream);

/// Whether keys with so many of each of `values` values ascend when each is placed by its rank:
/// where `ranks` has the number of smaller keys for every value, the places of a value's keys begin
/// where those of the value before end, the first of them is places.begin and none is left. Waits
/// for it.
bool ascend_by_rank(const std::uint32_t* ranks, const std::uint32_t* counts, std::int64_t values,
                    const Range& places, const Stream& stream);

// Steps of a ranking by value, beside counts of all values and their sums (prefix_sum.hpp). It is
// correct for any keys but slower than ranking by buckets, and used for keys that overflow these.

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
