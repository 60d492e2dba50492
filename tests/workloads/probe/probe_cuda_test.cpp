#include "bankfull/core/base/bytes.hpp"
#include "bankfull/workloads/probe/latency.hpp"
#include "bankfull/workloads/probe/run.hpp"
#include "bankfull/workloads/probe/transfers.hpp"
#include "tests/alone.hpp"

#include <gtest/gtest.h>

namespace bankfull::probe {
namespace {

TEST(CudaProbe, ChaseVisitsEveryNodeOnce) {
  const auto chase = make_chase(Device::cuda(0), 64 * mib, HostPages::huge);
  for (const std::int64_t stride : {128, 4096, 2 * 1024 * 1024}) {
    for (const std::int64_t nodes : {2, 7, 31}) {
      const ChainLayout layout = make_layout(nodes * stride, stride, 128, 1 << 20);
      chase->build(layout, random_cycle(layout.nodes, 1));
      EXPECT_EQ(chase->cycle_length(layout.nodes), layout.nodes) << stride << " B stride";
      EXPECT_GT(chase->seconds(1 << 14) / (1 << 14), 1e-9);
    }
  }
}

TEST(CudaProbe, ChaseNoticesABrokenChain) {
  const auto chase = make_chase(Device::cuda(0), mib, HostPages::huge);
  const ChainLayout layout = make_layout(512, 128, 128, 1 << 20);
  chase->build(layout, {1, 0, 3, 2});
  EXPECT_EQ(chase->cycle_length(layout.nodes), 2);
  chase->build(layout, {1, 2, 1, 0});
  EXPECT_GT(chase->cycle_length(layout.nodes), layout.nodes);
}

TEST(CudaProbe, CopiesArrive) {
  const auto transfers = make_cuda_transfers(Device::cuda(0), 2 * mib, mib);
  for (const MemorySpace host : {MemorySpace::pinned, MemorySpace::host}) {
    EXPECT_EQ(transfers->wrong_bytes(host, mib), 0);
    EXPECT_EQ(transfers->wrong_bytes(host, 16336), 0);
    for (const Direction direction : {Direction::to_device, Direction::to_host, Direction::both}) {
      EXPECT_GT(transfers->host_copy_seconds(direction, host, mib), 0.0);
    }
  }
  EXPECT_GT(transfers->device_copy_seconds(DeviceCopy::plain, mib), 0.0);
  EXPECT_GT(transfers->device_copy_seconds(DeviceCopy::memcpy_async, mib), 0.0);
}

TEST(CudaProbe, ShortRunIsVerified) {
  Problem problem;
  problem.device = Device::cuda(0);
  problem.quick = true;
  problem.repeats = 2;
  problem.working_set_to = 256 * mib;
  problem.transfer_bytes = mib;
  problem.footprint_to = 256 * mib;
  NoProgress progress;
  // A completed problem is what the command line hands on: completing it again changes nothing.
  const RunResult result =
      run(make_plan(problem, alone()), {.ranks = alone(), .progress = progress});
  EXPECT_TRUE(result.verified());
  EXPECT_FALSE(result.series.empty());
  for (const Measurement& measurement : result.measurements) {
    EXPECT_GT(measurement.bytes_per_second().value_or(0.0), 0.0) << measurement.name;
  }
}

}  // namespace
}  // namespace bankfull::probe
