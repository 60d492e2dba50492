#pragma once

#include "bankfull/core/exec/stream.hpp"
#include "bankfull/core/memory/buffer.hpp"

#include <vector>

namespace bankfull {

/// A copy of the values in memory of the selected GPU; waits for the copy to complete.
template <class T>
Buffer<T> device_copy(const std::vector<T>& values, const Stream& stream) {
  Buffer<T> copy(MemorySpace::device, values.size());
  if (!values.empty()) {
    copy_bytes(copy.data(), values.data(), copy.bytes(), stream);
    stream.synchronize();
  }
  return copy;
}

}  // namespace bankfull
