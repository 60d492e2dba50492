#include "bankfull/core/machine/cgroup.hpp"
#include "bankfull/core/machine/host_settings.hpp"
#include "bankfull/core/machine/host_state.hpp"
#include "bankfull/core/machine/memory_modules.hpp"
#include "tests/core/machine/fake_system.hpp"

#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace bankfull {
namespace {

/// What a figure says, as text; "absent" where there is none.
std::string text_in(const std::vector<Figure>& figures, const std::string& name) {
  for (const Figure& figure : figures) {
    if (figure.name != name) {
      continue;
    }
    if (const auto* text = std::get_if<std::string>(&figure.value)) {
      return *text;
    }
    if (const auto* truth = std::get_if<bool>(&figure.value)) {
      return *truth ? "yes" : "no";
    }
    return std::to_string(static_cast<std::int64_t>(as_number(figure).value_or(0.0)));
  }
  return "absent";
}

TEST(SystemFiles, ReadsNumbersAndNothingElse) {
  const FakeSystem system;
  system.write("number", "42\n");
  system.write("with_unit", "32768 kB\n");
  system.write("no_number", "max\n");
  system.write("joined", "42x\n");
  system.write("meminfo", "HugePages_Total:       7\nHugePages_Free:        3\n");
  system.make_unreadable("broken");
  const SystemFiles files = system.files();
  EXPECT_EQ(files.number("number"), 42);
  EXPECT_EQ(files.number("with_unit"), 32768);
  EXPECT_FALSE(files.number("no_number").has_value());
  EXPECT_FALSE(files.number("joined").has_value());
  EXPECT_FALSE(files.number("nowhere").has_value());
  EXPECT_FALSE(files.text("broken").has_value());
  EXPECT_EQ(files.number_after("meminfo", "HugePages_Free"), 3);
  EXPECT_FALSE(files.number_after("meminfo", "HugePages").has_value());
}

TEST(SystemFiles, ListsNamesInTheirNaturalOrder) {
  const FakeSystem system;
  for (const char* name : {"cpus/cpu10", "cpus/cpu2", "cpus/other"}) {
    system.write(name, "");
  }
  EXPECT_EQ(system.files().names("cpus", "cpu"), (std::vector<std::string>{"cpu2", "cpu10"}));
  EXPECT_TRUE(system.files().names("nowhere").empty());
}

TEST(HostSettings, NamesWhatAffectsSpeed) {
  const FakeSystem system;
  const std::string cpus = "sys/devices/system/cpu";
  system.write(cpus + "/cpu0/cpufreq/scaling_governor", "performance\n");
  system.write(cpus + "/cpu1/cpufreq/scaling_governor", "powersave\n");
  system.write(cpus + "/cpu0/cpufreq/scaling_max_freq", "3800000\n");
  system.write(cpus + "/intel_pstate/no_turbo", "1\n");
  system.write(cpus + "/smt/control", "off\n");
  system.write(cpus + "/vulnerabilities/meltdown", "Not affected\n");
  system.write(cpus + "/vulnerabilities/spectre_v2", "Mitigation: Retpolines\n");
  system.write("proc/cpuinfo", "processor\t: 0\nmicrocode\t: 0x2b000603\nflags\t: fpu\n");
  system.write("sys/devices/system/node/node0/distance", "10 21\n");
  system.write("sys/devices/system/node/node1/distance", "21 10\n");
  system.write("sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n");
  system.write("sys/kernel/mm/hugepages/hugepages-1048576kB/nr_hugepages", "12\n");
  system.write("proc/sys/kernel/numa_balancing", "0\n");
  const auto settings = host_settings(system.files());
  EXPECT_EQ(text_in(settings, "governor"), "performance, powersave");
  EXPECT_EQ(text_in(settings, "frequency_max"), "3800");
  EXPECT_EQ(text_in(settings, "turbo"), "no");
  EXPECT_EQ(text_in(settings, "smt"), "off");
  EXPECT_EQ(text_in(settings, "mitigations"), "spectre_v2: Mitigation: Retpolines");
  EXPECT_EQ(text_in(settings, "microcode"), "0x2b000603");
  EXPECT_EQ(text_in(settings, "numa_distances"), "10 21; 21 10");
  EXPECT_EQ(text_in(settings, "transparent_huge_pages"), "madvise");
  EXPECT_EQ(text_in(settings, "huge_pages_of_1048576kB"), "12");
  EXPECT_EQ(text_in(settings, "numa_balancing"), "no");
}

TEST(HostSettings, AreEmptyWhereNothingCanBeRead) {
  const FakeSystem nothing;
  EXPECT_TRUE(host_settings(nothing.files()).empty());
  EXPECT_TRUE(host_state(nothing.files()).empty());
  EXPECT_TRUE(host_counts(nothing.files()).empty());
  EXPECT_FALSE(host_throttle_seconds(nothing.files()).any_known());
}

TEST(HostSettings, OfAmdHaveTurboToo) {
  const FakeSystem system;
  system.write("sys/devices/system/cpu/cpufreq/boost", "1\n");
  EXPECT_EQ(text_in(host_settings(system.files()), "turbo"), "yes");
}

TEST(HostState, HasExtremesOfFrequenciesAndTheHottestSensor) {
  const FakeSystem system;
  const std::string cpus = "sys/devices/system/cpu";
  system.write(cpus + "/cpu0/cpufreq/scaling_cur_freq", "2100000\n");
  system.write(cpus + "/cpu1/cpufreq/scaling_cur_freq", "3700000\n");
  system.write(cpus + "/cpufreq/policy0/scaling_cur_freq", "9000000\n");
  system.write("sys/class/hwmon/hwmon0/name", "nvme\n");
  system.write("sys/class/hwmon/hwmon0/temp1_input", "99000\n");
  system.write("sys/class/hwmon/hwmon1/name", "coretemp\n");
  system.write("sys/class/hwmon/hwmon1/temp1_input", "61000\n");
  system.write("sys/class/hwmon/hwmon1/temp2_input", "64000\n");
  system.write("sys/class/hwmon/hwmon1/temp2_max", "100000\n");
  system.write("proc/loadavg", "3.00 2.50 1.00 2/300 77\n");
  system.write("proc/meminfo", "MemAvailable:   1024 kB\n");
  const auto state = host_state(system.files());
  EXPECT_EQ(text_in(state, "slowest_processor"), "2100");
  EXPECT_EQ(text_in(state, "fastest_processor"), "3700");
  EXPECT_EQ(text_in(state, "temperature"), "64");
  EXPECT_EQ(text_in(state, "load_average"), "3");
  EXPECT_EQ(text_in(state, "memory_available"), "1048576");
}

TEST(HostState, AsksAtMostSixteenProcessorsForTheirFrequencies) {
  const FakeSystem system;
  for (int n = 0; n < 24; ++n) {
    system.write("sys/devices/system/cpu/cpu" + std::to_string(n) + "/cpufreq/scaling_cur_freq",
                 std::to_string(1000 * (1000 + n)));
  }
  const auto state = host_state(system.files());
  EXPECT_EQ(text_in(state, "slowest_processor"), "1000");
  EXPECT_EQ(text_in(state, "fastest_processor"), "1022") << "every second one";
}

TEST(HostState, TellsWhatShareOfTheProcessLiesInHugePages) {
  const FakeSystem system;
  EXPECT_TRUE(process_memory(system.files()).empty());
  system.write("proc/self/smaps_rollup",
               "1000-2000 ---p 00000000 00:00 0 [rollup]\nRss: 9000 kB\nAnonymous: 8192 kB\n"
               "AnonHugePages: 6144 kB\n");
  const auto memory = process_memory(system.files());
  EXPECT_EQ(text_in(memory, "process_memory"), "8388608");
  EXPECT_EQ(text_in(memory, "process_memory_in_huge_pages"), "75");
}

TEST(HostState, CountsStealAndErrorsOfMemory) {
  const FakeSystem system;
  system.write("proc/stat", "cpu  100 0 100 800 0 0 0 300 0 0\n");
  system.write("sys/devices/system/edac/mc/mc0/ce_count", "2\n");
  system.write("sys/devices/system/edac/mc/mc1/ce_count", "3\n");
  system.write("sys/devices/system/edac/mc/mc1/ue_count", "1\n");
  const auto counts = host_counts(system.files());
  EXPECT_EQ(text_in(counts, "steal"), "3") << "in ticks of 10 ms";
  EXPECT_EQ(text_in(counts, "processor_time"), "2");
  EXPECT_EQ(text_in(counts, "memory_errors_corrected"), "5");
  EXPECT_EQ(text_in(counts, "memory_errors_uncorrected"), "1");
}

TEST(HostState, CountsThrottlingOfSocketsOnceEach) {
  const FakeSystem system;
  const std::string file = "/thermal_throttle/package_throttle_total_time_ms";
  system.write("sys/devices/system/cpu/cpu0" + file, "1500\n");
  system.write("sys/devices/system/cpu/cpu1" + file, "1500\n");
  const ThrottleSeconds seconds = host_throttle_seconds(system.files());
  EXPECT_EQ(seconds[Throttle::thermal], 1.5);
  EXPECT_FALSE(seconds[Throttle::power_cap].has_value());
}

TEST(Cgroup, IsLimitedByTheGroupsAroundIt) {
  const FakeSystem system;
  system.write("proc/self/cgroup", "1:cpu:/old\n0::/batch.slice/job.scope\n");
  system.write("sys/fs/cgroup/batch.slice/cpu.max", "200000 100000\n");
  system.write("sys/fs/cgroup/batch.slice/memory.max", "max\n");
  system.write("sys/fs/cgroup/batch.slice/cpu.stat",
               "nr_periods 80\nnr_throttled 20\nthrottled_usec 2500000\n");
  system.write("sys/fs/cgroup/batch.slice/job.scope/cpu.max", "max 100000\n");
  system.write("sys/fs/cgroup/batch.slice/job.scope/cpu.stat",
               "nr_periods 90\nnr_throttled 85\nthrottled_usec 9000000\n");
  system.write("sys/fs/cgroup/batch.slice/job.scope/memory.max", "1073741824\n");
  system.write("sys/fs/cgroup/batch.slice/job.scope/cpuset.cpus.effective", "0-7\n");
  const Cgroup group(system.files());
  EXPECT_EQ(text_in(group.settings(), "cgroup"), "/batch.slice/job.scope");
  EXPECT_EQ(text_in(group.settings(), "cgroup_processors"), "0-7");
  EXPECT_EQ(text_in(group.settings(), "cgroup_processor_time"), "2");
  EXPECT_EQ(text_in(group.settings(), "cgroup_memory"), "1073741824");
  const auto quotas = group.quota_periods();
  ASSERT_EQ(quotas.size(), 1U) << "the other has counters, but no quota";
  EXPECT_EQ(quotas.front().folder, "sys/fs/cgroup/batch.slice");
  EXPECT_EQ(quotas.front().all, 80);
  EXPECT_EQ(quotas.front().throttled, 20);
}

TEST(Cgroup, WithoutLimitsSaysSoByNothing) {
  const FakeSystem system;
  system.write("proc/self/cgroup", "0::/\n");
  system.write("sys/fs/cgroup/cpu.stat", "nr_periods 90\nnr_throttled 85\n");
  const Cgroup group(system.files());
  EXPECT_EQ(text_in(group.settings(), "cgroup"), "/");
  EXPECT_EQ(text_in(group.settings(), "cgroup_processor_time"), "absent");
  EXPECT_TRUE(group.quota_periods().empty());
}

TEST(Cgroup, IsHeldBackByTheGroupThatWaitsInMostPeriods) {
  const std::vector<QuotaPeriods> before{{"a", 100, 50}, {"b", 10, 10}, {"gone", 0, 0}};
  const auto worst = most_throttled(before, {{"new", 9, 9}, {"a", 200, 60}, {"b", 50, 30}});
  ASSERT_TRUE(worst.has_value());
  EXPECT_EQ(worst->folder, "b");
  EXPECT_DOUBLE_EQ(worst->share(), 0.5);
  EXPECT_EQ(most_throttled(before, {{"a", 100, 50}})->share(), 0.0) << "no period passed";
  EXPECT_FALSE(most_throttled(before, {{"a", 3, 1}}).has_value()) << "it was made anew";
}

/// A structure of the firmware's table: `length` bytes of which the first ones are given, then the
/// texts.
std::string structure(const std::string& first, std::size_t length, const std::string& texts) {
  std::string formatted = first;
  formatted.resize(length, '\0');
  formatted[1] = static_cast<char>(length);
  return formatted + texts + std::string(texts.empty() ? 2 : 1, '\0');
}

void put(std::string& table, std::size_t offset, int number, std::size_t bytes) {
  for (std::size_t n = 0; n < bytes; ++n) {
    table[offset + n] = static_cast<char>(number >> (8 * n));
  }
}

/// A module of DDR5 in the slot "A1": of `size` as the table counts it.
std::string module_of(int size, int extended_mebibytes, int rate) {
  std::string one = structure(std::string(1, 17), 0x5c, std::string("A1\0", 3));
  put(one, 0x0c, size, 2);
  put(one, 0x10, 1, 1);
  put(one, 0x12, 0x22, 1);
  put(one, 0x1c, extended_mebibytes, 4);
  put(one, 0x20, rate, 2);
  return one;
}

TEST(MemoryModules, AreReadFromTheFirmwaresTable) {
  const std::string other = structure(std::string(1, 4), 0x20, std::string("CPU0\0", 5));
  const auto modules =
      modules_in(other + module_of(0x7fff, 65536, 4800) + module_of(0, 0, 0) + other);
  ASSERT_EQ(modules.size(), 1U) << "one slot is empty";
  EXPECT_EQ(
      modules.front(),
      (MemoryModule{
          .slot = "A1", .type = "DDR5", .bytes = std::int64_t{64} << 30, .mega_transfers = 4800}));
}

TEST(MemoryModules, OfABrokenTableAreThoseBeforeTheBreak) {
  const std::string good = module_of(16384, 0, 3200);
  EXPECT_EQ(modules_in(good + good.substr(0, 20)).size(), 1U);
  EXPECT_EQ(modules_in(good + std::string("\x11\x02\x00\x00\x00\x00", 6)).size(), 1U)
      << "shorter than its own head";
  EXPECT_TRUE(modules_in("").empty());
}

TEST(MemoryModules, AreDescribedInGroups) {
  const FakeSystem system;
  const std::string one = module_of(0x7fff, 65536, 4800);
  system.write("sys/firmware/dmi/tables/DMI", one + one + module_of(16384, 0, 4400));
  EXPECT_EQ(describe_memory_modules(system.files()),
            "2 x 64 GiB DDR5 at 4800 MT/s, 1 x 16 GiB DDR5 at 4400 MT/s");
}

TEST(MemoryModules, AreThoseOfEdacForUsers) {
  const FakeSystem system;
  system.make_unreadable("sys/firmware/dmi/tables/DMI");
  for (const char* dimm : {"dimm0", "dimm1"}) {
    const std::string folder = std::string("sys/devices/system/edac/mc/mc0/") + dimm;
    system.write(folder + "/size", "32768\n");
    system.write(folder + "/dimm_mem_type", "Registered-DDR4\n");
  }
  EXPECT_EQ(describe_memory_modules(system.files()), "2 x 32 GiB Registered-DDR4");
}

}  // namespace
}  // namespace bankfull
