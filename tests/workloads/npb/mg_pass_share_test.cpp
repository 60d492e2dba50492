#include "bankfull/workloads/npb/mg/pass_share.hpp"

#include <gtest/gtest.h>
#include <vector>

namespace bankfull::npb::mg {
namespace {

/// How many threads have each row of each plane.
std::vector<int> owners(const PassShape& shape, int members) {
  std::vector<int> count(static_cast<std::size_t>(shape.planes * shape.rows), 0);
  for (int member = 0; member < members; ++member) {
    const auto [planes, rows] = pass_share(shape, member, members);
    EXPECT_TRUE(rows.size() == 0 || rows.begin % shape.block == 0);
    for (std::int64_t plane = planes.begin; plane < planes.end; ++plane) {
      for (std::int64_t row = rows.begin; row < rows.end; ++row) {
        ++count[static_cast<std::size_t>(plane * shape.rows + row)];
      }
    }
  }
  return count;
}

class MgPassShare : public testing::TestWithParam<int> {};

TEST_P(MgPassShare, HasEachRowOfEachPlaneOnce) {
  for (const std::int64_t planes : {1, 2, 13, 64, 512}) {
    for (const std::int64_t rows : {1, 32, 33, 100, 512}) {
      for (const std::int64_t beyond : {1, 4}) {
        const std::vector<int> count = owners({planes, rows, 32, beyond}, GetParam());
        EXPECT_EQ(count, std::vector<int>(count.size(), 1)) << planes << ' ' << rows;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Threads, MgPassShare, testing::Values(1, 2, 3, 7, 12, 16, 64, 100),
                         testing::PrintToStringParamName());

TEST(MgPassShares, DividesPlanesAloneWhereTheyAreMany) {
  EXPECT_EQ(pass_share({512, 512, 32, 4}, 1, 2), (PassShare{{256, 512}, {0, 512}}));
}

TEST(MgPassShares, GivesGroupsOfThreadsThePlanesThatTheyWouldHaveOneByOne) {
  // Eight threads share the 64 planes that they touched first, two blocks of rows each.
  EXPECT_EQ(pass_share({512, 512, 32, 4}, 9, 64), (PassShare{{64, 128}, {64, 128}}));
}

TEST(MgPassShares, LeavesThreadsWithoutPlanesIdle) {
  EXPECT_EQ(pass_share({2, 32, 32, 4}, 3, 7), PassShare{});
}

}  // namespace
}  // namespace bankfull::npb::mg
