#pragma once

#include "bankfull/workloads/npb/is/cuda/count.cuh"
#include "bankfull/workloads/npb/is/cuda/partition.cuh"
#include "bankfull/workloads/npb/is/cuda/partition_by_warps.cuh"
#include "bankfull/workloads/npb/is/cuda/ranking.cuh"
#include "bankfull/workloads/npb/is/cuda/sum.cuh"

namespace bankfull::npb::is::cuda {

// Rings are large enough to be rarely full: the buckets in the middle receive nearly three times
// the average number of keys, and up to a unit remains in them.

/// Buckets of at most 2^14 values, of which several fit a multiprocessor.
using Narrow = PartitionShape<1024, 512, 16, 160, 16, 1>;

/// Buckets of 2^16 values, for many values.
using Wide = WarpPartitionShape<1024, 2048, 32, 64, 16>;

/// How the buckets of these are ranked.
using RankNarrow = RankShape<512, 2>;
using RankWide = RankShape<1024, 1>;

/// How they are counted on several ranks.
using CountOnRanks = CountShape<512, 2>;

/// How a rank adds up what all ranks have counted.
using SumNarrow = SumShape<4>;
using SumWide = SumShape<16>;

}  // namespace bankfull::npb::is::cuda
