#pragma once

#include "bankfull/core/exec/gpu_clock.cuh"

namespace bankfull::hpcg::cuda {

/// Times of parts of conjugate gradients that follow each other, in GPU memory: kernels of one
/// stream note when they begin. It replaces events, of which each takes the GPU a microsecond or
/// more, and the host another one to read, and can be recorded in a graph. The GPU's clock may
/// advance by a microsecond at a time: sums of many iterations do not show it.
struct PartClock {
  /// The part that ends when a kernel begins.
  enum Part { mg, waxpby, spmv };

  unsigned long long last;  ///< when the current part began, in nanoseconds; 0: it does not run
  unsigned long long nanoseconds[3];

  /// One thread of a kernel calls it. Does nothing while the clock does not run.
  __device__ void end(Part part) {
    if (last != 0) {
      restart(part);
    }
  }

  /// The same, but it runs from then on in any case.
  __device__ void end_or_start(Part part) {
    if (last != 0) {
      restart(part);
    } else {
      last = nanoseconds_now();
    }
  }

  /// The same, but it does not run any more.
  __device__ void end_and_stop(Part part) {
    end(part);
    last = 0;
  }

 private:
  __device__ void restart(Part part) {
    const unsigned long long time = nanoseconds_now();
    nanoseconds[part] += time - last;
    last = time;
  }
};

}  // namespace bankfull::hpcg::cuda
