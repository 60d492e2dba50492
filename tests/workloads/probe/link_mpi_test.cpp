#include "bankfull/core/base/error.hpp"
#include "tests/workloads/probe/link_run.hpp"

#include <gtest/gtest.h>

namespace bankfull::probe {
namespace {

TEST(LinkRun, MeasuresEveryPatternAndVerifies) {
  const RunResult result = run_small_links(Device::cpu());
  expect_whole(result, 1);
  EXPECT_EQ(result.series.front().name, "exchange time, pair 0-1, mpi");
  EXPECT_EQ(result.series.back().name, "bandwidth, ring, mpi");
}

TEST(LinkRun, CountsWhatARankSends) {
  const RunResult result = run_small_links(Device::cpu());
  const Measurement& pair = result.measurements.front();
  EXPECT_EQ(pair.name, "exchange of 8 B faces, pair 0-1, mpi");
  EXPECT_EQ(pair.work.traffic.bytes_written, 8.0);
  const Measurement& ring = result.measurements.back();
  EXPECT_EQ(ring.name, "exchange of 1 KiB faces, ring, mpi");
  EXPECT_EQ(ring.work.traffic.bytes_written, 2.0 * 1024.0);
  EXPECT_DOUBLE_EQ(result.series.back().points.back().second,
                   ring.bytes_per_second().value_or(0.0));
}

TEST(LinkRun, FindsCellsThatCameToTheWrongPlace) {
  for (const bool ring : {false, true}) {
    constexpr std::int64_t bytes = 4948;
    const LinkSetup setup{.ranks = test_ranks(), .ring = ring, .face_bytes = bytes};
    const auto timer = make_link_timer(setup, Device::cpu(), 1);
    EXPECT_EQ(wrong_cells(*timer, setup), 0);
    // A ring sets the ghosts at both ends of a row of ranks, which an open row leaves untouched.
    const LinkSetup other{.ranks = test_ranks(), .ring = !ring, .face_bytes = bytes};
    EXPECT_GT(test_ranks().sum(wrong_cells(*timer, other)), 0);
  }
}

TEST(LinkRun, OtherPartsAreRefused) {
  for (const Part part : {Part::bandwidth, Part::latency, Part::all}) {
    EXPECT_THROW(require_rank_count(part, test_ranks()), UsageError);
  }
}

}  // namespace
}  // namespace bankfull::probe
