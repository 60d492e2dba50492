#include "bankfull/workloads/probe/chip.hpp"

#include "bankfull/core/base/bytes.hpp"
#include "bankfull/workloads/probe/in_flight.hpp"
#include "bankfull/workloads/probe/l2_halves.hpp"
#include "bankfull/workloads/probe/run.hpp"
#include "tests/alone.hpp"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <numeric>
#include <string>
#include <vector>

namespace bankfull::probe {
namespace {

using testing::ElementsAre;

TEST(HalfLatencies, AreThoseOfTheOwnAndTheOtherHalf) {
  const LinesByHalf halves{.group_of_multiprocessor = {0, 1}, .group_of_line = {0, 1, 1, 0}};
  const HalfLatencies mean =
      half_latencies(halves, {std::vector{10.0, 24.0, 26.0, 14.0}, {30.0, 11.0, 13.0, 20.0}});
  EXPECT_DOUBLE_EQ(mean.near, (10.0 + 11.0 + 13.0 + 14.0) / 4.0);
  EXPECT_DOUBLE_EQ(mean.far, (30.0 + 24.0 + 26.0 + 20.0) / 4.0);
}

TEST(LineLists, NearAndFarShareAllLines) {
  LinesByHalf halves{.group_of_multiprocessor = {0, 1, 0, 1, 1}};
  for (int line = 0; line < 103; ++line) {
    halves.group_of_line.push_back(line % 4 == 0 ? 1 : 0);
  }
  for (const LineChoice choice : {LineChoice::near, LineChoice::far, LineChoice::all}) {
    const LineLists lists = line_lists(halves, choice);
    ASSERT_EQ(lists.size(), 5U);
    std::vector<std::uint32_t> all;
    for (std::size_t unit = 0; unit < lists.size(); ++unit) {
      for (const std::uint32_t line : lists[unit]) {
        all.push_back(line);
        const bool same = halves.group_of_line[line] == halves.group_of_multiprocessor[unit];
        EXPECT_TRUE(choice == LineChoice::all || same == (choice == LineChoice::near));
      }
    }
    std::ranges::sort(all);
    std::vector<std::uint32_t> every(103);
    std::iota(every.begin(), every.end(), 0U);
    EXPECT_EQ(all, every) << "each line once";
  }
}

TEST(FlightShapes, DoubleUpToWhatFits) {
  std::vector<std::int64_t> bytes;
  for (const FlightShape& shape : flight_shapes(2, 4)) {
    EXPECT_EQ(shape.loads, 2);
    EXPECT_LE(shape.threads, 256);
    bytes.push_back(shape.bytes_in_flight());
  }
  EXPECT_THAT(bytes, ElementsAre(1024, 2048, 4096, 8192, 16384, 32768));
}

TEST(Littles, FigureIsTheFirstPointNearTheLargest) {
  const std::vector<std::pair<double, double>> points{
      {8.0, 89.0}, {16.0, 95.0}, {4.0, 40.0}, {32.0, 100.0}, {64.0, 97.0}};
  EXPECT_EQ(x_at_part_of_largest(points, 0.9), 16.0);
  EXPECT_EQ(x_at_part_of_largest(points, 1.0), 32.0);
  EXPECT_EQ(x_at_part_of_largest({}, 0.9), 0.0);
  EXPECT_DOUBLE_EQ(bytes_by_littles_law(4e12, 660e-9, 132), 20000.0);
}

Problem tiny_chip() {
  Problem problem;
  problem.part = Part::chip;
  problem.threads = 2;
  problem.quick = true;
  problem.repeats = 2;
  problem.footprint_to = 256 * kib;
  return problem;
}

TEST(ProbeChip, RunOfTheCpuIsVerified) {
  NoProgress progress;
  const RunResult result =
      run(make_plan(tiny_chip(), alone()), {.ranks = alone(), .progress = progress});
  EXPECT_TRUE(result.verified());
  EXPECT_FALSE(result.checks.empty());
  std::vector<std::string> names;
  for (const Series& series : result.series) {
    names.push_back(series.name);
    for (const auto& [x, y] : series.points) {
      EXPECT_TRUE(std::isfinite(y) && y > 0.0) << series.name << " at " << x;
    }
  }
  EXPECT_THAT(names, testing::IsSupersetOf({"latency, stride 64 B, huge pages",
                                            "latency, stride 64 B, huge pages, in order",
                                            "latency, stride 64 B, huge pages, backwards"}));
  for (const Measurement& m : result.measurements) {
    EXPECT_GT(m.seconds.median, 0.0) << m.name;
    EXPECT_FALSE(m.percent_of_bankfull().has_value()) << m.name;
  }
}

TEST(ProbeChip, DoesNotRepeatTheRandomWalkOfTheLatencyPart) {
  Problem problem = tiny_chip();
  EXPECT_EQ(prefetch_walks(complete(problem)).size(), 3U);
  problem.part = Part::all;
  EXPECT_EQ(prefetch_walks(complete(problem)).size(), 2U);
  problem.strides = {4096};
  EXPECT_EQ(prefetch_walks(complete(problem)).size(), 3U);
}

TEST(ProbeChip, InOrderChainsHaveNoGaps) {
  Problem problem = tiny_chip();
  problem.footprint_to = std::int64_t{1} << 40;
  const Walk in_order{.stride = 64, .order = ChainOrder::ascending};
  EXPECT_EQ(footprint_to(problem, in_order), 64 * max_nodes(problem.device));
  EXPECT_EQ(footprint_to(problem, {.stride = 64}), problem.footprint_to);
  EXPECT_EQ(footprint_to(problem, {.stride = 128, .in_host_memory = true}), 16 * mib);
}

}  // namespace
}  // namespace bankfull::probe
