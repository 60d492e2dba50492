#include "bankfull/core/base/error.hpp"
#include "bankfull/core/exec/launch.cuh"
#include "bankfull/core/memory/buffer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <source_location>
#include <string>

namespace bankfull {
namespace {

using testing::AllOf;
using testing::HasSubstr;

template <class Number>
__global__ void __launch_bounds__(1024) store_kernel(Number* target, Number value) {
  if (threadIdx.x == 0 && blockIdx.x == 0) {
    *target = value;
  }
}

/// The message of a launch that is refused; empty if it is not.
template <class Launch>
std::string refusal_of(const Launch& launch_it) {
  try {
    launch_it();
  } catch (const RuntimeFailure& failure) {
    return failure.what();
  }
  return {};
}

class RefusedLaunch : public testing::Test {
 protected:
  /// Launches a kernel, and returns the line that did so.
  unsigned store(const LaunchShape& shape, int value) {
    launch(stream_, shape, store_kernel<int>, target_.data(), value);
    return std::source_location::current().line() - 1;
  }

  /// The line of the launch that `store` queues.
  unsigned line_of_store() { return store({dim3(1), dim3(32)}, 0); }

  int stored() {
    int value = 0;
    copy_bytes(&value, target_.data(), sizeof(value), stream_);
    stream_.synchronize();
    return value;
  }

  Stream stream_{Device::cuda(0)};
  Buffer<int> target_{MemorySpace::device, 1};
};

TEST_F(RefusedLaunch, NamesKernelShapeAndLine) {
  const std::string line = "launch_cuda_test.cu:" + std::to_string(line_of_store()) + ":";
  const std::string refusal = refusal_of([&] { store({dim3(3, 2), dim3(64, 32), 128}, 1); });
  EXPECT_THAT(refusal,
              AllOf(HasSubstr("store_kernel<int>"), HasSubstr("a grid of 3 x 2 x 1 blocks"),
                    HasSubstr("64 x 32 x 1 threads per block"),
                    HasSubstr("128 bytes of dynamic shared memory"), HasSubstr(line)));
}

TEST_F(RefusedLaunch, ForTooMuchSharedMemory) {
  const std::string refusal = refusal_of([&] { store({dim3(1), dim3(32), 1 << 20}, 1); });
  EXPECT_THAT(refusal, AllOf(HasSubstr("store_kernel<int>"), HasSubstr("32 x 1 x 1 threads"),
                             HasSubstr("1048576 bytes of dynamic shared memory")));
}

TEST_F(RefusedLaunch, ForMoreBlocksThanRunAtOnce) {
  const std::string refusal = refusal_of([&] {
    launch_together(stream_, {dim3(1 << 20), dim3(1024)}, store_kernel<int>, target_.data(), 1);
  });
  EXPECT_THAT(refusal, AllOf(HasSubstr("store_kernel<int>"), HasSubstr("1048576 x 1 x 1 blocks"),
                             HasSubstr("cudaErrorCooperativeLaunchTooLarge")));
}

TEST_F(RefusedLaunch, LeavesTheStreamAndTheNextLaunchAlone) {
  EXPECT_NE(refusal_of([&] { store({dim3(1), dim3(4096)}, 1); }), "");
  store({dim3(1), dim3(32)}, 7);
  EXPECT_EQ(stored(), 7);
  launch_together(stream_, {dim3(1), dim3(32)}, store_kernel<int>, target_.data(), 8);
  EXPECT_EQ(stored(), 8);
}

}  // namespace
}  // namespace bankfull
