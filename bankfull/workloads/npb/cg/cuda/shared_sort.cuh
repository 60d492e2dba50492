#pragma once

namespace bankfull::npb::cg::cuda {

/// Sorts keys in shared memory, ascending, by `threads` threads of which the caller is number
/// `thread`; `synchronise()` is their barrier, which they must have passed since the keys were
/// written. `size` is a power of two. The sort is not stable.
template <class Key, class Synchronise>
__device__ void sort_shared(Key* keys, int size, int thread, int threads,
                            const Synchronise& synchronise) {
  for (int run = 2; run <= size; run *= 2) {
    for (int distance = run / 2; distance > 0; distance /= 2) {
      for (int n = thread; n < size / 2; n += threads) {
        const int a = 2 * n - (n & (distance - 1));
        const int b = a + distance;
        const bool ascending = (a & run) == 0;
        const Key first = keys[a];
        const Key second = keys[b];
        if ((second < first) == ascending) {
          keys[a] = second;
          keys[b] = first;
        }
      }
      synchronise();
    }
  }
}

}  // namespace bankfull::npb::cg::cuda
