#pragma once

namespace bankfull {

/// Where all blocks of a kernel meet that `launch_together` started. What one block has written
/// before, all blocks see behind it, except through the read-only path (`__ldg`).
class GridBarrier {
 public:
  /// `arrivals` is GPU memory that is 0 when the kernel starts.
  __device__ __forceinline__ explicit GridBarrier(unsigned* arrivals) : arrivals_(arrivals) {}

  /// By all threads of all blocks.
  __device__ __forceinline__ void wait() {
    __syncthreads();
    awaited_ += gridDim.x;
    if (threadIdx.x == 0) {
      asm volatile("red.release.gpu.global.add.u32 [%0], 1;" ::"l"(arrivals_) : "memory");
      unsigned arrived;
      do {
        asm volatile("ld.acquire.gpu.global.u32 %0, [%1];"
                     : "=r"(arrived)
                     : "l"(arrivals_)
                     : "memory");
      } while (arrived < awaited_);
    }
    __syncthreads();
  }

 private:
  unsigned* arrivals_;
  unsigned awaited_ = 0;
};

}  // namespace bankfull
