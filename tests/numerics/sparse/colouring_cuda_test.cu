#include "bankfull/core/exec/cpu_executor.hpp"
#include "bankfull/core/exec/cuda_executor.cuh"
#include "bankfull/core/machine/gpu.hpp"
#include "bankfull/numerics/sparse/colouring.hpp"
#include "tests/numerics/sparse/patterns.hpp"

#include <gtest/gtest.h>
#include <vector>

namespace bankfull {
namespace {

class GpuColouring : public ::testing::Test {
 protected:
  void SetUp() override {
    if (survey_gpus().gpus.empty()) {
      GTEST_SKIP() << survey_gpus().none_because;
    }
  }
};

template <class T>
Buffer<T> copy_of(const CudaExecutor& executor, const Buffer<T>& host) {
  auto copy = executor.make<T>(static_cast<std::int64_t>(host.size()));
  executor.from_host(std::vector<T>(host.data(), host.data() + host.size()), copy.data());
  return copy;
}

/// A matrix on the GPU and on the host.
struct Twins {
  Csr host;
  Csr gpu;
};

Twins twins_of(const CudaExecutor& executor, const Pattern& pattern) {
  Twins twins{csr_of(pattern), {}};
  twins.gpu.rows = twins.host.rows;
  twins.gpu.columns = twins.host.columns;
  twins.gpu.entries = twins.host.entries;
  twins.gpu.start = copy_of(executor, twins.host.start);
  twins.gpu.column = copy_of(executor, twins.host.column);
  twins.gpu.value = copy_of(executor, twins.host.value);
  return twins;
}

std::vector<Pattern> patterns() {
  std::vector<Pattern> all{grid_pattern(7, 6, 5), grid_pattern(40, 33, 21), grid_pattern(9, 1, 4),
                           complete_pattern(70)};
  for (unsigned seed = 0; seed < 6; ++seed) {
    all.push_back(random_pattern({.seed = seed,
                                  .count = 300 + 100 * static_cast<std::int32_t>(seed),
                                  .connected = 0.03,
                                  .empty = seed % 2 == 0 ? 0.2 : 0.0,
                                  .outside = 0.3,
                                  .outer = static_cast<std::int32_t>(seed)}));
  }
  return all;
}

TEST_F(GpuColouring, GreedyColoursAreThoseOfTheCpu) {
  const Stream stream(Device::cuda(0));
  const CudaExecutor executor(stream);
  for (const Pattern& pattern : patterns()) {
    const Twins twins = twins_of(executor, pattern);
    const std::int64_t rows = twins.host.rows;
    std::vector<Colour> expected(pattern.rows.size());
    const int count = colour_greedily(CpuExecutor(1), twins.host.view(), expected.data());
    const auto colours = executor.make<Colour>(rows);
    EXPECT_EQ(colour_greedily(executor, twins.gpu.view(), colours.data()), count);
    EXPECT_EQ(executor.to_host(colours.data(), rows), expected);
  }
}

TEST_F(GpuColouring, HashedColoursAreProper) {
  const Stream stream(Device::cuda(0));
  const CudaExecutor executor(stream);
  for (const Pattern& pattern : patterns()) {
    const Twins twins = twins_of(executor, pattern);
    const std::int64_t rows = twins.host.rows;
    const auto colours = executor.make<Colour>(rows);
    const int count = colour_by_hash(executor, twins.gpu.view(), 8, colours.data());
    const std::vector<Colour> got = executor.to_host(colours.data(), rows);
    for (std::size_t row = 0; row < pattern.rows.size(); ++row) {
      EXPECT_LT(int{got[row]}, count);
      for (const std::int32_t column : pattern.rows[row]) {
        const auto other = static_cast<std::size_t>(column);
        if (other < pattern.rows.size() && other != row) {
          EXPECT_NE(got[other], got[row]);
        }
      }
    }
  }
}

}  // namespace
}  // namespace bankfull
