#include "bankfull/core/measure/experiment.hpp"

#include "bankfull/core/base/bytes.hpp"
#include "tests/alone.hpp"

#include <algorithm>
#include <chrono>
#include <gtest/gtest.h>
#include <thread>

namespace bankfull {
namespace {

/// Counts the calls of its functions; from its third run on it fails its check.
class Recorder final : public Benchmark {
 public:
  Recorder(std::string name, std::vector<std::string>& calls, Work work)
      : name_(std::move(name)), calls_(calls), work_(std::move(work)) {}

  [[nodiscard]] std::string name() const override { return name_; }
  void rewind() override { calls_.push_back(name_ + " rewind"); }
  void warm_up() override { calls_.push_back(name_ + " warm-up"); }
  void run() override {
    calls_.push_back(name_ + " run");
    ++runs_;
  }
  [[nodiscard]] Work work() const override { return work_; }
  [[nodiscard]] std::vector<Check> checks() override {
    return {{.name = name_, .value = runs_ < 2 ? 0.0 : 1.0 * runs_}};
  }
  [[nodiscard]] std::vector<std::string> notes() const override { return {"note of " + name_}; }

 private:
  std::string name_;
  std::vector<std::string>& calls_;
  Work work_;
  int runs_ = 0;
};

Work work_of(double bytes, double working_set) {
  return {.traffic = {.bytes_read = bytes, .bytes_written = bytes, .flops = bytes},
          .model = "a copy",
          .working_set_bytes = working_set};
}

struct Session {
  NoProgress progress;
  RunContext context{.ranks = alone(), .progress = progress};
};

constexpr double beyond_all_caches = 1e15;

TEST(Experiment, RepeatsBenchmarksInTurn) {
  Session session;
  Experiment experiment(Device::cpu(), 1, session.context);
  std::vector<std::string> calls;
  Recorder a("a", calls, work_of(8.0, 8.0));
  Recorder b("b", calls, work_of(8.0, 8.0));
  std::vector<Check> checks;
  const auto measured = experiment.measure_in_turn({&a, &b}, 2, checks);
  const std::vector<std::string> expected{"a rewind", "a warm-up", "b rewind", "b warm-up",
                                          "a rewind", "a run",     "b rewind", "b run",
                                          "a rewind", "a run",     "b rewind", "b run"};
  EXPECT_EQ(calls, expected);
  ASSERT_EQ(measured.size(), 2U);
  EXPECT_EQ(measured[0].name, "a");
  EXPECT_EQ(measured[0].seconds.samples.size(), 2U);
  EXPECT_EQ(measured[1].notes.front(), "note of b");
}

/// Requests the end after so many runs.
class EndAfter final : public Interruption {
 public:
  EndAfter(std::size_t calls, const std::vector<std::string>& made) : calls_(calls), made_(made) {}

  [[nodiscard]] bool requested() const override { return made_.size() >= calls_; }
  [[nodiscard]] std::string cause() const override { return "a test"; }

 private:
  std::size_t calls_;
  const std::vector<std::string>& made_;
};

TEST(Experiment, AnInterruptionKeepsWhatWasMeasured) {
  const auto measured_after = [](std::size_t calls) {
    Session session;
    std::vector<std::string> made;
    const EndAfter end(calls, made);
    session.context.interruption = &end;
    Experiment experiment(Device::cpu(), 1, session.context);
    Recorder a("a", made, work_of(8.0, beyond_all_caches));
    Recorder b("b", made, work_of(8.0, beyond_all_caches));
    std::vector<Check> checks;
    auto measured = experiment.measure_in_turn({&a, &b}, 2, checks);
    EXPECT_EQ(measured.size(), checks.size());
    experiment.finish(measured);
    EXPECT_FALSE(measured.front().ceiling.has_value());
    return measured;
  };
  constexpr std::size_t warm = 4;  // a rewind and a warm-up each
  EXPECT_THROW(measured_after(0), Interrupted);
  EXPECT_THROW(measured_after(warm), Interrupted);
  const auto one = measured_after(warm + 2);
  ASSERT_EQ(one.size(), 1U);
  EXPECT_EQ(one[0].name, "a");
  const auto two = measured_after(warm + 4);
  ASSERT_EQ(two.size(), 2U);
  EXPECT_EQ(two[0].seconds.samples.size(), 1U);
  EXPECT_EQ(two[1].seconds.samples.size(), 1U);
}

/// A run of ten units, which pauses after each; requests the end itself, after so many.
class TenUnits final : public Benchmark, public Interruption {
 public:
  TenUnits(int last, bool can_shorten) : last_(last), can_shorten_(can_shorten) {}

