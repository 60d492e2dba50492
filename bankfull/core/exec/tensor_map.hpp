#pragma once

#include <array>
#include <cstdint>
#include <cuda.h>

namespace bankfull {

/// Four-dimensional array in GPU memory. The first dimension is contiguous.
struct TensorShape {
  std::array<std::int64_t, 4> extents;  ///< elements along each dimension
  std::array<std::int64_t, 3> pitches;  ///< elements from one to the next in dimensions 2 to 4
};

/// What a bulk copy needs to fetch boxes of `box` elements from a tensor at `data`. Rows of a box,
/// pitches and `data` are multiples of 16 bytes; a box has at most 256 elements each way.
/// T is float or double.
///
/// Throws RuntimeFailure where the driver refuses. The program does not link to the driver.
template <class T>
CUtensorMap make_tensor_map(T* data, const TensorShape& shape, const std::array<int, 4>& box);

/// Compiled in tensor_map.cpp.
extern template CUtensorMap make_tensor_map<float>(float*, const TensorShape&,
                                                   const std::array<int, 4>&);
/// Compiled in tensor_map.cpp.
extern template CUtensorMap make_tensor_map<double>(double*, const TensorShape&,
                                                    const std::array<int, 4>&);

}  // namespace bankfull
