#include "bankfull/core/measure/cache.hpp"
#include "tests/mpi_main.hpp"

#include <gtest/gtest.h>

namespace bankfull {
namespace {

TEST(WorkingSet, OfAllRanksOnADeviceAddsUp) {
  const Communicator& ranks = test_ranks();
  // The root has nothing, the others ever more.
  const WorkingSet set = working_set(ranks, Device::cpu(), 1000.0 * ranks.rank());
  EXPECT_EQ(set.bytes, 1000 * (ranks.size() * (ranks.size() - 1) / 2));
  const bool is_cache_known = last_cache_bytes(Device::cpu()) > 0;
  EXPECT_EQ(set.fit, is_cache_known ? CacheFit::inside : CacheFit::beyond);
}

TEST(WorkingSet, IsBeyondTheCacheWhereAllRanksTogetherAre) {
  const Communicator& ranks = test_ranks();
  const auto beyond = 4.0 * static_cast<double>(last_cache_bytes(Device::cpu())) + 1.0;
  const WorkingSet set = working_set(ranks, Device::cpu(), ranks.is_root() ? beyond : 1.0);
  EXPECT_EQ(set.fit, CacheFit::beyond);
}

TEST(WorkingSet, OfNothingIsInNoCache) {
  const WorkingSet set = working_set(test_ranks(), Device::cpu(), 0.0);
  EXPECT_EQ(set.bytes, 0);
  EXPECT_EQ(set.fit, CacheFit::beyond);
}

}  // namespace
}  // namespace bankfull
