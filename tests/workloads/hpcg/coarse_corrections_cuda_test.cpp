#include "tests/core/comm/gpu_transports.hpp"
#include "tests/workloads/hpcg/coarse_corrections.hpp"

#include <cstddef>
#include <gtest/gtest.h>

namespace bankfull::hpcg {
namespace {

class CoarseCorrectionsOnGpus : public OnOwnGpu<::testing::TestWithParam<std::size_t>> {};

/// Levels of different sizes are the first of a fused cycle, down to the coarsest by itself.
TEST_P(CoarseCorrectionsOnGpus, HaveTheSameBitsInOneKernel) {
  for (const Grid3& local : {Grid3{80, 72, 64}, Grid3{24, 40, 16}}) {
    Problem problem;
    problem.local = local;
    problem.device = own_gpu();
    const CoarseCorrections corrections = coarse_corrections(problem, GetParam());
    if (corrections.by_one.empty()) {
      GTEST_SKIP() << "this GPU, or the code for it, has no fused cycle";
    }
    for (const auto& x : corrections.by_one) {
      EXPECT_EQ(x, corrections.by_kernels);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(FirstLevels, CoarseCorrectionsOnGpus, ::testing::Values(1, 2, 3));

}  // namespace
}  // namespace bankfull::hpcg
