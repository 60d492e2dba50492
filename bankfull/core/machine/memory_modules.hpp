#pragma once

#include "bankfull/core/base/figure.hpp"
#include "bankfull/core/machine/system_files.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace bankfull {

/// A slot with a memory module.
struct MemoryModule {
  std::string slot = {};            ///< "P1-DIMMA1"
  std::string type = {};            ///< "DDR5"
  std::int64_t bytes = 0;           ///< its capacity
  std::int64_t mega_transfers = 0;  ///< per second, as configured; 0: unknown

  /// Slots too: see `describe_memory_modules` for modules of the same kind.
  friend bool operator==(const MemoryModule&, const MemoryModule&) = default;
};

/// The modules of `table`, the structures of the System Management BIOS (DSP0134, type 17); those
/// that are cut off are left out.
std::vector<MemoryModule> modules_in(const std::string& table);

/// The memory modules in groups of the same kind, "8 x 64 GiB DDR5 at 4800 MT/s", from the
/// firmware's table, which only root may read, or else by EDAC, Linux's watch of memory errors,
/// without their rates. Empty if neither can be read.
std::string describe_memory_modules(const SystemFiles& files);

/// Errors of the memory that EDAC has counted since boot: memory_errors_corrected and
/// memory_errors_uncorrected; empty where there is no EDAC.
std::vector<Figure> memory_errors(const SystemFiles& files);

}  // namespace bankfull
