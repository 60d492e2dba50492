#pragma once

#include "bankfull/core/exec/multiprocessor.cuh"

#include <cstdint>

namespace bankfull {

/// Items of work for each half of L2 (halved_memory.hpp), which blocks claim one after the other.
struct HalfQueues {
  unsigned* claimed;         ///< of each half, 0 when the kernel starts
  unsigned counts[2];        ///< items of each half
  const std::uint8_t* half;  ///< of each multiprocessor, by its number
};

/// An item that a block has claimed.
struct Claim {
  unsigned half;  ///< whose item it is
  unsigned item;  ///< in [0, counts[half])
  bool any;       ///< false: none is left, and the others are meaningless
};

/// Claims the next item of the half that the multiprocessor is attached to or, when these are all
/// claimed, of the other one. By one thread.
__device__ __forceinline__ Claim claim_item(const HalfQueues& queues) {
  const unsigned own = queues.half[multiprocessor_number()];
#pragma unroll 1
  for (unsigned n = 0; n < 2; ++n) {
    const unsigned half = own ^ n;
    // Most claims beyond the last are not made, so that the counters cannot overflow.
    if (*static_cast<volatile unsigned*>(queues.claimed + half) < queues.counts[half]) {
      const unsigned item = atomicAdd(queues.claimed + half, 1U);
      if (item < queues.counts[half]) {
        return {half, item, true};
      }
    }
  }
  return {own, 0, false};
}

}  // namespace bankfull
