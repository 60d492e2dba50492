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

TEST(MachineWatch, ReportsRowsThatWaitForTheirReplacement) {
  FakeDriver driver(driver_file);
  const FakeSystem system;
  MachineWatch watch(system.files(), driver_file);
  watch.watch(gpu_address);
  EXPECT_THAT(part_of(watch.state(alone()), "gpu").findings, IsEmpty());
  driver.reported.remapping_pending = 1;
  EXPECT_THAT(part_of(watch.state(alone()), "gpu").findings,
              ElementsAre(HasSubstr("remapping pending")));
  driver.reported.remapping_failed = 1;
  EXPECT_THAT(part_of(watch.state(alone()), "gpu").findings,
              ElementsAre(HasSubstr("remapping pending"), HasSubstr("remapping failed")));
}

TEST(MachineWatch, LeavesOutCountersThatWereReset) {
  FakeDriver driver(driver_file);
  const FakeSystem system;
  system.write("proc/stat", "cpu  100 0 100 800 0 0 0 300 0 0\n");
  MachineWatch watch(system.files(), driver_file);
  watch.watch(gpu_address);
  driver.reported.corrected_errors = 0;
  system.write("proc/stat", "cpu  100 0 100 800 0 0 0 200 0 0\n");
  const MachineState state = watch.state(alone());
  const auto is_counted = [&](const std::string& kind, const std::string& name) {
    const std::vector<Figure>& counted = part_of(state, kind).counted;
    return std::ranges::find(counted, name, &Figure::name) != counted.end();
  };
  EXPECT_FALSE(is_counted("gpu", "ecc_corrected"));
  EXPECT_TRUE(is_counted("gpu", "ecc_uncorrected"));
  EXPECT_FALSE(is_counted("host", "steal"));
  EXPECT_TRUE(is_counted("host", "processor_time"));
}

TEST(MachineWatch, LeavesTheHostToAnotherRank) {
  const FakeSystem system;
  MachineWatch watch(system.files(), "libbankfull-nowhere.so.1", false);
  EXPECT_THAT(watch.state(alone()).parts, IsEmpty());
}

TEST(MachineWatch, WatchesAllGpusAndCountsThoseThatWork) {
  FakeDriver driver(driver_file);
  const FakeSystem system;
  MachineWatch watch(system.files(), driver_file);
  GpuAddress second = gpu_address;
  second.name = "GPU 1 of host here";
  second.pci_bus_id = second_fake_bus_id;
  const auto joules = [&] { return watch.read_counters().energy[EnergyDomain::gpu]; };
  watch.watch(gpu_address);
  EXPECT_EQ(joules(), 5000.0);
  watch.watch_gpus({gpu_address, second});
  EXPECT_EQ(joules(), 6000.0);
  EXPECT_EQ(watch.read_counters().gpu_throttle.size(), 2U);
  EXPECT_EQ(watch.energy_unknown_because(Device::cuda(0)), "");
  watch.watch(gpu_address);
  EXPECT_EQ(joules(), 5000.0) << "the other one rests";
  driver.reported.second_power_cap_nanoseconds += 10'000'000'000;
  const MachineState state = watch.state(alone());
  ASSERT_EQ(state.parts.size(), 3U);
  EXPECT_EQ(state.parts[0].name, gpu_address.name);
  EXPECT_THAT(state.parts[0].limits, IsEmpty());
  EXPECT_EQ(state.parts[1].name, second.name);
  EXPECT_THAT(state.parts[1].limits, ElementsAre("power-capped"));
}

TEST(MachineWatch, DoesNotKnowTheEnergyOfGpusOneOfWhichIsUnknown) {
  FakeDriver driver(driver_file);
  const FakeSystem system;
  MachineWatch watch(system.files(), driver_file);
  for (const bool is_first : {false, true}) {
    const GpuAddress unknown{.name = "GPU 1", .pci_bus_id = "00000000:5B:00.0"};
    watch.watch_gpus(is_first ? std::vector<GpuAddress>{unknown, gpu_address}
                              : std::vector<GpuAddress>{gpu_address, unknown});
    EXPECT_FALSE(watch.read_counters().energy[EnergyDomain::gpu].has_value());
    EXPECT_THAT(watch.energy_unknown_because(Device::cuda(0)), HasSubstr("NVML"));
  }
}

