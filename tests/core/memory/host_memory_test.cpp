#include "bankfull/core/memory/host_memory.hpp"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <limits>
#include <string>
#include <unistd.h>

namespace bankfull {
namespace {

namespace fs = std::filesystem;

constexpr const char* version_2 =
    "23 1 0:20 / / rw shared:1 - overlay overlay rw\n"
    "31 23 0:28 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate\n";
constexpr const char* version_1 =
    "31 23 0:28 / /sys/fs/cgroup rw - tmpfs tmpfs rw\n"
    "33 31 0:30 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n"
    "35 31 0:32 / /sys/fs/cgroup/memory rw shared:9 - cgroup cgroup rw,memory\n"
    "41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n";

/// The files of a machine with 1000 KiB of available memory.
class MadeUpMachine : public testing::Test {
 protected:
  void SetUp() override {
    root_ = fs::path(testing::TempDir()) /
            ("machine-" + std::to_string(getpid()) + "-" +
             testing::UnitTest::GetInstance()->current_test_info()->name());
    write("proc/meminfo", "MemTotal: 9000 kB\nMemFree: 10 kB\nMemAvailable:   1000 kB\n");
  }
  void TearDown() override { fs::remove_all(root_); }

  void write(const std::string& path, const std::string& text) const {
    fs::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text;
  }

  void write_mounts(const std::string& mounts, const std::string& groups) const {
    write("proc/self/mountinfo", mounts);
    write("proc/self/cgroup", groups);
  }

  /// A group of version 2.
  void write_group(const std::string& path, const std::string& limit, const std::string& used,
                   const std::string& stat = "anon 1\n") const {
    const std::string folder = "sys/fs/cgroup" + path + "/";
    write(folder + "memory.max", limit + "\n");
    write(folder + "memory.current", used + "\n");
    write(folder + "memory.stat", stat);
  }

  /// A group of version 1.
  void write_old_group(const std::string& path, const std::string& limit, const std::string& used,
                       const std::string& stat = "cache 1\n") const {
    const std::string folder = "sys/fs/cgroup/memory" + path + "/";
    write(folder + "memory.limit_in_bytes", limit + "\n");
    write(folder + "memory.usage_in_bytes", used + "\n");
    write(folder + "memory.stat", stat);
  }

  [[nodiscard]] std::int64_t available() const { return HostMemory(root_).available(); }

