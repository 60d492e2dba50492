#pragma once

#include "bankfull/core/exec/launch.cuh"
#include "bankfull/core/field/box.hpp"

#include <algorithm>
#include <cstdint>

namespace bankfull {

namespace detail {

template <class Body>
__global__ void for_each_kernel(Box box, Body body) {
  const std::int64_t k = box.k0 + std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (k >= box.k1) {
    return;
  }
  // The grid's y and z are limited to 65535, so blocks stride over rows and planes.
  for (std::int64_t i = box.i0 + blockIdx.z; i < box.i1; i += gridDim.z) {
    for (std::int64_t j = box.j0 + blockIdx.y; j < box.j1; j += gridDim.y) {
      body(i, j, k);
    }
  }
}

}  // namespace detail

/// Queues body(i, j, k) for every cell of the box, one thread per cell.
template <class Body>
void for_each(const LaunchSite& site, const Box& box, Body body) {
  if (box.empty()) {
    return;
  }
  constexpr unsigned block = 128;
  constexpr std::int64_t most = 65535;
  const Extents n = box.extents();
  const dim3 grid(static_cast<unsigned>((n.nk + block - 1) / block),
                  static_cast<unsigned>(std::min(n.nj, most)),
                  static_cast<unsigned>(std::min(n.ni, most)));
  launch(site, {grid, dim3(block)}, detail::for_each_kernel<Body>, box, body);
}

}  // namespace bankfull
