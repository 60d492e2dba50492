#include "bankfull/build_config.hpp"
#include "bankfull/core/exec/for_each.cuh"
#include "bankfull/core/field/field_set.hpp"

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <gtest/gtest.h>

namespace bankfull {
namespace {

struct SetCell {
  FieldView<double> field;

  __device__ void operator()(std::int64_t i, std::int64_t j, std::int64_t k) const {
    field(i, j, k) = 1.0;
  }
};

/// Ends the process where a kernel that sets these cells of a field of 3 x 4 x 5 fails.
void set_cells(const Box& box) {
  const Stream stream(Device::cuda(0));
  FieldSet<double> fields(Layout({3, 4, 5}, 1, sizeof(double)), 1, Device::cuda(0));
  for_each(stream, box, SetCell{fields[0]});
  try {
    stream.synchronize();
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "%s\n", failure.what());
    std::abort();
  }
}

// In a separate process: after a violation a process can no longer use the GPU.
TEST(FieldViewCudaDeathTest, IndexBeyondTheGhostsIsCaughtInAKernel) {
  if (!build::assertions) {
    GTEST_SKIP() << "this build checks no bounds";
  }
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(set_cells({0, 5, 0, 1, 0, 1}), "i is within the field's reach");
  EXPECT_DEATH(set_cells({0, 1, 0, 6, 0, 1}), "j is within the field's reach");
  EXPECT_DEATH(set_cells({0, 1, 0, 1, -2, 1}), "k is within the field's reach");
}

TEST(FieldViewCuda, GhostsAreWithinReach) { set_cells(grown(box_of({3, 4, 5}), 1)); }

}  // namespace
}  // namespace bankfull
