#pragma once

#include "bankfull/workloads/himeno/point.hpp"

#include <cstdint>

namespace bankfull::himeno {

/// A point's coefficients in registers: asked for early, used late.
template <class T>
struct CoefficientsInHand {
  T value[coefficient_count];

  __device__ __forceinline__ T operator()(Coefficient n) const { return value[n]; }

  __device__ __forceinline__ void load(const T* first, std::int64_t stride) {
#pragma unroll
    for (int n = 0; n < coefficient_count; ++n) {
      value[n] = first[n * stride];
    }
  }
};

}  // namespace bankfull::himeno
