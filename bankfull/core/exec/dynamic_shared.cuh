#pragma once

namespace bankfull {

/// The dynamic shared memory of a kernel's launch (LaunchShape::shared_bytes), as a T.
template <class T>
__device__ __forceinline__ T& dynamic_shared() {
  extern __shared__ double2 dynamic_shared_memory[];
  return *reinterpret_cast<T*>(dynamic_shared_memory);
}

}  // namespace bankfull
