#include "bankfull/app/accept/judgement.hpp"
#include "bankfull/core/measure/statistics.hpp"
#include "bankfull/numerics/random/counter.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <gtest/gtest.h>
#include <map>
#include <string>
#include <utility>
#include <vector>

// How often `accept` is wrong, by samples that were recorded on real devices and are drawn anew.
// docs/adr/0033 states the figures that these tests print.

namespace bankfull::accept {
namespace {

/// What one run recorded of a gauge.
struct RecordedGauge {
  Reading reading;
  std::vector<double> samples;  ///< seconds
};

/// The gauges of a device of a kind, with the baseline that their runs make.
struct Kind {
  std::vector<RecordedGauge> gauges;
  Baseline baseline;  ///< its spread is that of runs on different days and boards
};

std::vector<RecordedGauge> gauges_in(const recorded::RecordedRun& run) {
  std::vector<RecordedGauge> found;
  recorded::RecordedRun alone = run;
  for (const Measurement& measurement : run.result.measurements) {
    alone.result.measurements = {measurement};
    const std::vector<Reading> readings = readings_of(alone);
    if (!readings.empty() && measurement.seconds.samples.size() >= 3) {
      found.push_back({.reading = readings[0], .samples = measurement.seconds.samples});
    }
  }
  return found;
}

/// What `accept` measures on an H200, of the latest run of each: earlier ones are of slower
/// programs. Runs are assumed to scatter as those of two H100 did.
Kind recorded_h200() {
  std::vector<recorded::RecordedRun> runs = recorded::read_runs(BANKFULL_RECORDED_RESULTS);
  std::erase_if(
      runs, [](const recorded::RecordedRun& run) { return device_of(run).model != "NVIDIA H200"; });
  std::ranges::stable_sort(runs, {}, &recorded::RecordedRun::date);
  std::map<std::string, RecordedGauge> latest;
  for (const recorded::RecordedRun& run : runs) {
    for (RecordedGauge& gauge : gauges_in(run)) {
      latest.insert_or_assign(gauge.reading.gauge, std::move(gauge));
    }
  }
  const Baseline h100 = read_baseline(std::string(BANKFULL_RECORDED_RESULTS) +
                                      "/../baselines/nvidia-h100-80gb-hbm3.json");
  Kind kind{.gauges = {}, .baseline = {.model = "NVIDIA H200", .from = "its latest runs"}};
  for (const char* name : {"probe read, fp64", "probe copy, fp64", "probe triad, fp64",
                           "himeno L fp32 tuned", "npb cg C", "npb ep C"}) {
    kind.gauges.push_back(latest.at(name));
    const Reading& reading = kind.gauges.back().reading;
    kind.baseline.entries.push_back({.gauge = reading.gauge,
                                     .unit = reading.unit,
                                     .median = reading.rate,
                                     .spread = h100.find(name)->spread,
                                     .boards = 1,
                                     .runs = 1});
  }
  return kind;
}

class Random {
 public:
  explicit Random(std::uint64_t seed) : seed_(seed) {}

  std::size_t below(std::size_t count) { return random_bits(seed_, next_++) % count; }
  /// Between 0 and 1.
  double share() { return static_cast<double>(below(1U << 20U)) / (1U << 20U); }
  /// True in one of `count` cases.
  bool one_in(std::size_t count) { return below(count) == 0; }

