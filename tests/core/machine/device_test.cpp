#include "bankfull/core/machine/device.hpp"

#include "bankfull/core/base/error.hpp"
#include "bankfull/core/machine/cpu.hpp"
#include "bankfull/core/machine/gpu.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace bankfull {
namespace {

TEST(ResolveDevice, CpuIsAlwaysThere) { EXPECT_EQ(resolve_device("cpu"), Device::cpu()); }

TEST(ResolveDevice, NonsenseIsNamed) {
  for (const char* request : {"gpu", "cuda:", "cuda:x", "cuda:-1", "", "cuda:0x"}) {
    EXPECT_THROW(resolve_device(request), UsageError) << request;
  }
}

TEST(ResolveDevice, NeverFallsBackSilently) {
  if (!survey_gpus().gpus.empty()) {
    EXPECT_EQ(resolve_device("cuda"), Device::cuda(0));
    return;
  }
  EXPECT_EQ(resolve_device("auto"), Device::cpu());
  try {
    resolve_device("cuda");
    FAIL() << "cuda was accepted without a GPU";
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("--device cpu"));
  }
}

TEST(ResolveDevice, IndexOutOfRangeIsAnError) {
  EXPECT_THROW(resolve_device("cuda:99"), UsageError);
}

TEST(SurveyCpu, DescribesThisMachine) {
  const CpuInfo& cpu = survey_cpu();
  EXPECT_GE(cpu.cores, 1);
  EXPECT_GE(cpu.hardware_threads, 1);
  EXPECT_GT(cpu.memory_bytes, 0);
  EXPECT_FALSE(cpu.architecture.empty());
}

}  // namespace
}  // namespace bankfull
