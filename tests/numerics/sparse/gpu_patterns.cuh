#pragma once

#include "bankfull/core/exec/cuda_executor.cuh"
#include "tests/numerics/sparse/patterns.hpp"

#include <cstdint>
#include <vector>

namespace bankfull {

template <class T>
Buffer<T> copy_of(const CudaExecutor& executor, const Buffer<T>& host) {
  auto copy = executor.make<T>(static_cast<std::int64_t>(host.size()));
  executor.from_host(std::vector<T>(host.data(), host.data() + host.size()), copy.data());
  return copy;
}

inline Csr on_gpu(const CudaExecutor& executor, const Pattern& pattern) {
  Csr matrix = csr_of(pattern);
  matrix.start = copy_of(executor, matrix.start);
  matrix.column = copy_of(executor, matrix.column);
  matrix.value = copy_of(executor, matrix.value);
  return matrix;
}

}  // namespace bankfull
