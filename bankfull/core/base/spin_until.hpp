#pragma once

#include <thread>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace bankfull {

/// Waits until `is_done()` for another thread, as briefly as possible where that thread has a core
/// of its own; else the core is yielded, or a team with more threads than cores would wait for
/// threads that cannot run.
template <class IsDone>
void spin_until(const IsDone& is_done) {
  constexpr int looks_before_yielding = 100;
  int looks = 0;
  while (!is_done()) {
    if (looks == looks_before_yielding) {
      std::this_thread::yield();
      continue;
    }
    ++looks;
#if defined(__SSE2__)
    _mm_pause();
#endif
  }
}

}  // namespace bankfull
