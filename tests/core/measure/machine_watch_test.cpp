#include "bankfull/core/measure/machine_watch.hpp"

#include "bankfull/core/measure/counted_work.hpp"
#include "bankfull/core/measure/experiment.hpp"
#include "tests/alone.hpp"
#include "tests/core/machine/fake_driver.hpp"
#include "tests/core/machine/fake_system.hpp"

#include <algorithm>
#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>

namespace bankfull {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const char* const driver_file = BANKFULL_FAKE_NVML;
const char* const old_driver_file = BANKFULL_FAKE_OLD_NVML;
const GpuAddress gpu_address{
    .name = "GPU 0 of host here", .model = "Fake", .uuid = "GPU-1", .pci_bus_id = fake_bus_id};
const std::string socket_energy = "sys/class/powercap/intel-rapl:0/energy_uj";

void let_time_pass() { std::this_thread::sleep_for(std::chrono::milliseconds(20)); }

const ObservedPart& part_of(const MachineState& state, const std::string& kind) {
  const auto found = std::find_if(state.parts.begin(), state.parts.end(),
                                  [&](const ObservedPart& part) { return part.kind == kind; });
  return found == state.parts.end() ? throw std::out_of_range(kind) : *found;
}

TEST(MachineWatch, TellsTheExtremesOfAllReadings) {
  FakeDriver driver(driver_file);
  const FakeSystem system;
  MachineWatch watch(system.files(), driver_file);
  watch.watch(gpu_address);
  driver.reported.celsius = 81;
  watch.observe();
  driver.reported.celsius = 70;
  const MachineState state = watch.state(alone());
  ASSERT_EQ(state.parts.size(), 2U);
  const ObservedPart& gpu = part_of(state, "gpu");
  EXPECT_EQ(as_number(gpu.before.front()), 63.0);
  EXPECT_EQ(as_number(gpu.after.front()), 70.0);
  EXPECT_EQ(gpu.during.front().name, "temperature");
  EXPECT_EQ(gpu.during.front().min, 63.0);
  EXPECT_EQ(gpu.during.front().max, 81.0);
  EXPECT_THAT(gpu.limits, IsEmpty());
  EXPECT_TRUE(gpu.is_throttling_known);
  EXPECT_EQ(verdict_on_machine(state.limits(), state.is_throttling_known()), "not throttled");
}

TEST(MachineWatch, SeesPowerCapsThatNoReadingMet) {
  FakeDriver driver(driver_file);
  const FakeSystem system;
  MachineWatch watch(system.files(), driver_file);
  watch.watch(gpu_address);
  driver.reported.power_cap_nanoseconds += 10'000'000'000;
  const MachineState state = watch.state(alone());
  EXPECT_THAT(state.limits(), ElementsAre("power-capped"));
  EXPECT_THAT(part_of(state, "gpu").findings, ElementsAre(HasSubstr("power-capped for")));
}

TEST(MachineWatch, DoesNotMindAMomentsThrottling) {
  FakeDriver driver(driver_file);
  const FakeSystem system;
  MachineWatch watch(system.files(), driver_file);
  watch.watch(gpu_address);
  let_time_pass();
  driver.reported.thermal_nanoseconds += 1'000;  // of 20 ms
  const MachineState state = watch.state(alone());
  EXPECT_THAT(state.limits(), IsEmpty());
  EXPECT_TRUE(std::ranges::any_of(part_of(state, "gpu").counted, [](const Figure& figure) {
    return figure.name == "thermally_throttled" && as_number(figure).value_or(0.0) > 0.0;
  })) << "but tells of it";
}

TEST(MachineWatch, OfAnOldDriverSeesWhatReadingsMeet) {
  FakeDriver driver(old_driver_file);
  const FakeSystem system;
  MachineWatch watch(system.files(), old_driver_file);
  watch.watch(gpu_address);
  driver.reported.event_reasons = 0x8 | 0x80;
  watch.observe();
  driver.reported.event_reasons = 0;
  const MachineState state = watch.state(alone());
  EXPECT_THAT(state.limits(), ElementsAre("slowed by a power brake"));
  EXPECT_THAT(part_of(state, "gpu").findings,
              ElementsAre("slowed by a power brake in 1 of 3 readings"));
}

TEST(MachineWatch, ReportsNewErrors) {
  FakeDriver driver(driver_file);
  const FakeSystem system;
  MachineWatch watch(system.files(), driver_file);
  watch.watch(gpu_address);
  driver.reported.uncorrected_errors += 2;
  driver.reported.link_replays += 1;
  const MachineState state = watch.state(alone());
  EXPECT_THAT(part_of(state, "gpu").findings,
              ElementsAre("ecc uncorrected: 2 during the run", "nvlink replays: 2 during the run"));
  EXPECT_THAT(state.limits(), IsEmpty()) << "an error is no throttling";
}

TEST(MachineWatch, SeesAContainersQuota) {
  const FakeSystem system;
  system.write("sys/fs/cgroup/cpu.stat", "throttled_usec 1000000\n");
  MachineWatch watch(system.files(), "libbankfull-nowhere.so.1");
  system.write("sys/fs/cgroup/cpu.stat", "throttled_usec 9000000\n");
  EXPECT_THAT(watch.state(alone()).limits(), ElementsAre("held back by its cgroup"));
}

TEST(MachineWatch, DoesNotKnowWhatNobodyTells) {
  const FakeSystem nothing;
  MachineWatch watch(nothing.files(), "libbankfull-nowhere.so.1");
  watch.watch(gpu_address);
  const MachineState state = watch.state(alone());
  EXPECT_EQ(verdict_on_machine(state.limits(), state.is_throttling_known()), "unknown");
  EXPECT_THAT(watch.energy_unknown_because(Device::cpu()), HasSubstr("RAPL"));
  EXPECT_THAT(watch.energy_unknown_because(Device::cuda(0)), HasSubstr("NVML"));
}

TEST(MachineWatch, CountsTheEnergyOfItsGpu) {
  FakeDriver driver(driver_file);
  const FakeSystem system;
  MachineWatch watch(system.files(), driver_file);
  watch.watch(gpu_address);
  EXPECT_EQ(watch.energy_unknown_because(Device::cuda(0)), "");
  const CounterReading before = watch.read_counters();
  driver.reported.energy_millijoules += 250'000;
  const CounterReading after = watch.read_counters();
  EXPECT_EQ(after.energy[EnergyDomain::gpu].value_or(0.0) -
                before.energy[EnergyDomain::gpu].value_or(0.0),
            250.0);
  driver.reported.energy_result = 3;
  EXPECT_THAT(watch.energy_unknown_because(Device::cuda(0)), HasSubstr("does not count"));
}

TEST(MachineState, SurvivesItsJson) {
  FakeDriver driver(driver_file);
  const FakeSystem system;
  system.write("proc/loadavg", "3.00 2.50 1.00 2/300 77\n");
  MachineWatch watch(system.files(), driver_file);
  watch.watch(gpu_address);
  driver.reported.power_cap_nanoseconds += 10'000'000'000;
  const std::string json = machine_to_json(watch.state(alone()));
  EXPECT_EQ(machine_to_json(machine_from_json(json)), json);
  EXPECT_THAT(json, HasSubstr("\"verdict\":\"power-capped\""));
  EXPECT_THROW(machine_from_json("{}"), nlohmann::json::exception);
}

/// Works for 20 ms and uses 2 J of the socket's energy; says when it was run.
class Heater final : public Benchmark {
 public:
  Heater(const FakeSystem& system, std::vector<std::string>& calls)
      : system_(system), calls_(calls) {}

