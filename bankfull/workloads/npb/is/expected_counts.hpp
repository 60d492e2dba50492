#pragma once

#include "bankfull/workloads/npb/is/bucket_partition.hpp"

#include <cstddef>
#include <cstdint>

namespace bankfull::npb::is {

/// How many of `keys` keys, drawn as NPB draws them, are expected in each of `buckets` equal ranges
/// of values; no key is looked at. The sum is `keys`. Sums of four uniform numbers have the
/// distribution of Irwin and Hall.
Counts expected_counts(std::int64_t keys, std::size_t buckets);

/// For how many keys a bucket is to have room where `expected` are expected, with all keys that the
/// rankings of a run change: eight standard deviations more and a few, so that NPB's keys have room
/// in the classes S to D. Other keys may not; who ranks has to notice.
std::int64_t room_for(std::int64_t expected);

}  // namespace bankfull::npb::is
