#include "bankfull/core/exec/cuda_executor.cuh"
#include "bankfull/numerics/sparse/colouring.hpp"
#include "tests/numerics/sparse/gpu_patterns.cuh"

#include <algorithm>
#include <gtest/gtest.h>
#include <vector>

namespace bankfull {
namespace {

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

TEST(GpuColouring, GreedyColoursAreThoseOfTheCpu) {
  const Stream stream(Device::cuda(0));
  const CudaExecutor executor(stream);
  for (const Pattern& pattern : patterns()) {
    const Csr matrix = on_gpu(executor, pattern);
    const auto colours = executor.make<Colour>(matrix.rows);
    const int count = colour_greedily(executor, matrix.view(), colours.data());
    const std::vector<Colour> got = executor.to_host(colours.data(), matrix.rows);
    const std::vector<int> expected = greedy_colours_of(pattern);
    EXPECT_EQ(std::vector<int>(got.begin(), got.end()), expected);
    EXPECT_EQ(count, 1 + *std::max_element(expected.begin(), expected.end()));
  }
}

TEST(GpuColouring, HashedColoursAreProper) {
  const Stream stream(Device::cuda(0));
  const CudaExecutor executor(stream);
  for (const Pattern& pattern : patterns()) {
    const Csr matrix = on_gpu(executor, pattern);
    const auto colours = executor.make<Colour>(matrix.rows);
    const int count = colour_by_hash(executor, matrix.view(), 8, colours.data());
    const std::vector<Colour> got = executor.to_host(colours.data(), matrix.rows);
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