 private:
  std::uint64_t seed_;
  std::uint64_t next_ = 0;
};

/// A device to be judged.
struct Device {
  double speed = 1.0;           ///< relative to those of the baseline
  std::size_t slow_gauge = 99;  ///< the only one that has this speed; 99: all
  std::size_t disturbed = 0;    ///< one reading of so many is of a disturbed run; 0: none
};

/// What one run of a gauge reads: its samples drawn anew, with replacement, on a day that is off by
/// a part of the spread of runs.
double drawn_rate(const RecordedGauge& gauge, double spread, Random& random) {
  std::vector<double> drawn;
  for (std::size_t n = 0; n < gauge.samples.size(); ++n) {
    drawn.push_back(gauge.samples[random.below(gauge.samples.size())]);
  }
  const double of_day = 1.0 + spread * (random.share() - 0.5);
  return of_day * gauge.reading.rate * summarise(gauge.samples).median / summarise(drawn).median;
}

/// A disturbed run loses between 3 and 40 % of its speed.
double disturbance(Random& random) { return 0.6 + 0.37 * random.share(); }

void measure(const Kind& kind, const Device& device, int rounds, Random& random,
             std::vector<GaugeReadings>& readings) {
  readings.resize(kind.gauges.size());
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t n = 0; n < kind.gauges.size(); ++n) {
      const RecordedGauge& gauge = kind.gauges[n];
      double rate = drawn_rate(gauge, kind.baseline.entries[n].spread, random);
      rate *= device.slow_gauge == 99 || device.slow_gauge == n ? device.speed : 1.0;
      rate *= device.disturbed > 0 && random.one_in(device.disturbed) ? disturbance(random) : 1.0;
      readings[n].gauge = gauge.reading.gauge;
      readings[n].unit = gauge.reading.unit;
      readings[n].rates.push_back(rate);
    }
  }
}

/// How many devices were found to be what, and how many missed before they were measured again.
struct Tally {
  std::map<Finding, int> found;
  int missed_first = 0;
};

/// As `accept` does: a round, and two more where it misses.
Tally accepted(const Kind& kind, const Device& device, int trials) {
  const OthersBy alone = [](const std::string&) { return std::vector<double>(); };
  Tally tally;
  for (int trial = 0; trial < trials; ++trial) {
    Random random(static_cast<std::uint64_t>(trial));
    std::vector<GaugeReadings> readings;
    measure(kind, device, 1, random, readings);
    if (any_misses(readings, &kind.baseline, alone)) {
      ++tally.missed_first;
      measure(kind, device, confirming_rounds, random, readings);
    }
    ++tally.found[verdict_of(judge_all(readings, &kind.baseline, alone))];
  }
  return tally;
}

void show(const std::string& what, Tally tally) {
  std::printf("%s: %d slow, %d disturbed, %d missed in the first round\n", what.c_str(),
              tally.found[Finding::slow], tally.found[Finding::disturbed], tally.missed_first);
}

constexpr int trials = 20000;

TEST(FalseAlarms, AreFewerThanOneInAThousand) {
  Tally tally = accepted(recorded_h200(), {}, trials);
  show("good", tally);
  EXPECT_LT(tally.found[Finding::slow] + tally.found[Finding::disturbed], trials / 1000);
}

TEST(FalseAlarms, AreRareWhereOneReadingInAHundredIsDisturbed) {
  Tally tally = accepted(recorded_h200(), {.disturbed = 100}, trials);
  show("disturbed", tally);
  EXPECT_GT(tally.missed_first, trials / 25);  // what a single round would raise
  EXPECT_LT(tally.found[Finding::slow], trials / 1000);
  EXPECT_LT(tally.found[Finding::disturbed], 3 * trials / 1000);
}

TEST(FalseAlarms, DoNotHideALossOfFivePercent) {
  const Kind kind = recorded_h200();
  Tally all = accepted(kind, {.speed = 0.95}, trials / 4);
  show("lost five percent", all);
  EXPECT_GE(all.found[Finding::slow], 99 * trials / 400);
  for (std::size_t gauge = 0; gauge < kind.gauges.size(); ++gauge) {
    Tally tally = accepted(kind, {.speed = 0.95, .slow_gauge = gauge}, trials / 20);
    show("lost five percent of " + kind.gauges[gauge].reading.gauge, tally);
    EXPECT_GE(tally.found[Finding::slow] + tally.found[Finding::disturbed], 98 * trials / 2000);
  }
}

}  // namespace
}  // namespace bankfull::accept