  [[nodiscard]] bool requested() const override { return done_in_all_ >= last_; }
  [[nodiscard]] std::string cause() const override { return "a test"; }

  [[nodiscard]] std::string name() const override { return "ten units"; }
  void warm_up() override {}
  void run() override {
    for (done_ = 0; done_ < units_; ++done_) {
      pauses().at(static_cast<double>(done_) / units_);
      ++done_in_all_;
    }
  }
  bool shorten_to_last_run() override {
    units_ = can_shorten_ ? done_ : units_;
    return can_shorten_;
  }
  [[nodiscard]] std::optional<double> own_seconds() const override { return 2.0 * done_; }
  [[nodiscard]] Work work() const override { return {.traffic = {.flops = 1.0 * units_}}; }

 private:
  int last_;
  bool can_shorten_;
  int units_ = 10;
  int done_ = 0;
  int done_in_all_ = 0;
};

/// Records the progress reported to it.
class Shares final : public Progress {
 public:
  void update(const std::string& /*task*/, double done, double total,
              const Detail& /*detail*/) override {
    told.push_back(done / total);
  }
  std::vector<double> told;
};

std::vector<Measurement> measure_ten_units(TenUnits& benchmark, Progress& progress) {
  const RunContext context{.ranks = alone(), .progress = progress, .interruption = &benchmark};
  Experiment experiment(Device::cpu(), 1, context);
  std::vector<Check> checks;
  return experiment.measure_in_turn({&benchmark}, 2, checks);
}

TEST(Experiment, ARepeatThatWasBrokenOffIsDropped) {
  TenUnits benchmark(14, true);
  Shares shares;
  const auto measured = measure_ten_units(benchmark, shares);
  EXPECT_EQ(measured.front().seconds.samples, std::vector<double>{20.0});
  EXPECT_EQ(measured.front().work.traffic.flops, 10.0);
  EXPECT_DOUBLE_EQ(shares.told.back(), 0.65) << "three tenths into the second of two repeats";
}

TEST(Experiment, TheOnlyRepeatCountsAsFarAsItCame) {
  TenUnits benchmark(4, true);
  NoProgress progress;
  const auto measured = measure_ten_units(benchmark, progress);
  EXPECT_EQ(measured.front().seconds.samples, std::vector<double>{8.0});
  EXPECT_EQ(measured.front().work.traffic.flops, 4.0);
}

TEST(Experiment, TheOnlyRepeatIsNothingWhereItCannotBeShorter) {
  TenUnits benchmark(4, false);
  NoProgress progress;
  EXPECT_THROW(measure_ten_units(benchmark, progress), Interrupted);
}

TEST(Pauses, LieHalfASecondApartInLongWorkOnly) {
  EXPECT_EQ(units_between_pauses(1000, 1e-3), 1000);
  EXPECT_EQ(units_between_pauses(1001, 1e-3), 500);
  EXPECT_EQ(units_between_pauses(1001, 1e-3, 32), 480);
  EXPECT_EQ(units_between_pauses(100, 3.0), 1);
  EXPECT_EQ(units_between_pauses(100, 3.0, 16), 16);
  EXPECT_EQ(units_between_pauses(10, 3.0, 16), 10);
}

TEST(Pauses, AllUnitsAreDoneInTheirOrder) {
  std::vector<std::int64_t> done;
  in_units(Pauses(), 5, [&](std::int64_t n) { done.push_back(n); });
  EXPECT_EQ(done, (std::vector<std::int64_t>{0, 1, 2, 3, 4}));
}

TEST(Pauses, LongUnitsEndWhereTheRunIsToEnd) {
  std::vector<std::string> made;
  const EndAfter end(2, made);
  NoProgress progress;
  const RunContext context{.ranks = alone(), .progress = progress, .interruption = &end};
  const auto work = [&] {
    in_units(Pauses(context, {.task = "work"}), 1'000'000, [&](std::int64_t /*n*/) {
      made.emplace_back("a unit");
      std::this_thread::sleep_for(std::chrono::milliseconds(600));
    });
  };
  EXPECT_THROW(work(), Interrupted);
  EXPECT_EQ(made.size(), 2U);
}

TEST(Experiment, TakesTurnsWithAndWithoutCommunication) {
  Session session;
  const Experiment experiment(Device::cpu(), 1, session.context);
  std::vector<std::string> calls;
  Recorder with("with", calls, {});
  Recorder without("without", calls, {});
  const auto exposed = experiment.exposed_communication({{&with, &without}}, 2);
  const std::vector<std::string> turn{"with rewind", "with run", "without rewind", "without run"};
  std::vector<std::string> expected = turn;
  expected.insert(expected.end(), turn.begin(), turn.end());
  EXPECT_EQ(calls, expected);
  ASSERT_EQ(exposed.size(), 1U);
  EXPECT_EQ(exposed.front().size(), 2U);
}

/// A run that takes so long.
class Sleeper final : public Benchmark {
 public:
  explicit Sleeper(double seconds) : seconds_(seconds) {}
  [[nodiscard]] std::string name() const override { return "sleeper"; }
  void run() override { std::this_thread::sleep_for(std::chrono::duration<double>(seconds_)); }
  [[nodiscard]] Work work() const override { return {}; }