  fs::path root_;
};

constexpr std::int64_t of_machine = 1000 * 1024;

TEST_F(MadeUpMachine, WithoutGroupsHasWhatTheKernelSays) {
  EXPECT_EQ(available(), of_machine);
  write_mounts("23 1 0:20 / / rw - overlay overlay rw\nnonsense\n\n", "");
  EXPECT_EQ(available(), of_machine);
}

TEST_F(MadeUpMachine, WithoutAnythingHasWhatTheSystemSays) {
  fs::remove(root_ / "proc/meminfo");
  EXPECT_GT(available(), 0);
}

TEST_F(MadeUpMachine, TakesTheLeastOfAllGroupsAroundTheProcess) {
  write_mounts(version_2, "0::/user/job.slice/task\n");
  write_group("", "max", "700000");
  write_group("/user", "900000", "500000");
  write_group("/user/job.slice", "max", "450000");
  write_group("/user/job.slice/task", "800000", "200000");
  write_group("/user/other", "10", "10");
  EXPECT_EQ(available(), 400'000);
  write_group("/user/job.slice/task", "250000", "200000");
  EXPECT_EQ(available(), 50'000);
  write_group("/user", "400000", "500000");
  EXPECT_EQ(available(), 0);
}

TEST_F(MadeUpMachine, CountsFilesThatAreGivenUpFirstAsFree) {
  write_mounts(version_2, "0::/job\n");
  write_group("/job", "500000", "450000", "anon 100000\ninactive_file 300000\nactive_file 50000\n");
  EXPECT_EQ(available(), 350'000);
  write_group("/job", "500000", "450000", "inactive_file 900000\n");
  EXPECT_EQ(available(), 500'000);
}

TEST_F(MadeUpMachine, WithoutLimitsHasAll) {
  write_mounts(version_2, "0::/job\n");
  write_group("/job", "max", "1");
  EXPECT_EQ(available(), of_machine);
  write("sys/fs/cgroup/job/memory.max", "");
  EXPECT_EQ(available(), of_machine);
  fs::remove(root_ / "sys/fs/cgroup/job/memory.max");
  EXPECT_EQ(available(), of_machine);
}

TEST_F(MadeUpMachine, SeesTheTopOfItsNamespaceOnly) {
  write_group("", "300000", "100000");
  write_mounts(version_2, "0::/\n");
  EXPECT_EQ(available(), 200'000);
  write_mounts(version_2, "0::/../outside\n");
  EXPECT_EQ(available(), 200'000);
}

TEST_F(MadeUpMachine, FindsAPartOfTheHierarchyWhereItIsMounted) {
  const std::string part = "31 23 0:28 /docker/a1 /sys/fs/cgroup ro - cgroup2 cgroup rw\n";
  write_group("", "300000", "100000");
  write_group("/task", "150000", "100000");
  write_mounts(part, "0::/docker/a1/task\n");
  EXPECT_EQ(available(), 50'000);
  write_mounts(part, "0::/docker/a1\n");
  EXPECT_EQ(available(), 200'000);
  write_mounts(part, "0::/docker/a1b/task\n");
  EXPECT_EQ(available(), 200'000);
}

TEST_F(MadeUpMachine, KnowsVersionOneBesideVersionTwo) {
  write_mounts(version_1, "5:cpu,cpuacct:/\n4:memory:/slurm/job_1/step_0\n0::/\n");
  write_old_group("", "9223372036854771712", "5000000");
  write_old_group("/slurm/job_1", "600000", "400000",
                  "inactive_file 1\ntotal_inactive_file 50000\n");
  write_old_group("/slurm/job_1/step_0", "9223372036854771712", "300000");
  EXPECT_EQ(available(), 250'000);
  write("sys/fs/cgroup/memory/slurm/job_1/memory.use_hierarchy", "0\n");
  EXPECT_EQ(available(), of_machine);
}

TEST_F(MadeUpMachine, ReadsNamesWithSpacesAndColons) {
  write_mounts("31 23 0:28 / /sys/fs/my\\040groups rw - cgroup2 cgroup2 rw\n", "0::/a:b/c d\n");
  write("sys/fs/my groups/a:b/c d/memory.max", "1000");
  write("sys/fs/my groups/a:b/c d/memory.current", "100");
  EXPECT_EQ(available(), 900);
}

TEST_F(MadeUpMachine, KnowsTheLimitsOfTheProcess) {
  const HostMemory host(root_);
  EXPECT_EQ(host.left_to_process(), std::numeric_limits<std::int64_t>::max());
  write("proc/self/status", "Name:\tx\nVmSize:\t     100 kB\nVmData:\t      20 kB\n");
  write("proc/self/limits",
        "Limit                     Soft Limit           Hard Limit           Units\n"
        "Max data size             unlimited            unlimited            bytes\n"
        "Max address space         unlimited            unlimited            bytes\n");
  EXPECT_EQ(host.left_to_process(), std::numeric_limits<std::int64_t>::max());
  write("proc/self/limits",
        "Max data size             30720                unlimited            bytes\n"
        "Max address space         204800               409600               bytes\n");
  EXPECT_EQ(host.left_to_process(), 10 * 1024);
  write("proc/self/limits", "Max address space         102000               409600   bytes\n");
  EXPECT_EQ(host.left_to_process(), 0);
}

TEST(ThisMachine, HasMemory) {
  EXPECT_GT(HostMemory().available(), 0);
  EXPECT_GT(HostMemory().left_to_process(), 0);
}

}  // namespace
}  // namespace bankfull
