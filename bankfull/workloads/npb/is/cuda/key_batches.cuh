#pragma once

#include "bankfull/workloads/npb/is/is.hpp"

#include <cstddef>
#include <cstdint>

namespace bankfull::npb::is::cuda {

/// How a block of a partition reads keys: every `gridDim.x`-th batch, which it requests before it
/// needs them. A thread has `Shape::keys_per_thread` keys of a batch, in vectors of four.
template <class Shape, class Arguments>
class KeyBatches {
 public:
  __device__ __forceinline__ explicit KeyBatches(const Arguments& arguments) : f_(arguments) {}

  /// put(batch, keys), which calls `ask_behind(batch)` once.
  template <class Put>
  __device__ __forceinline__ void for_each(const Put& put) {
    std::int64_t batch = blockIdx.x;
    ask(batch);
    while (batch < f_.batches) {
      Key keys[static_cast<std::size_t>(Shape::keys_per_thread)];
      take(batch, keys);
      put(batch, keys);
      batch += gridDim.x;
    }
  }

  /// Requests the keys of the block's batch behind this one.
  __device__ __forceinline__ void ask_behind(std::int64_t batch) { ask(batch + gridDim.x); }

  /// The thread's first key of a bit mask that is not 0. It is read again, because registers that
  /// hold keys would be missing elsewhere.
  [[nodiscard]] __device__ __forceinline__ Key first_key(std::int64_t batch,
                                                         std::uint32_t mask) const {
    const int n = __ffs(static_cast<int>(mask)) - 1;
    return reinterpret_cast<const Key*>(vector_at(batch, n / 4))[n % 4];
  }

 private:
  static constexpr int vectors = Shape::keys_per_thread / 4;
  static_assert(Shape::keys_per_thread % 4 == 0 && Shape::keys_per_thread < 32);

  __device__ __forceinline__ uint4* vector_at(std::int64_t batch, int n) const {
    return reinterpret_cast<uint4*>(f_.keys) + (batch * vectors + n) * Shape::threads + threadIdx.x;
  }

  __device__ __forceinline__ void ask(std::int64_t batch) {
    if (batch < f_.batches) {
#pragma unroll
      for (int n = 0; n < vectors; ++n) {
        asked_[n] = *vector_at(batch, n);
      }
    }
  }

  __device__ __forceinline__ void take(std::int64_t batch, Key* keys) {
#pragma unroll
    for (int n = 0; n < vectors; ++n) {
      keys[4 * n] = asked_[n].x;
      keys[4 * n + 1] = asked_[n].y;
      keys[4 * n + 2] = asked_[n].z;
      keys[4 * n + 3] = asked_[n].w;
    }
    if (batch == 0) {
      change_first(keys);
    }
  }

  /// Changes are within the first keys, those of each thread's first vector of the first batch.
  __device__ __forceinline__ void change_first(Key* keys) const {
#pragma unroll
    for (int n = 0; n < 4; ++n) {
      for (const Change& change : f_.changes) {
        if (change.position == 4 * static_cast<int>(threadIdx.x) + n) {
          keys[n] = change.key;
          f_.keys[change.position] = change.key;
        }
      }
    }
  }

  const Arguments& f_;
  uint4 asked_[static_cast<std::size_t>(vectors)];
};

}  // namespace bankfull::npb::is::cuda
