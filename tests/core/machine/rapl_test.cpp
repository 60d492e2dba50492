#include "bankfull/core/machine/rapl.hpp"

#include "tests/core/machine/fake_system.hpp"

#include <gtest/gtest.h>
#include <string>

namespace bankfull {
namespace {

/// Two sockets with memory, as on a server; counters wrap at 1000 J.
class RaplTest : public testing::Test {
 protected:
  RaplTest() {
    zone("intel-rapl:0", "package-0", 100);
    zone("intel-rapl:1", "package-1", 200);
    zone("intel-rapl:0:0", "dram", 10);
    zone("intel-rapl:1:0", "dram", 20);
  }

  void zone(const std::string& folder, const std::string& name, int joules) const {
    const std::string path = "sys/class/powercap/" + folder;
    system_.write(path + "/name", name + "\n");
    system_.write(path + "/max_energy_range_uj", "1000000000\n");
    count(folder, joules);
  }
  void count(const std::string& folder, int joules) const {
    system_.write(file_of(folder), std::to_string(joules) + "000000\n");
  }
  [[nodiscard]] static std::string file_of(const std::string& folder) {
    return "sys/class/powercap/" + folder + "/energy_uj";
  }

  FakeSystem system_;
};

TEST_F(RaplTest, AddsUpSocketsAndTheirMemory) {
  Rapl rapl(system_.files());
  EXPECT_EQ(rapl.unknown_because(), "");
  EXPECT_EQ(rapl.read(0.0)[EnergyDomain::package], 0.0);
  count("intel-rapl:0", 130);
  count("intel-rapl:1", 250);
  count("intel-rapl:1:0", 24);
  const EnergyCount used = rapl.read(0.5);
  EXPECT_DOUBLE_EQ(used[EnergyDomain::package].value_or(0.0), 80.0);
  EXPECT_DOUBLE_EQ(used[EnergyDomain::dram].value_or(0.0), 4.0);
  EXPECT_FALSE(used[EnergyDomain::gpu].has_value());
}

TEST_F(RaplTest, CountsOnAfterAWrap) {
  Rapl rapl(system_.files());
  const EnergyCount before = rapl.read(0.0);
  count("intel-rapl:0", 900);
  static_cast<void>(rapl.read(0.5));
  count("intel-rapl:0", 50);
  const EnergyCount after = rapl.read(1.0);
  EXPECT_DOUBLE_EQ(after[EnergyDomain::package].value_or(0.0), 950.0);
  EXPECT_EQ(after.gaps, before.gaps);
}

TEST_F(RaplTest, HasAGapWhereItMayHaveWrappedTwice) {
  Rapl rapl(system_.files());
  const EnergyCount before = rapl.read(0.0);
  const EnergyCount after = rapl.read(1000.0 / max_package_watts + 0.1);
  EXPECT_NE(after.gaps.at(1), before.gaps.at(1));
  EXPECT_EQ(after.gaps.at(2), before.gaps.at(2)) << "memory uses less: it cannot have wrapped";
  EXPECT_EQ(rapl.read(1.2).gaps, after.gaps) << "and counts on";
}

TEST_F(RaplTest, HasAGapWhereItCouldNotBeRead) {
  Rapl rapl(system_.files());
  const EnergyCount before = rapl.read(0.0);
  system_.make_unreadable(file_of("intel-rapl:1"));
  EXPECT_NE(rapl.read(0.1).gaps.at(1), before.gaps.at(1));
}

TEST_F(RaplTest, LeavesOutPartsOfSocketsAndWholePlatforms) {
  zone("intel-rapl:0:1", "core", 0);
  zone("intel-rapl:2", "psys", 0);
  Rapl rapl(system_.files());
  count("intel-rapl:0:1", 500);
  count("intel-rapl:2", 600);
  EXPECT_EQ(rapl.read(0.1)[EnergyDomain::package], 0.0);
}

TEST_F(RaplTest, SaysThatOnlyRootMayRead) {
  for (const char* folder : {"intel-rapl:0", "intel-rapl:1", "intel-rapl:0:0", "intel-rapl:1:0"}) {
    system_.make_unreadable(file_of(folder));
  }
  Rapl rapl(system_.files());
  EXPECT_NE(rapl.unknown_because().find("may not read"), std::string::npos);
  EXPECT_FALSE(rapl.read(0.0)[EnergyDomain::package].has_value());
}

TEST(Rapl, SaysThatThereIsNone) {
  const FakeSystem nothing;
  EXPECT_NE(Rapl(nothing.files()).unknown_because().find("shows no"), std::string::npos);
}

}  // namespace
}  // namespace bankfull
