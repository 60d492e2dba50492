#include "bankfull/core/exec/prefix_sum.hpp"

#include "bankfull/core/base/cuda_check.hpp"
#include "bankfull/core/memory/buffer.hpp"

#include <cub/device/device_scan.cuh>

namespace bankfull {

void exclusive_sums(std::uint32_t* values, std::int64_t count, std::uint32_t first,
                    const Stream& stream) {
  std::size_t bytes = 0;
  const auto scan = [&](void* scratch) {
    return cub::DeviceScan::ExclusiveScan(scratch, bytes, values, values,
                                          ::cuda::std::plus<std::uint32_t>{}, first, count,
                                          stream.handle());
  };
  cuda_check(scan(nullptr), "planning a prefix sum");
  const Buffer<std::byte> scratch(MemorySpace::device, bytes);
  cuda_check(scan(scratch.data()), "queueing a prefix sum");
  stream.synchronize();
}

}  // namespace bankfull
