#include "bankfull/workloads/probe/latency.hpp"

#include "bankfull/core/base/bytes.hpp"

#include <gtest/gtest.h>

namespace bankfull::probe {
namespace {

TEST(CpuChase, VisitsEveryNodeOnce) {
  for (const HostPages pages : {HostPages::small, HostPages::huge}) {
    const auto chase = make_chase(Device::cpu(), 8 * mib, pages);
    for (const std::int64_t stride : {64, 192, 4096, 65536}) {
      for (const std::int64_t footprint : {2 * stride, 7 * stride, 101 * stride}) {
        const ChainLayout layout = make_layout(footprint, stride, 64, 1 << 20);
        chase->build(layout, random_cycle(layout.nodes, 1));
        EXPECT_EQ(chase->cycle_length(layout.nodes), layout.nodes)
            << stride << " B stride, " << footprint << " B";
      }
    }
  }
}

TEST(CpuChase, NoticesABrokenChain) {
  const auto chase = make_chase(Device::cpu(), mib, HostPages::huge);
  const ChainLayout layout = make_layout(640, 64, 64, 1 << 20);
  // 0 -> 1 -> 0 skips the rest.
  chase->build(layout, {1, 0, 3, 4, 5, 6, 7, 8, 9, 2});
  EXPECT_EQ(chase->cycle_length(layout.nodes), 2);
  // 0 -> 1 -> 2 -> 1 never returns to 0.
  chase->build(layout, {1, 2, 1, 4, 5, 6, 7, 8, 9, 3});
  EXPECT_GT(chase->cycle_length(layout.nodes), layout.nodes);
}

TEST(CpuChase, TakesTimeForItsLoads) {
  const auto chase = make_chase(Device::cpu(), mib, HostPages::huge);
  const ChainLayout layout = make_layout(16384, 64, 64, 1 << 20);
  chase->build(layout, random_cycle(layout.nodes, 1));
  const double per_load = chase->seconds(1 << 16) / (1 << 16);
  EXPECT_GT(per_load, 0.2e-9);
  EXPECT_LT(per_load, 1e-6);
}

TEST(CpuChase, SmallPagesStaySmall) {
  const auto chase = make_chase(Device::cpu(), 8 * mib, HostPages::small);
  const ChainLayout layout = make_layout(8 * mib, 4096, 64, 1 << 20);
  chase->build(layout, random_cycle(layout.nodes, 1));
  EXPECT_EQ(chase->share_in_huge_pages(), 0.0);
}

}  // namespace
}  // namespace bankfull::probe
