#pragma once

#include "bankfull/workloads/npb/is/buckets.hpp"
#include "bankfull/workloads/npb/problem.hpp"

#include <cstdint>

namespace bankfull::npb::is {

/// The caches that a team counts in.
struct TeamCaches {
  std::int64_t near = 0;  ///< bytes of a thread's share of the second level; 0: unknown
  std::int64_t far = 0;   ///< bytes of the last level, all of it; 0: unknown
};

/// Those of this machine.
TeamCaches team_caches();

/// How a team counts with fewer bytes. By value each thread counts in an array of all values, which
/// must stay in a cache, for a key in any order is a line of it; and these arrays are read and
/// cleared when they are added up, which may take no longer than another pass over the keys. In
/// buckets keys pass through memory once more, and all counts are near.
IsCounts better_counts(Class size, int threads, const TeamCaches& caches);

/// The one that was requested, or the better one.
IsCounts counts_of(const Problem& problem);

/// The buckets of a team: several for each thread, so that none waits long for another's largest.
Buckets team_buckets(Class size, int threads);

/// Bytes beside keys and ranks.
std::int64_t counting_bytes(Class size, IsCounts counts, int threads);

}  // namespace bankfull::npb::is