  [[nodiscard]] std::string name() const override { return "heater"; }
  void rewind() override { calls_.emplace_back("rewind"); }
  void warm_up() override {}
  void run() override {
    calls_.emplace_back("run");
    microjoules_ += 2'000'000;
    let_time_pass();
    system_.write(socket_energy, std::to_string(microjoules_));
  }
  [[nodiscard]] Work work() const override { return {.traffic = {.flops = 1e9}}; }

 private:
  const FakeSystem& system_;
  std::vector<std::string>& calls_;
  std::int64_t microjoules_ = 0;
};

/// Notes how often the driver was asked until its rewinds end, its runs begin and its runs end.
class Listener final : public Benchmark {
 public:
  explicit Listener(const FakeNvml& driver) : driver_(driver) {}

  [[nodiscard]] std::string name() const override { return "listener"; }
  void rewind() override { reads_.push_back(driver_.energy_reads); }
  void warm_up() override { reads_.clear(); }
  void run() override {
    reads_.push_back(driver_.energy_reads);
    let_time_pass();
    reads_.push_back(driver_.energy_reads);
  }
  [[nodiscard]] Work work() const override { return {}; }
  [[nodiscard]] const std::vector<int>& reads() const { return reads_; }

 private:
  const FakeNvml& driver_;
  std::vector<int> reads_;
};

TEST(Experiment, ReadsCountersOutsideOfTheTimedRegionAndOfWhatPreparesIt) {
  FakeDriver driver(driver_file);
  const FakeSystem system;
  MachineWatch watch(system.files(), driver_file);
  watch.watch(gpu_address);
  NoProgress progress;
  const RunContext context{.ranks = alone(), .progress = progress, .machine = &watch};
  Experiment experiment(Device::cpu(), 1, context);
  Listener listener(driver.reported);
  std::vector<Check> checks;
  static_cast<void>(experiment.measure_in_turn({&listener}, 2, checks));
  EXPECT_THAT(listener.reads(), ElementsAre(1, 1, 1, 3, 3, 3));
}

class EnergyOfExperiment : public testing::Test {
 protected:
  EnergyOfExperiment() {
    system_.write("sys/class/powercap/intel-rapl:0/name", "package-0");
    system_.write("sys/class/powercap/intel-rapl:0/max_energy_range_uj", "262143328850");
    system_.write(socket_energy, "0");
  }

