#include "bankfull/core/machine/processors.hpp"

#include "bankfull/core/machine/processor_load.hpp"
#include "tests/core/machine/fake_system.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <map>
#include <string>
#include <vector>

namespace bankfull {
namespace {

/// Where a processor of a fake system lies, as lists of the kernel's.
struct FakeProcessor {
  int number = 0;
  int socket = 0;
  std::string siblings;
  std::string cache;
};

void add_processor(const FakeSystem& system, const FakeProcessor& processor) {
  const std::string folder = fmt::format("sys/devices/system/cpu/cpu{}", processor.number);
  system.write(folder + "/topology/physical_package_id", fmt::format("{}\n", processor.socket));
  system.write(folder + "/topology/thread_siblings_list", processor.siblings + "\n");
  system.write(folder + "/cache/index0/level", "1\n");
  system.write(folder + "/cache/index0/shared_cpu_list", processor.siblings + "\n");
  system.write(folder + "/cache/index3/level", "3\n");
  system.write(folder + "/cache/index3/shared_cpu_list", processor.cache + "\n");
}

std::vector<int> numbers_of(const std::vector<Processor>& processors) {
  std::vector<int> numbers;
  for (const Processor& processor : processors) {
    numbers.push_back(processor.number);
  }
  return numbers;
}

TEST(Processors, ListsOfTheKernelAreRead) {
  EXPECT_EQ(processors_in_list("0-3,8"), (std::vector<int>{0, 1, 2, 3, 8}));
  EXPECT_EQ(processors_in_list("5"), (std::vector<int>{5}));
  for (const char* text : {"", "x", "3-", "3-1", "-1", "1;2", "1,x"}) {
    EXPECT_TRUE(processors_in_list(text).empty()) << text;
  }
}

TEST(Processors, NeighboursShareMost) {
  // Two sockets numbered in turn, each with two caches; siblings are four apart.
  const FakeSystem system;
  for (const int n : {0, 1, 2, 3}) {
    const int socket = n % 2;
    const std::string siblings = fmt::format("{},{}", n, n + 4);
    add_processor(system, {n, socket, siblings, siblings});
    add_processor(system, {n + 4, socket, siblings, siblings});
  }
  const auto ordered = in_order_of_caches(system.files(), {0, 1, 2, 3, 4, 5, 6, 7});
  EXPECT_EQ(numbers_of(ordered), (std::vector<int>{0, 4, 2, 6, 1, 5, 3, 7}));
  EXPECT_EQ(core_count(ordered), 4);
  EXPECT_EQ(ordered[1].core, 0);
}

TEST(Processors, NodesAndCachesGroupCoresOfOneSocket) {
  const FakeSystem system;
  for (const int n : {0, 1, 2, 3}) {
    add_processor(system, {n, 0, fmt::format("{}", n), n < 2 ? "0-1" : "2-3"});
  }
  system.write("sys/devices/system/node/node0/cpulist", "2-3\n");
  system.write("sys/devices/system/node/node1/cpulist", "0-1\n");
  EXPECT_EQ(numbers_of(in_order_of_caches(system.files(), {0, 1, 2, 3})),
            (std::vector<int>{2, 3, 0, 1}));
  EXPECT_EQ(numa_node_count(system.files(), {0, 1, 2, 3}), 2);
  EXPECT_EQ(numa_node_count(system.files(), {2, 3}), 1);
  EXPECT_EQ(numa_node_count(FakeSystem().files(), {0}), 1);
}

TEST(Processors, WithoutTopologyEachIsACore) {
  const FakeSystem system;
  const auto ordered = in_order_of_caches(system.files(), {3, 7, 9});
  EXPECT_EQ(numbers_of(ordered), (std::vector<int>{3, 7, 9}));
  EXPECT_EQ(core_count(ordered), 3);
}

TEST(Processors, OfThisProcessAreKnown) { EXPECT_FALSE(process_processors().empty()); }

TEST(ProcessorLoad, BusyTimeIsThatOfEachProcessor) {
  const FakeSystem system;
  // user nice system idle iowait irq softirq steal
  system.write("proc/stat",
               "cpu  900 0 0 0 0 0 0 0 0 0\ncpu0 100 20 30 400 50 6 7 80 0 0\n"
               "cpu1 1 0 0 9 0 0 0 0 0 0\ncpu10 5 0 0 9 0 0 0 0 0 0\nintr 1 2 3\n");
  const auto busy = busy_seconds(system.files(), {0, 10, 12});
  ASSERT_EQ(busy.size(), 2U);
  EXPECT_DOUBLE_EQ(busy.at(0) / busy.at(10), 163.0 / 5.0);
  EXPECT_TRUE(busy_seconds(FakeSystem().files(), {0}).empty());
}

TEST(ProcessorLoad, SharesAreOfTheTimeBetween) {
  const auto shares =
      busy_shares({{0, 1.0}, {1, 5.0}, {2, 1.0}}, {{0, 1.5}, {1, 5.0}, {2, 9.0}, {3, 1.0}}, 1.0);
  EXPECT_EQ(shares, (std::map<int, double>{{0, 0.5}, {1, 0.0}, {2, 1.0}}));
}

TEST(ProcessorLoad, ACoreIsFreeUnlessItsThreadsAreBusy) {
  const std::vector<Processor> cores{{0, 0}, {4, 0}, {1, 1}, {5, 1}, {2, 2}, {6, 2}};
  EXPECT_EQ(free_cores(cores, {}), 3);
  EXPECT_EQ(free_cores(cores, {{0, 1.0}, {4, 1.0}}), 2);
  EXPECT_EQ(free_cores(cores, {{4, 1.0}, {5, 0.9}}), 1);
  EXPECT_EQ(free_cores(cores, {{0, 0.1}, {1, 0.1}}), 3) << "daemons";
  EXPECT_EQ(free_cores(cores, {{0, 0.34}, {1, 0.33}, {2, 0.33}}), 2) << "one that moves about";
  EXPECT_EQ(free_cores(cores, {{0, 1.0}, {1, 1.0}, {2, 1.0}}), 1) << "never none";
}

}  // namespace
}  // namespace bankfull
