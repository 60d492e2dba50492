#include "bankfull/core/measure/cache.hpp"
#include "bankfull/core/measure/ceilings.hpp"
#include "bankfull/core/measure/energy_use.hpp"
#include "bankfull/core/measure/machine_watch.hpp"
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

/// A second in which the node's processors used 100 J, and the GPU of a rank 400 J and 1 J more for
/// each rank; the last rank's GPU was capped.
CounterTally a_second(const Communicator& ranks) {
  CounterReading before;
  CounterReading after{.seconds = 2.0};
  before.energy[EnergyDomain::package] = 5.0;
  after.energy[EnergyDomain::package] = 105.0;
  before.energy[EnergyDomain::gpu] = 0.0;
  after.energy[EnergyDomain::gpu] = 400.0 + ranks.rank();
  before.gpu_throttle.emplace_back()[Throttle::power_cap] = 0.0;
  after.gpu_throttle.emplace_back()[Throttle::power_cap] =
      ranks.rank() == ranks.size() - 1 ? 1.0 : 0.0;
  CounterTally tally;
  tally.add(before, after, 2.0);
  return tally;
}

TEST(EnergyOfRanks, CountsEachNodeOnce) {
  const Communicator& ranks = test_ranks();
  const EnergyUse use = energy_use(a_second(ranks), "", Device::cpu(), ranks);
  ASSERT_TRUE(use.is_known()) << use.unknown_because;
  EXPECT_NEAR(use.joules, 100.0, 1e-9);
}

TEST(EnergyOfRanks, AddsUpGpus) {
  const Communicator& ranks = test_ranks();
  const int n = ranks.size();
  const EnergyUse use = energy_use(a_second(ranks), "", Device::cuda(ranks.rank()), ranks);
  EXPECT_NEAR(use.joules, 400.0 * n + n * (n - 1) / 2.0, 1e-9);
  const EnergyUse shared = energy_use(a_second(ranks), "", Device::cuda(0), ranks);
  EXPECT_NEAR(shared.joules, 400.0 + (n - 1) / 2.0, 1e-9) << "one GPU of all counts once";
}

TEST(EnergyOfRanks, IsUnknownIfOneRankDoesNotKnow) {
  const Communicator& ranks = test_ranks();
  const bool is_last = ranks.rank() == ranks.size() - 1;
  const EnergyUse use = energy_use(a_second(ranks), is_last ? "no" : "", Device::cpu(), ranks);
  EXPECT_EQ(use.unknown_because, "no");
}

TEST(ThrottledShares, AreOfTheGpuThatWasThrottledLongest) {
  const auto shares = throttled_shares(a_second(test_ranks()), test_ranks())
                          .value_or(std::vector<ThrottledShare>{});
  ASSERT_EQ(shares.size(), 1U);
  EXPECT_DOUBLE_EQ(shares.front().share, 0.5);
}

TEST(MachineOfRanks, HasEachGpuAndEachNodeOnce) {
  const Communicator& ranks = test_ranks();
  const auto parts_with = [&](const std::string& address) {
    MachineWatch watch(ranks);
    watch.watch({.name = "GPU 0", .pci_bus_id = address});
    return static_cast<int>(watch.state(ranks).parts.size());
  };
  EXPECT_EQ(parts_with(std::to_string(ranks.rank())), ranks.size() + 1);
  EXPECT_EQ(parts_with("the same"), 2);
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

TEST(CeilingOfRanks, APassTakesAsLongAsTheSlowestOnTheDevice) {
  const Communicator& ranks = test_ranks();
  // Later ranks are faster; even and odd ones have a device each.
  std::vector<int> on_device;
  for (int rank = ranks.rank() % 2; rank < ranks.size(); rank += 2) {
    on_device.push_back(rank);
  }
  const SharedPass shared = shared_pass(ranks, on_device);
  shared.begin();
  EXPECT_EQ(shared.slowest(10.0 - ranks.rank()), 10.0 - on_device.front());
}

}  // namespace
}  // namespace bankfull