TEST(MachineWatch, SeesAContainersQuota) {
  const FakeSystem system;
  system.write("sys/fs/cgroup/cpu.max", "200000 100000\n");
  system.write("sys/fs/cgroup/cpu.stat", "nr_periods 100\nnr_throttled 90\n");
  MachineWatch watch(system.files(), "libbankfull-nowhere.so.1");
  system.write("sys/fs/cgroup/cpu.stat", "nr_periods 500\nnr_throttled 90\n");
  MachineState state = watch.state(alone());
  EXPECT_THAT(state.limits(), IsEmpty());
  EXPECT_TRUE(state.is_throttling_known());
  system.write("sys/fs/cgroup/cpu.stat", "nr_periods 500\nnr_throttled 190\n");
  state = watch.state(alone());
  EXPECT_THAT(state.limits(), ElementsAre("held back by its cgroup"));
  EXPECT_THAT(part_of(state, "host").findings,
              ElementsAre("held back by its cgroup in 25 % of its periods"));
}

TEST(MachineWatch, DoesNotTakeCountersWithoutAQuotaForKnowledge) {
  const FakeSystem system;
  system.write("sys/fs/cgroup/cpu.max", "max 100000\n");
  system.write("sys/fs/cgroup/cpu.stat", "nr_periods 0\nnr_throttled 0\nthrottled_usec 0\n");
  MachineWatch watch(system.files(), "libbankfull-nowhere.so.1");
  system.write("sys/fs/cgroup/cpu.stat", "nr_periods 9\nnr_throttled 9\nthrottled_usec 90\n");
  const MachineState state = watch.state(alone());
  EXPECT_THAT(state.limits(), IsEmpty());
  EXPECT_FALSE(state.is_throttling_known());
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

/// Runs of a GPU that is capped while they run, but for the first.
class Capped final : public Benchmark {
 public:
  Capped(FakeNvml& driver, int milliseconds) : driver_(driver), milliseconds_(milliseconds) {}

  [[nodiscard]] std::string name() const override { return "capped"; }
  void rewind() override {}
  void warm_up() override {}
  void run() override {
    const std::chrono::milliseconds time(milliseconds_);
    std::this_thread::sleep_for(time);
    driver_.power_cap_nanoseconds +=
        runs_++ == 0 ? 0U : static_cast<std::uint64_t>(std::chrono::nanoseconds(time).count());
  }
  [[nodiscard]] std::optional<double> own_seconds() const override { return 1e-3 * milliseconds_; }
  [[nodiscard]] Work work() const override { return {}; }

 private:
  FakeNvml& driver_;
  int milliseconds_;
  int runs_ = 0;
};

/// The result of five such runs.
RunResult capped_run(int milliseconds) {
  FakeDriver driver(driver_file);
  const FakeSystem system;
  MachineWatch watch(system.files(), driver_file);
  watch.watch(gpu_address);
  NoProgress progress;
  const RunContext context{.ranks = alone(), .progress = progress, .machine = &watch};
  Experiment experiment(Device::cuda(0), 1, context);
  Capped capped(driver.reported, milliseconds);
  RunResult result;
  result.measurements = experiment.measure_in_turn({&capped}, 5, result.checks);
  result.machine = watch.state(alone());
  return result;
}

TEST(Experiment, LeavesThrottlingOfShortRepeatsToTheRun) {
  const RunResult result = capped_run(5);
  const Measurement& m = result.measurements.front();
  ASSERT_EQ(m.seconds.samples.size(), 5U);
  EXPECT_FALSE(m.throttled.has_value()) << "only the first repeat was in a window";
  EXPECT_THAT(result.limits_of(m), ElementsAre("power-capped"));
}

TEST(Experiment, TellsTheThrottlingOfLongRepeats) {
  const RunResult result = capped_run(210);
  const Measurement& m = result.measurements.front();
  const auto shares = m.throttled.value_or(std::vector<ThrottledShare>{});
  ASSERT_FALSE(shares.empty());
  EXPECT_EQ(shares.front().reason, Throttle::power_cap);
  EXPECT_GT(shares.front().share, 0.0);
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
