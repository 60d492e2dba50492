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

TEST(ResolveDevice, RanksOfANodeTakeTheirGpus) {
  EXPECT_EQ(detail::gpu_of_rank(1, 0, 1), Device::cuda(0));
  EXPECT_EQ(detail::gpu_of_rank(4, 2, 3), Device::cuda(2));
  try {
    static_cast<void>(detail::gpu_of_rank(1, 3, 4));
    FAIL() << "four ranks got a GPU of which there is one";
  } catch (const UsageError& error) {
    EXPECT_STREQ(error.what(),
                 "4 ranks on this node, 1 GPU; start at most 1 rank a node, name one GPU for all "
                 "with --device cuda:0, or use --device cpu");
  }
}

TEST(ResolveDevice, RanksShareWhatIsNamedLiterally) {
  EXPECT_EQ(resolve_device("cpu", 3, 4), Device::cpu());
  const auto gpus = static_cast<int>(survey_gpus().gpus.size());
  if (gpus > 0) {
    EXPECT_EQ(resolve_device("cuda:0", gpus, gpus + 1), Device::cuda(0));
    EXPECT_THROW(resolve_device("auto", gpus, gpus + 1), UsageError);
  } else {
    EXPECT_EQ(resolve_device("auto", 3, 4), Device::cpu());
  }
}

TEST(SurveyCpu, DescribesThisMachine) {
  const CpuInfo& cpu = survey_cpu();
  EXPECT_GE(cpu.cores, 1);
  EXPECT_GE(cpu.hardware_threads, 1);
  EXPECT_GT(cpu.memory_bytes, 0);
  EXPECT_FALSE(cpu.architecture.empty());
}

TEST(SurveyCpu, CountsASocketsCacheOnceWhereItsTopologyIsHidden) {
  CpuInfo cpu{.sockets = 2,
              .cores = 8,
              .data_caches = {{.level = 2, .bytes = 1, .shared_by_cores = 1, .count = 8},
                              {.level = 3, .bytes = 64, .shared_by_cores = 1, .count = 8}}};
  detail::share_last_cache_within_sockets(cpu);
  EXPECT_EQ(cpu.data_caches[0].count, 8);
  EXPECT_EQ(cpu.data_caches[1].count, 2);
  EXPECT_EQ(cpu.data_caches[1].shared_by_cores, 4);
}

}  // namespace
}  // namespace bankfull
