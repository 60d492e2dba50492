#pragma once

#include "bankfull/workloads/npb/is/cuda/partition.cuh"
#include "bankfull/workloads/npb/is/cuda/ranking.cuh"

namespace bankfull::npb::is::cuda {

// Rings are so large that a batch hardly ever finds one full: nearly three times as many keys as on
// average go to the buckets in the middle, and nearly a unit waits there.

/// Buckets of at most 2^14 values, of which several fit a multiprocessor.
using Narrow = PartitionShape<1024, 512, 32, 128, 8, 1>;

/// The same with units of a whole line, which links between GPUs carry best.
using NarrowOnRanks = PartitionShape<1024, 512, 64, 128, 8, 1>;

/// Buckets of 2^16 values, for many values.
using Wide = PartitionShape<1024, 2048, 16, 48, 16, 1>;

/// With batches that leave registers for what tells where messages go.
using WideOnRanks = PartitionShape<1024, 2048, 16, 48, 8, 1>;

/// How the buckets of these are ranked.
using RankNarrow = RankShape<512, 2>;
using RankWide = RankShape<1024, 1>;

/// A rank's buckets are so few that a block has a multiprocessor.
using RankOnRanks = RankShape<1024, 1>;

}  // namespace bankfull::npb::is::cuda
