#pragma once

#include "bankfull/core/base/bytes.hpp"
#include "bankfull/core/base/host_device.hpp"
#include "bankfull/core/measure/traffic.hpp"
#include "bankfull/numerics/poisson/poisson.hpp"

#include <cstddef>
#include <cstdint>

namespace bankfull::poisson {

struct LaneShape;
struct RootBlocks;
struct SlabSweeps;

/// Whether a CPU forms the divergence of a plane in memory of each thread's own, some rows at a
/// time, and writes the spectrum past the caches: its cores have 2 MiB of second-level cache,
/// transforms serve the axes of a plane, it has the rows of a transform and not more than 4 MiB,
/// and all spectra take 16 MiB, more than what is left of a few such caches for the elimination to
/// find. With 512 KiB the pass took 1.02 to 1.19 of the time.
bool goes_past_caches(const Domain& domain, std::size_t element_bytes,
                      std::int64_t second_level_bytes);

/// Reals that each thread of a CPU works in: sequences to transform and, between products or where
/// a divergence goes past the caches, a plane; or the lanes of the elimination.
std::int64_t work_reals(const Domain& domain, std::size_t element_bytes, const LaneShape& lanes,
                        bool past_caches);

/// Reals of the matrices that take axis j and axis k, where they are stretched, to modes and back.
std::int64_t matrix_reals_of_j(const Domain& domain);
std::int64_t matrix_reals_of_k(const Domain& domain, std::size_t element_bytes);

/// Whether transforms serve axes j and k: they are uniform. If not, a GPU takes both to modes by
/// products.
bool is_transformed(const Domain& domain);

/// Operations that eliminate one pair of columns of the spectrum; see LaneElimination.
double elimination_flops(const Domain& domain);

/// The same of a slab, swept up twice.
double slab_elimination_flops(const Domain& domain, const SlabSweeps& sweeps);

/// Operations of RootSystems for one pair of columns on so many ranks.
double root_system_flops(int ranks);

/// On a CPU the field crosses the memory interface three times to and fro: planes are transformed,
/// and columns eliminated, in the cache. Of Fourier transforms, which are a library's, the usual
/// count of operations; of products with matrices along stretched axes those of `multiply`, without
/// what fills up its cache lines.
Traffic cpu_direct_traffic(const Domain& domain, std::size_t element_bytes);

/// The same less one of the three times, for a solver that forms the divergence on the way; with
/// all operations but those of the divergence.
Traffic cpu_traffic_after_divergence(const Domain& domain, std::size_t element_bytes);

/// The same of one of so many ranks. The sweep for sides reads once more the cells of the
/// spectrum that matter to the roots. Beside it count the blocks of sides and solutions (see
/// RootBlocks) and the systems of the roots, which the rank solves for its share of the modes; what
/// travels between ranks is not memory traffic: see RootBlocks::sent_bytes.
Traffic cpu_slab_traffic(const Domain& domain, const SlabSweeps& sweeps, int ranks,
                         std::size_t element_bytes);

/// On a GPU columns do not stay in the cache, except in three passes (see three_pass/sizes.hpp):
/// the elimination's two sweeps cross too. What it forms again between checkpoints does not count,
/// nor do matrices.
Traffic gpu_direct_traffic(const Domain& domain, std::size_t element_bytes);

/// How the solver on a GPU divides its work.
struct GpuSizes {
  /// Bytes of planes that are transformed together, for cuFFT may need as much memory and more. Few
  /// planes that stay in L2 do not pay: on an H200 16 MiB at a time took a fifth longer.
  static constexpr std::int64_t chunk_bytes = 128 * mib;
  /// Threads of a block of the elimination.
  static constexpr int max_threads = 64;

  /// Cells between checkpoints of the elimination: as many as registers can hold.
  BANKFULL_HOST_DEVICE static constexpr int segment_of(int modes, bool cyclic) {
    return modes == 4 && cyclic ? 4 : 8;
  }

  std::int64_t planes_at_once = 0;
  std::int64_t max_transform_bytes = 0;  ///< that cuFFT may work in
  std::int64_t pairs = 0;                ///< of columns that are eliminated together
  std::int64_t checkpoint_reals = 0;
  std::int64_t table_reals = 0;

  GpuSizes(const Domain& domain, std::size_t element_bytes,
           std::int64_t bytes_at_once = chunk_bytes);
};

/// Bytes that messages and systems of the roots take on a GPU at most, whatever the transport.
std::int64_t gpu_root_bytes(const Domain& domain, const RootBlocks& blocks,
                            std::size_t element_bytes);

}  // namespace bankfull::poisson
