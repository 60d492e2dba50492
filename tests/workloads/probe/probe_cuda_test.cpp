#include "bankfull/core/base/bytes.hpp"
#include "bankfull/core/base/error.hpp"
#include "bankfull/core/machine/gpu.hpp"
#include "bankfull/workloads/probe/in_flight.hpp"
#include "bankfull/workloads/probe/l2_halves.hpp"
#include "bankfull/workloads/probe/latency.hpp"
#include "bankfull/workloads/probe/launches.hpp"
#include "bankfull/workloads/probe/on_chip.hpp"
#include "bankfull/workloads/probe/peers.hpp"
#include "bankfull/workloads/probe/run.hpp"
#include "bankfull/workloads/probe/transfers.hpp"
#include "tests/alone.hpp"

#include <cmath>
#include <cstddef>
#include <gtest/gtest.h>
#include <string>
#include <vector>

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

TEST(CudaProbe, ChaseInHostMemoryIsWholeAndSlow) {
  const auto chase = make_remote_chase(Device::cuda(0), Device::cpu(), 4 * mib);
  const ChainLayout layout = make_layout(4 * mib, 128, 128, 1 << 20);
  chase->build(layout, random_cycle(layout.nodes, 1));
  EXPECT_EQ(chase->cycle_length(layout.nodes), layout.nodes);
  EXPECT_GT(chase->seconds(1 << 12) / (1 << 12), 100e-9) << "no link to the host is faster";
}

TEST(CudaChip, MemoryOfTheMultiprocessorIsReadRight) {
  const auto memory = make_cuda_chip_memory(Device::cuda(0));
  for (const OnChip where : {OnChip::shared, OnChip::l1}) {
    const ChipRead read = memory->read(where);
    EXPECT_EQ(read.wrong_sums, 0);
    EXPECT_GT(read.seconds, 0.0);
    EXPECT_GT(read.bytes_per_clock, 0.0);
    EXPECT_LE(read.bytes_per_clock, 128.5) << "the data path has 128 bytes";
  }
}

TEST(CudaChip, NextBlocksMemoryIsReadRight) {
  const auto memory = make_cuda_chip_memory(Device::cuda(0));
  if (memory->clusters_of(2) == 0) {
    GTEST_SKIP() << "no clusters on this GPU";
  }
  const ChipWalk own = memory->walk(ChainPlace::own, 1);
  EXPECT_TRUE(own.arrived);
  for (const int blocks : {1, 2, 4, 8, 16}) {
    if (memory->clusters_of(blocks) == 0) {
      continue;
    }
    const ChipRead read = memory->read_next_block(blocks);
    EXPECT_EQ(read.wrong_sums, 0) << blocks;
    EXPECT_GT(read.bytes_per_clock, 0.0) << blocks;
    EXPECT_LE(read.bytes_per_clock, 128.5) << blocks;
    if (blocks > 1) {
      const ChipWalk walk = memory->walk(ChainPlace::other_block, blocks);
      EXPECT_TRUE(walk.arrived) << blocks;
      EXPECT_GT(walk.clocks, 10.0) << blocks << ": no access to shared memory is faster";
    }
  }
}

TEST(CudaChip, LinesAreReadAndWrittenRight) {
  const auto lines = make_cuda_l2_lines(Device::cuda(0), 4 * mib);
  const auto samples = lines->sample_latencies(64);
  ASSERT_EQ(samples.size(), static_cast<std::size_t>(lines->multiprocessors()));
  for (const std::vector<double>& row : samples) {
    for (const double clocks : row) {
      EXPECT_GT(clocks, 100.0) << "no access to L2 is faster";
    }
  }
  LinesByHalf halves{
      .group_of_multiprocessor = std::vector<int>(samples.size(), 0),
      .group_of_line = std::vector<int>(static_cast<std::size_t>(lines->lines()), 0)};
  const LineLists lists = line_lists(halves, LineChoice::all);
  for (const LinePass pass : {LinePass::read, LinePass::write, LinePass::read}) {
    const LineRates rates = lines->run(pass, lists);
    EXPECT_EQ(rates.wrong, 0);
    EXPECT_GT(rates.seconds, 0.0);
  }
}

TEST(CudaChip, EveryKindOfLaunchTakesTime) {
  const auto kernels = make_cuda_empty_kernels(Device::cuda(0));
  for (const LaunchWay way : launch_way_names.list()) {
    const double seconds = kernels->seconds(way);
    EXPECT_GT(seconds, 1e-7) << launch_way_names.to_string(way);
  }
}

TEST(CudaChip, ArraysAreReadWholeInEveryShape) {
  const auto reads = make_cuda_flight_reads(Device::cuda(0), 16 * mib + 4096);
  for (const int loads : loads_per_thread) {
    for (const FlightShape& shape : flight_shapes(loads, reads->most_blocks(loads, 256))) {
      const FlightPass pass = reads->read(shape);
      EXPECT_TRUE(pass.is_right) << loads << " loads, " << shape.blocks << " x " << shape.threads;
      EXPECT_GT(pass.seconds, 0.0);
    }
  }
}

RunResult run_of(Part part) {
  Problem problem;
  problem.part = part;
  problem.device = Device::cuda(0);
  problem.quick = true;
  problem.repeats = 2;
  NoProgress progress;
  return run(make_plan(problem, alone()), {.ranks = alone(), .progress = progress});
}

void expect_sound(const RunResult& result) {
  EXPECT_TRUE(result.verified());
  EXPECT_FALSE(result.checks.empty());
  EXPECT_FALSE(result.measurements.empty());
  for (const Measurement& m : result.measurements) {
    EXPECT_TRUE(std::isfinite(m.seconds.median) && m.seconds.median > 0.0) << m.name;
    EXPECT_FALSE(m.percent_of_bankfull().has_value()) << m.name;
  }
  for (const Series& series : result.series) {
    for (const auto& [x, y] : series.points) {
      EXPECT_TRUE(std::isfinite(y) && y > 0.0) << series.name << " at " << x;
    }
  }
}

TEST(CudaChip, RunIsVerified) { expect_sound(run_of(Part::chip)); }

TEST(CudaPeers, RunIsVerifiedOrRefused) {
  if (survey_gpus().gpus.size() > 1) {
    expect_sound(run_of(Part::peers));
    return;
  }
  try {
    run_of(Part::peers);
    FAIL() << "accepted";
  } catch (const UsageError& error) {
    EXPECT_NE(std::string(error.what()).find("probe peers needs two GPUs"), std::string::npos);
  }
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
    EXPECT_GT(measurement.seconds.median, 0.0) << measurement.name;
  }
}

}  // namespace
}  // namespace bankfull::probe
