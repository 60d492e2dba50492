#pragma once

#include "bankfull/core/base/enum_names.hpp"
#include "bankfull/core/machine/device.hpp"

#include <cstdint>
#include <memory>

namespace bankfull::probe {

/// Memory inside a multiprocessor of a GPU.
enum class OnChip { shared, l1 };

inline constexpr auto on_chip_names =
    enum_names<OnChip>({{OnChip::shared, "shared memory"}, {OnChip::l1, "L1"}});

/// Reads of memory inside the chip by all multiprocessors at once.
struct ChipRead {
  double seconds = 0.0;          ///< by the device's clock
  double bytes = 0.0;            ///< of all multiprocessors
  double memory_bytes = 0.0;     ///< that are read again and again, of all multiprocessors
  double bytes_per_clock = 0.0;  ///< of one multiprocessor by its own clock: the median of all
  std::int64_t wrong_sums = 0;  ///< threads whose sum of what they read is not that of the contents
};

/// Where a chain of dependent loads lies: in the shared memory of the walking block, in the same
/// but addressed as memory of its cluster, or in that of the cluster's last block.
enum class ChainPlace { own, own_in_cluster, other_block };

/// Dependent loads of one thread.
struct ChipWalk {
  double seconds = 0.0;  ///< of one load
  double clocks = 0.0;   ///< likewise
  bool arrived = false;  ///< the walk ended where the chain leads
};

/// Kernels that read shared memory and L1 of one GPU, 16 bytes per thread and load.
class ChipMemory {
 public:
  virtual ~ChipMemory() = default;

  /// Two blocks of 1024 threads per multiprocessor read 32 KiB each, again and again.
  virtual ChipRead read(OnChip where) = 0;

  /// Clusters of so many blocks, one block per multiprocessor, that run at the same time; 0 where
  /// the GPU or the program's code for it has no such clusters.
  virtual int clusters_of(int blocks) = 0;

  /// In as many clusters as fit, each block reads 128 KiB of the next block of its cluster, the
  /// last one those of the first. A cluster of one block reads its own. Requires `clusters_of`
  /// above 0.
  virtual ChipRead read_next_block(int blocks) = 0;

  /// One thread of a cluster of so many blocks follows a chain of 4096 words.
  virtual ChipWalk walk(ChainPlace place, int blocks) = 0;
};

/// Defined in builds with CUDA only.
std::unique_ptr<ChipMemory> make_cuda_chip_memory(Device gpu);

}  // namespace bankfull::probe
