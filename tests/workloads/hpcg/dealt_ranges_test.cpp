#include "bankfull/workloads/hpcg/cuda/dealt_ranges.hpp"

#include <gtest/gtest.h>
#include <vector>

namespace bankfull::hpcg::cuda {
namespace {

constexpr unsigned at_once = 528;  // of an H200

/// How often a block takes each part of each range, range after range.
std::vector<int> taken(const DealtRanges& ranges) {
  std::vector<int> times(std::size_t{ranges.count} * ranges.parts, 0);
  for (unsigned block = 0; block < ranges.blocks(); ++block) {
    const DealtPart mine = ranges.of_block(block);
    for (unsigned n = mine.first; n < ranges.count; n += mine.step) {
      ++times[std::size_t{n} * ranges.parts + mine.part];
    }
  }
  return times;
}

TEST(HpcgDealtRanges, EveryPartOfEveryRangeIsTakenOnce) {
  for (const unsigned count : {1U, 7U, 8U}) {
    for (const unsigned parts : {1U, 13U, 550U}) {
      for (const unsigned whole : {0U, parts / 2, parts}) {
        const DealtRanges ranges{nullptr, count, parts, whole};
        EXPECT_EQ(taken(ranges), std::vector<int>(std::size_t{count} * parts, 1))
            << count << ' ' << parts << ' ' << whole;
      }
    }
  }
}

TEST(HpcgDealtRanges, BlocksTakeAllRangesButInTheLastRound) {
  EXPECT_EQ(parts_of_whole_rounds(1056, at_once), 1056U);
  EXPECT_EQ(parts_of_whole_rounds(527, at_once), 0U);
  const DealtRanges ranges{nullptr, 8, 550, parts_of_whole_rounds(550, at_once)};
  EXPECT_EQ(ranges.whole, 528U);
  EXPECT_EQ(ranges.blocks(), 528U + 22U * 8U);
  EXPECT_EQ(ranges.of_block(527).step, 1U);
  EXPECT_EQ(ranges.of_block(528).step, 8U);
}

TEST(HpcgDealtRanges, WithoutRowsThereAreNoBlocks) { EXPECT_EQ(DealtRanges{}.blocks(), 0U); }

}  // namespace
}  // namespace bankfull::hpcg::cuda
