#pragma once

#include "bankfull/workloads/npb/is/cuda/partition.cuh"
#include "bankfull/workloads/npb/is/cuda/partition_by_warps.cuh"
#include "bankfull/workloads/npb/is/cuda/ranking.cuh"

namespace bankfull::npb::is::cuda {

// Rings are large enough to be rarely full: the buckets in the middle receive nearly three times
// the average number of keys, and up to a unit remains in them.

/// Buckets of at most 2^14 values, of which several fit a multiprocessor.
using Narrow = PartitionShape<1024, 512, 16, 160, 16, 1, Asks::late>;

/// The same with units of a whole cache line, the best size for links between GPUs.
using NarrowOnRanks = PartitionShape<1024, 512, 64, 128, 8, 1>;

/// Buckets of 2^16 values, for many values.
using Wide = WarpPartitionShape<1024, 2048, 32, 64, 16>;

/// With smaller batches, because message addresses need registers, and no shared memory is left
/// for queues.
using WideOnRanks = PartitionShape<1024, 2048, 16, 48, 8, 1>;

/// How the buckets of these are ranked.
using RankNarrow = RankShape<512, 2>;
using RankWide = RankShape<1024, 1>;

/// A rank has few buckets, so each block has a multiprocessor to itself.
using RankOnRanks = RankShape<1024, 1>;

}  // namespace bankfull::npb::is::cuda
