#include "bankfull/core/measure/cache.hpp"
#include "bankfull/core/measure/ceilings.hpp"
#include "tests/mpi_main.hpp"

#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace bankfull {
namespace {

TEST(WorkingSet, OfAllRanksOnADeviceAddsUp) {
  const Communicator& ranks = test_ranks();
  // The root has nothing, each further rank more.
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

TEST(CeilingOfRanks, AddsUpAndNamesTheSlowest) {
  const Communicator& ranks = test_ranks();
  const int last = ranks.size() - 1;
  // The last rank is the slowest, with a variant of its own.
  const bool is_slowest = ranks.rank() == last;
  const Ceiling all = sum_of({.name = is_slowest ? "slow way" : "fast way",
                              .bytes_per_second = is_slowest ? 1.0 : 10.0,
                              .working_set_bytes = 5.0,
                              .seconds = summarise({is_slowest ? 5.0 : 0.5})},
                             ranks);
  EXPECT_EQ(all.name, "slow way, on " + std::to_string(ranks.size()) + " ranks at once");
  EXPECT_EQ(all.bytes_per_second, 10.0 * last + 1.0);
  EXPECT_EQ(all.rates, std::vector<double>{all.bytes_per_second});
  EXPECT_EQ(all.working_set_bytes, 5.0 * ranks.size());
  EXPECT_EQ(all.seconds.samples, std::vector<double>{5.0});
}

}  // namespace
}  // namespace bankfull
