#include "bankfull/workloads/hpcg/coloured_level.hpp"

#include "bankfull/core/exec/cpu_executor.hpp"

#include <gtest/gtest.h>
#include <vector>

namespace bankfull::hpcg {
namespace {

constexpr int warp = 32;

std::vector<ColouredLevel> packed_levels(const Grid3& local) {
  const CpuExecutor executor(1);
  Problem problem;
  problem.local = local;
  auto coloured = colour_levels<warp>(
      executor, make_levels(executor, problem, 1, 0), [](const Level&) { return 256; },
      Boundary::among);
  pack<warp>(executor, coloured);
  return coloured;
}

double escaped_share(const ColouredLevel& level) {
  const auto escaped = level.lower.escaped.size() + level.upper.escaped.size();
  return static_cast<double>(escaped) / static_cast<double>(warp) /
         static_cast<double>(level.lower.slots + level.upper.slots);
}

/// Rows at ends of lines, whose entries keep the slots of their neighbours', do not make slices
/// escape; they would be half of the slices where a line of a class has two.
TEST(ColouredLevel, ColumnsOfGridsFitCodes) {
  EXPECT_EQ(escaped_share(packed_levels({128, 24, 16}).front()), 0.0);
  EXPECT_EQ(escaped_share(packed_levels({64, 24, 16}).front()), 0.0);
}

/// Slices that begin within a line and reach into one at a face of the grid may escape.
TEST(ColouredLevel, FewSlicesOfOtherGridsEscape) {
  EXPECT_LT(escaped_share(packed_levels({52, 64, 8}).front()), 0.1);
  EXPECT_LT(escaped_share(packed_levels({66, 64, 8}).front()), 0.1);
}

}  // namespace
}  // namespace bankfull::hpcg
