#include "bankfull/workloads/hpcg/coloured_level.hpp"

#include "bankfull/core/exec/cpu_executor.hpp"
#include "bankfull/workloads/hpcg/plan.hpp"

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

template <int Height>
std::int64_t upper_slots(const Grid3& local) {
  const CpuExecutor executor(1);
  Problem problem;
  problem.local = local;
  const auto coloured = colour_levels<Height>(
      executor, make_levels(executor, problem, 1, 0), [](const Level&) { return Height; },
      Boundary::among);
  return coloured.front().upper.slots;
}

/// What is refused because slots could not be numbered must not be less than would have them.
TEST(ColouredLevel, SlotsArePredictedFromTheGrid) {
  for (const Grid3 local : {Grid3{24, 24, 24}, Grid3{9, 17, 33}, Grid3{31, 8, 15}}) {
    EXPECT_LE(upper_slots<8>(local), max_upper_slots(local, 8)) << to_string(local);
    EXPECT_LE(upper_slots<4>(local), max_upper_slots(local, 4)) << to_string(local);
  }
  // Slices at faces have fewer slots; larger grids have ever fewer such slices.
  EXPECT_GT(upper_slots<8>({40, 40, 40}), max_upper_slots({40, 40, 40}, 8) * 95 / 100);
}

}  // namespace
}  // namespace bankfull::hpcg
