#pragma once

#include "bankfull/core/base/enum_names.hpp"
#include "bankfull/core/machine/device.hpp"
#include "bankfull/core/memory/memory.hpp"

#include <cstdint>
#include <memory>

namespace bankfull::probe {

/// Ways to copy within a GPU's memory that the stream copy is compared with.
enum class DeviceCopy {
  plain,         ///< a plain kernel: one 16-byte access per thread, a grid as large as the data
  memcpy_async,  ///< the CUDA runtime's own
};

/// Direction of a copy between host and device.
enum class Direction { to_device, to_host, both };

inline constexpr auto direction_names =
    enum_names<Direction>({{Direction::to_device, "host to device"},
                           {Direction::to_host, "device to host"},
                           {Direction::both, "host to device and back at once"}});

/// Timed copies on one GPU.
class Transfers {
 public:
  virtual ~Transfers() = default;

  /// Seconds on the device for one copy of `bytes` bytes within its memory.
  virtual double device_copy_seconds(DeviceCopy way, std::int64_t bytes) = 0;

  /// Wall-clock seconds for `bytes` bytes in the direction, or in each at the same time on two
  /// streams, from host memory that is `pinned` or pageable (MemorySpace::host).
  virtual double host_copy_seconds(Direction direction, MemorySpace host, std::int64_t bytes) = 0;

  /// Sends `bytes` bytes of known contents to the device, through both device copies and back, and
  /// returns how many came back wrong.
  virtual std::int64_t wrong_bytes(MemorySpace host, std::int64_t bytes) = 0;
};

/// Two arrays of `device_bytes` on the GPU and two of `host_bytes` in each kind of host memory.
/// `host_bytes` must not exceed `device_bytes`. Defined in builds with CUDA only.
std::unique_ptr<Transfers> make_cuda_transfers(Device gpu, std::int64_t device_bytes,
                                               std::int64_t host_bytes);

}  // namespace bankfull::probe
