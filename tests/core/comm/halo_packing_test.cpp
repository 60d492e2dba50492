#include "bankfull/core/comm/halo_packing.hpp"

#include <gtest/gtest.h>
#include <vector>

namespace bankfull {
namespace {

std::vector<PackedMessage> packed(const Decomposition& decomposition, int rank,
                                  const HaloShape& shape, const Layout& layout) {
  return pack(halo_messages(decomposition, rank, shape), layout, sizeof(float));
}

TEST(HaloPacking, RegionsFollowOneAnotherWithoutOverlap) {
  const Decomposition decomposition({9, 10, 11}, {2, 2, 2}, {true, true, true});
  const Layout layout(decomposition.block(3).extents(), 2, sizeof(float));
  for (const PackedMessage& message :
       packed(decomposition, 3, {.width = 2, .reach = HaloShape::Reach::corners}, layout)) {
    for (const auto& regions : {message.sent, message.received}) {
      std::int64_t end = 0;
      for (const PackedRegion& region : regions) {
        EXPECT_GE(region.begin, end);
        EXPECT_EQ(region.begin % 4, 0);
        EXPECT_GE(region.pitch, region.nk);
        end = region.begin + region.rows() * region.pitch;
      }
      EXPECT_LE(end, message.field_size);
    }
  }
}

TEST(HaloPacking, LongRowsBeginOnSixteenBytesAndShortOnesAreDense) {
  const Decomposition decomposition({8, 8, 14}, {1, 1, 2});
  const Layout layout(decomposition.block(0).extents(), 1, sizeof(float));
  const auto across_k = packed(decomposition, 0, {}, layout);
  ASSERT_EQ(across_k.size(), 1U);
  EXPECT_EQ(across_k[0].sent[0].pitch, 1);
  EXPECT_EQ(across_k[0].field_size, 64);
  const Decomposition planes({8, 8, 7}, {2, 1, 1});
  const Layout plane_layout(planes.block(0).extents(), 1, sizeof(float));
  const auto across_i = packed(planes, 0, {}, plane_layout);
  EXPECT_EQ(across_i[0].sent[0].pitch, 8);
  EXPECT_EQ(across_i[0].sent[0].first, plane_layout.offset(3, 0, 0));
  EXPECT_EQ(across_i[0].received[0].first, plane_layout.offset(4, 0, 0));
}

}  // namespace
}  // namespace bankfull