 private:
  double seconds_;
};

TEST(Experiment, ExposedCommunicationIsTheTimeThatItAdds) {
  Session session;
  const Experiment experiment(Device::cpu(), 1, session.context);
  Sleeper with(0.2);
  Sleeper without(0.0);
  const auto exposed = experiment.exposed_communication({{&with, &without}}, 1);
  EXPECT_GT(exposed.front().front(), 0.1);
}

TEST(Experiment, MeasuresABenchmarkThatIsMadeAnewForEveryRepeat) {
  Session session;
  const Experiment experiment(Device::cpu(), 1, session.context);
  std::vector<std::string> calls;
  Samples samples;
  Measurement m;
  for (int n = 0; n < 3; ++n) {
    Recorder fresh("fresh", calls, work_of(8.0, 8.0));
    experiment.repeat(fresh, samples, {.task = "fresh"});
    m = experiment.measurement(fresh, samples);
  }
  EXPECT_EQ(m.seconds.samples.size(), 3U);
  EXPECT_EQ(m.work.traffic.bytes(), 16.0);
  EXPECT_EQ(m.notes.front(), "note of fresh");
}

TEST(Experiment, KeepsTheChecksOfTheFirstRepeatThatFailed) {
  Session session;
  Experiment experiment(Device::cpu(), 1, session.context);
  std::vector<std::string> calls;
  Recorder a("a", calls, {});
  std::vector<Check> checks;
  experiment.measure_in_turn({&a}, 4, checks);
  ASSERT_EQ(checks.size(), 1U);
  EXPECT_EQ(checks.front().value, 2.0);
}

TEST(Experiment, WorkInsideACacheHasNoCeilingUnlessAsked) {
  Session session;
  Experiment experiment(Device::cpu(), 1, session.context);
  std::vector<Measurement> measured{experiment.measurement("tiny", {1.0}, work_of(8.0, 8.0))};
  experiment.finish(measured);
  EXPECT_EQ(measured.front().ceiling.has_value(), last_cache_bytes(Device::cpu()) == 0);
}

TEST(Experiment, TakesTheLoadOfALargerRun) {
  Session session;
  session.context.policy.ceiling = CeilingRule::none;
  Experiment experiment(Device::cpu(), 1, session.context);
  std::vector<Measurement> measured{experiment.measurement("work", {1.0, 3.0}, Work{})};
  experiment.finish(measured, {.load_before = 0.25, .foreign_load = 0.5, .steal = 0.125});
  const Quietness& quietness = measured.front().quietness;
  EXPECT_EQ(quietness.load_before, 0.25);
  EXPECT_EQ(quietness.foreign_load, 0.5);
  EXPECT_EQ(quietness.steal, 0.125);
  EXPECT_EQ(quietness.spread, 1.0);
}

TEST(Experiment, WorkThatMovesNothingHasNoPercentage) {
  Session session;
  session.context.policy.ceiling = CeilingRule::always;
  Experiment experiment(Device::cpu(), 1, session.context);
  std::vector<Measurement> measured{experiment.measurement("idle", {1.0}, Work{})};
  experiment.finish(measured);
  EXPECT_FALSE(measured.front().ceiling.has_value());
  EXPECT_FALSE(measured.front().percent_of_bankfull().has_value());
  EXPECT_FALSE(measured.front().bytes_per_second().has_value());
}

TEST(Experiment, WorkThatMemoryDoesNotBoundHasARateAndNoPercentage) {
  Session session;
  session.context.policy.ceiling = CeilingRule::always;
  Experiment experiment(Device::cpu(), 1, session.context);
  Work work = work_of(1e9, beyond_all_caches);
  work.is_bound_by_memory = false;
  std::vector<Measurement> measured{experiment.measurement("message", {1.0}, work)};
  experiment.finish(measured);
  EXPECT_EQ(measured.front().bytes_per_second(), 2e9);
  EXPECT_FALSE(measured.front().ceiling.has_value());
}

TEST(Experiment, WorkWithoutAWorkingSetIsInNoCache) {
  Session session;
  const Experiment experiment(Device::cpu(), 1, session.context);
  EXPECT_EQ(experiment.measurement("idle", {1.0}, Work{}).cache, CacheFit::beyond);
}

/// Reports that its runs take two seconds.
class OwnWatch final : public Benchmark {
 public:
  [[nodiscard]] std::string name() const override { return "own watch"; }
  void run() override {}
  [[nodiscard]] std::optional<double> own_seconds() const override { return 2.0; }
  [[nodiscard]] Work work() const override { return {}; }
};

TEST(Experiment, TheWatchOfABenchmarkCounts) {
  Session session;
  Experiment experiment(Device::cpu(), 1, session.context);
  OwnWatch benchmark;
  std::vector<Check> checks;
  const auto measured = experiment.measure_in_turn({&benchmark}, 3, checks);
  EXPECT_EQ(measured.front().seconds.samples, std::vector<double>(3, 2.0));
}

TEST(Experiment, NoneMeansNoCeiling) {
  Session session;
  session.context.policy.ceiling = CeilingRule::none;
  Experiment experiment(Device::cpu(), 1, session.context);
  experiment.expect({.reads = 1, .writes = 1}, Precision::fp64, beyond_all_caches);
  std::vector<Measurement> measured{
      experiment.measurement("large", {1.0}, work_of(1e9, beyond_all_caches))};
  experiment.finish(measured);
  EXPECT_FALSE(measured.front().ceiling.has_value());
}

TEST(Experiment, TakesCeilingsFromAFile) {
  Session session;
  session.context.policy = {.ceiling = CeilingRule::file,
                            .known_ceilings = {{.name = "1 read : 1 write, fp64, streaming stores",
                                                .bytes_per_second = 4e9,
                                                .key = "1 read : 1 write, fp64",
                                                .source = "earlier.json"}}};
  Experiment experiment(Device::cpu(), 1, session.context);
  std::vector<Measurement> measured{
      experiment.measurement("known", {1.0}, work_of(1e9, beyond_all_caches)),
      experiment.measurement("unknown", {1.0},
                             {.traffic = {.bytes_read = 1.0}, .working_set_bytes = 1.0})};
  experiment.finish(measured);
  EXPECT_EQ(measured[0].percent_of_bankfull(), 50.0);
  EXPECT_FALSE(measured[1].ceiling.has_value());
  ASSERT_EQ(measured[1].notes.size(), 1U);
  EXPECT_NE(measured[1].notes.front().find("read, fp64"), std::string::npos);
}

TEST(Experiment, MeasuresACeilingBeforeAndAfter) {
  Session session;
  session.context.policy = {
      .ceiling = CeilingRule::always, .ceiling_seconds = 1e6, .ceiling_bytes = 64 * mib};
  Experiment experiment(Device::cpu(), 2, session.context);
  experiment.expect({.reads = 1, .writes = 1}, Precision::fp64, 8.0);
  std::vector<Measurement> measured{experiment.measurement("copy", {1.0}, work_of(1e9, 8.0))};
  experiment.finish(measured);
  const Ceiling ceiling = measured.front().ceiling.value_or(Ceiling{});
  EXPECT_EQ(ceiling.rates.size(), 2U);
  EXPECT_EQ(ceiling.bytes_per_second,
            *std::max_element(ceiling.rates.begin(), ceiling.rates.end()));
  EXPECT_EQ(measured.front().quietness.ceiling_drift, ceiling.drift());
}

TEST(Experiment, MeasuresNoCeilingAgainWithoutTimeForIt) {
  Session session;
  session.context.policy = {.ceiling = CeilingRule::always,
                            .ceiling_share = 0.0,
                            .ceiling_seconds = 0.0,
                            .ceiling_bytes = 64 * mib};
  Experiment experiment(Device::cpu(), 2, session.context);
  experiment.expect({.reads = 1, .writes = 1}, Precision::fp64, 8.0);
  std::vector<Measurement> measured{
      experiment.measurement("known", {1.0}, work_of(1e9, 8.0)),
      experiment.measurement("new", {1.0},
                             {.traffic = {.bytes_read = 1e9}, .working_set_bytes = 8.0})};
  experiment.measure_ceiling_of(measured.front());
  experiment.finish(measured);
  for (const Measurement& m : measured) {
    EXPECT_EQ(m.ceiling.value_or(Ceiling{}).rates.size(), 1U) << m.name;
  }
}

TEST(Ceilings, CountAllThatMeasuringThemTakes) {
  Session session;
  session.context.policy = {.ceiling_share = 0.5, .ceiling_seconds = 10.0};
  constexpr Mix copy{.reads = 1, .writes = 1};
  Ceilings ceilings(Device::cpu(), 2, session.context);
  EXPECT_EQ(ceilings.seconds_left(4.0), 10.0);
  EXPECT_EQ(ceilings.seconds_left(100.0), 50.0);
  ceilings.allocate(0);
  const double allocation = ceilings.seconds_spent();
  EXPECT_GT(allocation, 0.0);
  ceilings.measure(copy, Precision::fp64, 0.0);
  const Ceiling ceiling = ceilings.find(copy, Precision::fp64).value_or(Ceiling{});
  const double passes = static_cast<double>(ceiling.seconds.samples.size()) * ceiling.seconds.min;
  EXPECT_GT(ceilings.seconds_spent(), allocation + passes) << "passes and a warm-up before them";
  const double warm = ceilings.min_seconds(copy, Precision::fp64);
  ceilings.release();
  EXPECT_GT(ceilings.min_seconds(copy, Precision::fp64), warm) << "it must allocate and warm up";
  const double spent = ceilings.seconds_spent();
  EXPECT_DOUBLE_EQ(ceilings.seconds_left(100.0), 0.5 * (100.0 - spent) - spent);
}

TEST(Experiment, OnlyRepeatsOfEqualWorkHaveASpread) {
  Session session;
  const Experiment experiment(Device::cpu(), 1, session.context);
  EXPECT_EQ(experiment.measurement("equal", {1.0, 2.0, 3.0}, Work{}).quietness.spread, 1.0);
  EXPECT_EQ(experiment.measurement("different", {1.0, 2.0, 3.0}, Work{}, Repeats::different)
                .quietness.spread,
            0.0);
}

}  // namespace
}  // namespace bankfull
