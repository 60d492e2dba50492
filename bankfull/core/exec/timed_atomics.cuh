#pragma once

namespace bankfull {

/// The word's value. A half of L2 may serve loads from a copy of a line that the other half owns;
/// atomic operations go to the owner.
__device__ __forceinline__ unsigned add_nothing(unsigned* word) {
  unsigned value;
  asm volatile("atom.global.add.u32 %0, [%1], 0;" : "=r"(value) : "l"(word) : "memory");
  return value;
}

/// The multiprocessor's clock, which wraps around.
__device__ __forceinline__ unsigned clock_now() {
  unsigned now;
  asm volatile("mov.u32 %0, %%clock;" : "=r"(now)::"memory");
  return now;
}

/// Clocks from the issue of an atomic operation until its value is there: whether to go on depends
/// on it, and only then is the clock read again. The word must not be 0xffffffff. Of loads the
/// assembler reads the clock earlier, whatever depends on them.
__device__ __forceinline__ unsigned clocks_of(unsigned* word) {
  const unsigned begin = clock_now();
  if (add_nothing(word) == 0xffffffffU) {
    __trap();
  }
  return clock_now() - begin;
}

/// The least of several tries.
__device__ __forceinline__ unsigned fewest_clocks(unsigned* word, int tries) {
  unsigned fewest = 0xffffffffU;
  for (int n = 0; n < tries; ++n) {
    fewest = min(fewest, clocks_of(word));
  }
  return fewest;
}

}  // namespace bankfull