  FakeSystem system_;
  std::vector<std::string> calls_;
  NoProgress progress_;
};

TEST_F(EnergyOfExperiment, IsCountedAroundTheRepeats) {
  MachineWatch watch(system_.files(), "libbankfull-nowhere.so.1");
  const RunContext context{.ranks = alone(), .progress = progress_, .machine = &watch};
  Experiment experiment(Device::cpu(), 1, context);
  Heater heater(system_, calls_);
  std::vector<Check> checks;
  const Measurement m = experiment.measure_in_turn({&heater}, 3, checks).front();
  const EnergyUse energy = m.energy.value_or(EnergyUse{.unknown_because = "absent"});
  ASSERT_TRUE(energy.is_known()) << energy.unknown_because;
  EXPECT_DOUBLE_EQ(energy.joules, 6.0) << "of all three repeats";
  EXPECT_GE(energy.seconds, 0.06);
  EXPECT_LE(energy.timed_seconds, energy.seconds);
  EXPECT_DOUBLE_EQ(m.watts().value_or(0.0), 6.0 / energy.seconds);
  EXPECT_DOUBLE_EQ(m.joules().value_or(0.0), m.watts().value_or(0.0) * m.seconds.median);
  EXPECT_DOUBLE_EQ(m.flops_per_joule().value_or(0.0), 1e9 / m.joules().value_or(0.0));
  EXPECT_FALSE(m.throttled.has_value()) << "there is no GPU";
}

TEST_F(EnergyOfExperiment, IsAbsentIfNobodyWatches) {
  const RunContext context{.ranks = alone(), .progress = progress_};
  Experiment experiment(Device::cpu(), 1, context);
  Heater heater(system_, calls_);
  std::vector<Check> checks;
  const Measurement m = experiment.measure_in_turn({&heater}, 1, checks).front();
  EXPECT_FALSE(m.energy.has_value());
  EXPECT_FALSE(m.joules().has_value());
  EXPECT_FALSE(experiment.read_counters().has_value());
}

TEST_F(EnergyOfExperiment, SaysThatItCannotBeRead) {
  system_.make_unreadable(socket_energy);
  MachineWatch watch(system_.files(), "libbankfull-nowhere.so.1");
  const RunContext context{.ranks = alone(), .progress = progress_, .machine = &watch};
  const Experiment experiment(Device::cpu(), 1, context);
  Measurement m;
  experiment.add_energy({}, m);
  EXPECT_THAT(m.energy.value_or(EnergyUse{}).unknown_because, HasSubstr("may not read"));
}

TEST_F(EnergyOfExperiment, OfWorkInPiecesIsOneWindow) {
  MachineWatch watch(system_.files(), "libbankfull-nowhere.so.1");
  CountedWork counted(&watch);
  Heater heater(system_, calls_);
  for (int n = 0; n < 3; ++n) {
    heater.run();
    counted.add(0.3, n == 2);
  }
  EXPECT_EQ(counted.tally().windows(), 1);
  EXPECT_DOUBLE_EQ(counted.tally().timed_seconds(), 0.9);
  EXPECT_DOUBLE_EQ(counted.tally().joules(EnergyDomain::package).value_or(0.0), 6.0);
  CountedWork nobody(nullptr);
  nobody.add(1.0, true);
  EXPECT_EQ(nobody.tally().windows(), 0);
}

}  // namespace
}  // namespace bankfull
