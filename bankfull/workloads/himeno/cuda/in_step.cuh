#pragma once

namespace bankfull::himeno {

/// Keeps neighbouring blocks within a few steps of each other, so that the cache lines which their
/// regions share are still in L2 when the second one reads them (docs/adr/0034). Only a hint: a
/// block that has waited long proceeds, so it cannot hang where blocks are not resident together.
/// Counters keep counting from launch to launch, so they never need to be reset.
///
/// One warp calls `advance`; each of its lanes 0 to 3 polls one neighbour, the others poll the
/// block itself.
class InStep {
 public:
  static constexpr int pitch = 32;  ///< counters are a cache line apart

  /// `progress` holds `pitch` counters per block, those used all equal. Neighbours are the blocks
  /// before and after in the numbering, along k and along j. Where blocks have parts of two kinds
  /// some of these are no neighbours in the grid.
  __device__ __forceinline__ void start(unsigned* progress, int next_j, int lane) {
    const int block = static_cast<int>(blockIdx.x);
    const int distance = lane == 0 ? -1 : lane == 1 ? 1 : lane == 2 ? -next_j : next_j;
    const int beside = block + distance;
    const bool watches = lane < 4 && beside >= 0 && beside < static_cast<int>(gridDim.x);
    own_ = progress + pitch * block;
    neighbour_ = progress + pitch * (watches ? beside : block);
    first_ = steps_ = seen_ = read(own_);
  }

  /// One step done. Waits while a neighbour is more than `window` steps behind. The count compared
  /// was loaded one step earlier, which hides its latency.
  __device__ __forceinline__ void advance(int lane, int window) {
    ++steps_;
    for (int poll = 0; poll < patience && __any_sync(~0U, behind() > window); ++poll) {
      seen_ = read(neighbour_);
    }
    if (lane == 0) {
      write(own_, steps_);
    }
    seen_ = read(neighbour_);
  }

  /// To be called by one thread of the block at its end: no block waits for it any more.
  __device__ __forceinline__ void finish() const { write(own_, first_ + finished); }

 private:
  static constexpr unsigned finished = 1U << 24;  // more steps than any launch has
  static constexpr int patience = 200;            // polls

  // Counters wrap around.
  __device__ __forceinline__ int behind() const { return static_cast<int>(steps_ - seen_); }

  static __device__ __forceinline__ unsigned read(const unsigned* at) {
    unsigned value;
    asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(at));
    return value;
  }
  static __device__ __forceinline__ void write(unsigned* at, unsigned value) {
    asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(at), "r"(value));
  }

  unsigned* own_;
  const unsigned* neighbour_;
  unsigned first_;
  unsigned steps_;
  unsigned seen_;
};

}  // namespace bankfull::himeno
