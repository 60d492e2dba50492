#include "bankfull/core/exec/cpu_executor.hpp"
#include "bankfull/numerics/sparse/row_classes.hpp"
#include "tests/numerics/sparse/gpu_patterns.cuh"

#include <cstdint>
#include <gtest/gtest.h>
#include <numeric>
#include <vector>

namespace bankfull {
namespace {

/// What an order consists of, on the host.
struct HostClasses {
  std::vector<Range> interior;
  std::vector<Range> boundary;
  std::vector<std::int32_t> new_of;
  std::vector<std::int32_t> old_of;

  friend bool operator==(const HostClasses&, const HostClasses&) = default;
};

template <class Executor>
HostClasses ordered(const Executor& executor, const Csr& matrix, std::int64_t alignment) {
  const auto colours = executor.template make<Colour>(matrix.rows);
  std::vector<Colour> order(
      static_cast<std::size_t>(colour_greedily(executor, matrix.view(), colours.data())));
  std::iota(order.rbegin(), order.rend(), Colour{0});
  const RowClasses classes =
      order_by_colour(executor, matrix.view(), colours.data(), order, alignment, Boundary::apart);
  HostClasses result;
  for (const RowClass& rows : classes.classes) {
    result.interior.push_back(rows.interior);
    result.boundary.push_back(rows.boundary);
  }
  result.new_of = executor.to_host(classes.new_of.data(), matrix.rows);
  result.old_of = executor.to_host(classes.old_of.data(), classes.rows);
  return result;
}

std::vector<Pattern> patterns() {
  std::vector<Pattern> all{grid_pattern(7, 6, 5),
                           grid_pattern(40, 33, 21),
                           complete_pattern(40),
                           complete_pattern(140),
                           with_boundary(grid_pattern(16, 16, 3), 16 * 16 * 2, 16 * 16 * 3),
                           with_boundary(grid_pattern(7, 6, 5), 6, 7 * 6 * 5, 7)};
  for (unsigned seed = 0; seed < 4; ++seed) {
    all.push_back(random_pattern({.seed = seed,
                                  .count = 300,
                                  .connected = 0.03,
                                  .empty = 0.1,
                                  .outside = 0.3,
                                  .outer = static_cast<std::int32_t>(seed)}));
  }
  return all;
}

TEST(GpuRowClasses, AreThoseOfTheCpu) {
  const Stream stream(Device::cuda(0));
  const CudaExecutor gpu(stream);
  const CpuExecutor cpu(2);
  for (const Pattern& pattern : patterns()) {
    for (const std::int64_t alignment : {1, 32, 256}) {
      EXPECT_EQ(ordered(gpu, on_gpu(gpu, pattern), alignment),
                ordered(cpu, csr_of(pattern), alignment));
    }
  }
}

}  // namespace
}  // namespace bankfull
