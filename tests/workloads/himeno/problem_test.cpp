#include "bankfull/core/base/error.hpp"
#include "bankfull/workloads/himeno/plan.hpp"
#include "bankfull/workloads/himeno/sweep.hpp"
#include "tests/alone.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

namespace bankfull::himeno {
namespace {

TEST(ParseSize, KnowsTheStandardSizes) {
  EXPECT_EQ(parse_size("XL"), (GridSize{512, 512, 1024}));
  EXPECT_EQ(name_of({512, 512, 1024}), "XL");
}

TEST(ParseSize, TakesAnyShapeWithAPointInside) {
  EXPECT_EQ(parse_size("3x4x5"), (GridSize{3, 4, 5}));
  EXPECT_EQ(name_of({3, 4, 5}), "3x4x5");
}

TEST(ParseSize, RejectsNonsenseByName) {
  for (const char* text :
       {"", "x", "xx", "3x3", "3x3x3x3", "0x5x5", "2x3x3", "-3x3x3", "3x3x3 ", "3.0x3x3", "0x3x3x",
        "99999999999999999999x3x3", "1048577x3x3", "1048576x1048576x1048576"}) {
    try {
      parse_size(text);
      FAIL() << text << " was accepted";
    } catch (const UsageError& error) {
      EXPECT_THAT(error.what(), ::testing::HasSubstr(std::string("--size ") + text));
    }
  }
}

TEST(StandardSizes, PublishedMemoryFootprints) {
  // Phillips and Fatica (2010), Table II: 3.5, 28, 224, 1792, 14336 MB.
  const std::vector<double> published{3.5, 28, 224, 1792, 14336};
  for (std::size_t n = 0; n < published.size(); ++n) {
    const GridSize grid = standard_sizes()[n].grid;
    const auto points = static_cast<double>(grid.i * grid.j * grid.k);
    EXPECT_EQ(points * 4 * field_count / (1 << 20), published[n]);
    // Padding costs little but at the smallest size.
    const double allowed = n == 0 ? 1.25 : n == 1 ? 1.10 : 1.03;
    EXPECT_LT(static_cast<double>(memory_bytes(grid, Precision::fp32)),
              allowed * published[n] * (1 << 20));
  }
}

TEST(Traffic, UnfusedIs56BytesAPointInFp32) {
  const GridSize grid{10, 12, 14};
  const Traffic traffic = iteration_traffic(grid, Precision::fp32);
  EXPECT_EQ(traffic.bytes(), 56.0 * 8 * 10 * 12);
  EXPECT_EQ(traffic.flops, 34.0 * 8 * 10 * 12);
  EXPECT_EQ(iteration_traffic(grid, Precision::fp64).bytes(), 2.0 * traffic.bytes());
}

TEST(Validate, RejectsWhatMakesNoSense) {
  Problem good;
  good.grid = {5, 5, 5};
  make_plan(good, alone());
  const auto rejected = [&](auto change) {
    Problem problem = good;
    change(problem);
    EXPECT_THROW(make_plan(problem, alone()), UsageError);
  };
  rejected([](Problem& p) { p.iterations = 0; });
  rejected([](Problem& p) { p.iterations = -5; });
  rejected([](Problem& p) { p.target_seconds = 0.0; });
  rejected([](Problem& p) { p.target_seconds = -1.0; });
  rejected([](Problem& p) { p.repeats = 0; });
  rejected([](Problem& p) { p.warmup = -1; });
  rejected([](Problem& p) { p.threads = 0; });
  rejected([](Problem& p) { p.grid = {8192, 8192, 8192}; });
  rejected([](Problem& p) {
    p.device = Device::cuda(0);
    p.schedules = {Schedule::reference};
  });
}

TEST(FusedHalos, ThinBlocksAreRefusedByWhatAPassNeeds) {
  const auto refusal = [](Device device, std::int64_t planes) {
    Problem problem;
    problem.grid = {2 + 3 * planes, 40, 40};
    problem.rank_grid = RankGrid{3, 1, 1};
    problem.schedules = {Schedule::fused};
    problem.device = device;
    try {
      ghost_layers(problem, decompose(problem, 3));
    } catch (const UsageError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(refusal(Device::cuda(0), 3), "");
  EXPECT_THAT(refusal(Device::cuda(0), 2),
              testing::HasSubstr("some blocks are 2 points thin, and it needs halos of 3"));
  EXPECT_EQ(refusal(Device::cpu(), 2), "");
  EXPECT_THAT(refusal(Device::cpu(), 1),
              testing::HasSubstr("some blocks are 1 point thin, and it needs halos of 2"));
}

}  // namespace
}  // namespace bankfull::himeno
