#pragma once

#include "bankfull/core/exec/stream.hpp"
#include "bankfull/workloads/npb/is/is.hpp"

#include <cstdint>
#include <vector>

namespace bankfull::npb::is::cuda {

/// Queues the generation of all keys of a class in GPU memory.
void queue_keys(Class size, Key* keys, const Stream& stream);

/// How many of `count` keys in GPU memory have each value of their bits from `low_bits` on, of
/// which there are `buckets`. Waits for it.
std::vector<std::uint32_t> count_high_bits(const Key* keys, std::int64_t count, int low_bits,
                                           int buckets, const Stream& stream);

/// Whether keys ascend when each is placed by its rank, by an independent count of all values:
/// where `ranks` has the number of smaller keys for every value, the places of a value's keys begin
/// where those of the value before end, and none is left. `counts` is room for a number a value.
bool ascend_by_rank(const Key* keys, std::int64_t count, const std::uint32_t* ranks,
                    std::int64_t values, std::uint32_t* counts, const Stream& stream);

}  // namespace bankfull::npb::is::cuda
